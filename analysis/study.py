"""Analyses of judgments or ratings beside scores: what they rest on, and all of their results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from relevance.analysis.agreement.counts import Rule
from relevance.analysis.agreement.discrepancy import Discrepancy
from relevance.analysis.agreement.evaluation import MetricEvaluation
from relevance.analysis.agreement.sequential import SequentialAnalysis, analyze_sequentially
from relevance.analysis.arrays import DRAWS, Draws
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
    compare_with_rouge_k,
    correlate_tables,
    correlation_tables,
    human_ceiling,
)
from relevance.analysis.people.annotators import AnnotatorReliability, others_majority, summarize_annotators
from relevance.analysis.people.judges import JudgeSummary, summarize_judge
from relevance.analysis.people.kappa import Kappa, cohen_kappas
from relevance.analysis.people.position import SideShare, position_check
from relevance.analysis.people.ranking import Ranking, bradley_terry
from relevance.analysis.people.ratings import RatingReliability, summarize_ratings
from relevance.analysis.people.reliability import Estimate, FleissKappa, fleiss_kappa, krippendorff_alpha, raw_agreement
from relevance.data.cells import Cells, SingleRatings
from relevance.data.model_verdicts import Verdicts
from relevance.data.names import NameColumn
from relevance.data.preferences import Preferences, pairs_by_annotator, rated_pairs
from relevance.data.signatures import distinct, labels
from relevance.data.sorting import natural_order
from relevance.data.stopping_state import CompleteDocuments

WON = "judgments won"
"""The rating of a summary by a study's judgments: the share that it won; a tie counts half."""


class UnknownSystem(ValueError):
    """A named system has no summaries."""


@dataclass(frozen=True)
class Settings:
    """The settings of an analysis."""

    human: str | None = None
    """The ratings that metrics are compared with; None means the judgments won in a study, and elsewhere no ratings."""
    methods: tuple[Method, ...] = METHODS
    by_annotator: bool = False
    """True to compare metrics with the ratings of each annotator, False with their means."""
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


Unit = Literal[
    "judgment", "pair by annotator", "pair by majority", "adjudicated pair", "pair by model", "within-document pair"
]
"""The unit of the preferences: judgments, pairs that an annotator rated, majorities of pairs, adjudicators' decisions,
a language model's verdicts, or pairs by mean ratings."""

BY_ANNOTATORS: tuple[Unit, ...] = ("judgment", "pair by annotator")
"""The units of which each is by one of several annotators."""

NO_CELLS = Cells((), (), {}, {})

NO_PREFERENCES = rated_pairs(NO_CELLS, "")

DEFAULTS = Settings()


@dataclass(frozen=True, eq=False)
class Inputs:
    """The columns that an analysis rests on, and its settings."""

    preferences: Preferences = NO_PREFERENCES
    cells: Cells = NO_CELLS
    """Scores and ratings, including those that the settings name, sorted by document and system."""
    settings: Settings = DEFAULTS
    unit: Unit = "judgment"
    sampling: str = "all"
    """The rule by which a study's pairs were chosen."""
    truncated: Mapping[str, int] = field(default_factory=dict)
    """By signature, the number of scores of texts whose end the model did not see."""
    judges: tuple[JudgeSummary, ...] = ()
    """Language models that judged the pairs; their verdicts are among the preferences' scores."""
    checks: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Attention checks passed and asked, by annotator."""
    complete: CompleteDocuments | None = None
    """The input of the study's stopping rule, regardless of the settings; None without a rule."""
    recall: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    """Columns of the cells besides scores by which systems are compared: recall of keywords by where they occur."""

    @property
    def human(self) -> str:
        """The ratings that metrics are compared with."""
        return self.settings.human or WON

    @property
    def single(self) -> SingleRatings | None:
        """The ratings of each annotator by whose means metrics are compared; None where these are not known."""
        return self.cells.single.get(self.settings.human or "")

    @property
    def weighed(self) -> bool:
        """Whether pairs were drawn with unequal probability."""
        return self.preferences.weights is not None


