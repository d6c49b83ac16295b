"""The tables of a bundle: all those of `relevance analyze --study`, made from the bundle's own records."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from relevance.analysis.study import Settings
from relevance.annotation.store import AnnotationStore
from relevance.annotation.study_data import StudyData, read_study
from relevance.bundles.loading import load_bundle
from relevance.bundles.reading import Bundle
from relevance.data.database import connect
from relevance.data.sorting import natural_order
from relevance.data.store import DataStore
from relevance.reports.report import Report, report_as_json
from relevance.reports.report.study import make_study_report
from relevance.reports.report.system_figures import add_system_figures
from relevance.reports.report.texts import OF_MARKS, with_marked_words
from relevance.reports.tables.registry import OF_SYSTEMS
from relevance.summarizers.registry import baselines_among

OF_TEXTS = (*OF_SYSTEMS, *OF_MARKS["marked"])
"""Tables that depend on texts: those of words, and those with figures of the texts beside their systems."""


class Loaded(NamedTuple):
    """A bundle's study in its own database."""

    data: DataStore
    annotation: AnnotationStore
    study: str
    dataset: str


@contextmanager
def loaded(bundle: Bundle, dataset: str) -> Iterator[Loaded]:
    """Make a fresh database with a checked bundle's study in it, for the duration of the block. Raises `BadRecord`."""
    with TemporaryDirectory() as folder:
        engine = connect(f"sqlite:///{Path(folder, 'bundle.db')}")
        try:
            data = DataStore(engine)
            load_bundle(data, bundle, name=bundle.study, dataset=dataset, opened=False)
            yield Loaded(data, AnnotationStore(engine), bundle.study, dataset)
        finally:
            engine.dispose()


def tables_as_json(loaded_study: Loaded, *, texts: bool = True) -> dict[str, Any]:
    """Return all tables of the judgments and, if adjudicators decided anything, under `adjudicated` those of that."""
    study, report = make_tables(loaded_study, texts=texts)
    tables = report_as_json(report)
    if study.confirmation.decided:
        tables["adjudicated"] = report_as_json(make_tables(loaded_study, texts=texts, adjudicated=True)[1])
    return tables


def make_tables(loaded_study: Loaded, *, texts: bool = True, adjudicated: bool = False) -> tuple[StudyData, Report]:
    """Read the study and make all of its tables; without `texts` those of `OF_TEXTS` are left out."""
    study = read_study(loaded_study.data, loaded_study.annotation, loaded_study.study, adjudicated=adjudicated)
    systems = sorted(study.study.systems, key=natural_order)
    report = make_study_report(study, Settings(baselines=baselines_among(systems)))
    if not texts:
        return study, report.only([name for name in report.names if name not in OF_TEXTS])
    report = add_system_figures(
        report, loaded_study.data.records(loaded_study.dataset), loaded_study.data, loaded_study.dataset
    )
    return study, with_marked_words(report, loaded_study.data, loaded_study.annotation, loaded_study.study)
