"""Runs of the database in separate processes, such as `python -m relevance.metrics.background.scoring RUN_ID`.

Models take seconds to load and gigabytes of memory, and a web server with their libraries would collect their garbage
after every click. The processes share only the database: a run is stored before its process starts, and its process
records its progress and its end there.
"""

import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, NamedTuple

from relevance.data.database import URL_VARIABLE, absolute_url, connect
from relevance.data.one_line import first_line
from relevance.data.store import DIED, DatabaseFailed, DataStore, Run
from relevance.processes.child import end_with_parent, explain_exit, start_module

NICE = 10
"""The niceness of a run: behind the pages that people use."""

OFTEN, SELDOM = 0.5, 5.0
"""Seconds between reports of a run's progress: while it advances, and while a batch takes long."""


class Superseded(Exception):
    """The run is over: it was cancelled or considered dead, and another one may have replaced it."""


class Done(NamedTuple):
    """The result of a run."""

    notes: tuple[str, ...] = ()
    """Sentences about the run."""
    failed: Mapping[str, str] | None = None
    """The reasons why metrics failed, by their names."""


Progress = Callable[[int, int], None]
"""A function that is told how much is done, and of how much."""

Work = Callable[[DataStore, Run, Progress], Done]
"""A function that does a run's work. It calls back with its progress, which raises `Superseded` if the run is over."""


# --- in the process that asks for a run ---------------------------------------------------------------------------


def start_process(store: DataStore, run: Run, module: str, *arguments: str) -> Run:
    """Start the process of a run when its turn comes, without waiting for it.

    If it cannot start, the run is ended. Raises OSError if that is at once.
    """
    own = DataStore(store.engine)  # the run goes on when its account has signed out
    if own.count_before(run.id):
        threading.Thread(target=await_turn, args=(own, run.id, module, *arguments), daemon=True).start()
    else:
        start_or_end(own, run.id, module, *arguments)
    return run


def await_turn(store: DataStore, run_id: int, module: str, *arguments: str) -> None:
    """Wait until few enough runs are before a run, and start its process, unless it is cancelled meanwhile."""
    beaten = -SELDOM
    while True:
        with suppress(DatabaseFailed):  # the database is busy or away: ask again
            if time.monotonic() - beaten >= SELDOM:
                beaten = time.monotonic()
                if not store.beat(run_id, done=0, total=None):
                    return
            if not store.count_before(run_id):
                break
        time.sleep(OFTEN)
    with suppress(OSError):  # the run says so
        start_or_end(store, run_id, module, *arguments)


def start_or_end(store: DataStore, run_id: int, module: str, *arguments: str) -> None:
    """Start the process of a run, or end the run. Raises OSError."""
    try:
        launch(store, run_id, module, *arguments)
    except OSError as error:  # no memory for another process, say
        store.end_run(run_id, error=f"its process could not be started: {error}")
        raise


def launch(store: DataStore, run_id: int, module: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start `python -m MODULE RUN_ID ARGUMENTS`, and a thread that waits for its end. Raises OSError."""
    url = absolute_url(store.engine.url.render_as_string(hide_password=False))
    process, log = start_module(
        module,
        str(run_id),
        *arguments,
        environment={URL_VARIABLE: url},
        stdout=subprocess.DEVNULL,
    )
    threading.Thread(target=wait, args=(store, run_id, process, log), daemon=True).start()
    return process


def wait(store: DataStore, run_id: int, process: subprocess.Popen[bytes], log: IO[bytes]) -> None:
    """Wait for the process; if it failed, record why in its run."""
    with process, log:
        if code := process.wait():
            store.end_run(run_id, error=f"{DIED}{explain_exit(code, log)}")


# --- in the process of the run ------------------------------------------------------------------------------------


def execute(run_id: int, work: Work, *, patience: float = 0) -> None:
    """Carry out a run in this process, which is niced and ends with the process that started it.

    If the run turns out to be over, the process ends at most `patience` seconds later.
    """
    os.nice(NICE)
    store = DataStore(connect())
    # Nobody could stop it any more, and a server of another version may change the schema. Stored results stay.
    last_words = "the server that started it ended; what was stored until then is kept"
    end_with_parent(lambda: store.end_run(run_id, error=last_words))

    def leave() -> None:
        timer = threading.Timer(patience, os._exit, (0,))
        timer.daemon = True
        timer.start()

    carry_out(store, run_id, work, leave)


def carry_out(store: DataStore, run_id: int, work: Work, leave: Callable[[], None] = lambda: None) -> None:
    """Execute a run and record how it ended. Raises `UnknownRun`.

    `leave` is called if the run turns out to be over, as a batch of a model may take minutes.
    """
    run = store.run(run_id)
    done, error = Done(), None
    try:
        with report_progress(store, run_id, leave) as progress:
            done = work(store, run, progress)
    except Superseded:
        return
    except Exception as raised:  # whatever it is, the page must show it
        error = str(raised) if isinstance(raised, ValueError) else f"{type(raised).__name__}: {first_line(raised)}"
    store.end_run(run_id, failed=done.failed, notes=done.notes, error=error)


@contextmanager
def report_progress(store: DataStore, run_id: int, leave: Callable[[], None] = lambda: None) -> Iterator[Progress]:
    """Record a run's progress in the database; yield a progress callback, which raises `Superseded`.

    A thread writes the progress, so that it is reported during long batches and batches do not wait for the disk.
    """
    reached: tuple[int, int | None] = (0, None)
    goes_on = True
    over = threading.Event()

    def progress(done: int, total: int) -> None:
        nonlocal reached
        reached = done, total
        if not goes_on:
            raise Superseded

    def tell() -> None:
        nonlocal goes_on
        last, at = reached, time.monotonic()
        while goes_on and not over.wait(OFTEN):
            if reached != last or time.monotonic() - at >= SELDOM:
                last, at = reached, time.monotonic()
                try:
                    goes_on = store.beat(run_id, done=last[0], total=last[1])
                except DatabaseFailed:  # the database is busy or away: try at the next beat
                    last = (-1, None)
                if not goes_on:
                    leave()

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield progress
    finally:
        over.set()
        thread.join()
        store.beat(run_id, done=reached[0], total=reached[1])
