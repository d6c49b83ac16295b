"""What people said of the data sets of a database: judgments in studies, and ratings that came with the data."""

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
        """What they said, in words."""
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
    studies = [one for one in annotation.studies() if one.judgments and one.name != MADE_UP]
    judged = []
    for dataset in sorted(data.datasets(), key=lambda one: natural_order(one.name)):
        mine = sorted((one for one in studies if one.dataset == dataset.name), key=lambda one: natural_order(one.name))
        judged += [JudgedCorpus(dataset.name, one.name, None, one.rule) for one in mine]
        judged += [JudgedCorpus(dataset.name, None, aspect, "all") for aspect in dataset.aspects]
    return judged


def load_judged(data: DataStore, annotation: AnnotationStore, corpus: JudgedCorpus) -> Preferences:
    """Load what people said of a corpus, with the scores of its pairs."""
    if corpus.study is not None:
        return load_judgments(annotation, corpus.study)
    return load_rated_pairs(data, corpus.dataset, corpus.aspect or "")
