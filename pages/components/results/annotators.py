"""The agreement of annotators, computed once for all sessions."""

from analysis.study import StudyAnalysis
from annotation.study_data import checks_of
from pages.background.computed import computed
from pages.components.shared.sources import Source, Version, preferences_of
from pages.components.shared.stores import open_stores


@computed("Counting", kept=32)
def analyze_annotators(source: Source, version: Version) -> StudyAnalysis:
    """Analyse the annotators of a study; done anew when a judgment is made or changed."""
    checks = checks_of(open_stores().annotation.annotators(source.study or ""))
    analysis = StudyAnalysis(preferences_of(source, version), checks=checks)
    return analysis.compute("reliability").without_columns()
