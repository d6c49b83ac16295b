"""A study as it is read from the database, once for all that is said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.records import AnnotatorProgress, Study
from annotation.results import load_judgments
from annotation.store import AnnotationStore
from data.cells import Cells
from data.preferences import Preferences
from data.store import Dataset, DataStore


@dataclass(frozen=True, eq=False)
class StudyData:
    """What was asked, what people answered, and what metrics say of the same data set."""

    study: Study
    dataset: Dataset
    annotators: Sequence[AnnotatorProgress]
    preferences: Preferences
    """The judgments, attention checks left out."""
    cells: Cells
    """All summaries of the data set, sorted by document and system."""
    truncated: Mapping[str, int]
    """By signature, how many scores are of texts whose end a model did not see."""

    @property
    def checks(self) -> dict[str, tuple[int, int]]:
        """Attention checks passed and asked, by annotator."""
        return {row.annotator: (row.checks_passed, row.checks) for row in self.annotators}


def read_study(data: DataStore, annotation: AnnotationStore, name: str) -> StudyData:
    """Read a study with its judgments and the scores of its data set. Raises `UnknownStudy`."""
    study = annotation.study(name)
    return StudyData(
        study=study,
        dataset=data.dataset(study.dataset),
        annotators=annotation.annotators(name),
        preferences=load_judgments(annotation, name),
        cells=data.cells(study.dataset).in_order(),
        truncated={entry.signature: entry.truncated for entry in data.signatures(study.dataset)},
    )
