"""Counts over all of a data set's summaries and scores."""

from collections.abc import Iterable

from relevance.data.store import Dataset, StoredSignature
from relevance.metrics.notices import describe_missing
from relevance.metrics.registry import label_of
from relevance.pages.components.shared.stores import TextVersion, open_stores, version_of
from relevance.pages.computing.computed import computed
from relevance.pages.computing.waiting import read_at_first


def signatures_of(dataset: Dataset) -> tuple[StoredSignature, ...]:
    """Return the signatures under which a data set has scores, with counts; kept until scores or texts change."""
    tokens = read_at_first("scores and texts", lambda: open_stores().data.versions("scores", "texts"))
    return count_signatures(dataset.name, version_of(dataset), tokens)


@computed("Counting the scores", kept=64)
def count_signatures(dataset: str, version: TextVersion, tokens: tuple[str, ...]) -> tuple[StoredSignature, ...]:
    """Count a data set's scores by signature; `tokens` are the versions of all scores and texts."""
    return tuple(open_stores().data.signatures(dataset))


def say_missing(dataset: str, signatures: Iterable[str]) -> list[str]:
    """Say under which of these signatures scores of a data set are missing, how many, and why."""
    data = open_stores().data
    return describe_missing(
        {label_of(signature): data.reasons(dataset=dataset, signature=signature) for signature in signatures}
    )


@computed("Looking for documents with one text", kept=64)
def count_single_texts(dataset: str, version: TextVersion) -> int:
    """Count the documents with fewer than two texts to compare."""
    return open_stores().data.count_single_texts(dataset)
