"""A small data set, studies over it, and a quick way to judge."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from relevance.annotation.records import Annotator, Study, StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.database import now
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore, StoredScore

Create = Callable[..., Study]
Judge = Callable[..., None]

SIGNATURE = "rouge_k|test"
CONTRARY = "rouge1|test"


@pytest.fixture
def dataset(data_store: DataStore) -> str:
    """Six documents d0 to d5 with the systems a, b, c; of d5 all texts are the same."""
    data_store.add_dataset(
        name="news",
        format="interchange",
        sha256="",
        records=[
            (
                Document(id=f"d{n}", source=f"source {n}", references=(f"reference {n}",), title=f"title {n}"),
                [Summary(f"d{n}", system, "same" if n == 5 else f"{system} of {n}") for system in "abc"],
            )
            for n in range(6)
        ],
    )
    return "news"


@pytest.fixture
def scored(dataset: str, data_store: DataStore) -> str:
    """The same with scores: of d0 to d3 a and b 0.5, c 0.25; of d4 b is missing, a 0.5, c 0.5; d5 all 0."""
    values = {"a": 0.5, "b": 0.5, "c": 0.25}
    scores = {}
    for key, example in data_store.unscored(dataset=dataset, signature=SIGNATURE):
        value: float | None = values[example.system] if example.document_id != "d4" else 0.5
        if example.document_id == "d5":
            value = 0.0
        if (example.document_id, example.system) == ("d4", "b"):
            value = None
        scores[key] = StoredScore(value, "no keywords" if value is None else None)
    data_store.add_scores(metric="rouge_k", signature=SIGNATURE, scores=scores)
    return dataset


@pytest.fixture
def contradicted(scored: str, data_store: DataStore) -> str:
    """The same with a second metric, which prefers c to b to a: of d0 to d3, a-c and b-c are conflicts of the two."""
    values = {"a": 0.1, "b": 0.2, "c": 0.3}
    scores = {
        key: StoredScore(values[example.system], None)
        for key, example in data_store.unscored(dataset=scored, signature=CONTRARY)
    }
    data_store.add_scores(metric="rouge1", signature=CONTRARY, scores=scores)
    return scored


@pytest.fixture
def create(annotation_store: AnnotationStore, dataset: str) -> Create:
    def create(**settings: object) -> Study:
        spec = {"name": "S", "dataset": dataset, "rule": "random", "seed": 7} | settings
        return annotation_store.create_study(StudySpec(**spec))  # type: ignore[arg-type]

    return create


@pytest.fixture
def judge(annotation_store: AnnotationStore) -> Judge:
    """Judge as if the pair had been shown two seconds before."""

    def judge(annotator: Annotator, assignment_id: int, choice: str = "left", **settings: object) -> None:
        values = {"presented_at": now() - timedelta(seconds=2)} | settings
        annotation_store.judge(annotator=annotator, assignment_id=assignment_id, choice=choice, **values)  # type: ignore[arg-type]

    return judge
