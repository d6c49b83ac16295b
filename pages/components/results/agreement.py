"""The agreement of metrics with people on the preferences that filters leave, computed once for all sessions."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from relevance.analysis.agreement.counts import Rule
from relevance.analysis.leaders import Leaders, find_leaders
from relevance.analysis.metrics_and_people import common_ground
from relevance.analysis.significance import SideShare
from relevance.analysis.study import StudyAnalysis, check_sides
from relevance.data.preferences import Preferences
from relevance.pages.background.computed import computed
from relevance.pages.components.examples.texts import contradiction_table
from relevance.pages.components.shared.context import Context
from relevance.pages.components.shared.sources import Counts, count_preferences

LISTED = 1000
"""Pairs in a list that somebody looks through by eye."""


class AgreementChoice(NamedTuple):
    """The filters of preferences, and the way in which they are counted; no names mean all of them."""

    context: Context
    people: tuple[str, ...]
    systems: tuple[str, ...]
    decided: bool
    majority: bool
    rule: Rule

    @property
    def filtered(self) -> bool:
        """True if filters may leave something out."""
        return any((self.people, self.systems, self.decided))


class FoundAgreement(NamedTuple):
    """The agreement of metrics with people on the preferences that the filters leave."""

    analysis: StudyAnalysis
    leaders: Leaders | None
    sides: Sequence[SideShare]
    """Each of these annotators' share of choices of the left side."""
    counts: Counts
    """The counts of what the filters leave."""


class Contradictions(NamedTuple):
    """The pairs in which a metric contradicts people, those it is surest of first."""

    preferences: Preferences
    """The preferences of the listed pairs."""
    table: pd.DataFrame
    """A row for each listed pair, by its number."""
    total: int
    """The number of contradictions, listed or not."""


def filter_preferences(asked: AgreementChoice) -> Preferences:
    """Return the source's preferences that the filters leave."""
    preferences = asked.context.preferences
    if asked.people:
        preferences = preferences.where(np.isin(preferences.annotators, asked.people))
    if asked.systems:
        preferences = preferences.of_systems(asked.systems)
    return preferences


def count_by_choice(asked: AgreementChoice, preferences: Preferences) -> Preferences:
    """Return one entry per judgment or per pair, as chosen; all of them, or those that everybody decides."""
    if asked.majority:
        preferences = preferences.by_majority()
    if not asked.decided or preferences.unlisted is not None:
        return preferences
    return preferences.where(common_ground(preferences))


@computed("Comparing metrics with people")
def analyze_agreement_by(asked: AgreementChoice) -> FoundAgreement:
    """Analyse the preferences that the filters leave."""
    context, judged = asked.context, filter_preferences(asked)
    sides = () if context.source.study is None else check_sides(judged)
    preferences = count_by_choice(asked, judged)
    analysis = context.analyze(preferences, unit="pair by majority" if asked.majority else None, rule=asked.rule)
    analysis.compute("agreement", "ceiling")
    leaders = find_leaders(analysis.agreement, preferences)
    return FoundAgreement(analysis.without_columns(), leaders, sides, count_preferences(preferences))


@computed("Looking for contradictions")
def find_contradictions(asked: AgreementChoice) -> dict[str, Contradictions]:
    """Return contradictions of the majority, or of ratings, by metric; none where pairs are too many to be listed."""
    preferences = count_by_choice(asked, filter_preferences(asked))
    if preferences.unlisted is not None:
        return {}
    voted = preferences.by_majority() if asked.context.source.study is not None else preferences
    found = {}
    rows = analyze_agreement_by(asked).analysis.agreement.rows
    for row in [row for row in rows if row.evaluation.agreement.pairs] or rows:
        table = contradiction_table(voted, row.signature)
        listed = table.head(LISTED)
        found[row.metric] = Contradictions(
            voted.of_pairs(listed.index.to_numpy()), listed.reset_index(drop=True), len(table)
        )
    return found
