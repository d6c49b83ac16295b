"""Analyses of judgments or ratings beside scores, from which all tables and charts are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from relevance.analysis.agreement.counts import Rule
from relevance.analysis.agreement.discrepancy import Discrepancy
from relevance.analysis.agreement.evaluation import MetricEvaluation
from relevance.analysis.agreement.sequential import SequentialAnalysis, analyze_sequentially
from relevance.analysis.arrays import Draws
from relevance.analysis.correlation.coefficients import METHODS, Method
from relevance.analysis.correlation.permuted import Permutations, Permute
from relevance.analysis.correlation.resampled import Resample
from relevance.analysis.metrics_and_people import (
    AgreementAnalysis,
    CorrelationComparison,
    CorrelationRow,
    CorrelationTables,
    SystemsAnalysis,
    analyze_agreement,
    analyze_rated_pairs,
    analyze_systems,
    compare_correlations,
    correlate_columns,
    correlation_tables,
    human_ceiling,
    name_human_column,
    part_from_rouge_k,
)
from relevance.analysis.people.annotators import AnnotatorReliability, others_majority, summarize_annotators
from relevance.analysis.people.judges import JudgeSummary, summarize_judge
from relevance.analysis.people.kappa import Kappa, cohen_kappas
from relevance.analysis.people.ranking import Ranking, bradley_terry
from relevance.analysis.people.reliability import Estimate, FleissKappa, fleiss_kappa, krippendorff_alpha, raw_agreement
from relevance.analysis.significance import SideShare, position_check
from relevance.analysis.systems import GivenMeans
from relevance.data.cells import Cells
from relevance.data.preferences import Preferences, rated_pairs
from relevance.data.signatures import distinct, labels, name_of
from relevance.data.sorting import natural_order
from relevance.data.stopping import CompleteDocuments
from relevance.data.verdicts import Verdicts

WON = "judgments won"
"""The rating of a summary by a study's judgments: the share that it won; a tie counts half."""

Compared = TypeVar("Compared", CorrelationRow, CorrelationComparison)
"""A result for two columns, which it names."""


class UnknownSystem(ValueError):
    """A named system has no summaries."""


@dataclass(frozen=True)
class Settings:
    """The settings of an analysis."""

    human: str | None = None
    """The ratings that metrics are compared with; None means the judgments won in a study, and elsewhere no ratings."""
    methods: tuple[Method, ...] = METHODS
    rule: Rule = "half"
    """The rule that comparisons of metrics follow: the credit of a metric's tie."""
    systems: tuple[str, ...] = ()
    """The systems that the analysis is restricted to; all of them if empty."""
    baselines: tuple[str, ...] = ()
    """The systems that others have to beat."""
    resample: Resample | None = None
    """The units that intervals of correlations draw; None: by level."""
    permute: Permute | None = None
    """The units that tests of correlations swap; None: by level."""
    seed: int = 0


class Reliability(NamedTuple):
    """The agreement between a study's annotators, and their ranking of the systems."""

    alpha: Estimate
    fleiss: FleissKappa
    raw: Estimate
    kappas: Sequence[Kappa]
    annotators: Sequence[AnnotatorReliability]
    sides: Sequence[SideShare]
    ranking: Ranking


Unit = Literal["judgment", "pair by majority", "adjudicated pair", "within-document pair"]
"""The unit of the preferences: judgments, majorities of pairs, adjudicators' decisions, or rated pairs."""

NO_CELLS = Cells((), (), {}, {})

NO_PREFERENCES = rated_pairs(NO_CELLS, "")

DEFAULTS = Settings()


