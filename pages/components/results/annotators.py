"""The agreement of annotators, computed once for all sessions."""

from relevance.analysis.study import Inputs, Results
from relevance.annotation.study_data import checks_of
from relevance.pages.background.computed import computed
from relevance.pages.components.shared.sources import Source, Version, preferences_of
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.presentation import Presentation
from relevance.reports.tables.registry import OF_ANNOTATORS, make_tables
from relevance.reports.tables.table import Table


@computed("Counting", kept=32)
def analyze_annotators(source: Source, version: Version) -> dict[str, Table]:
    """Make the tables of a study's annotators, by name; done anew when a judgment is made or changed."""
    checks = checks_of(open_stores().annotation.annotators(source.study or ""))
    inputs = Inputs(preferences_of(source, version), checks=checks)
    names = [name for name in OF_ANNOTATORS if name != "ranking"]  # which is on the page Systems
    return make_tables(names, Presentation(Results(inputs)))
