"""Metric against human: agreement with choices, correlation with ratings, and how sure either is.

Numbers in, results out: every function takes flat arrays, one entry a cell (a summary of a document by a
system) or one entry a pair of cells of one document, and returns named tuples with the counts they rest on.
What cannot be computed is None with a reason, never NaN.
"""

from __future__ import annotations

from analysis.agreement import Agreement, Rule, agreement, credit, within_document_pairs
from analysis.coefficients import METHODS, Method
from analysis.correlation import Correlation, Levels, correlate
from analysis.correlation_intervals import RESAMPLE_BY_LEVEL, LevelIntervals, Resample, correlation_intervals
from analysis.correlation_tests import (
    PERMUTE_BY_LEVEL,
    CorrelationTest,
    Permute,
    WilliamsTest,
    permutation_tests,
    williams,
)
from analysis.discrepancy import Discrepancy, discrepancies
from analysis.evaluation import Bin, Evaluation, evaluate
from analysis.planning import Observed, Plan, observed, pairs_for_interval, pairs_to_separate
from analysis.ratio_intervals import Interval, Intervals, agreement_intervals
from analysis.significance import (
    PairedComparison,
    SideShare,
    compare_metrics,
    exact_mcnemar,
    holm,
    position_check,
    wilcoxon,
)
from analysis.systems import (
    BEATEN,
    Spread,
    SystemComparison,
    SystemMean,
    beating,
    compare_systems,
    distinguishability,
    system_means,
)
from analysis.ties import TieAccuracy, fit_threshold, tie_accuracy

__all__ = [
    "BEATEN",
    "METHODS",
    "PERMUTE_BY_LEVEL",
    "RESAMPLE_BY_LEVEL",
    "Agreement",
    "Bin",
    "Correlation",
    "CorrelationTest",
    "Discrepancy",
    "Evaluation",
    "Interval",
    "Intervals",
    "LevelIntervals",
    "Levels",
    "Method",
    "Observed",
    "PairedComparison",
    "Permute",
    "Plan",
    "Resample",
    "Rule",
    "SideShare",
    "Spread",
    "SystemComparison",
    "SystemMean",
    "TieAccuracy",
    "WilliamsTest",
    "agreement",
    "agreement_intervals",
    "beating",
    "compare_metrics",
    "compare_systems",
    "correlate",
    "correlation_intervals",
    "credit",
    "discrepancies",
    "distinguishability",
    "evaluate",
    "exact_mcnemar",
    "fit_threshold",
    "holm",
    "observed",
    "pairs_for_interval",
    "pairs_to_separate",
    "permutation_tests",
    "position_check",
    "system_means",
    "tie_accuracy",
    "wilcoxon",
    "williams",
    "within_document_pairs",
]
