"""The results of an analysis as tables and charts show them: under names for files or for readers."""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

from relevance.analysis.agreement.discrepancy import Discrepancy
from relevance.analysis.metrics_and_people import (
    AgreementAnalysis,
    CorrelationComparison,
    CorrelationRow,
    CorrelationTables,
    SystemsAnalysis,
    name_human_column,
)
from relevance.analysis.significance import PairedComparison
from relevance.analysis.study import WON, Inputs, Results
from relevance.analysis.systems import GivenMeans
from relevance.annotation.demo import MADE_UP
from relevance.data.demo import AUTHOR
from relevance.data.signatures import distinct, labels, name_of
from relevance.metrics.registry import label_of
from relevance.reports.tables.correlation import NO_TERMS, TERMS

Compared = TypeVar("Compared", CorrelationRow, CorrelationComparison, Discrepancy, PairedComparison)
"""A result for two metrics or columns, which it names."""


class Names(NamedTuple):
    """How metrics, ratings, levels and coefficients are called."""

    label_of: Callable[[str], str]
    """Gives the name of a signature's metric."""
    ratings_of: Callable[[str], str]
    """Gives the name of the column of an aspect's ratings."""
    terms: Mapping[str, str]
    """Names of levels and coefficients, by those in files, which the others have."""

    def columns(self, signatures: Iterable[str]) -> dict[str, str]:
        """Return the names of the scores of these signatures, by the names that results have for them."""
        known = list(signatures)
        return {
            name: shown
            for some in (known, distinct(known))
            for name, shown in zip(labels(some).values(), labels(some, self.label_of).values(), strict=True)
        }


def name_ratings(aspect: str) -> str:
    """Return the name of a column or axis of ratings."""
    if aspect == WON:
        return WON
    return "author labels" if aspect == AUTHOR else f"ratings of {aspect}"


def name_people(study: str | None, aspect: str | None, *, adjudicated: bool = False) -> str:
    """Name the people whose preferences are in a study, in its adjudication, or in ratings, as a sentence's object."""
    if adjudicated:
        return "adjudicators"
    if study == MADE_UP:
        return "the made-up judgments"
    if study is not None:
        return "annotators"
    return "the author's labels" if aspect == AUTHOR else f"ratings of {aspect}"


def name_judges(study: str | None, aspect: str | None, *, adjudicated: bool = False) -> str:
    """Name those who preferred a summary in a study, its adjudication, or ratings, as a sentence's subject."""
    if adjudicated:
        return "The adjudicators"
    if study == MADE_UP:
        return "The made-up judgments"
    return "The author" if study is None and aspect == AUTHOR else "People"


FILE_NAMES = Names(name_of, name_human_column, NO_TERMS)
"""The names that `--metrics` takes, and that results have."""

READER_NAMES = Names(label_of, name_ratings, TERMS)
"""The names on pages and in reports."""


class About(NamedTuple):
    """Notes of tables on the analysis that they show."""

    human: str | None
    """The ratings that metrics are compared with."""
    people: str
    """The name of their column."""
    weighed: bool
    """Whether pairs were drawn with unequal probability."""
    ended_early: bool
    """Whether the study was ended by its stopping rule before all documents were complete."""
    source: str
    """The name of the preferences, for the titles of tables that are saved one by one; empty in a report of all."""


@dataclass(frozen=True, eq=False)
class Presentation:
    """The results of an analysis under names, with the figures that stand beside its systems."""

    results: Results
    names: Names = FILE_NAMES
    bounds: tuple[GivenMeans, ...] = ()
    """Upper bounds of systems' scores on these documents."""
    published: tuple[GivenMeans, ...] = ()
    """Figures that papers report for systems on these documents."""
    source: str = ""
    """The name of the preferences in titles of tables; empty in a report of all."""

    @property
    def inputs(self) -> Inputs:
        """The judgments or ratings that the results rest on."""
        return self.results.inputs

    @property
    def about(self) -> About:
        """Notes of tables on the analysis."""
        sequential = self.results.sequential
        return About(
            self.inputs.settings.human,
            self.names.ratings_of(self.inputs.human),
            self.inputs.weighed,
            sequential is not None and sequential.stopped_early,
            self.source,
        )

    @cached_property
    def columns(self) -> dict[str, str]:
        """The names of the columns of scores and ratings, by the names that results have for them."""
        human = self.inputs.human
        return self.names.columns(self.inputs.cells.scores) | {name_human_column(human): self.names.ratings_of(human)}

    @cached_property
    def agreement(self) -> AgreementAnalysis:
        """Metrics against every preference."""
        return name_agreement(self.results.agreement, self.names)

    @cached_property
    def majority(self) -> AgreementAnalysis:
        """Metrics against the majority of the annotators on each pair."""
        return name_agreement(self.results.majority, self.names)

    @property
    def layout(self) -> CorrelationTables:
        """The pairs of columns to correlate, by table."""
        layout, names = self.results.layout, self.columns

        def rename(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
            return [(names[first], names[second]) for first, second in pairs]

        return CorrelationTables(
            {names[name]: column for name, column in layout.columns.items()},
            [names[name] for name in layout.metrics],
            *map(rename, (layout.human, layout.length, layout.rouge_k, layout.matrix)),
        )

    @cached_property
    def correlations(self) -> dict[str, list[CorrelationRow]]:
        """The rows of the tables `human`, `length`, `rouge_k` and `matrix`."""
        return {table: name_columns(rows, self.columns) for table, rows in self.results.correlations.items()}

    @property
    def discrepancies(self) -> list[Discrepancy]:
        """The pairs of summaries on which ROUGE-K and each other metric disagree."""
        return name_columns(self.results.discrepancies, self.columns)

    @property
    def correlation_tests(self) -> list[CorrelationComparison]:
        """Comparisons of every two metrics by their Pearson correlation with people."""
        return name_columns(self.results.correlation_tests, self.columns)

    @cached_property
    def systems(self) -> list[SystemsAnalysis]:
        """Systems by each metric, by recall of keywords, and by the ratings; those rated highest come first."""
        order = rank_by_people(self.results.systems, name_human_column(self.inputs.human))
        return [
            system._replace(
                name=self.columns.get(system.name, system.name),
                means=tuple(sorted(system.means, key=lambda mean: order.get(mean.system, 0))),
                runs=tuple(sorted(system.runs, key=lambda run: order.get(run.system, 0))),
            )
            for system in self.results.systems
        ]


def rank_by_people(analyses: Sequence[SystemsAnalysis], human: str) -> dict[Hashable, int]:
    """Return each system's place by its mean in the column `human`, the highest first; those without a mean are last.

    Without such a column, there are no places.
    """
    rated = next((analysis.means for analysis in analyses if analysis.name == human), ())
    ranked = sorted(rated, key=lambda mean: math.inf if mean.mean is None else -mean.mean)
    return {mean.system: place for place, mean in enumerate(ranked)}


def name_agreement(agreement: AgreementAnalysis, names: Names) -> AgreementAnalysis:
    """Return the same figures with the metrics under other names."""
    shown = names.columns(row.signature for row in agreement.rows)
    return agreement._replace(
        rows=tuple(row._replace(metric=shown[row.metric]) for row in agreement.rows),
        comparisons=tuple(name_columns(agreement.comparisons, shown)),
    )


def name_columns(rows: Iterable[Compared], names: Mapping[str, str]) -> list[Compared]:
    """Return the same comparisons of two columns with both under other names."""
    return [row._replace(first=names[row.first], second=names[row.second]) for row in rows]
