"""Runs in processes of their own, as the page starts them."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from relevance.data.database import connect
from relevance.data.demo import NAME, add_demo
from relevance.data.store import CANCELLED, DataStore, Run, UnknownRun, runs
from relevance.hosting.accounts import AccountStore
from relevance.hosting.sign_ins import SignedIn, SignInStore, digest_of
from relevance.metrics import metric
from relevance.metrics.background.scoring import MODULE, score, start_run
from relevance.metrics.scoring import ProgressCallback
from relevance.processes import runs as processes
from relevance.processes.runs import launch, report_progress
from tests.running import alive, running_process
from tests.waiting import PATIENCE, until

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parents[3]

TEXTS = 96
"""The demo corpus: 24 documents with 4 candidates each."""


@pytest.fixture
def store(sqlite_url: str) -> DataStore:
    store = DataStore(connect(sqlite_url))
    add_demo(store)
    return store


def over(store: DataStore, run: Run) -> Run:
    """The run when it is over."""
    until(lambda: store.run(run.id).state != "going")
    return store.run(run.id)


def scored(store: DataStore, name: str) -> int:
    """How many of the demo corpus's texts a metric has scored."""
    signature = metric(name).signature
    return sum(entry.scored for entry in store.signatures(NAME) if entry.signature == signature)


@pytest.mark.smoke
def test_a_run_scores_in_a_process_of_its_own(data_store: DataStore) -> None:
    store = data_store
    add_demo(store)
    run = over(store, start_run(store, NAME, ["rouge1", "length", "rougeL"]))
    assert (run.state, run.error, run.failed) == ("ended", None, {})
    assert (run.done, run.total) == (3 * TEXTS, 3 * TEXTS)
    assert [scored(store, name) for name in run.metrics] == [TEXTS] * 3
    again = over(store, start_run(store, NAME, ["rouge1", "length"]))
    assert (again.state, again.total) == ("ended", 0)


