"""The preferences of people and metrics on the pairs of a source, computed once."""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from relevance.data.preferences import Preferences
from relevance.pages.components.examples.pair_list import PairList, make_pair_list
from relevance.pages.components.examples.pairs import (
    PairFilter,
    Verdicts,
    confusion,
    count_sides,
    filter_pairs,
    presets,
    verdicts,
)
from relevance.pages.components.shared.context import Context
from relevance.pages.computing.computed import computed, whole


class Comparison(NamedTuple):
    """Facts about all pairs of a source together."""

    signatures: tuple[str, ...]
    """The signatures of the chosen metrics under which pairs have scores."""
    metrics: tuple[str, ...]
    """Their labels, each metric once."""
    counts: Mapping[PairFilter, int]
    """The number of pairs that each preset filter leaves."""
    confusion: pd.DataFrame
    """The table made by `pairs.confusion`."""
    sides: pd.DataFrame
    """The table made by `pairs.count_sides`."""

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return self.counts[PairFilter()]


@whole("Comparing", kept=16)
def judged_pairs(context: Context) -> tuple[Preferences, Verdicts]:
    """Return one entry per pair, and all verdicts; as large as the data set, so for computed functions only."""
    preferences = context.preferences
    voted = preferences.by_majority() if context.source.several else preferences
    return voted, verdicts(voted)


@computed("Comparing")
def compare(context: Context) -> Comparison:
    """Compare people and metrics on all pairs of a source together."""
    preferences, verdicts = judged_pairs(context)
    offered = [PairFilter(), *presets(list(verdicts.signs))]
    return Comparison(
        tuple(preferences.scores),
        tuple(verdicts.signs),
        {name: int(filter_pairs(verdicts, name).sum()) for name in offered},
        confusion(verdicts),
        count_sides(verdicts),
    )


@computed("Listing the pairs")
def list_pairs(context: Context, chosen: PairFilter) -> PairList:
    """List the pairs that a filter leaves, without regard to stars, which it does not know."""
    return make_pair_list(*judged_pairs(context), chosen)