@dataclass(frozen=True, eq=False)
class StudyAnalysis:
    """Preferences and scores with all results from them; each part is computed on first use."""

    preferences: Preferences = NO_PREFERENCES
    cells: Cells = NO_CELLS
    """Scores and ratings, including those that the settings name, sorted by document and system."""
    settings: Settings = DEFAULTS
    unit: Unit = "judgment"
    checks: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Attention checks passed and asked, by annotator."""
    truncated: Mapping[str, int] = field(default_factory=dict)
    """By signature, the number of scores of texts whose end the model did not see."""
    sampling: str = "all"
    """The rule by which a study's pairs were chosen."""
    label_of: Callable[[str], str] = name_of
    """Gives a signature's metric its name in files, or its label for readers."""
    ratings_of: Callable[[str], str] = name_human_column
    """Gives the column of an aspect's ratings its name, likewise."""
    terms: Mapping[str, str] = field(default_factory=dict)
    """Names of levels and coefficients for readers; those left out have their names in files."""
    parts: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """Columns of the cells besides scores by which systems are compared, such as recall of keywords in the source."""
    judges: tuple[JudgeSummary, ...] = ()
    """Language models that judged the pairs; their verdicts are among the preferences' scores."""
    bounds: tuple[GivenMeans, ...] = ()
    """Upper bounds of systems' scores on these documents."""
    source: str = ""
    """The name of the preferences in titles of tables saved one by one; empty in a report of all."""
    published: tuple[GivenMeans, ...] = ()
    """Figures that papers report for systems on these documents."""
    complete: CompleteDocuments | None = None
    """The input of the study's stopping rule, regardless of the settings; None without a rule."""

    def named(
        self, label_of: Callable[[str], str], ratings_of: Callable[[str], str], terms: Mapping[str, str]
    ) -> StudyAnalysis:
        """Return the analysis with other names, keeping the correlations and tests computed so far."""
        named = replace(self, label_of=label_of, ratings_of=ratings_of, terms=terms)
        names = dict(zip(self.layout.columns, named.layout.columns, strict=True))

        def rename(row: Compared) -> Compared:
            return row._replace(first=names[row.first], second=names[row.second])

        computed = vars(self)
        if "correlations" in computed:
            of_table = {table: list(map(rename, rows)) for table, rows in self.correlations.items()}
            vars(named)["correlations"] = of_table
        if "correlation_tests" in computed:
            vars(named)["correlation_tests"] = list(map(rename, self.correlation_tests))
        if "reliability" in computed:
            vars(named)["reliability"] = self.reliability
        return named

    def compute(self, *parts: str) -> StudyAnalysis:
        """Compute some parts, by name, so that they are kept when the analysis is cached or sent."""
        for part in parts:
            getattr(self, part)
        return self

    def without_columns(self) -> StudyAnalysis:
        """Return the parts computed so far, without the columns: small enough to send and cache, but final."""
        light = replace(self, preferences=NO_PREFERENCES, cells=NO_CELLS, parts={})
        columns = {field.name for field in fields(self)}
        vars(light).update({name: part for name, part in vars(self.compute("weighed")).items() if name not in columns})
        if "layout" in vars(light):
            names = dict.fromkeys(self.layout.columns, np.empty(0))
            vars(light)["layout"] = self.layout._replace(columns=names)
        return light

    @cached_property
    def weighed(self) -> bool:
        """Whether pairs were drawn with unequal probability."""
        return self.preferences.weights is not None

    @property
    def people(self) -> str:
        """The name of the ratings that metrics are compared with."""
        return self.ratings_of(self.settings.human or WON)

    # --- people ---------------------------------------------------------------------------------------------

    @cached_property
    def agreement(self) -> AgreementAnalysis:
        """Metrics against every preference."""
        if self.preferences.unlisted is not None:
            return analyze_rated_pairs(
                self.preferences.unlisted,
                self.settings.human,
                rule=self.settings.rule,
                seed=self.settings.seed,
                label_of=self.label_of,
            )
        return analyze_agreement(
            self.preferences, rule=self.settings.rule, seed=self.settings.seed, label_of=self.label_of
        )

    @cached_property
    def majority(self) -> AgreementAnalysis:
        """Metrics against the majority of the annotators on each pair."""
        return analyze_agreement(self.preferences.by_majority(), seed=self.settings.seed, label_of=self.label_of)

    @cached_property
    def ceiling(self) -> MetricEvaluation | None:
        """People among themselves, on pairs with two judgments or more; None if the preferences are not judgments."""
        if self.unit != "judgment":
            return None
        preferences = self.preferences
        others = others_majority(preferences.pair, preferences.annotators, preferences.choices)
        return human_ceiling(preferences, others, seed=self.settings.seed)

    @cached_property
    def reliability(self) -> Reliability:
        """The agreement between the annotators, and their ranking of the systems."""
        preferences = self.preferences
        pairs, choices, annotators = preferences.pair, preferences.choices, preferences.annotators
        documents = preferences.document
        return Reliability(
            alpha=krippendorff_alpha(pairs, choices, documents),
            fleiss=fleiss_kappa(pairs, choices, documents),
            raw=raw_agreement(pairs, choices, documents),
            kappas=cohen_kappas(pairs, annotators, choices, documents),
            annotators=summarize_annotators(
                pairs, annotators, choices, preferences.left, preferences.took, self.checks
            ),
            sides=check_sides(preferences),
            ranking=bradley_terry(
                preferences.first,
                preferences.second,
                choices,
                documents,
                weights=preferences.weights,
                draws=Draws(seed=self.settings.seed),
            ),
        )

    @cached_property
    def sequential(self) -> SequentialAnalysis | None:
        """The result of the study's stopping rule; None without a rule."""
        return None if self.complete is None else analyze_sequentially(self.complete)

    # --- correlations and systems ---------------------------------------------------------------------------

    @cached_property
    def layout(self) -> CorrelationTables:
        """The pairs of columns to correlate, by table."""
        return correlation_tables(self.cells, self.settings.human, self.label_of, self.ratings_of)

    @cached_property
    def correlations(self) -> dict[str, list[CorrelationRow]]:
        """The rows of the tables `human`, `length`, `rouge_k` and `matrix`."""
        return self.correlate("human", "length", "rouge_k", "matrix")

    def correlate(self, *tables: str) -> dict[str, list[CorrelationRow]]:
        """Compute the rows of some tables of correlations; a pair in several of them is computed once."""
        pairs_of: dict[str, list[tuple[str, str]]] = {name: getattr(self.layout, name) for name in tables}
        asked = dict.fromkeys(pair for name in ("human", "matrix") for pair in pairs_of.get(name, ()))
        for pair in (pair for pairs in pairs_of.values() for pair in pairs):
            if pair[::-1] not in asked:
                asked[pair] = None
        of_pair: dict[frozenset[str], list[CorrelationRow]] = {}
        for row in correlate_columns(
            self.cells,
            self.layout.columns,
            list(asked),
            methods=self.settings.methods,
            resample=self.settings.resample,
            draws=Draws(seed=self.settings.seed),
        ):
            of_pair.setdefault(frozenset((row.first, row.second)), []).append(row)
        return {
            name: [row._replace(first=pair[0], second=pair[1]) for pair in pairs for row in of_pair[frozenset(pair)]]
            for name, pairs in pairs_of.items()
        }

    @cached_property
    def discrepancies(self) -> list[Discrepancy]:
        """The pairs of summaries on which ROUGE-K and each other metric disagree."""
        return part_from_rouge_k(self.cells, self.layout)

    @cached_property
    def correlation_tests(self) -> list[CorrelationComparison]:
        """Comparisons of every two metrics by their Pearson correlation with people; empty without ratings."""
        return self.compare_metrics(self.layout.metrics, "pearson")

    def compare_metrics(self, metrics: Sequence[str], method: Method) -> list[CorrelationComparison]:
        """Compare every two of some metrics by their correlation with people; empty without ratings."""
        if not self.layout.human:
            return []
        people = self.layout.human[0][0]
        columns = {name: self.layout.columns[name] for name in (*metrics, people)}
        return compare_correlations(
            self.cells,
            columns,
            people,
            method=method,
            permutations=Permutations(permute=self.settings.permute, seed=self.settings.seed),
        )

    @cached_property
    def systems(self) -> list[SystemsAnalysis]:
        """Systems by each metric, by the columns of `parts`, and by the ratings."""
        scores, people = self.layout.metrics, dict.fromkeys(people for people, _ in self.layout.human)
        columns = {name: self.layout.columns[name] for name in scores} | dict(self.parts)
        columns |= {name: self.layout.columns[name] for name in people}
        signatures = {label: one for one, label in labels(distinct(self.cells.scores), self.label_of).items()}
        return analyze_systems(self.cells, columns, self.settings.baselines, signatures)


