"""What people and metrics prefer of the pairs of a source, computed once."""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from data.preferences import Preferences
from pages.background.computed import computed
from pages.components.examples.pair_list import PairList, make_pair_list
from pages.components.examples.pairs import PairFilter, Verdicts, confusion, filter_pairs, presets, verdicts
from pages.components.shared.context import Context


class Comparison(NamedTuple):
    """What is said of all pairs of a source together."""

    signatures: tuple[str, ...]
    """Those of the chosen metrics under which pairs have scores."""
    metrics: tuple[str, ...]
    """Their labels, each metric once."""
    counts: Mapping[PairFilter, int]
    """How many pairs each filter leaves of those that one begins with."""
    confusion: pd.DataFrame
    """As `pairs.confusion` makes it."""

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return self.counts[PairFilter()]


@computed("Comparing", kept=16, whole=True)
def judged_pairs(context: Context) -> tuple[Preferences, Verdicts]:
    """One entry a pair, and what each metric says of it: as large as the data set, and so for computed functions."""
    preferences = context.preferences
    voted = preferences.by_majority() if context.source.study is not None else preferences
    return voted, verdicts(voted)


@computed("Comparing")
def compare(context: Context) -> Comparison:
    """What is said of all pairs of a source together."""
    preferences, found = judged_pairs(context)
    offered = [PairFilter(), *presets(list(found.signs))]
    return Comparison(
        tuple(preferences.scores),
        tuple(found.signs),
        {one: int(filter_pairs(found, one).sum()) for one in offered},
        confusion(found),
    )


@computed("Listing the pairs")
def list_pairs(context: Context, chosen: PairFilter) -> PairList:
    """The pairs that a filter leaves, but for stars, of which it knows nothing."""
    return make_pair_list(*judged_pairs(context), chosen)
