"""Summarizers: systems that write candidate summaries, one file for each kind; `registry` lists them all.

A summarizer writes at most one summary per document; if it skips some, `len(summaries) < len(documents)`.
"""

from relevance.summarizers.adding import DatasetInUse, add_systems
from relevance.summarizers.registry import SUMMARIZERS, UnknownSummarizer, summarizer

__all__ = ["SUMMARIZERS", "DatasetInUse", "UnknownSummarizer", "add_systems", "summarizer"]
