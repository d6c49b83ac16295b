"""A study as it is read from the database, once for all of its results."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from relevance.annotation.adjudication import AdjudicationStore, load_adjudications
from relevance.annotation.adjudication_records import Confirmation, NothingDecided
from relevance.annotation.model_judgments import ModelStore
from relevance.annotation.records import AnnotatorProgress, Study
from relevance.annotation.results import load_judgments, pseudonyms
from relevance.annotation.stopping import StoppingStore
from relevance.annotation.store import AnnotationStore
from relevance.data.cells import Cells
from relevance.data.model_verdicts import Verdicts
from relevance.data.preferences import Preferences, to_name_column
from relevance.data.stopping_state import CompleteDocuments
from relevance.data.store import Dataset, DataStore


@dataclass(frozen=True, eq=False)
class StudyData:
    """A study with its judgments, and the scores of its data set."""

    study: Study
    dataset: Dataset
    annotators: Sequence[AnnotatorProgress]
    preferences: Preferences
    """The judgments without attention checks, or if `adjudicated`, the decisions of adjudicators."""
    cells: Cells
    """The summaries of the systems that the study compares, sorted by document and system."""
    truncated: Mapping[str, int]
    """The number of scores of texts whose end a model did not see, by signature."""
    confirmation: Confirmation
    """Counts of how often adjudicators decided like most annotators."""
    adjudicated: bool = False
    complete: CompleteDocuments | None = None
    """The documents that its stopping rule looks at, if it has one."""
    verdicts: Sequence[Verdicts] = ()
    """The verdicts of language models on the pairs, which are also among the scores of the preferences."""

    @property
    def checks(self) -> dict[str, tuple[int, int]]:
        """Attention checks passed and asked, by annotator, without the excluded ones."""
        return checks_of(self.annotators)


def checks_of(annotators: Iterable[AnnotatorProgress]) -> dict[str, tuple[int, int]]:
    """Return the attention checks passed and asked, by annotator, without the excluded ones."""
    return {row.annotator: (row.checks_passed, row.checks) for row in annotators if not row.excluded}


def read_study(data: DataStore, annotation: AnnotationStore, name: str, *, adjudicated: bool = False) -> StudyData:
    """Read a study with its judgments (with `adjudicated`, the decisions) and the scores of its data set.

    Raises `UnknownStudy`, `NothingDecided`.
    """
    study = annotation.study(name)
    confirmation = AdjudicationStore(annotation.engine, annotation.actor).confirmation(name)
    if adjudicated and not confirmation.decided:
        raise NothingDecided(f"nobody has adjudicated a pair of the study {name!r} yet")
    return StudyData(
        study=study,
        dataset=data.dataset(study.dataset),
        annotators=annotation.annotators(name),
        preferences=load_adjudications(annotation, name) if adjudicated else load_judgments(annotation, name),
        cells=data.cells(study.dataset).of_systems(study.systems).in_order(),
        truncated={entry.signature: entry.truncated for entry in data.signatures(study.dataset)},
        confirmation=confirmation,
        adjudicated=adjudicated,
        complete=None if adjudicated else StoppingStore(annotation.engine, annotation.actor).complete_documents(name),
        verdicts=ModelStore(annotation.engine, annotation.actor).verdicts(name),
    )


def without_names(study: StudyData) -> StudyData:
    """Return a study for passing on, with annotators called P1, P2 and so on; adjudicators keep their names."""
    called = pseudonyms(annotator.annotator for annotator in study.annotators)
    annotators = [annotator._replace(annotator=called[annotator.annotator]) for annotator in study.annotators]
    preferences = study.preferences if study.adjudicated else rename_annotators(study.preferences, called)
    return replace(study, annotators=annotators, preferences=preferences)


def rename_annotators(preferences: Preferences, called: Mapping[str, str]) -> Preferences:
    """Return the same judgments with the annotators renamed; those without a new name become "another"."""
    names = [called.get(name or "", "another") for name in preferences.annotators]
    return replace(preferences, annotators=to_name_column(names))
