"""Metrics compared by two sources, and pairs on which these prefer different summaries, computed once for all."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from relevance.analysis.agreement.evaluation import ENOUGH_DOCUMENTS, ENOUGH_JUDGMENTS
from relevance.analysis.two_sources import (
    SharedPairs,
    TwoSources,
    compare_sources,
    find_shared,
    find_votes,
    name_apart,
)
from relevance.data.preferences import Preferences
from relevance.data.signatures import labels
from relevance.data.ties import preference_signs
from relevance.metrics.registry import label_of
from relevance.pages.components.compare.choice import ALL, SourcePair
from relevance.pages.components.examples.pair_list import JudgedPair
from relevance.pages.components.results.agreement import LISTED
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.computing.computed import computed
from relevance.reports.presentation import READER_NAMES
from relevance.reports.two_sources import name_metrics


class SourcesResult(NamedTuple):
    """Two sources compared."""

    comparison: TwoSources
    shared: bool
    """True if only pairs count that both have."""


class Opposite(NamedTuple):
    """The pairs on which each source prefers another summary, in the order of the first one's."""

    table: pd.DataFrame
    """The columns `document`, `a` and `b` (systems), `first` and `second` (the letters of the summaries that the
    sources prefer), and the metrics that side `with first` and `with second`."""
    total: int
    """The number of such pairs, listed or not."""

    def pair(self, place: int) -> JudgedPair:
        """Return the pair at a place of the list, with what the first source prefers."""
        document, a, b, first = self.table.iloc[place][["document", "a", "b", "first"]]
        return JudgedPair(document, (a, b), first)


def read_both(sources: SourcePair) -> tuple[Preferences, Preferences]:
    """Return the preferences of both; what is not the same in two data sets has different names."""
    first_source, second_source = sources.first.source, sources.second.source
    first, second = sources.first.preferences, sources.second.preferences
    if first_source.dataset == second_source.dataset:
        return first, second
    return first, name_apart(
        second, open_stores().data.same_summaries(first_source.dataset, second_source.dataset), second_source.dataset
    )


@computed("Comparing the two")
def compare_two(both: SourcePair) -> SourcesResult:
    """Compare the agreement of metrics with both sources."""
    first, second = read_both(both)
    shared = None if both.pairs == ALL else find_shared(first, second)
    if shared is not None and both.pairs is None and not is_enough(shared):
        shared = None
    if shared is not None:
        first, second = shared.first, shared.second
    sources = compare_sources(both.first.read_inputs(first), both.second.read_inputs(second), both.metrics)
    return SourcesResult(name_metrics(sources, READER_NAMES), shared is not None)


def is_enough(shared: SharedPairs) -> bool:
    """Tell whether the pairs that both have are enough for metrics to be compared on these alone."""
    return all(
        np.count_nonzero(preference_signs(of.choices)) >= ENOUGH_JUDGMENTS
        and len(set(of.documents)) >= ENOUGH_DOCUMENTS
        for of in (shared.first, shared.second)
    )


@computed("Looking for pairs where they part")
def list_opposite(sources: SourcePair) -> Opposite:
    """List the pairs on which each source prefers another summary."""
    votes = find_votes(*read_both(sources))
    columns = ["document", "a", "b", "first", "second", "with first", "with second"]
    if votes is None:
        return Opposite(pd.DataFrame(columns=columns), 0)
    preferences, places = votes.preferences, np.flatnonzero(votes.opposite)
    named = labels([metric for metric in sources.metrics if metric in preferences.scores], label_of)
    differences = preferences.differences()
    signs = {label: preference_signs(differences[name]) for name, label in named.items()}
    rows = []
    for place in places[:LISTED].tolist():
        first = votes.first[place]
        sides = [[label for label, sign in signs.items() if sign[place] == side] for side in (first, -first)]
        letters = ("A", "B") if first > 0 else ("B", "A")
        systems = preferences.first[place], preferences.second[place]
        rows.append((preferences.document[place], *systems, *letters, *(", ".join(names) for names in sides)))
    return Opposite(pd.DataFrame(rows, columns=columns), len(places))
