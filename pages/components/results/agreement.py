"""The agreement of metrics with people on the preferences that filters leave, computed once for all sessions."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from relevance.analysis.agreement.counts import Rule
from relevance.analysis.agreement.evaluation import MetricEvaluation
from relevance.analysis.leaders import Leaders, find_leaders
from relevance.analysis.metrics_and_people import AgreementAnalysis, common_ground
from relevance.analysis.study import check_sides
from relevance.data.preferences import Preferences
from relevance.pages.components.examples.texts import contradiction_table
from relevance.pages.components.shared.context import Context
from relevance.pages.components.shared.sources import Counts, count_preferences
from relevance.pages.computing.computed import computed
from relevance.reports.tables.agreement import position_table
from relevance.reports.tables.registry import OF_RATINGS, finish_table, make_tables
from relevance.reports.tables.table import Table

LISTED = 1000
"""Pairs in a list that somebody looks through by eye."""


class AgreementChoice(NamedTuple):
    """The filters of preferences, and the way in which they are counted; no names mean all of them."""

    context: Context
    people: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    decided: bool = False
    majority: bool = False
    rule: Rule = "half"

    @property
    def summaries(self) -> int:
        """The number of summaries in the data set, by which `computed` tells whether it is large."""
        return self.context.summaries

    @property
    def filtered(self) -> bool:
        """True if filters may leave something out."""
        return any((self.people, self.systems, self.decided))


class AgreementResult(NamedTuple):
    """The agreement of metrics with people on the preferences that the filters leave."""

    agreement: AgreementAnalysis
    ceiling: MetricEvaluation | None
    """People among themselves; None if the preferences are not judgments."""
    leaders: Leaders | None
    tables: Mapping[str, Table]
    """The tables of agreement, with those of sides and of judges where there are any."""
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


def filter_preferences(choice: AgreementChoice) -> Preferences:
    """Return the source's preferences that the filters leave."""
    preferences = choice.context.preferences
    if choice.people:
        preferences = preferences.where(np.isin(preferences.annotators, choice.people))
    if choice.systems:
        preferences = preferences.of_systems(choice.systems)
    return preferences


def count_by_choice(choice: AgreementChoice, preferences: Preferences) -> Preferences:
    """Return one entry per judgment or per pair, as chosen; all of them, or those that everybody decides."""
    if choice.majority:
        preferences = preferences.by_majority()
    if not choice.decided or preferences.unlisted is not None:
        return preferences
    return preferences.where(common_ground(preferences))


@computed("Comparing metrics with people")
def analyze_agreement_by(choice: AgreementChoice) -> AgreementResult:
    """Analyse the preferences that the filters leave."""
    context, judged = choice.context, filter_preferences(choice)
    preferences = count_by_choice(choice, judged)
    shown = context.analyze(preferences, unit="pair by majority" if choice.majority else None, rule=choice.rule)
    names = ["agreement", "comparisons", "by_difference", *(["judges"] if shown.inputs.judges else [])]
    tables = make_tables(names, shown)
    if sides := () if context.source.study is None else check_sides(judged):
        tables["position"] = finish_table(position_table(sides), shown.about)
    leaders = find_leaders(shown.agreement, preferences)
    return AgreementResult(shown.agreement, shown.results.ceiling, leaders, tables, count_preferences(preferences))


@computed("Comparing annotators", kept=16)
def analyze_raters(context: Context) -> dict[str, Table]:
    """Make the tables of the annotators whose ratings the source has, by name."""
    shown = context.analyze_cells()
    of_pairs = ("reliability", "cohen") if context.source.by_annotator else ()
    return make_tables([*OF_RATINGS, *of_pairs], shown)


@computed("Looking for contradictions")
def find_contradictions(choice: AgreementChoice) -> dict[str, Contradictions]:
    """Return contradictions of the majority, or of ratings, by metric; none where pairs are too many to be listed."""
    preferences = count_by_choice(choice, filter_preferences(choice))
    if preferences.unlisted is not None:
        return {}
    voted = preferences.by_majority() if choice.context.source.several else preferences
    counts_by_metric = {}
    rows = analyze_agreement_by(choice).agreement.rows
    for row in [row for row in rows if row.evaluation.agreement.pairs] or rows:
        table = contradiction_table(voted, row.signature)
        listed = table.head(LISTED)
        counts_by_metric[row.metric] = Contradictions(
            voted.of_pairs(listed.index.to_numpy()), listed.reset_index(drop=True), len(table)
        )
    return counts_by_metric
