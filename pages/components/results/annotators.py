"""The agreement of annotators, computed once for all sessions."""

from relevance.analysis.study import StudyAnalysis
from relevance.annotation.study_data import checks_of
from relevance.pages.background.computed import computed
from relevance.pages.components.shared.sources import Source, Version, preferences_of
from relevance.pages.components.shared.stores import open_stores


@computed("Counting", kept=32)
def analyze_annotators(source: Source, version: Version) -> StudyAnalysis:
    """Analyse the annotators of a study; done anew when a judgment is made or changed."""
    checks = checks_of(open_stores().annotation.annotators(source.study or ""))
    analysis = StudyAnalysis(preferences_of(source, version), checks=checks)
    return analysis.compute("reliability").without_columns()