def analyze_judgments(
    preferences: Preferences,
    cells: Cells,
    settings: Settings = DEFAULTS,
    *,
    checks: Mapping[str, tuple[int, int]] | None = None,
    truncated: Mapping[str, int] | None = None,
    sampling: str = "all",
    unit: Unit = "judgment",
    verdicts: Sequence[Verdicts] = (),
) -> StudyAnalysis:
    """Analyse a study's judgments beside the scores of its data set; the arguments are those of `StudyAnalysis`.

    `verdicts` are those of language models on the pairs, which are among the preferences' scores, too. Unless the
    settings name a rating, metrics are correlated with the judgments won. Raises `UnknownSystem` for an unknown
    baseline.
    """
    if settings.systems:
        preferences, cells = preferences.of_systems(settings.systems), cells.of_systems(settings.systems)
        verdicts = [one.of_systems(settings.systems) for one in verdicts]
    check_systems(settings.baselines, cells.systems, "--baselines")
    return StudyAnalysis(
        preferences,
        with_judgments(cells, preferences),
        replace(settings, human=settings.human or WON),
        unit,
        checks=checks or {},
        truncated=truncated or {},
        sampling=sampling,
        judges=tuple(map(summarize_judge, verdicts)),
    )


def analyze_ratings(
    cells: Cells, settings: Settings = DEFAULTS, *, truncated: Mapping[str, int] | None = None
) -> StudyAnalysis:
    """Analyse scores beside the ratings that the settings name, or the scores alone if they name none.

    Raises `UnknownSystem` for an unknown baseline.
    """
    if settings.systems:
        cells = cells.of_systems(settings.systems)
    check_systems(settings.baselines, cells.systems, "--baselines")
    preferences = NO_PREFERENCES if settings.human is None else rated_pairs(cells, settings.human)
    return StudyAnalysis(preferences, cells, settings, "within-document pair", truncated=truncated or {})


