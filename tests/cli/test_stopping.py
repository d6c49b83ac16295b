"""Ctrl-C while scoring: what is kept is said, and is there."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import click
import pytest

from relevance.cli.score import score_to_file
from relevance.cli.shared import announce_interrupt
from relevance.data.database import connect
from relevance.data.importers import read_documents
from relevance.data.records import Example
from relevance.data.store import DataStore
from relevance.metrics.base import Score
from relevance.metrics.length import Length
from relevance.metrics.scoring import DOCUMENTS
from tests.conftest import ROOT
from tests.running import running_process
from tests.waiting import PATIENCE, until

pytestmark = pytest.mark.process


def stopped(arguments: list[str], ready: Callable[[], bool], url: str) -> tuple[int, str]:
    """Run a command, interrupt it when it is ready; returns its exit code and what it said."""
    with running_process(
        [sys.executable, "-m", "relevance", *arguments],
        cwd=ROOT,
        env=os.environ | {"RELEVANCE_DATABASE_URL": url},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as command:
        until(lambda: ready() or command.poll() is not None)
        command.send_signal(signal.SIGINT)
        _, text = command.communicate(timeout=PATIENCE)
    assert "Traceback" not in text
    return command.returncode, text


def test_scores_of_a_data_set_are_kept_and_counted(shared_data: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    url = f"sqlite:///{file}"
    store = DataStore(connect(url))
    store.add_dataset(
        name="s", format="interchange", sha256="0" * 64, records=read_documents(shared_data / "summeval.jsonl")
    )

    def count() -> int:
        with closing(sqlite3.connect(file)) as plain:
            return int(plain.execute("SELECT count(*) FROM scores").fetchone()[0])

    arguments = ["score", "s", "--metrics", "rouge1,bertscore"]
    code, text = stopped(arguments, lambda: count() > 64, url)  # the first batch is counted when the second is kept
    assert code == 1
    (kept,) = re.findall(r"stopped; (\d+) scores are stored, and the same command continues from there", text)
    assert 0 < count() < 3200
    # Ctrl-C may come between a commit and its count
    assert int(kept) <= count() <= int(kept) + 64
    before = count()
    code, text = stopped(arguments, lambda: count() > before + 64, url)
    assert code == 1
    assert "stopped;" in text


class PressedAfter(Length):
    """A metric during whose batch somebody presses Ctrl-C."""

    def __init__(self, batches: int) -> None:
        self.left = batches

    def score(self, examples: Sequence[Example]) -> list[Score]:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        return super().score(examples)


@pytest.mark.parametrize(
    ("batches", "message"),
    [
        (0, "stopped; no summaries were scored, and nothing is kept"),
        (2, "stopped; the scores of 512 of 1600 summaries are in {}; the same command starts again"),
    ],
)
def test_scores_of_a_file_are_kept_beside_it(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], batches: int, message: str
) -> None:
    output, partial = tmp_path / "scores.jsonl", tmp_path / "scores.partial.jsonl"
    with pytest.raises(click.exceptions.Exit) as left:
        score_to_file(list(read_documents(shared_data / "summeval.jsonl")), [PressedAfter(batches)], output)
    assert left.value.exit_code == 1
    assert capsys.readouterr().err.strip().endswith(message.format(partial))
    assert not output.exists()
    if batches:
        lines = [json.loads(line) for line in partial.read_text().splitlines()]
        assert len(lines) == batches * DOCUMENTS * 16  # systems
        assert all(line["metrics"]["length"] > 0 for line in lines)
    else:
        assert not partial.exists()


def test_an_interrupt_that_python_drops_is_not_printed(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)  # pytest has one of its own

    def press() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0)  # where Python calls the handler

    def fail() -> None:
        raise ValueError("in a callback")

    def work() -> None:
        with announce_interrupt(lambda: "nothing is kept") as check:
            weakref.finalize(Length(), fail)
            weakref.finalize(Length(), press)
            check()

    with pytest.raises(click.exceptions.Exit):
        work()
    output = capfd.readouterr().err
    assert "KeyboardInterrupt" not in output
    assert output.strip().endswith("stopped; nothing is kept")
    assert "in a callback" in output  # what else is dropped is still printed
