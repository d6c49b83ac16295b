"""All tables of an analysis by name, from which pages, the command line and reports choose."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from relevance.analysis.metrics_and_people import CorrelationRow
from relevance.analysis.study import WON, Settings, StudyAnalysis
from relevance.reports.tables.agreement import (
    agreement_table,
    comparison_table,
    difference_table,
    note_drawn_pairs,
    position_table,
    sampling_notes,
)
from relevance.reports.tables.correlation import (
    correlation_table,
    correlation_test_table,
    discrepancy_table,
    note_drawn_pairs_of_people,
)
from relevance.reports.tables.judges import judges_table, note_no_scores
from relevance.reports.tables.people import annotators_table, cohen_table, ranking_table, reliability_table
from relevance.reports.tables.stopping import ENDED_EARLY, sequential_table
from relevance.reports.tables.systems import published_table, spread_table, system_table, wilcoxon_table
from relevance.reports.tables.table import Table

TITLES = {
    "human": "Metrics with people ({human})",
    "length": "Metrics with length",
    "rouge_k": "Metrics with ROUGE-K",
    "matrix": "Metrics with each other",
}
"""The titles of the tables of correlations."""


def make_agreement(analysis: StudyAnalysis) -> Table:
    """Make the table of how often each metric agrees with people."""
    notes = sampling_notes(analysis.sampling)
    return agreement_table(analysis.agreement, analysis.unit, analysis.truncated, analysis.ceiling, notes=notes)


def make_majority(analysis: StudyAnalysis) -> Table:
    """Make the same table of pairs by majority."""
    notes = sampling_notes(analysis.sampling)
    table = agreement_table(analysis.majority, "pair by majority", analysis.truncated, notes=notes)
    return table._replace(name="agreement_by_majority")


def make_reliability(analysis: StudyAnalysis) -> Table:
    """Make the table of coefficients of agreement between annotators."""
    found = analysis.reliability
    return reliability_table(found.alpha, found.fleiss, found.raw)


def make_correlations(name: str, rows: Sequence[CorrelationRow], settings: Settings, terms: Mapping[str, str]) -> Table:
    """Make one of the tables of correlations; `terms` are the names of levels and coefficients."""
    return correlation_table(name, TITLES[name].format(human=settings.human), rows, settings.resample, terms)


def make_all_correlations(name: str, analysis: StudyAnalysis) -> Table:
    """Make one of the tables of correlations from an analysis that computes all of them."""
    return make_correlations(name, analysis.correlations[name], analysis.settings, analysis.terms)


def make_correlation_tests(analysis: StudyAnalysis) -> Table:
    """Make the table of tests of two metrics by their correlation with people."""
    return correlation_test_table(analysis.correlation_tests, analysis.people, terms=analysis.terms)


def make_sequential(analysis: StudyAnalysis) -> Table:
    """Make the table of the study's stopping rule."""
    if analysis.sequential is None:
        return Table("sequential", "The stopping rule", [], empty="the study has no stopping rule")
    return sequential_table(analysis.sequential, analysis.label_of)


TABLES: Mapping[str, Callable[[StudyAnalysis], Table]] = {
    "sequential": make_sequential,
    "agreement": make_agreement,
    "agreement_by_majority": make_majority,
    "comparisons": lambda analysis: comparison_table(analysis.agreement),
    "by_difference": lambda analysis: difference_table(analysis.agreement),
    "reliability": make_reliability,
    "cohen": lambda analysis: cohen_table(analysis.reliability.kappas),
    "annotators": lambda analysis: annotators_table(analysis.reliability.annotators),
    "position": lambda analysis: position_table(analysis.reliability.sides),
    "judges": lambda analysis: judges_table(analysis.judges, analysis.agreement),
    "ranking": lambda analysis: ranking_table(analysis.reliability.ranking),
    "human": partial(make_all_correlations, "human"),
    "length": partial(make_all_correlations, "length"),
    "rouge_k": partial(make_all_correlations, "rouge_k"),
    "matrix": partial(make_all_correlations, "matrix"),
    "discrepancies": lambda analysis: discrepancy_table(analysis.discrepancies),
    "correlation_tests": make_correlation_tests,
    "distinguishability": lambda analysis: spread_table(analysis.systems),
    "systems": lambda analysis: system_table(analysis.systems, analysis.bounds),
    "systems_published": lambda analysis: published_table(analysis.published, analysis.label_of),
    "wilcoxon": lambda analysis: wilcoxon_table(analysis.systems),
}
"""The function that makes each table, in the order of reading."""

OF_ANNOTATORS = ("reliability", "cohen", "annotators", "position", "ranking")
"""The tables of a study's annotators."""

AMONG_ANNOTATORS = ("agreement_by_majority", "reliability", "cohen", "annotators")
"""The tables that need several judgments of a pair; adjudicators make only one."""

OF_SCORES = ("human", "length", "rouge_k", "matrix", "discrepancies", "correlation_tests")
"""The tables that need scores of summaries, which language models do not give."""

OF_PEOPLE = ("agreement", "comparisons", "by_difference", "human", "correlation_tests")
"""The tables of a file or data set that need ratings."""


ENDED = ("agreement", "agreement_by_majority", "comparisons", "by_difference", "ranking")
"""The tables of figures that an early end by the stopping rule moves away from what is true."""


def table_names(analysis: StudyAnalysis) -> tuple[str, ...]:
    """Return the names of the tables that can be made of an analysis.

    Decisions of adjudicators have none of the tables that need several judgments of a pair; ratings have none of
    annotators; without ratings, there are none that need people. Judges, published figures and the stopping rule have
    a table only if there are any.
    """
    there = {"systems_published": analysis.published, "judges": analysis.judges, "sequential": analysis.complete}
    empty = {name for name, what in there.items() if not what}
    if analysis.unit == "judgment":
        return tuple(name for name in TABLES if name not in empty)
    if analysis.unit == "adjudicated pair":
        return tuple(name for name in TABLES if name not in {*AMONG_ANNOTATORS, *empty})
    of_study = {"agreement_by_majority", *OF_ANNOTATORS, *empty}
    return tuple(
        name
        for name in TABLES
        if name not in of_study and (analysis.settings.human is not None or name not in OF_PEOPLE)
    )


def make_table(name: str, analysis: StudyAnalysis) -> Table:
    """Make one of `TABLES`."""
    table = finish_table(TABLES[name](analysis), analysis)
    return note_no_scores(table, analysis.judges) if analysis.judges and name in OF_SCORES else table


def finish_table(table: Table, analysis: StudyAnalysis) -> Table:
    """Add to a table what of it is not weighed or of an early end, and to its title the analysis's source."""
    table = say_not_weighed(table, analysis)
    if table.name in ENDED and analysis.sequential is not None and analysis.sequential.stopped_early:
        table = table._replace(notes=[*table.notes, ENDED_EARLY])
    return table._replace(title=f"{table.title} ({analysis.source})") if analysis.source else table


def say_not_weighed(table: Table, analysis: StudyAnalysis) -> Table:
    """Note under a table which figures describe only the pairs that were drawn, with unequal probability."""
    if not analysis.weighed:
        return table
    if table.name in {"reliability", "cohen", "annotators", "position"}:
        return note_drawn_pairs(table)
    if analysis.settings.human != WON:
        return table
    if table.name in {"human", "correlation_tests"}:
        return note_drawn_pairs(table)
    if table.name in {"distinguishability", "systems", "wilcoxon"}:
        return note_drawn_pairs_of_people(table, analysis.people)
    return table  # weighed, or of all summaries without people
