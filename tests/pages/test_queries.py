"""What pages of results ask the database: nothing twice in a run, and no scores that they do not show."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields

import numpy as np
import pytest
from sqlalchemy import Engine, event

from relevance.annotation.results import load_judgments, load_rated_pairs
from relevance.data.cells import Cells
from relevance.data.preferences import Preferences
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore
from relevance.pages.components.shared import sources
from tests.pages.opening import open_page, page_text, sound
from tests.pages.world import ROUGE1, World, known, known_file, world

__all__ = ["known", "known_file", "world"]

RESULTS = ("overview.py", "agreement.py", "compare.py", "correlation.py", "systems.py")


@contextmanager
def queries() -> Iterator[list[str]]:
    """The statements that are executed meanwhile, on whichever engine."""
    seen: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("SELECT"):
            seen.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def counts_scores(statement: str) -> bool:
    """Whether it asks for a data set's signatures, which goes through all of its scores."""
    return "scores.truncated" in statement and "GROUP BY" in statement


@pytest.mark.parametrize("page", RESULTS)
def test_a_run_neither_counts_nor_reads_scores_again(known: World, page: str) -> None:
    app = open_page(page)
    with queries() as seen:
        sound(app.run())
    assert not any(map(counts_scores, seen)), seen
    assert not [item for item in seen if "scores.value" in item], seen
    assert len(seen) <= 22, seen


@pytest.mark.parametrize("page", ["overview.py", "agreement.py", "annotators.py"])
def test_what_needs_judgments_only_reads_no_cells(known: World, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> Cells:
        raise AssertionError("all scores are read")

    monkeypatch.setattr(DataStore, "cells", read)
    open_page(page)


def test_keywords_are_explained_without_counting_scores_again(world: World) -> None:
    records = [
        (Document(f"d{n}", "Source.", ("One reference.",)), [Summary(f"d{n}", s, f"{n} by {s}") for s in "ab"])
        for n in range(2)
    ]
    world.data.add_dataset(name="set", format="interchange", sha256="0", records=records)
    world.score(ROUGE1, lambda _, system: float(ord(system)))
    world.ask()
    app = open_page("overview.py", study="Study")
    with queries() as seen:
        sound(app.run())
    assert "ROUGE-K has no keywords in any document" in page_text(app)
    assert not any(map(counts_scores, seen)), seen


def frozen(preferences: Preferences | Cells) -> Preferences | Cells:
    """The same with columns that refuse to be changed."""
    for field in fields(preferences):
        column = getattr(preferences, field.name)
        for array in column.values() if isinstance(column, dict) else [column]:
            if isinstance(array, np.ndarray):
                array.setflags(write=False)
    return preferences


def test_no_page_changes_the_columns_that_all_sessions_share(known: World, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = DataStore.cells
    monkeypatch.setattr(DataStore, "cells", lambda *given: frozen(cells(*given)))
    for load in (load_judgments, load_rated_pairs):
        monkeypatch.setattr(sources, load.__name__, lambda *given, load=load, **item: frozen(load(*given, **item)))
    for page in (*RESULTS, "annotators.py", "examples.py", "disagreements.py", "new_study.py"):
        for source in ({"study": "Study"}, {"dataset": "set", "aspect": "relevance"}):
            open_page(page, **source)