class Results:
    """The results of an analysis, each of which is computed when it is first asked for.

    Metrics and ratings are called as in files and commands.
    """

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs
        self.draws = Draws(seed=inputs.settings.seed)

    # --- people ---------------------------------------------------------------------------------------------

    @cached_property
    def agreement(self) -> AgreementAnalysis:
        """Metrics against every preference."""
        preferences, settings = self.inputs.preferences, self.inputs.settings
        if preferences.unlisted is not None:
            return analyze_rated_pairs(preferences.unlisted, settings.human, rule=settings.rule, seed=settings.seed)
        return analyze_agreement(preferences, rule=settings.rule, seed=settings.seed)

    @cached_property
    def majority(self) -> AgreementAnalysis:
        """Metrics against the majority of the annotators on each pair."""
        return analyze_agreement(self.inputs.preferences.by_majority(), seed=self.inputs.settings.seed)

    @cached_property
    def ceiling(self) -> MetricEvaluation | None:
        """People among themselves, on pairs with two judgments or more; None if the preferences are not judgments."""
        if self.inputs.unit not in BY_ANNOTATORS:
            return None
        preferences = self.inputs.preferences
        others = others_majority(preferences.pair, preferences.annotators, preferences.choices)
        return human_ceiling(preferences, others, seed=self.inputs.settings.seed)

    @cached_property
    def reliability(self) -> Reliability:
        """The agreement between the annotators, and their ranking of the systems."""
        return analyze_annotators(self.inputs.preferences, self.inputs.checks, self.draws)

    @cached_property
    def ratings(self) -> RatingReliability | None:
        """The agreement between the annotators whose ratings are the human ones; None where these are not known."""
        single = self.inputs.single
        if single is None:
            return None
        documents = NameColumn(self.inputs.cells.documents).numbered.numbers
        names = [single.names[number] for number in single.annotator.tolist()]
        return summarize_ratings(single.cell.tolist(), names, single.value, documents[single.cell].tolist())

    @cached_property
    def sequential(self) -> SequentialAnalysis | None:
        """The result of the study's stopping rule; None without a rule."""
        return None if self.inputs.complete is None else analyze_sequentially(self.inputs.complete)

    # --- correlations and systems ---------------------------------------------------------------------------

    @cached_property
    def layout(self) -> CorrelationTables:
        """The pairs of columns to correlate, by table."""
        return correlation_tables(self.inputs.cells, self.inputs.settings.human)

    @cached_property
    def correlations(self) -> dict[str, list[CorrelationRow]]:
        """The rows of the tables `human`, `length`, `rouge_k` and `matrix`."""
        return self.correlate("human", "length", "rouge_k", "matrix")

    def correlate(self, *tables: str) -> dict[str, list[CorrelationRow]]:
        """Compute the rows of some tables of correlations; a pair in several of them is computed once."""
        settings = self.inputs.settings
        return correlate_tables(
            self.inputs.cells,
            self.layout,
            tables,
            methods=settings.methods,
            resample=settings.resample,
            draws=self.draws,
        )

    @cached_property
    def discrepancies(self) -> list[Discrepancy]:
        """The pairs of summaries on which ROUGE-K and each other metric disagree."""
        return compare_with_rouge_k(self.inputs.cells, self.layout)

    @cached_property
    def correlation_tests(self) -> list[CorrelationComparison]:
        """Comparisons of every two metrics by their Pearson correlation with people; empty without ratings."""
        return self.compare_metrics(self.layout.metrics, "pearson")

    def compare_metrics(self, metrics: Sequence[str], method: Method) -> list[CorrelationComparison]:
        """Compare every two of some metrics by their correlation with people; empty without ratings."""
        if not self.layout.human:
            return []
        people, settings = self.layout.human[0][0], self.inputs.settings
        columns = {name: self.layout.columns[name] for name in (*metrics, people)}
        permutations = Permutations(permute=settings.permute, seed=settings.seed)
        return compare_correlations(self.inputs.cells, columns, people, method=method, permutations=permutations)

    @cached_property
    def systems(self) -> list[SystemsAnalysis]:
        """Systems by each metric, by recall of keywords, and by the ratings."""
        inputs, layout = self.inputs, self.layout
        columns = {name: layout.columns[name] for name in layout.metrics} | dict(inputs.recall)
        columns |= {people: layout.columns[people] for people, _ in layout.human}
        signatures = {label: signature for signature, label in labels(distinct(inputs.cells.scores)).items()}
        return analyze_systems(inputs.cells, columns, inputs.settings.baselines, signatures)


def analyze_judgments(inputs: Inputs, verdicts: Sequence[Verdicts] = ()) -> Results:
    """Analyse a study's judgments beside the scores of its data set, restricted to the systems that the settings name.

    `verdicts` are those of language models on the pairs, which are among the preferences' scores, too. Unless the
    settings name a rating, metrics are correlated with the judgments won. Raises `UnknownSystem` for an unknown
    baseline.
    """
    preferences, cells, settings = inputs.preferences, inputs.cells, inputs.settings
    if settings.systems:
        preferences, cells = preferences.of_systems(settings.systems), cells.of_systems(settings.systems)
        verdicts = [verdict.of_systems(settings.systems) for verdict in verdicts]
    check_systems(settings.baselines, cells.systems, "--baselines")
    return Results(
        replace(
            inputs,
            preferences=preferences,
            cells=with_judgments(cells, preferences),
            settings=replace(settings, human=inputs.human),
            judges=tuple(map(summarize_judge, verdicts)),
        )
    )


def analyze_ratings(
    cells: Cells, settings: Settings = DEFAULTS, *, truncated: Mapping[str, int] | None = None
) -> Results:
    """Analyse scores beside the ratings that the settings name, or the scores alone if they name none.

    Raises `UnknownSystem` for an unknown baseline.
    """
    if settings.systems:
        cells = cells.of_systems(settings.systems)
    check_systems(settings.baselines, cells.systems, "--baselines")
    unit: Unit = "pair by annotator" if settings.by_annotator else "within-document pair"
    make_pairs = pairs_by_annotator if settings.by_annotator else rated_pairs
    preferences = NO_PREFERENCES if settings.human is None else make_pairs(cells, settings.human)
    return Results(Inputs(preferences, cells, settings, unit, truncated=truncated or {}))


def analyze_annotators(
    preferences: Preferences, checks: Mapping[str, tuple[int, int]], draws: Draws = DRAWS
) -> Reliability:
    """Compute the agreement between annotators, and their ranking of the systems.

    `checks` are attention checks passed and asked, by annotator.
    """
    pairs, choices, annotators = preferences.pair, preferences.choices, preferences.annotators
    documents = preferences.document
    return Reliability(
        alpha=krippendorff_alpha(pairs, choices, documents),
        fleiss=fleiss_kappa(pairs, choices, documents),
        raw=raw_agreement(pairs, choices, documents),
        kappas=cohen_kappas(pairs, annotators, choices, documents),
        annotators=summarize_annotators(pairs, annotators, choices, preferences.left, preferences.took, checks),
        sides=check_sides(preferences),
        ranking=bradley_terry(
            preferences.first, preferences.second, choices, documents, weights=preferences.weights, draws=draws
        ),
    )


def check_systems(wanted: Iterable[str], known: Iterable[str], option: str) -> None:
    """Refuse unknown systems. Raises `UnknownSystem`."""
    known = sorted(set(known), key=natural_order)
    if unknown := [system for system in wanted if system not in known]:
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
