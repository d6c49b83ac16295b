"""The Python interface for notebooks: scores, agreement, correlations and evidence over pandas frames."""

from relevance.explaining import Explanation, explain
from relevance.frames import BadFrame, load
from relevance.tables import agreement, correlate, score

__all__ = ["BadFrame", "Explanation", "agreement", "correlate", "explain", "load", "score"]
