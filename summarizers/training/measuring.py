"""Scores of summaries of the dev documents, by which training stops and grids are searched."""

from collections.abc import Sequence
from statistics import fmean

from relevance.data.records import Document, Summary, make_examples
from relevance.metrics.registry import metric
from relevance.summarizers.methods.base import Decoding, Method, Network, target_of

AT_ONCE = 16
"""Documents in a batch of writing; documents of similar length are together."""


class NothingMeasured(ValueError):
    """No dev document has a value of the metric."""


def write_all(method: Method, network: Network, documents: Sequence[Document], decoding: Decoding) -> list[str]:
    """Write a summary of each document, in order."""
    by_length = sorted(range(len(documents)), key=lambda place: -len(documents[place].source_text))
    written: dict[int, str] = {}
    for start in range(0, len(by_length), AT_ONCE):
        places = by_length[start : start + AT_ONCE]
        texts = method.write(network, [documents[place] for place in places], decoding)
        written.update(zip(places, texts, strict=True))
    return [written[place] for place in range(len(documents))]


def measure(documents: Sequence[Document], texts: Sequence[str], name: str) -> float:
    """Compute the mean of a metric over the documents for which it has a value; an empty summary counts 0.

    Raises `NothingMeasured` if none has, as with ROUGE-K for documents with one reference and no title.
    """
    # Whether a document has a value does not depend on its summary.
    possible = values(documents, [target_of(document) for document in documents], name)
    reached = values(documents, texts, name)
    counted = [value or 0.0 for most, value in zip(possible, reached, strict=True) if most is not None]
    if not counted:
        raise NothingMeasured(f"no dev document has a value of {name}: ROUGE-K needs two of references and title")
    return fmean(counted)


def values(documents: Sequence[Document], texts: Sequence[str], name: str) -> list[float | None]:
    """Compute a metric's value for a summary of each document."""
    examples = [
        make_examples(document, [Summary(document.id, "dev", text)])[0]
        for document, text in zip(documents, texts, strict=True)
    ]
    return [score.value for score in metric(name).score(examples)]
