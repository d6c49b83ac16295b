"""A database of which every text, score and judgment is known: what pages count of it follows by hand."""

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relevance.annotation.records import JudgmentTask, StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect, now
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore, StoredScore

NAME = "set"

ROUGE1, ROUGE2, ROUGE_K, LENGTH = (f"{name}|v:1" for name in ("rouge1", "rouge2", "rouge_k", "length"))
DOCUMENTS, SYSTEMS = ("d0", "d1", "d2", "d3"), ("a", "b", "c")


class World:
    """A database with data sets of which every text, score and judgment is known."""

    def __init__(self, url: str) -> None:
        engine = connect(url)
        self.data, self.annotation = DataStore(engine), AnnotationStore(engine)

    def add(
        self,
        name: str = NAME,
        documents: Sequence[str] = DOCUMENTS,
        systems: Sequence[str] = SYSTEMS,
        ratings: Mapping[str, float] | None = None,
    ) -> None:
        """A data set; `ratings` rate a system's summaries alike in each document."""
        records = [
            (
                Document(document, f"Source of {document}.", (f"Words of {document}.", f"Other words of {document}.")),
                [
                    Summary(document, system, f"{name} {document} by {system}", self.human(ratings, system))
                    for system in systems
                ],
            )
            for document in documents
        ]
        self.data.add_dataset(name=name, format="interchange", sha256="0", records=records)

    @staticmethod
    def human(ratings: Mapping[str, float] | None, system: str) -> dict[str, float]:
        return {} if ratings is None else {"relevance": ratings[system]}

    def score(self, signature: str, value: Callable[[str, str], float | None], name: str = NAME) -> None:
        scores = {}
        for key, example in self.data.examples(name).items():
            result = value(example.document_id, example.system)
            scores[key] = StoredScore(result, None if result is not None else "not computed")
        self.data.add_scores(metric=signature.partition("|")[0], signature=signature, scores=scores)

    def ask(self, name: str = "Study", **settings: Any) -> None:
        settings = {"dataset": NAME, "rule": "all", "judgments_per_pair": 3, "ties": True} | settings
        self.annotation.create_study(StudySpec(name=name, **settings))

    def judge(self, annotator: str, choose: Callable[[str, str, str], str | None], study: str = "Study") -> None:
        """Judge all pairs: `choose` gets the document and both systems by name, and returns one, or None for a tie."""
        token = self.annotation.join(study=study, name=annotator)
        while (task := self.annotation.next_task(token)) is not None:
            self.annotation.judge(
                annotator=token,
                assignment_id=task.assignment_id,
                choice=side(task, choose),
                presented_at=now() - timedelta(seconds=5),
            )


def side(task: JudgmentTask, choose: Callable[[str, str, str], str | None]) -> str:
    (document, left), (_, right) = (re.search(r"(\S+) by (\S+)$", text).groups() for text in (task.left, task.right))
    chosen = choose(document, *sorted((left, right)))
    return "tie" if chosen is None else "left" if chosen == left else "right"


def first(_document: str, text: str, _other: str) -> str:
    return text


def first_but_in_d0(document: str, text: str, other: str) -> str:
    return other if document == "d0" else text


def first_but_tied(_document: str, text: str, other: str) -> str | None:
    return None if (text, other) == ("a", "b") else text


@pytest.fixture
def world(sqlite_url: str) -> World:
    return World(sqlite_url)


@pytest.fixture(scope="module")
def known_file(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Path:
    """A database to copy, with three annotators and 12 pairs; the counts in these tests follow from it by hand."""
    file = Path(shutil.copy(migrated_sqlite, tmp_path_factory.mktemp("known") / "known.db"))
    world = World(f"sqlite:///{file}")
    world.add(ratings={"a": 3, "b": 2, "c": 1})
    world.score(ROUGE1, lambda _, system: {"a": 0.9, "b": 0.5, "c": 0.1}[system])
    random = dict(zip([(d, s) for d in DOCUMENTS for s in SYSTEMS], np.random.default_rng(1).random(12), strict=True))
    world.score(ROUGE2, lambda document, system: float(random[document, system]))
    world.score(
        ROUGE_K, lambda document, system: None if (document, system) == ("d3", "a") else 0.1 + 0.1 * (system != "a")
    )
    world.score(LENGTH, lambda _, system: {"a": 10, "b": 10, "c": 5}[system])
    world.ask()
    world.judge("Ana", first)
    world.judge("Ben", first_but_in_d0)
    world.judge("Cleo", first_but_tied)
    world.data.engine.dispose()
    return file


@pytest.fixture
def known(sqlite_url: str, tmp_path: Path, known_file: Path) -> World:
    """Three annotators, 12 pairs, and scores of which the counts in these tests follow by hand."""
    shutil.copy(known_file, tmp_path / "relevance.db")
    return World(sqlite_url)
