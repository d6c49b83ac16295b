"""The form of the page Data sets that adds systems."""

import pytest
from streamlit.testing.v1 import AppTest

from relevance.annotation.demo import create_demo_study
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.demo import NAME, add_demo
from relevance.data.records import Summary
from relevance.data.store import CANCELLED, DIED, DataStore
from relevance.metrics import lexical_metrics, make_metrics, metric
from relevance.metrics.scoring import score_dataset
from relevance.pages.components.datasets.systems import FIRST, incomplete, system_names
from relevance.summarizers.registry import BASELINES, ORACLES, summarizer
from tests.pages.opening import drawn_until, open_page, press, sound


def opened() -> AppTest:
    app = open_page("datasets.py")
    app.session_state.part = "Systems"
    return sound(app.run())


@pytest.fixture
def store(sqlite_url: str) -> DataStore:
    store = DataStore(connect(sqlite_url))
    add_demo(store)
    return store


def add(app: AppTest, *names: str) -> AppTest:
    """Add systems, and wait for the end of the process that writes them."""
    app.multiselect(key="add_systems").set_value(list(names)).run()
    press(app, "add")
    return drawn_until(app, lambda app: not app.get("progress"))


def message_lines(app: AppTest) -> list[str]:
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
    assert message_lines(app) == [f"Added {documents} summaries of {name} to {NAME}." for name in names]
    assert set(names) < set(store.dataset(NAME).systems)
    app = add(opened(), "lead", "lsa-1, random")
    assert message_lines(app) == [
        f"Added 0 summaries of lead to {NAME} ({documents} were there).",
        f"Added {documents} summaries of lsa-1 to {NAME}.",
        f"Added {documents} summaries of random to {NAME}.",
    ]


def test_what_is_half_there_is_completed(store: DataStore) -> None:
    lead = summarizer("lead")
    some = lead.summarize([document for document, _ in store.records(NAME)][:5])
    store.add_summaries(dataset=NAME, summaries=some, signature=lead.signature)
    rest = store.dataset(NAME).documents - 5
    assert message_lines(add(opened(), "lead")) == [f"Added {rest} summaries of lead to {NAME} (5 were there)."]


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


def test_who_comes_sees_how_far_it_is(store: DataStore) -> None:
    run = store.start_run(dataset=NAME, systems=["lead", "tf*idf"])
    shown = opened()
    assert progress_of(shown).startswith(r"Adding lead\, tf\*idf to demo: getting ready · 0:0")
    store.beat(run.id, done=20, total=48)
    shown = opened()
    assert progress_of(shown).startswith(r"Adding lead\, tf\*idf to demo: 20 of 48 summaries · 0:0")
    assert not {"add", "score"} & {button.key for button in shown.button}  # one thing at a time
    store.end_run(run.id, notes=["added 24 summaries of lead to demo"])
    assert message_lines(shown.run()) == ["Added 24 summaries of lead to demo."]


def progress_of(app: AppTest) -> str:
    (bar,) = app.get("progress")
    return str(bar.proto.text)


def test_what_is_cancelled_keeps_what_was_written(store: DataStore) -> None:
    run = store.start_run(dataset=NAME, systems=["lead"])
    app = press(opened(), f"cancel:{run.id}")
    assert store.run(run.id).error == CANCELLED
    assert message_lines(app)[0].startswith("Adding lead to demo was cancelled. What was written is kept")
    assert not opened().warning
    assert "add" in [button.key for button in opened().button]


def test_a_run_that_was_killed_is_resumed(store: DataStore) -> None:
    lead = summarizer("lead")
    some = lead.summarize([document for document, _ in store.records(NAME)][:5])
    store.add_summaries(dataset=NAME, summaries=some, signature=lead.signature)
    run = store.start_run(dataset=NAME, systems=["lead", "random"])
    store.end_run(run.id, error=f"{DIED} (signal 9, SIGKILL)")
    app = opened()
    stopped = app.warning[0].value.replace("\\", "")
    assert stopped.startswith("Adding lead, random to demo stopped: its process ended before it was done")
    press(app, f"resume:{run.id}")
    drawn_until(app, lambda app: bool(app.success))
    documents = store.dataset(NAME).documents
    assert message_lines(app) == [
        f"Added {documents - 5} summaries of lead to {NAME} (5 were there).",
        f"Added {documents} summaries of random to {NAME}.",
    ]


def test_what_is_refused_is_said_in_place(store: DataStore) -> None:
    document = store.records(NAME)[0][0]
    store.add_summaries(dataset=NAME, summaries=[Summary(document.id, "lead", "x")])
    before = store.dataset(NAME)
    app = opened()
    for names, message in [
        (["lead", "textrank"], "already has summaries of the system 'lead', which were imported"),
        (["gpt"], "Unknown summarizer 'gpt'; known are lead"),
        (["rake-3"], "Rake writes phrases, not sentences"),
        ([], "Name a system first."),
    ]:
        add(app, *names)
        assert message in app.error[0].value.replace("\\", "")
        assert not app.success
    assert store.dataset(NAME) == before
    assert store.last_run(NAME) is None


def test_texts_that_a_study_is_measured_against_stay(store: DataStore) -> None:
    score_dataset(store, NAME, make_metrics(lexical_metrics()))
    create_demo_study(AnnotationStore(store.engine), metric("rouge_k").signature)
    app = add(opened(), "lead", "reference:1")
    assert "would no longer judge the summaries in the studies of" in app.warning[0].value
    assert "lead" not in store.dataset(NAME).systems


def test_who_leaves_is_told_what_becomes_of_the_work(store: DataStore) -> None:
    captions = " ".join(caption.value for caption in opened().caption)
    assert "You can leave this page: adding goes on." in captions
