"""The examples on which metrics disagree: the chosen ones of the demo corpus, and those of a source."""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from relevance.data.demo import AUTHOR, CHOSEN, FILE, TABLE_1
from relevance.data.importers import read_documents
from relevance.data.preferences import Preferences
from relevance.data.records import Example, make_examples
from relevance.data.signatures import distinct, is_computed
from relevance.metrics import METRICS, is_lexical
from relevance.metrics.from_signature import signatures
from relevance.pages.components.examples.inspector import examples_of
from relevance.pages.components.examples.judged import judged_pairs, list_pairs
from relevance.pages.components.examples.pair_list import JudgedPair
from relevance.pages.components.examples.pairs import PairFilter, describe_filter
from relevance.pages.components.examples.texts import stored_values
from relevance.pages.components.shared.context import Context
from relevance.pages.components.shared.records import opening_of
from relevance.pages.components.shared.score_table import LETTERS
from relevance.pages.components.shared.sources import Source
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.computing.computed import computed
from relevance.reports.evidence.phrases import preferred_letter

BOTH = LETTERS[:2]
"""The letters of an example's two summaries."""

MOST = 12
"""The most examples of a source that are presented: nobody turns more slides."""

OF_PAPER = (
    "The first example is Table 1 of Takeshita et al. (2024), ROUGE-K: Do Your Summaries Have Keywords? There ROUGE-1 "
    "(0.2745 against 0.2609) and BERTScore (0.8718 against 0.8692, by another encoder than the one here) prefer the "
    "summary that lacks the keyword “Hawaiian”; the annotators and ROUGE-K prefer the other one."
)
"""The paper's words on its example, with its figures."""

WHY_OF_PAPER = "Table 1 of the ROUGE-K paper: the keyword “Hawaiian” decides"


class Disagreement(NamedTuple):
    """An example on which metrics disagree."""

    why: str
    """The reason for which it is shown."""
    document_id: str
    examples: tuple[Example, ...]
    """Its two summaries, A and B."""
    judges: str
    """The people who preferred one of them, as a sentence's subject."""
    prefers: str
    """Their preference: `A`, `B`, `tie`, `split`."""
    ratings: tuple[str, ...] = ()
    """The ratings of A and B in words; empty if people only chose."""
    stored: Mapping[str, tuple[float, float]] = {}
    """The stored scores of A and B by signature, NaN if one is missing; empty if there are none."""
    largest: Mapping[str, float] = {}
    """The largest difference of two scores of the source, by signature."""
    metrics: tuple[str, ...] = ()
    """The labels of the metrics that show it best, in the order in which one follows; empty if nobody chose any."""

    @property
    def name(self) -> str:
        """The name of the example for readers, under which votes and notes are kept."""
        return f"{self.document_id}: {opening_of(self.examples[0])}"

    @property
    def signatures(self) -> list[str]:
        """The signatures of the metrics to compare."""
        return list(self.stored) or list(signatures(referenced=bool(self.examples[0].references)).values())

    @property
    def with_models(self) -> list[str]:
        """The signatures of metrics with a model."""
        return [signature for signature in self.signatures if not is_lexical(signature) and is_computed(signature)]


@cache
def load_chosen_examples() -> tuple[Disagreement, ...]:
    """Load the paper's example and the chosen ones of the packaged corpus, in the order of presentation."""
    ((document, summaries),) = read_documents(TABLE_1, "interchange")
    labelled = {name: kind.label for name, kind in METRICS.items()}
    result = [
        Disagreement(
            WHY_OF_PAPER,
            document.id,
            tuple(make_examples(document, list(summaries))),
            "The paper's annotators",
            BOTH[1],
        )
    ]
    records = {document.id: (document, list(summaries)) for document, summaries in read_documents(FILE, "interchange")}
    for document_id, systems, why, metrics in CHOSEN:
        document, summaries = records[document_id]
        of_system = {example.system: example for example in make_examples(document, summaries)}
        author = {summary.system: summary.human[AUTHOR] for summary in summaries}
        given = [author[system] for system in systems]
        result.append(
            Disagreement(
                why,
                document_id,
                tuple(of_system[system] for system in systems),
                "The author",
                preferred_letter(given, BOTH),
                tuple(f"{value:g} of 4" for value in given),
                metrics=tuple(labelled[name] for name in metrics),
            )
        )
    return tuple(result)


@computed("Looking for the strongest examples", kept=32)
def find_disagreements(context: Context, chosen: PairFilter) -> tuple[tuple[Disagreement, ...], int, int]:
    """Return the strongest pair of each of the first `MOST` documents that a filter leaves, the strongest first.

    Also return the number of pairs that it leaves, and of their documents.
    """
    preferences, _ = judged_pairs(context)
    pairs = list_pairs(context, chosen)
    largest = {signature: largest_difference(preferences, signature) for signature in distinct(preferences.scores)}
    documents = len(pairs.documents)
    return (
        tuple(
            read_disagreement(context.source, pairs.first_of(place), chosen, largest)
            for place in range(min(MOST, documents))
        ),
        pairs.pairs,
        documents,
    )


def read_disagreement(
    source: Source, pair: JudgedPair, chosen: PairFilter, largest: Mapping[str, float]
) -> Disagreement:
    """Read a pair that a filter leaves as an example; `largest` are the largest differences of two scores."""
    document, summaries = open_stores().data.record(source.dataset, pair.document)
    stored = source.stored(pair.document, pair.systems)
    return Disagreement(
        describe_filter(chosen),
        document.id,
        tuple(examples_of(pair, document, summaries)),
        source.judges,
        pair.people,
        stored=stored_values(stored, list(largest), pair.systems),
        largest=largest,
        metrics=tuple(reversed(chosen.metrics)),  # the one that is wrong first
    )


def largest_difference(preferences: Preferences, signature: str) -> float:
    """Return the largest difference of two scores of a pair by a metric; 0 if there is none."""
    size = np.abs(preferences.differences()[signature])
    return float(size.max(initial=0.0, where=~np.isnan(size)))


def find_place(name: str | None, among: tuple[Disagreement, ...]) -> int:
    """Return the place of the example that an address asks for, by document or by number from 1; else 0."""
    names = [shown.document_id for shown in among]
    if name in names:
        return names.index(name)
    number = int(name) if name and name.isascii() and name.isdigit() and len(name) < 5 else 1
    return number - 1 if 1 <= number <= len(names) else 0
