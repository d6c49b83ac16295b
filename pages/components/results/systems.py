"""Systems by metrics, ratings and choices of annotators, computed once for all sessions."""

from collections.abc import Mapping
from typing import NamedTuple

from relevance.analysis.metrics_and_people import SystemsAnalysis
from relevance.analysis.people.ranking import Ranking
from relevance.data.signatures import is_length
from relevance.metrics.registry import label_of
from relevance.pages.components.shared.context import Context
from relevance.pages.components.shared.records import records_of
from relevance.pages.components.shared.stores import open_stores, version_of
from relevance.pages.computing.computed import computed
from relevance.reports.presentation import About
from relevance.reports.published import PUBLISHED, recognize
from relevance.reports.report.system_figures import recall_by_source, set_system_figures, stored_bounds
from relevance.reports.tables.registry import make_table, make_tables
from relevance.reports.tables.table import Table


class SystemsChoice(NamedTuple):
    """The columns that the table of systems shows besides the scores."""

    baselines: tuple[str, ...] = ()
    by_source: bool = False
    """True if recall is given by where keywords occur."""
    bounds: tuple[tuple[str, int], ...] = ()
    """The stored upper bounds: pairs of a signature and the number of documents that have one."""
    published: str | None = None
    """The name in `PUBLISHED` of the published figures to show beside."""


NOTHING = SystemsChoice()


class ComparedSystems(NamedTuple):
    """The systems by every metric, with what stands beside their scores."""

    systems: list[SystemsAnalysis]
    tables: Mapping[str, Table]
    """The tables of means, of published figures if there are any, and of how far metrics tell systems apart."""
    about: About


@computed("Comparing systems", kept=32)
def compare_systems(context: Context, choice: SystemsChoice = NOTHING) -> ComparedSystems:
    """Compare the systems by every metric.

    It always has the summaries' number of words, as keyword recall grows with it.
    """
    if context.metrics:
        length = [
            label_of(signature.signature) for signature in context.version.signatures if is_length(signature.signature)
        ]
        context = context._replace(metrics=tuple(dict.fromkeys((*context.metrics, *length))))
    shown = context.analyze_cells(baselines=choice.baselines)
    dataset = context.version.dataset
    records = records_of(dataset.name, version_of(dataset)) if choice.by_source or choice.bounds else []
    shown = set_system_figures(
        shown,
        recall=recall_by_source(records, shown.inputs.cells, models=False) if choice.by_source else {},
        bounds=stored_bounds(open_stores().data, dataset.name, [document for document, _ in records])
        if choice.bounds
        else (),
        published=choice.published,
    )
    names = ["systems", *(["systems_published"] if shown.published else []), "distinguishability"]
    return ComparedSystems(shown.systems, make_tables(names, shown), shown.about)


@computed("Reading the documents", kept=16)
def recognize_documents(dataset: str, version: object, documents: int) -> str | None:
    """Return the name of the published figures for a data set's `documents` documents; None where there are none."""
    if not any(of.documents == documents for of in PUBLISHED.values()):
        return None
    return recognize([document for document, _ in records_of(dataset, version)])


@computed("Ranking systems", kept=32)
def rank_systems(context: Context) -> tuple[Ranking, Table]:
    """Rank the systems by annotators' choices, and return the table of that, too."""
    shown = context.analyze()
    return shown.results.reliability.ranking, make_table("ranking", shown)
