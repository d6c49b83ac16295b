"""Summarizers: systems that write candidate summaries, one file a kind; `registry` names them all.

A summarizer writes at most one summary a document: what it skipped shows as `len(summaries) < len(documents)`.
"""

from summarizers.adding import AddedSystem, DatasetInUse, add_systems
from summarizers.base import Summarizer
from summarizers.registry import NUMBERED, SUMMARIZERS, UnknownSummarizer, summarizer

__all__ = [
    "NUMBERED",
    "SUMMARIZERS",
    "AddedSystem",
    "DatasetInUse",
    "Summarizer",
    "UnknownSummarizer",
    "add_systems",
    "summarizer",
]
