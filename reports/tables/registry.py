"""All tables of an analysis by name, from which pages, the command line and reports choose."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from relevance.analysis.metrics_and_people import CorrelationRow
from relevance.analysis.study import BY_ANNOTATORS, WON, Settings
from relevance.reports.presentation import About, Presentation
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
from relevance.reports.tables.people import (
    annotators_table,
    cohen_table,
    ranking_table,
    rating_annotators_table,
    rating_reliability_table,
    reliability_table,
)
from relevance.reports.tables.stopping import ENDED_EARLY, sequential_table
from relevance.reports.tables.systems import mean_table, published_table, spread_table, system_table, wilcoxon_table
from relevance.reports.tables.table import Table

TITLES = {
    "human": "Metrics with people ({human})",
    "length": "Metrics with length",
    "rouge_k": "Metrics with ROUGE-K",
    "matrix": "Metrics with each other",
}
"""The titles of the tables of correlations."""


def make_agreement(shown: Presentation) -> Table:
    """Make the table of how often each metric agrees with people."""
    inputs = shown.inputs
    notes = sampling_notes(inputs.sampling)
    return agreement_table(shown.agreement, inputs.unit, inputs.truncated, shown.results.ceiling, notes=notes)


def make_majority(shown: Presentation) -> Table:
    """Make the same table of pairs by majority."""
    notes = sampling_notes(shown.inputs.sampling)
    table = agreement_table(shown.majority, "pair by majority", shown.inputs.truncated, notes=notes)
    return table._replace(name="agreement_by_majority")


def make_reliability(shown: Presentation) -> Table:
    """Make the table of coefficients of agreement between annotators."""
    reliability = shown.results.reliability
    return reliability_table(reliability.alpha, reliability.fleiss, reliability.raw)


def make_rating_reliability(shown: Presentation) -> Table:
    """Make the table of coefficients of agreement between the annotators who rated."""
    ratings = shown.results.ratings
    return rating_reliability_table({} if ratings is None else ratings.alphas)


def make_rating_annotators(shown: Presentation) -> Table:
    """Make the table of the annotators who rated."""
    ratings = shown.results.ratings
    return rating_annotators_table([] if ratings is None else ratings.annotators)


def make_correlations(name: str, rows: Sequence[CorrelationRow], settings: Settings, terms: Mapping[str, str]) -> Table:
    """Make one of the tables of correlations; `terms` are the names of levels and coefficients."""
    return correlation_table(name, TITLES[name].format(human=settings.human), rows, settings.resample, terms)


def make_all_correlations(name: str, shown: Presentation) -> Table:
    """Make one of the tables of correlations from results that have all of them."""
    return make_correlations(name, shown.correlations[name], shown.inputs.settings, shown.names.terms)


def make_correlation_tests(shown: Presentation) -> Table:
    """Make the table of tests of two metrics by their correlation with people."""
    return correlation_test_table(shown.correlation_tests, shown.about.people, terms=shown.names.terms)


def make_sequential(shown: Presentation) -> Table:
    """Make the table of the study's stopping rule."""
    if shown.results.sequential is None:
        return Table("sequential", "The stopping rule", [], empty="the study has no stopping rule")
    return sequential_table(shown.results.sequential, shown.names.label_of)