def test_a_metric_that_fails_says_why_and_stops_no_other(store: DataStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELEVANCE_DEVICE", "nonsense")
    run = over(store, start_run(store, NAME, ["carouge", "length"]))
    assert run.state == "ended"
    assert list(run.failed) == ["carouge"]
    assert "the device 'nonsense' cannot be used" in run.failed["carouge"]
    assert (scored(store, "carouge"), scored(store, "length")) == (0, TEXTS)


def test_a_run_that_cannot_even_begin_says_why(store: DataStore) -> None:
    run = over(store, start_run(store, NAME, ["rouge1", "nonsense"]))
    assert run.state == "failed"
    assert "unknown metric 'nonsense'" in str(run.error)


def test_few_runs_work_at_once_and_the_others_wait_for_their_turn(store: DataStore) -> None:
    """In the order in which they came, each account's one after another; who is cancelled never begins."""
    for number in range(6):
        store.add_dataset(name=f"{number}", format="lines", sha256="", records=[])
    accounts = AccountStore(store.engine)
    ids = [accounts.add_user(name=name, role="researcher", email=f"{name}@x.org").id for name in ("ann", "ben", "eve")]
    actors = [SignedIn(digest_of(SignInStore(store.engine).sign_in(user_id=user_id))) for user_id in ids]
    ann, ben, eve = (DataStore(store.engine, actor) for actor in actors)
    started = [
        data.start_run(dataset=f"{number}", metrics=["length"]).id
        for number, data in enumerate((ann, ann, ben, eve, store, store))
    ]
    assert [store.count_before(item) for item in started] == [0, 1, 0, 3, 4, 5]
    store.end_run(started[0])
    assert [store.count_before(item) for item in started[1:]] == [0, 0, 2, 3, 4]  # ann's second one
    ben.cancel_run(started[2])
    assert [store.count_before(item) for item in (started[1], *started[3:])] == [0, 0, 2, 3]
    for item in (started[1], started[3]):
        store.end_run(item)
    assert [store.count_before(item) for item in started[4:]] == [0, 0]  # whoever has no account may have two
    assert store.count_before(999) == 0


def test_a_run_that_waits_begins_when_there_is_room(store: DataStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "AT_ONCE", 1)
    monkeypatch.setattr(processes, "SELDOM", 0.1)
    for name in ("first", "cancelled"):
        store.add_dataset(name=name, format="lines", sha256="", records=[])
    first = store.start_run(dataset="first", metrics=["length"])
    cancelled, waiting = start_run(store, "cancelled", ["length"]), start_run(store, NAME, ["length"])
    began = store.run(waiting.id).heartbeat
    until(lambda: store.run(waiting.id).heartbeat > began, "it says that it lives")
    assert (store.count_before(waiting.id), scored(store, "length")) == (2, 0)
    store.cancel_run(cancelled.id)
    store.end_run(first.id)
    assert over(store, waiting).error is None
    assert scored(store, "length") == TEXTS
    assert (store.run(cancelled.id).error, store.run(cancelled.id).total) == (CANCELLED, None)


def test_a_process_that_dies_at_once_leaves_its_last_words(
    store: DataStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "relevance").mkdir()
    (tmp_path / "relevance" / "__init__.py").write_text("raise RuntimeError('the disk is broken')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    run = over(store, start_run(store, NAME, ["rouge1"]))
    assert run.state == "failed"
    assert run.error == "its process ended before it was done: RuntimeError: the disk is broken"


def test_a_process_that_cannot_be_started_leaves_no_run_behind(
    store: DataStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(OSError, match="nowhere"):
        start_run(store, NAME, ["rouge1"])
    (run,) = store.runs(NAME)
    assert run.state == "failed"
    assert "could not be started" in str(run.error)


def test_what_a_killed_run_has_scored_is_not_computed_again(store: DataStore) -> None:
    run = store.start_run(dataset=NAME, metrics=["rouge1", "carouge"])
    process = launch(store, run.id, MODULE)
    until(lambda: scored(store, "rouge1") > 0)
    os.kill(process.pid, signal.SIGKILL)  # the model is being loaded: that takes seconds
    run = over(store, run)
    assert run.state == "failed"
    assert "signal 9, SIGKILL" in str(run.error)
    kept = scored(store, "rouge1") + scored(store, "carouge")
    assert 0 < kept < 2 * TEXTS
    again = over(store, start_run(store, NAME, ["rouge1", "carouge"]))
    assert (again.state, again.total) == ("ended", 2 * TEXTS - kept)
    assert scored(store, "rouge1") == scored(store, "carouge") == TEXTS


def test_a_run_ends_with_the_server(store: DataStore) -> None:
    """What the server started ends when it is killed, so that nothing works on unseen."""
    code = (
        "import os, sys, time; from relevance.data.database import connect\n"
        "from relevance.data.store import DataStore\n"
        "from relevance.processes.runs import launch; store = DataStore(connect(sys.argv[1]))\n"
        f"run = store.start_run(dataset={NAME!r}, metrics=['rouge1', 'carouge'])\n"
        f"print(run.id, launch(store, run.id, {MODULE!r}).pid, flush=True); time.sleep(600)"
    )
    url = store.engine.url.render_as_string(hide_password=False)
    with running_process([sys.executable, "-c", code, url], cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        run_id, pid = map(int, server.stdout.readline().split())
        until(lambda: store.run(run_id).total is not None)
    run = over(store, store.run(run_id))
    assert run.state == "failed"
    assert "the server that started it ended" in str(run.error)
    until(lambda: not alive(pid))


def test_a_run_steps_back_and_leaves_no_zombie(store: DataStore) -> None:
    run = store.start_run(dataset=NAME, metrics=["rouge1", "carouge"])
    process = launch(store, run.id, MODULE)
    until(lambda: store.run(run.id).total is not None)
    assert os.getpriority(os.PRIO_PROCESS, process.pid) == os.getpriority(os.PRIO_PROCESS, 0) + processes.NICE
    assert os.getsid(process.pid) != os.getsid(0)  # a Ctrl-C for the server does not reach it
    process.terminate()
    assert "signal 15, SIGTERM" in str(over(store, run).error)
    until(lambda: not Path(f"/proc/{process.pid}").exists())


def test_a_long_batch_is_not_taken_for_dead(store: DataStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "OFTEN", 0.01)
    monkeypatch.setattr(processes, "SELDOM", 0.05)
    run = store.start_run(dataset=NAME, metrics=["rouge1"])
    with report_progress(store, run.id) as progress:
        progress(3, 7)
        until(lambda: store.run(run.id).done == 3)
        before = store.run(run.id).heartbeat
        until(lambda: store.run(run.id).heartbeat > before)  # though nothing advances
        progress(7, 7)
    assert (store.run(run.id).done, store.run(run.id).total) == (7, 7)


def test_the_database_hears_of_progress_twice_a_second_at_most(
    store: DataStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    beats = []
    monkeypatch.setattr(store, "beat", lambda run_id, **reached: beats.append(reached) or True)
    run = store.start_run(dataset=NAME, metrics=["rouge1"])
    began = time.monotonic()
    with report_progress(store, run.id) as progress:
        for done in range(300):
            progress(done, 300)
            time.sleep(0.004)
    assert 1 <= len(beats) <= 2 + (time.monotonic() - began) / processes.OFTEN
    assert beats[-1] == {"done": 299, "total": 300}


def test_a_run_that_another_one_has_replaced_stops(store: DataStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "OFTEN", 0.01)
    run = store.start_run(dataset=NAME, metrics=["rouge1"])
    store.end_run(run.id, error="taken for dead")

    def long(store: DataStore, dataset: str, metrics: object, progress: ProgressCallback, failures: object) -> None:
        until(lambda: progress(1, 2))  # which says nothing, until it raises

    monkeypatch.setattr("relevance.metrics.background.scoring.score_dataset", long)
    processes.carry_out(store, run.id, score)
    assert store.run(run.id).error == "taken for dead"


def test_the_process_of_a_run_that_was_cancelled_leaves_in_the_middle_of_a_batch(
    store: DataStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "OFTEN", 0.01)
    monkeypatch.setattr(processes, "SELDOM", 0.01)
    run = store.start_run(dataset=NAME, metrics=["rouge1"])
    left = threading.Event()

    def stuck(*_: object) -> None:
        store.cancel_run(run.id)
        assert left.wait(PATIENCE)

    monkeypatch.setattr("relevance.metrics.background.scoring.score_dataset", stuck)
    processes.carry_out(store, run.id, score, leave=left.set)
    assert store.run(run.id).error == CANCELLED


def test_an_unknown_run_is_refused(store: DataStore) -> None:
    with pytest.raises(UnknownRun, match="no run 7"):
        processes.carry_out(store, 7, score)
