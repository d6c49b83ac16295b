"""Comparisons of metrics with people and with each other, for pages, the command line and reports."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from relevance.analysis.agreement.counts import Rule, credit_pairs
from relevance.analysis.agreement.discrepancy import Discrepancy, discrepancies
from relevance.analysis.agreement.evaluation import MetricEvaluation, evaluate_metrics
from relevance.analysis.agreement.many_documents import compare_columns, evaluate_columns
from relevance.analysis.agreement.pairs import group_by_document, list_pairs, pairs_of
from relevance.analysis.agreement.rated_pairs import Codes, compare_rated_pairs, evaluate_rated_pairs
from relevance.analysis.arrays import DRAWS, Draws
from relevance.analysis.correlation.coefficients import METHODS, Method
from relevance.analysis.correlation.comparison import CorrelationTest, permutation_tests
from relevance.analysis.correlation.intervals import LevelIntervals, correlation_intervals
from relevance.analysis.correlation.levels import Levels, correlate_pairs
from relevance.analysis.correlation.permuted import PERMUTATIONS, Permutations
from relevance.analysis.correlation.resampled import Resample
from relevance.analysis.ratio_intervals import sampled_annotators
from relevance.analysis.significance import PairedComparison, compare_metrics, holm
from relevance.analysis.systems import (
    SystemComparison,
    SystemMean,
    SystemRuns,
    SystemSpread,
    average_runs,
    combine_runs,
    compare_systems,
    distinguishability,
    find_beating,
    name_runs,
    system_means,
)
from relevance.analysis.threads import map_ahead
from relevance.data.cells import Cells
from relevance.data.preferences import Preferences
from relevance.data.signatures import distinct, find_signature, labels
from relevance.data.ties import TIE, preference_signs

LEVELS = ("global", "input", "system")

MANY_OF_DOCUMENT = 1_000
"""Pairs per document above which going through documents one by one is faster than columns of all pairs."""

NO_SIGNATURES: Mapping[str, str] = {}


# --- agreement --------------------------------------------------------------------------------------------


class MetricRow(NamedTuple):
    """One metric's row of the agreement table."""

    metric: str
    """The metric's name among the signatures of the table."""
    signature: str
    evaluation: MetricEvaluation


class AgreementAnalysis(NamedTuple):
    """All metrics against the same preferences, and against each other."""

    rows: tuple[MetricRow, ...]
    comparisons: tuple[PairedComparison, ...]
    """Comparisons of every two metrics, named by their labels."""
    n: int
    """Judgments or pairs."""
    documents: int
    annotators: int
    """People who judged; 0 where entries are majorities or ratings, which are nobody's in particular."""
    human_ties: int
    both_bad: int
    """The human ties in which both summaries were called bad."""
    split: int
    """Pairs without a majority: as many annotators chose the one as the other."""
    rule: Rule
    """The rule that comparisons of metrics follow: the credit of a metric's tie."""
    weighed: bool
    """Whether pairs are weighted by one over their probability of being drawn."""


def analyze_agreement(
    preferences: Preferences,
    *,
    rule: Rule = "half",
    seed: int = 0,
    level: float = 0.95,
) -> AgreementAnalysis:
    """Compare every metric's score differences with the preferences, with intervals and pairwise tests.

    The rule by which metrics are compared can decide the result: on SummEval, ROUGE-1 against length is p = .004 by
    `strict` and .009 by `half`. Intervals and tests treat documents as a sample, and annotators too if there are
    five or more (`sampled_annotators`).
    """
    named = labels(distinct(preferences.scores))
    all_differences = preferences.differences()
    differences = {label: all_differences[signature] for signature, label in named.items()}
    documents, weights = preferences.document, preferences.weights
    annotators = sampled_annotators(preferences.annotators)
    evaluations = evaluate_metrics(
        preferences.choices,
        differences,
        documents,
        annotators=annotators,
        weights=weights,
        level=level,
        seed=seed,
    )
    earned = {name: credit_pairs(preferences.choices, difference, rule) for name, difference in differences.items()}
    signatures = {label: signature for signature, label in named.items()}
    return AgreementAnalysis(
        rows=tuple(MetricRow(name, signatures[name], evaluation) for name, evaluation in evaluations.items()),
        comparisons=tuple(compare_metrics(earned, documents, annotators=annotators, weights=weights, seed=seed)),
        n=len(preferences),
        documents=len(set(documents)),
        annotators=len(set(preferences.annotators) - {None}),
        human_ties=int((preference_signs(preferences.choices) == 0).sum()),
        both_bad=preferences.bad_ties,
        split=int(np.isnan(preferences.choices).sum()),
        rule=rule,
        weighed=weights is not None,
    )


