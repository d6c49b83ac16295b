"""The form of the Studies page that adds systems to a data set."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from annotation.demo import create_demo_study
from annotation.store import AnnotationStore
from data.database import connect
from data.demo import NAME, add_demo
from data.records import Summary
from data.store import DataStore
from metrics import lexical_metrics, make_metrics, metric
from metrics.scoring import score_dataset
from pages.components.studies.datasets import FIRST, add_chosen_systems, dataset_name, incomplete, system_names
from summarizers.registry import BASELINES, ORACLES, summarizer
from tests.pages.opening import open_page

opened = partial(open_page, "studies.py")


@pytest.fixture
def store(sqlite_url: str) -> DataStore:
    store = DataStore(connect(sqlite_url))
    add_demo(store)
    return store


def add(app: AppTest, *names: str) -> AppTest:
    app.multiselect(key="add_systems").set_value(list(names)).run()
    app.button(key="add").click().run()
    assert not app.exception
    return app


def said(app: AppTest) -> list[str]:
    """The lines of the one message that there is."""
    [message] = app.success
    return message.value.replace("\\", "").split("  \n")


def test_every_system_is_there_to_be_chosen() -> None:
    names = system_names()
    assert len(set(names)) == len(names)
    assert [summarizer(name).name for name in names] == names  # what is chosen is what the data set will have
    assert set(names) >= {*ORACLES, *BASELINES} - {"rake"}
    assert {"rake-ref", "title", "reference:1"} <= set(names)
    assert set(FIRST) <= set(names)


def test_systems_are_added_and_completed(store: DataStore) -> None:
    app = add(opened(), *FIRST, "lexrank-20w", "oracle-greedy-rouge1")
    documents = store.dataset(NAME).documents
    names = [*FIRST, "lexrank-20w", "oracle-greedy-rouge1"]
    assert said(app) == [f"added {documents} summaries of {name} to {NAME}" for name in names]
    assert store.dataset(NAME).systems[-4:] == tuple(names)
    app = add(opened(), "lead", "lsa-1, random")
    assert said(app) == [
        f"added 0 summaries of lead to {NAME} ({documents} were there)",
        f"added {documents} summaries of lsa-1 to {NAME}",
        f"added {documents} summaries of random to {NAME}",
    ]


def test_what_is_half_there_is_completed(store: DataStore) -> None:
    lead = summarizer("lead")
    some = lead.summarize([document for document, _ in store.records(NAME)][:5])
    store.add_summaries(dataset=NAME, summaries=some, signature=lead.signature)
    rest = store.dataset(NAME).documents - 5
    assert said(add(opened(), "lead")) == [f"added {rest} summaries of lead to {NAME} (5 were there)"]


def test_what_is_half_there_is_said(store: DataStore) -> None:
    def lacking() -> list[str]:
        return [c.value.replace("\\", "") for c in opened().caption if c.value.startswith("Not all documents")]

    assert lacking() == []
    lead = summarizer("lead")
    some = lead.summarize([document for document, _ in store.records(NAME)][:5])
    store.add_summaries(dataset=NAME, summaries=some, signature=lead.signature)
    documents = store.dataset(NAME).documents
    assert lacking() == [
        f"Not all documents have a summary by lead: 5 of {documents}. Adding a system again writes what it can."
    ]
    add(opened(), "lead")
    assert lacking() == []


def test_which_systems_are_incomplete() -> None:
    assert incomplete({"a": 3, "b": 3}, 3) == incomplete({}, 3) == ""
    assert incomplete({"a": 3, "b*": 0, "c": 2}, 3).startswith(
        r"Not all documents have a summary by b\*: 0 of 3; c: 2 of"
    )


def test_progress_names_the_system_and_counts_summaries(store: DataStore, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    class Bar:
        def progress(self, share: float, text: str) -> None:
            assert 0 <= share <= 1
            told.append(text.replace("\\", ""))

        def empty(self) -> None:
            told.append("")

    monkeypatch.setattr(st, "progress", lambda *_, **__: Bar())
    documents = store.dataset(NAME).documents
    add_chosen_systems(store, NAME, ["lead", "random"], [])
    assert told[-2].startswith(f"Summarizing by random: {2 * documents} of {2 * documents} summaries in all · 0:0")
    assert sum(text.startswith("Summarizing by lead: ") for text in told) == documents
    assert told[-1] == ""


def test_an_imported_data_set_is_called_like_its_file_unless_it_is_named(tmp_path: Path) -> None:
    file = tmp_path / "news 2024.jsonl"
    file.write_text(json.dumps({"id": "d", "source": "A b.", "references": ["a"], "summaries": []}) + "\n")
    assert dataset_name("", file, None) == dataset_name(" ", file, "interchange") == "news 2024"
    assert dataset_name("mine", file, None) == "mine"
    lines = tmp_path / "bart.txt"
    lines.write_text("One.\n")
    assert dataset_name("mine", lines, "lines") == "mine"
    with pytest.raises(ValueError, match="give the name of the data set that the file of lines joins"):
        dataset_name("", lines, "lines")


def test_what_is_refused_is_said_in_place(store: DataStore) -> None:
    document = store.records(NAME)[0][0]
    store.add_summaries(dataset=NAME, summaries=[Summary(document.id, "lead", "x")])
    before = store.dataset(NAME)
    app = opened()
    for names, message in [
        (["lead", "textrank"], "already has summaries of the system 'lead', which were imported"),
        (["gpt"], "unknown summarizer 'gpt'; known are lead"),
        (["rake-3"], "rake writes phrases, not sentences"),
        ([], "Name a system first."),
    ]:
        add(app, *names)
        assert message in app.error[0].value.replace("\\", "")
        assert not app.success
    assert store.dataset(NAME) == before


def test_texts_that_a_study_is_measured_against_stay(store: DataStore) -> None:
    score_dataset(store, NAME, make_metrics(lexical_metrics()))
    create_demo_study(AnnotationStore(store.engine), metric("rouge_k").signature)
    app = add(opened(), "lead", "reference:1")
    assert "would no longer judge the summaries in the study" in app.error[0].value
    assert "lead" not in store.dataset(NAME).systems


def test_who_leaves_is_told_what_becomes_of_the_work(store: DataStore) -> None:
    captions = " ".join(caption.value for caption in opened().caption)
    assert "pressing again goes on" in captions