TABLES: Mapping[str, Callable[[Presentation], Table]] = {
    "sequential": make_sequential,
    "agreement": make_agreement,
    "agreement_by_majority": make_majority,
    "comparisons": lambda shown: comparison_table(shown.agreement),
    "by_difference": lambda shown: difference_table(shown.agreement),
    "reliability": make_reliability,
    "rating_reliability": make_rating_reliability,
    "rating_annotators": make_rating_annotators,
    "cohen": lambda shown: cohen_table(shown.results.reliability.kappas),
    "annotators": lambda shown: annotators_table(shown.results.reliability.annotators),
    "position": lambda shown: position_table(shown.results.reliability.sides),
    "judges": lambda shown: judges_table(shown.inputs.judges, shown.agreement),
    "ranking": lambda shown: ranking_table(shown.results.reliability.ranking),
    "human": partial(make_all_correlations, "human"),
    "length": partial(make_all_correlations, "length"),
    "rouge_k": partial(make_all_correlations, "rouge_k"),
    "matrix": partial(make_all_correlations, "matrix"),
    "discrepancies": lambda shown: discrepancy_table(shown.discrepancies),
    "correlation_tests": make_correlation_tests,
    "distinguishability": lambda shown: spread_table(shown.systems),
    "systems": lambda shown: system_table(shown.systems, shown.bounds, shown.about.people),
    "system_means": lambda shown: mean_table(shown.systems),
    "systems_published": lambda shown: published_table(shown.published, shown.names.label_of),
    "wilcoxon": lambda shown: wilcoxon_table(shown.systems),
}
"""The function that makes each table, in the order of reading."""

OF_SYSTEMS = ("distinguishability", "systems", "system_means", "systems_published", "wilcoxon")
"""The tables of systems, to which figures are added that texts give."""

OF_RATINGS = ("rating_reliability", "rating_annotators")
"""The tables of the annotators whose ratings are known."""

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


def table_names(shown: Presentation) -> tuple[str, ...]:
    """Return the names of the tables that can be made of an analysis.

    Decisions of adjudicators have none of the tables that need several judgments of a pair; mean ratings have none of
    annotators' choices, and those of annotators' ratings only where these are known; without ratings, there are none
    that need people. Judges, published figures and the stopping rule have
    a table only if there are any.
    """
    inputs = shown.inputs
    there = {"systems_published": shown.published, "judges": inputs.judges, "sequential": inputs.complete}
    empty = {name for name, what in there.items() if not what}
    if inputs.single is None:
        empty |= {*OF_RATINGS}
    if inputs.unit == "pair by annotator":  # who saw no sides
        empty |= {"position"}
    if inputs.unit in BY_ANNOTATORS:
        return tuple(name for name in TABLES if name not in empty)
    if inputs.unit == "adjudicated pair":
        return tuple(name for name in TABLES if name not in {*AMONG_ANNOTATORS, *empty})
    of_study = {"agreement_by_majority", *OF_ANNOTATORS, *empty}
    return tuple(
        name for name in TABLES if name not in of_study and (inputs.settings.human is not None or name not in OF_PEOPLE)
    )


def make_table(name: str, shown: Presentation) -> Table:
    """Make one of `TABLES`."""
    table, judges = finish_table(TABLES[name](shown), shown.about), shown.inputs.judges
    return note_no_scores(table, judges) if judges and name in OF_SCORES else table


def make_tables(names: Iterable[str], shown: Presentation) -> dict[str, Table]:
    """Make some of `TABLES`, by name."""
    return {name: make_table(name, shown) for name in names}


def finish_table(table: Table, about: About) -> Table:
    """Add to a table what of it is not weighed or of an early end, and to its title the source of the preferences."""
    table = say_not_weighed(table, about)
    if table.name in ENDED and about.ended_early:
        table = table._replace(notes=[*table.notes, ENDED_EARLY])
    return table._replace(title=f"{table.title} ({about.source})") if about.source else table


def say_not_weighed(table: Table, about: About) -> Table:
    """Note under a table which figures describe only the pairs that were drawn, with unequal probability."""
    if not about.weighed:
        return table
    if table.name in {"reliability", "cohen", "annotators", "position"}:
        return note_drawn_pairs(table)
    if about.human != WON:
        return table
    if table.name in {"human", "correlation_tests"}:
        return note_drawn_pairs(table)
    if table.name in OF_SYSTEMS and table.name != "systems_published":
        return note_drawn_pairs_of_people(table, about.people)
    return table  # weighed, or of all summaries without people
