"""Sources of preferences in a database: judgments in studies, and ratings that came with the data sets."""

from typing import NamedTuple

from relevance.annotation.demo import MADE_UP
from relevance.annotation.results import load_judgments, load_rated_pairs
from relevance.annotation.store import AnnotationStore
from relevance.data.demo import AUTHOR
from relevance.data.preferences import Preferences
from relevance.data.sorting import natural_order
from relevance.data.store import DataStore


class JudgedCorpus(NamedTuple):
    """A data set with what people said of it: in a study, or by the mean ratings of an aspect."""

    dataset: str
    study: str | None
    aspect: str | None
    rule: str
    """The rule by which the study's pairs were drawn; `all` for ratings."""

    @property
    def people(self) -> str:
        """The kind of judgments, in words."""
        if self.study is not None:
            question = self.study.removeprefix(self.dataset)
            if question in ("", self.study):  # the study of the data set itself, or one of another name
                return f"judgments in {self.study}" if question else "judgments"
            return f"judgments: {question.removeprefix(':').strip()}"
        return "author labels" if self.aspect == AUTHOR else f"ratings of {self.aspect}"


def list_judged(data: DataStore, annotation: AnnotationStore) -> list[JudgedCorpus]:
    """List the data sets that people judged or rated, by their names, without the archive and made-up judgments.

    A data set with several studies, or ratings of several aspects, comes once for each.
    """
    studies = [study for study in annotation.studies() if study.judgments and study.name != MADE_UP]
    judged = []
    for dataset in sorted(data.datasets(), key=lambda known: natural_order(known.name)):
        mine = sorted(
            (study for study in studies if study.dataset == dataset.name), key=lambda study: natural_order(study.name)
        )
        judged += [JudgedCorpus(dataset.name, study.name, None, study.rule) for study in mine]
        judged += [JudgedCorpus(dataset.name, None, aspect, "all") for aspect in dataset.aspects]
    return judged


def load_judged(data: DataStore, annotation: AnnotationStore, corpus: JudgedCorpus) -> Preferences:
    """Load what people said of a corpus, with the scores of its pairs."""
    if corpus.study is not None:
        return load_judgments(annotation, corpus.study)
    return load_rated_pairs(data, corpus.dataset, corpus.aspect or "")