def analyze_rated_pairs(
    cells: Cells,
    human: str | None,
    *,
    rule: Rule = "half",
    seed: int = 0,
    level: float = 0.95,
) -> AgreementAnalysis:
    """Do what `analyze_agreement` does for all pairs of rated summaries of a document, without listing the pairs."""
    ratings = np.full(len(cells), np.nan) if human is None else cells.ratings.get(human, np.full(len(cells), np.nan))
    named = labels(distinct(cells.scores))
    documents = group_by_document(cells.documents, ~np.isnan(ratings))
    n = sum(len(of) * (len(of) - 1) // 2 for of in documents)
    evaluations: dict[str, MetricEvaluation] = {}
    comparisons: list[PairedComparison]
    if n > MANY_OF_DOCUMENT * len(documents):
        outcomes: dict[str, list[Codes]] = {}
        for signature, label in named.items():
            evaluations[label], outcomes[label] = evaluate_rated_pairs(
                documents, ratings, cells.scores[signature], level=level, seed=seed
            )
        comparisons = compare_rated_pairs(outcomes, rule, seed)
        tied = (
            preference_signs(ratings[first] - ratings[second]) == 0
            for of in documents
            for first, second in pairs_of(of)
        )
        human_ties = sum(int(np.count_nonzero(some)) for some in tied)
    else:
        pairs = list_pairs(cells.documents, ~np.isnan(ratings))
        evaluate = partial(evaluate_columns, pairs, ratings, level=level, seed=seed)
        with ThreadPoolExecutor(2) as threads:
            evaluated = list(threads.map(evaluate, (cells.scores[signature] for signature in named)))
        evaluations = {label: evaluation for label, (evaluation, _) in zip(named.values(), evaluated, strict=True)}
        codes = {label: codes for label, (_, codes) in zip(named.values(), evaluated, strict=True)}
        comparisons = compare_columns(pairs, codes, rule, seed)
        human_ties = int(np.count_nonzero(np.abs(ratings[pairs.first] - ratings[pairs.second]) <= TIE))
    return AgreementAnalysis(
        rows=tuple(MetricRow(label, signature, evaluations[label]) for signature, label in named.items()),
        comparisons=tuple(comparisons),
        n=n,
        documents=len(documents),
        annotators=0,
        human_ties=human_ties,
        both_bad=0,
        split=0,
        rule=rule,
        weighed=False,
    )


def human_ceiling(
    preferences: Preferences,
    others: ArrayLike,
    *,
    seed: int = 0,
) -> MetricEvaluation:
    """Compute how often a judgment agrees with most of the others on its pair: how well one more person would do.

    A metric can do better if people are noisy. A majority of few is noisy, too, so that more judgments of each pair
    raise the figure. `others`, shape (n,), is the sign of the majority of the other annotators on each judgment's pair:
    0 if they are split, NaN if there are none.
    """
    return evaluate_metrics(
        others,
        {"people": preferences.choices},
        preferences.document,
        annotators=sampled_annotators(preferences.annotators),
        weights=preferences.weights,
        seed=seed,
    )["people"]


def common_ground(preferences: Preferences) -> NDArray[np.bool_]:
    """Mark the entries, shape (n,), that people and all metrics decide: there, ratios of all rules are the same."""
    columns = [preferences.choices, *preferences.differences().values()]
    decided = [np.abs(preference_signs(column)) == 1 for column in columns]  # NaN is not a decision
    return np.asarray(np.all(decided, axis=0))


def contradictions(preferences: Preferences, signature: str) -> NDArray[np.intp]:
    """Return the entries in which a metric contradicts people, its largest differences first."""
    difference = preferences.differences()[signature]
    against = np.flatnonzero(credit_pairs(preferences.choices, difference) == 0)
    return against[np.argsort(-np.abs(difference[against]), kind="stable")]


# --- correlation ------------------------------------------------------------------------------------------


class CorrelationRow(NamedTuple):
    """Two columns of scores or ratings, correlated by one coefficient at three levels."""

    first: str
    second: str
    method: Method
    levels: Levels
    intervals: LevelIntervals


def correlate_columns(
    cells: Cells,
    columns: dict[str, NDArray[np.float64]],
    pairs: Sequence[tuple[str, str]],
    *,
    methods: Sequence[Method] = METHODS,
    resample: Resample | None = None,
    draws: Draws = DRAWS,
) -> list[CorrelationRow]:
    """Correlate pairs of columns of the cells, by name; the rows come pair by pair, method by method.

    `resample` is what intervals draw, by default what `correlation_intervals` draws at each level.
    """
    correlations = correlate_pairs(columns, pairs, cells.documents, cells.systems, methods=methods)
    intervals = correlation_intervals(
        columns,
        pairs,
        cells.documents,
        cells.systems,
        methods=methods,
        resample=resample,
        draws=draws,
        known=correlations,
    )
    return [
        CorrelationRow(
            first, second, method, correlations.levels[first, second][method], intervals[first, second][method]
        )
        for first, second in pairs
        for method in methods
    ]


class CorrelationTables(NamedTuple):
    """The columns that the tables of the papers correlate, by name."""

    columns: dict[str, NDArray[np.float64]]
    """All columns that a table names."""
    metrics: list[str]
    """The metrics among them; signatures of a metric that differ in mean and maximum alone stand once."""
    human: list[tuple[str, str]]
    """Metric against human ratings (APES, Table 1); empty where there are none."""
    length: list[tuple[str, str]]
    """Metric against length (ROUGE-K, Table 6)."""
    rouge_k: list[tuple[str, str]]
    """Metric against ROUGE-K (ROUGE-K, Table 7)."""
    matrix: list[tuple[str, str]]
    """Every two metrics (APES, Table 2)."""


def name_human_column(aspect: str) -> str:
    """Return the name of the column of people's ratings in files."""
    return f"human: {aspect}"


def correlation_tables(cells: Cells, human: str | None = None) -> CorrelationTables:
    """Lay out the tables of correlations that a data set's scores allow; `human` names the ratings."""
    named = labels(distinct(cells.scores))
    metrics = list(named.values())
    twins = {signature: label for signature, label in labels(list(cells.scores)).items() if signature not in named}
    columns = {label: cells.scores[signature] for signature, label in [*named.items(), *twins.items()]}
    people = []
    if human is not None and human in cells.ratings:
        name = name_human_column(human)
        columns[name] = cells.ratings[human]
        people = [(name, metric) for metric in metrics]

    def against(name: str, others: Iterable[str]) -> list[tuple[str, str]]:
        scored = {signature: label for signature, label in named.items() if np.isfinite(cells.scores[signature]).any()}
        signature = find_signature(name, scored or named)
        return [] if signature is None else [(m, named[signature]) for m in others if m != named[signature]]

    return CorrelationTables(
        columns,
        metrics,
        people,
        length=against("length", metrics),
        rouge_k=against("rouge_k", [*metrics, *twins.values()]),
        matrix=list(combinations(metrics, 2)),
    )


def correlate_tables(
    cells: Cells,
    layout: CorrelationTables,
    tables: Iterable[str],
    *,
    methods: Sequence[Method] = METHODS,
    resample: Resample | None = None,
    draws: Draws = DRAWS,
) -> dict[str, list[CorrelationRow]]:
    """Compute the rows of some tables of a layout, by name; a pair in several of them is computed once."""
    pairs_of: dict[str, list[tuple[str, str]]] = {name: getattr(layout, name) for name in tables}
    wanted = dict.fromkeys(pair for name in ("human", "matrix") for pair in pairs_of.get(name, ()))
    for pair in (pair for pairs in pairs_of.values() for pair in pairs):
        if pair[::-1] not in wanted:
            wanted[pair] = None
    of_pair: dict[frozenset[str], list[CorrelationRow]] = {}
    for row in correlate_columns(cells, layout.columns, list(wanted), methods=methods, resample=resample, draws=draws):
        of_pair.setdefault(frozenset((row.first, row.second)), []).append(row)
    return {
        name: [row._replace(first=pair[0], second=pair[1]) for pair in pairs for row in of_pair[frozenset(pair)]]
        for name, pairs in pairs_of.items()
    }


def compare_with_rouge_k(cells: Cells, laid: CorrelationTables) -> list[Discrepancy]:
    """Count the pairs on which ROUGE-K and each other metric disagree; needs no human data."""
    compared = [(rouge_k, metric) for metric, rouge_k in laid.rouge_k]
    return discrepancies(laid.columns, compared, cells.documents)


class CorrelationComparison(NamedTuple):
    """A comparison of two metrics by their correlation with people, at one level."""

    first: str
    second: str
    level: str
    test: CorrelationTest
    """The test of the first metric's coefficient with people against the second's."""
    p_holm: float | None = None
    """The permutation test's p after Holm's correction over the comparisons of the level."""
    comparisons: int = 0
    """The number of comparisons at the level that have a p."""


def compare_correlations(
    cells: Cells,
    columns: dict[str, NDArray[np.float64]],
    human: str,
    *,
    method: Method = "pearson",
    permutations: Permutations = PERMUTATIONS,
) -> list[CorrelationComparison]:
    """Compare every two metrics by their correlation with the column `human`.

    `permutations` are those of `permutation_tests`.
    """
    metrics = [name for name in columns if name != human]
    pairs = list(combinations(metrics, 2))
    tests = permutation_tests(
        {name: columns[name] for name in metrics},
        pairs,
        columns[human],
        cells.documents,
        cells.systems,
        method=method,
        permutations=permutations,
    )
    return correct_by_level(
        [
            CorrelationComparison(first, second, level, test)
            for first, second in pairs
            for level, test in zip(LEVELS, tests[first, second], strict=True)
        ]
    )


def correct_by_level(comparisons: Sequence[CorrelationComparison]) -> list[CorrelationComparison]:
    """Return the comparisons with Holm's correction over those of the same level."""
    corrected = list(comparisons)
    for level in LEVELS:
        rows = [place for place, row in enumerate(comparisons) if row.level == level]
        tested = sum(comparisons[place].test.p is not None for place in rows)
        for place, p in zip(rows, holm([comparisons[place].test.p for place in rows]), strict=True):
            corrected[place] = comparisons[place]._replace(p_holm=p, comparisons=tested)
    return corrected


# --- systems ----------------------------------------------------------------------------------------------


class SystemsAnalysis(NamedTuple):
    """The systems by one column of scores or ratings."""

    name: str
    means: tuple[SystemMean, ...]
    spread: SystemSpread
    """The spread of the systems' means (ROUGE-K, Table 8)."""
    comparisons: tuple[SystemComparison, ...]
    """Comparisons of every two systems by Wilcoxon's signed-rank test over documents."""
    baselines: tuple[str, ...] = ()
    """The systems that others have to beat."""
    beating: tuple[str, ...] = ()
    """The systems that beat every baseline."""
    signature: str = ""
    """The metric's signature; empty for other columns, such as ratings."""
    runs: tuple[SystemRuns, ...] = ()
    """The means, with their standard deviation over runs if a system has several."""


def analyze_systems(
    cells: Cells,
    columns: Mapping[str, NDArray[np.float64]],
    baselines: Sequence[str] = (),
    signatures: Mapping[str, str] = NO_SIGNATURES,
) -> list[SystemsAnalysis]:
    """Compare systems by each column: means, their spread, which systems differ, and which beat the baselines.

    Runs over seeds, named `NAME#1`, `NAME#2` and so on, are one system: tests take the mean of a document's runs.
    `signatures` are those of metrics by column; other columns, such as ratings, have none.
    """
    averaged, documents, systems = average_runs(columns, cells.documents, cells.systems)
    beaten = tuple(dict.fromkeys(str(name_runs(baseline)) for baseline in baselines))

    def analyze(column: tuple[str, ArrayLike]) -> SystemsAnalysis:
        name, values = column
        means = system_means(values, documents, systems)
        runs = means if averaged is columns else system_means(columns[name], cells.documents, cells.systems)
        return SystemsAnalysis(
            name,
            tuple(means),
            distinguishability(values, systems),
            tuple(compare_systems(values, documents, systems)),
            beaten,
            tuple(map(str, find_beating(values, documents, systems, beaten))),
            signatures.get(name, ""),
            tuple(combine_runs(runs)),
        )

    return list(map_ahead(analyze, averaged.items()))
