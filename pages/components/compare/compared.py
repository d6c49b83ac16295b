"""What two sources say of metrics, and the pairs on which they prefer different summaries, computed once for all."""

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
from relevance.pages.background.computed import computed
from relevance.pages.components.compare.choice import ALL, AskedSources
from relevance.pages.components.examples.pair_list import JudgedPair
from relevance.pages.components.results.agreement import LISTED
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.presentation import READER_NAMES
from relevance.reports.two_sources import name_metrics


class FoundSources(NamedTuple):
    """Two sources compared."""

    found: TwoSources
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


def read_both(asked: AskedSources) -> tuple[Preferences, Preferences]:
    """Return the preferences of both; what is not the same in two data sets has different names."""
    one, other = asked.first.source, asked.second.source
    first, second = asked.first.preferences, asked.second.preferences
    if one.dataset == other.dataset:
        return first, second
    return first, name_apart(second, open_stores().data.same_summaries(one.dataset, other.dataset), other.dataset)


@computed("Comparing the two")
def compare_two(asked: AskedSources) -> FoundSources:
    """Compare the agreement of metrics with both sources."""
    first, second = read_both(asked)
    shared = None if asked.pairs == ALL else find_shared(first, second)
    if shared is not None and asked.pairs is None and not is_enough(shared):
        shared = None
    if shared is not None:
        first, second = shared.first, shared.second
    found = compare_sources(asked.first.read_inputs(first), asked.second.read_inputs(second), asked.metrics)
    return FoundSources(name_metrics(found, READER_NAMES), shared is not None)


def is_enough(shared: SharedPairs) -> bool:
    """Tell whether the pairs that both have are enough for metrics to be compared on these alone."""
    return all(
        np.count_nonzero(preference_signs(of.choices)) >= ENOUGH_JUDGMENTS
        and len(set(of.documents)) >= ENOUGH_DOCUMENTS
        for of in (shared.first, shared.second)
    )


@computed("Looking for pairs where they part")
def list_opposite(asked: AskedSources) -> Opposite:
    """List the pairs on which each source prefers another summary."""
    found = find_votes(*read_both(asked))
    columns = ["document", "a", "b", "first", "second", "with first", "with second"]
    if found is None:
        return Opposite(pd.DataFrame(columns=columns), 0)
    preferences, places = found.preferences, np.flatnonzero(found.opposite)
    named = labels([one for one in asked.metrics if one in preferences.scores], label_of)
    differences = preferences.differences()
    signs = {label: preference_signs(differences[one]) for one, label in named.items()}
    rows = []
    for place in places[:LISTED].tolist():
        one = found.first[place]
        sides = [[label for label, sign in signs.items() if sign[place] == side] for side in (one, -one)]
        letters = ("A", "B") if one > 0 else ("B", "A")
        systems = preferences.first[place], preferences.second[place]
        rows.append((preferences.document[place], *systems, *letters, *(", ".join(names) for names in sides)))
    return Opposite(pd.DataFrame(rows, columns=columns), len(places))