def check_systems(asked: Iterable[str], known: Iterable[str], option: str) -> None:
    """Refuse unknown systems. Raises `UnknownSystem`."""
    known = sorted(set(known), key=natural_order)
    if unknown := [system for system in asked if system not in known]:
        raise UnknownSystem(
            f"{option}: there is no system {', '.join(unknown)}; there are {', '.join(known) or 'none'}"
        )


def check_sides(preferences: Preferences) -> Sequence[SideShare]:
    """Test whether people prefer a side; nothing for judgments of which nobody says on which side summaries stood."""
    return position_check(preferences.left, preferences.annotators) if preferences.has_sides else ()


def with_judgments(cells: Cells, preferences: Preferences) -> Cells:
    """Add a rating to the cells: the share of its judgments that a summary won."""
    won = shares_won(preferences)
    shares = [won.get(cell, np.nan) for cell in zip(cells.documents, cells.systems, strict=True)]
    return replace(cells, ratings={**cells.ratings, WON: np.array(shares, dtype=np.float64)})


def shares_won(preferences: Preferences) -> dict[tuple[str, str], float]:
    """Compute the share of its judgments, in [0, 1], that each summary won, by document and system; ties count half."""
    won: dict[tuple[str, str], list[float]] = {}
    for document, first, second, choice in zip(
        preferences.document, preferences.first, preferences.second, np.sign(preferences.choices), strict=True
    ):
        won.setdefault((document, first), []).append((1 + choice) / 2)
        won.setdefault((document, second), []).append((1 - choice) / 2)
    return {cell: float(np.mean(shares)) for cell, shares in won.items()}
