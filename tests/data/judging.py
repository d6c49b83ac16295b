"""Processes that judge without a pause and say what was acknowledged, for the tests of what is done meanwhile."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from relevance.annotation.records import StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore
from tests.conftest import ROOT
from tests.waiting import PATIENCE, until

JUDGING = """
import sys
from datetime import timedelta
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect, now
from relevance.data.store import StoreError

store = AnnotationStore(connect(sys.argv[1]))
annotator = store.join(study="S", name=sys.argv[2])
while True:
    try:
        if (task := store.next_task(annotator)) is None:
            break
        shown = now() - timedelta(seconds=1)
        store.judge(annotator=annotator, assignment_id=task.assignment_id, choice="left", presented_at=shown)
        print(task.assignment_id, flush=True)
    except StoreError as error:
        print("refused:", error, flush=True)
"""


def make_study(url: str, documents: int = 200) -> None:
    """A study "S" of ten pairs a document that four people can judge."""
    engine = connect(url)
    records = [
        (
            Document(id=f"d{number}", source="Text.", references=("A reference.",)),
            [Summary(document_id=f"d{number}", system=f"s{n}", text=f"Text {n} of {number}.") for n in range(5)],
        )
        for number in range(documents)
    ]
    DataStore(engine).add_dataset(name="news", format="interchange", sha256="0" * 64, records=records)
    AnnotationStore(engine).create_study(
        StudySpec(name="S", dataset="news", rule="all", judgments_per_pair=4, ties=True)
    )
    engine.dispose()


def lines(logs: Sequence[Path]) -> list[bytes]:
    """What the processes have said up to now, in whole lines."""
    return [line for log in logs for line in log.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]


def acknowledged(logs: Sequence[Path]) -> set[int]:
    """The assignments whose judgments were acknowledged up to now."""
    return {int(line) for line in lines(logs) if not line.startswith(b"refused")}


def refused(logs: Sequence[Path]) -> list[str]:
    """What was refused up to now, and why."""
    return [line.decode() for line in lines(logs) if line.startswith(b"refused")]


@contextmanager
def judging(url: str, folder: Path, people: int = 2) -> Iterator[list[Path]]:
    """Processes that judge in the study "S" until the block is left; yields the files that have what they did."""
    logs = [folder / f"judged-{number}" for number in range(people)]
    processes = []
    try:
        for number, log in enumerate(logs):
            with log.open("wb") as out:
                command = [sys.executable, "-c", JUDGING, url, f"annotator {number}"]
                processes.append(subprocess.Popen(command, cwd=ROOT, stdout=out))
        for log, process in zip(logs, processes, strict=True):
            until(lambda log=log, process=process: log.stat().st_size or process.poll() is not None)  # type: ignore[misc]
        yield logs
        assert [process.poll() for process in processes] == [None] * people, "a process that judges has failed"
    finally:
        for process in processes:
            process.terminate()
            process.wait(timeout=PATIENCE)
