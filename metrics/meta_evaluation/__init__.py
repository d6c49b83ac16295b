"""Metric against human: agreement with choices, correlation with ratings, and how sure either is.

Numbers in, results out: every function takes flat arrays, one entry a cell (a summary of a document by a
system) or one entry a pair of cells of one document, and returns named tuples with the counts they rest on.
What cannot be computed is None with a reason, never NaN.
"""

from metrics.meta_evaluation.agreement import Agreement, agreement, within_document_pairs
from metrics.meta_evaluation.bootstrap import Interval, Intervals, agreement_intervals
from metrics.meta_evaluation.correlation import Correlation, Levels, correlate
from metrics.meta_evaluation.evaluation import Evaluation, evaluate

__all__ = [
    "Agreement",
    "Correlation",
    "Evaluation",
    "Interval",
    "Intervals",
    "Levels",
    "agreement",
    "agreement_intervals",
    "correlate",
    "evaluate",
    "within_document_pairs",
]
