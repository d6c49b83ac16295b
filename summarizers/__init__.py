"""Summarizers: systems that write candidate summaries, one file a kind; `registry` names them all.

A summarizer writes at most one summary a document: what it skipped shows as `len(summaries) < len(documents)`.
"""

from summarizers.adding import DatasetInUse, add_systems
from summarizers.registry import SUMMARIZERS, UnknownSummarizer, summarizer

__all__ = ["SUMMARIZERS", "DatasetInUse", "UnknownSummarizer", "add_systems", "summarizer"]
