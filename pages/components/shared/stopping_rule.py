"""A study's stopping rule: applied after each document, with its verdict computed once for all sessions."""

from relevance.analysis.agreement.sequential import SequentialAnalysis, analyze_sequentially, decide_to_stop
from relevance.annotation.records import Annotator, Study
from relevance.data.store import DatabaseFailed
from relevance.metrics.registry import label_of
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.computing.computed import computed
from relevance.reports.stopping import describe_stopping


def look_at_documents(study: Study, annotator: Annotator | None = None) -> None:
    """Let the stopping rule decide whether the study stops; with `annotator`, only if they completed a document."""
    if not study.in_drawn_order:
        return
    try:
        open_stores().stopping.look(study.name, decide_to_stop, annotator=annotator)
    except DatabaseFailed:
        return  # the next look will see as much, and nobody's pair should wait for it


def follow_stopping(study: Study) -> SequentialAnalysis | None:
    """Apply a study's stopping rule, and return its analysis; None where it has none."""
    if not study.in_drawn_order:
        return None
    look_at_documents(study)
    return analyze_documents(study.name, open_stores().annotation.version(study.name))


@computed("Looking at the complete documents", kept=32)
def analyze_documents(study: str, version: str) -> SequentialAnalysis | None:
    """Return the rule's analysis; `version` changes when a pair is judged or skipped, and when the rule decides."""
    complete = open_stores().stopping.complete_documents(study)
    return None if complete is None else analyze_sequentially(complete)


def say_stopping(study: Study) -> str | None:
    """Say whether to stop or to go on, in a sentence; None where the study has no stopping rule."""
    analysis = follow_stopping(study)
    return None if analysis is None else describe_stopping(analysis, label_of)
