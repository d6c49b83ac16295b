"""A server that is killed loses no judgment that it acknowledged, doubles none, and leaves a sound database."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import create_engine, select, text
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

from annotation.records import StudySpec
from annotation.store import AnnotationStore
from annotation.tables import JudgmentRow, PairRow
from data.database import connect
from data.records import Document, Summary
from data.store import DataStore
from tests.conftest import ROOT
from tests.waiting import PATIENCE

pytestmark = pytest.mark.process

SYSTEMS = 5
DOCUMENTS = 500

# Four annotators judge as fast as they can; what `judge` returned for is written down, a line each.
JUDGING = """
import os, sys, threading
from datetime import timedelta
from annotation.store import AnnotationStore
from data.database import connect, now

store = AnnotationStore(connect(sys.argv[1]))

def judge(name):
    annotator = store.join(study="S", name=name)
    while (task := store.next_task(annotator)) is not None:
        shown = now() - timedelta(seconds=1)
        store.judge(annotator=annotator, assignment_id=task.assignment_id, choice="left", presented_at=shown)
        os.write(1, f"{task.assignment_id}\\n".encode())

for number in range(4):
    threading.Thread(target=judge, args=(f"annotator {number}",)).start()
"""


def killed_while_judging(url: str, acknowledged: set[int], wait: float) -> None:
    """Let a process judge, and kill it some time after its first judgment."""
    process = subprocess.Popen([sys.executable, "-c", JUDGING, url], cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    lines = [process.stdout.readline()]
    time.sleep(wait)
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate(timeout=PATIENCE)
    lines += rest.splitlines(keepends=True)
    acknowledged.update(int(line) for line in lines if line.endswith(b"\n"))


@pytest.mark.parametrize(("kind", "kills"), [("sqlite", 12), ("postgresql", 4)])
def test_no_acknowledged_judgment_is_lost(
    kind: str, kills: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    if kind == "postgresql":
        server = request.getfixturevalue("postgresql")
        with create_engine(server, isolation_level="AUTOCOMMIT", poolclass=NullPool).connect() as connection:
            connection.execute(text("CREATE DATABASE kills"))
        url = server.replace("/postgres?", "/kills?")
    engine = connect(url)
    records = [
        (
            Document(id=f"d{number}", source="Text.", references=("A reference.",)),
            [Summary(document_id=f"d{number}", system=f"s{n}", text=f"Text {n} of {number}.") for n in range(SYSTEMS)],
        )
        for number in range(DOCUMENTS)
    ]
    DataStore(engine).add_dataset(name="news", format="interchange", sha256="0" * 64, records=records)
    study = AnnotationStore(engine).create_study(
        StudySpec(name="S", dataset="news", rule="all", judgments_per_pair=4, ties=True)
    )
    engine.dispose()
    acknowledged: set[int] = set()
    chance = random.Random(7)
    for _ in range(kills):
        before = len(acknowledged)
        killed_while_judging(url, acknowledged, chance.uniform(0, 0.3))
        assert len(acknowledged) > before  # the database is sound enough for the next process to go on
    engine = connect(url)
    with Session(engine) as session:
        stored = Counter(session.scalars(select(JudgmentRow.assignment_id)))
        counts = Counter(session.scalars(select(PairRow.judgments)))
        if kind == "sqlite":
            assert session.scalar(text("PRAGMA integrity_check")) == "ok"
            assert session.execute(text("PRAGMA foreign_key_check")).all() == []
    assert acknowledged <= set(stored)
    assert set(stored.values()) == {1}
    # at most one judgment for each annotator and kill was on disk before it could be acknowledged
    assert len(stored) - len(acknowledged) <= 4 * kills
    assert sum(judgments * pairs for judgments, pairs in counts.items()) == len(stored)
    assert len(stored) < study.pairs * 4  # there was always something to judge
    engine.dispose()
