"""Systems that are added in a process of their own, as the page starts it."""

import os
import signal
import subprocess
import sys

import pytest

from relevance.annotation.demo import create_demo_study
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.demo import NAME, add_demo
from relevance.data.records import Document
from relevance.data.store import CANCELLED, DataStore, Run, RunGoingOn
from relevance.metrics import lexical_metrics, make_metrics, metric
from relevance.metrics.scoring import score_dataset
from relevance.processes.runs import launch
from relevance.summarizers.adding_run import MODULE, start_run
from relevance.summarizers.registry import UnknownSummarizer
from tests.conftest import ROOT
from tests.waiting import until

pytestmark = pytest.mark.process

SLOW = "oracle-genetic-rouge1"
LONG = 40
"""Documents that take it some seconds."""


@pytest.fixture
def store(sqlite_url: str) -> DataStore:
    store = DataStore(connect(sqlite_url))
    add_demo(store)
    document = next(document for document, _ in store.records(NAME))
    texts = [document.source_text.replace(" the ", f" {n} the ") for n in range(LONG)]
    records = [(Document(f"d{n}", f"{text} {text[::-1]}", document.references), []) for n, text in enumerate(texts)]
    store.add_dataset(name="long", format="lines", sha256="", records=records)
    return store


def over(store: DataStore, run: Run) -> Run:
    until(lambda: store.run(run.id).state != "going")
    return store.run(run.id)


def written(store: DataStore, system: str, dataset: str = NAME) -> int:
    return store.written_by(dataset).get(system, 0)


@pytest.mark.smoke
def test_systems_are_written_in_a_process_of_their_own(store: DataStore) -> None:
    run = over(store, start_run(store, NAME, ["lead", "tldr-linear"], studied=False))
    assert (run.state, run.metrics, run.systems) == ("ended", (), ("lead", "tldr-linear"))
    assert (run.done, run.total) == (48, 48)
    assert run.notes == tuple(f"added 24 summaries of {name} to demo" for name in run.systems)
    assert written(store, "lead") == written(store, "tldr-linear") == 24


def test_what_is_known_to_be_refused_begins_no_run(store: DataStore) -> None:
    with pytest.raises(UnknownSummarizer):
        start_run(store, NAME, ["lead", "nonsense"], studied=False)
    assert store.runs(NAME) == []
    store.start_run(dataset=NAME, metrics=["rouge1"])
    with pytest.raises(RunGoingOn, match="is being scored already"):
        start_run(store, NAME, ["lead"], studied=False)


def test_what_is_refused_later_is_why_the_run_is_over(store: DataStore) -> None:
    score_dataset(store, NAME, make_metrics(lexical_metrics()))
    create_demo_study(AnnotationStore(store.engine), metric("rouge_k").signature)
    run = over(store, start_run(store, NAME, ["lead", "reference:1"], studied=True))
    assert run.state == "failed"
    assert "would no longer judge the summaries in the studies of 'demo'" in str(run.error)
    assert written(store, "lead") == 0


@pytest.mark.parametrize("cancelled", [True, False])
def test_what_a_run_has_written_is_not_written_again(store: DataStore, cancelled: bool) -> None:
    run = store.start_run(dataset="long", systems=[SLOW])
    process = launch(store, run.id, MODULE)
    until(lambda: written(store, SLOW, "long") > 0)
    if cancelled:
        assert store.cancel_run(run.id)
    else:
        os.kill(process.pid, signal.SIGKILL)
    error = str(over(store, run).error)
    assert error == CANCELLED if cancelled else "signal 9, SIGKILL" in error
    assert process.wait() == (0 if cancelled else -signal.SIGKILL)
    kept = written(store, SLOW, "long")
    assert 0 < kept < LONG
    again = over(store, start_run(store, "long", [SLOW], studied=False))
    assert (again.state, again.total) == ("ended", LONG - kept)
    assert written(store, SLOW, "long") == LONG


def test_who_asks_for_it_loads_no_model() -> None:
    code = (
        "import sys, relevance.summarizers.adding_run, relevance.pages.components.datasets.systems as page\n"
        "[page.summarizer(name) for name in page.system_names()]\n"
        "print(*{'torch', 'transformers', 'sklearn'} & {*sys.modules})"
    )
    completed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert completed.stdout.strip() == ""
