"""Training runs with tiny models: what they learn, and that a run that was stopped comes to the same."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from relevance.data.database import connect
from relevance.data.store import DataStore
from relevance.data.training_history import HISTORY, read_history
from relevance.summarizers.methods.base import Decoding, UnsuitableDocuments
from relevance.summarizers.methods.published import Training
from relevance.summarizers.methods.registry import METHODS
from relevance.summarizers.output_folder import OutputInUse
from relevance.summarizers.training import run, trainer
from relevance.summarizers.training.measuring import write_all
from relevance.summarizers.training.record import AnotherRun, DamagedCheckpoint
from relevance.summarizers.training.run import train
from relevance.summarizers.training.trainer import Diverged
from relevance.summarizers.training_documents import TRAINING_DOCUMENTS, TrainingDocuments
from tests.commands import refused
from tests.commands import run as run_command
from tests.conftest import ROOT
from tests.summarizers.checkpoints import DOCUMENTS, save_bart
from tests.summarizers.training.tasks import TWELVE, small_task

pytestmark = pytest.mark.model

UPDATES = 9
"""Of a small task."""


def test_twelve_documents_are_learned_by_heart_and_summarized_by_the_command(tmp_path: Path, sqlite_url: str) -> None:
    task = replace(
        small_task(save_bart(tmp_path / "bart", init_std=0.05, dropout=0.0)),
        documents=TWELVE * 6,
        dev=TWELVE,
        training=Training(learning_rate=5e-3, batch=12, accumulation=1, epochs=12, patience=12, clip=1.0),
        decoding=Decoding(max_new_tokens=30, no_repeat_ngram_size=0),
    )
    train(task, tmp_path / "out")
    again = METHODS["plain"]()
    network = again.load(tmp_path / "out")
    expected = [document.references[0] for document in TWELVE]
    assert write_all(again, network, TWELVE, task.decoding) == expected

    store = DataStore(connect(sqlite_url))
    store.add_dataset(name="D", format="x", sha256="", records=[(document, []) for document in TWELVE])
    arguments = ("summarize", "D", "--system", f"seq2seq:{tmp_path / 'out'}")
    assert "'out' was trained on 12 of the 12 documents of 'D'" in refused(*arguments)
    run_command(*arguments, "--trained-on")
    assert [summary.text for _, summaries in store.records("D") for summary in summaries] == expected


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, bart: Path) -> Path:
    """A run of a small task that nothing stopped."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    train(small_task(bart, "tdmtl"), folder)
    return folder


def test_a_finished_folder(whole: Path, bart: Path) -> None:
    task = small_task(bart, "tdmtl")
    answer = json.loads((whole / "method.json").read_text())
    assert {path.suffix for path in whole.rglob("*")} == {".json", ".jsonl", ".safetensors", ".txt"}
    assert not (whole / "run.json").exists()
    assert [score["step"] for score in answer["scores"]] == [3, 6, 9]
    assert answer["best"]["score"] == max(score["score"] for score in answer["scores"])
    assert answer["settings"] == {"scale": 1.0, "share": 0.1}
    assert answer == answer | task.as_json()
    known = TrainingDocuments.read(whole / TRAINING_DOCUMENTS)
    assert len(known) == len(DOCUMENTS)
    assert all(document in known for document in DOCUMENTS)
    assert json.loads((whole / "generation_config.json").read_text())["max_new_tokens"] == 8


def same(folder: Path, other: Path) -> bool:
    """Whether two folders have the same files, byte by byte, and the same history but for how long it took."""

    def contents(folder: Path) -> dict[str, object]:
        files: dict[str, object] = {path.name: path.read_bytes() for path in folder.iterdir()}
        return files | {HISTORY: [replace(item, seconds=0.0) for item in read_history(folder / HISTORY)]}

    return contents(folder) == contents(other)


def test_the_history_says_what_was_reached(bart: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer, "LINE_SECONDS", 0.0)
    losses: list[float] = []
    task, out = small_task(bart), tmp_path / "out"
    training = replace(task.training, scheduler="linear", learning_rate=9e-4, epochs=3)
    loss = type(task.method).loss
    monkeypatch.setattr(
        type(task.method), "loss", lambda *given: (result := loss(*given), losses.append(result.item()))[0]
    )
    lines: list[str] = []
    left: list[int] = []
    train(
        replace(task, training=training),
        out,
        say=lines.append,
        progress=lambda done, _: left.append(len(read_history(out / HISTORY)) - done),
    )
    entries = read_history(out / HISTORY)
    assert set(left) == {0}  # it is written while the run goes on
    assert [entry.step for entry in entries] == list(range(1, UPDATES + 1))
    assert [entry.epoch for entry in entries] == pytest.approx([step / 3 for step in range(1, UPDATES + 1)], abs=1e-3)
    assert [entry.learning_rate for entry in entries] == pytest.approx([(10 - step) * 1e-4 for step in range(1, 10)])
    pairs = zip(losses[::2], losses[1::2], strict=True)  # two batches make an update
    assert [entry.loss for entry in entries] == pytest.approx([sum(pair) / 2 for pair in pairs])
    scores = json.loads((out / "method.json").read_text())["scores"]
    scored = [{"step": entry.step, "score": entry.score} for entry in entries if entry.score is not None]
    assert scored == scores
    assert {entry.measure for entry in entries if entry.score is not None} == {"rouge1"}
    assert all(0 <= first.seconds <= second.seconds for first, second in pairwise(entries))

    assert re.fullmatch(
        r"update 1 of 9 \(epoch 0\.33\), loss \d\.\d+, learning rate 0\.0009, at most 1 minute left", lines[0]
    )
    at_ends = [line for line in lines if "on dev" in line]
    assert [line.split(" of ")[0] for line in at_ends] == ["update 3", "update 6", "update 9"]
    assert at_ends[0].endswith("at most 1 minute left")
    assert f"rouge1 on dev {scores[0]['score']:.4f} (the best)" in at_ends[0]
    best = max(scores, key=lambda score: (score["score"], -score["step"]))
    text = "the best" if best == scores[2] else f"best {best['score']:.4f} after {best['step']}"
    assert at_ends[2].endswith(f"rouge1 on dev {scores[2]['score']:.4f} ({text})")


def test_a_long_run_has_so_many_entries(bart: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer, "ENTRIES", 4)
    train(small_task(bart), tmp_path / "out")
    entries = read_history(tmp_path / "out" / HISTORY)
    assert [(entry.step, entry.score is not None) for entry in entries] == [
        (2, False),
        (3, True),
        (4, False),
        (6, True),
        (8, False),
        (9, True),
    ]


class Stopped(Exception):
    pass


def stop_at(update: int) -> Callable[[int, int], None]:
    def progress(done: int, total: int) -> None:
        assert total == UPDATES
        if done == update:
            raise Stopped

    return progress


@pytest.mark.parametrize("seconds", [600.0, 0.0], ids=["each epoch", "each update"])
def test_a_resumed_run_equals_an_uninterrupted_one(
    seconds: float, whole: Path, bart: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "SECONDS", seconds)
    task, out = small_task(bart, "tdmtl"), tmp_path / "out"
    for update in (2, 5, 8):
        with pytest.raises(Stopped):
            train(task, out, resume=update > 2, progress=stop_at(update))
    checkpoints = [path.name for path in (out / "resume").glob("checkpoint-*")]
    assert checkpoints == ["checkpoint-6" if seconds else "checkpoint-7"]
    reached: list[int] = []
    assert train(task, out, resume=True, progress=lambda done, total: reached.append(done))
    assert reached == ([7, 8, 9] if seconds else [8, 9])
    assert same(out, whole)
    assert not train(task, out, resume=True)  # it is finished


KILLED = """
import os, signal, sys
from pathlib import Path
from relevance.summarizers.training import record
from relevance.summarizers.training.run import train
from tests.summarizers.training.tasks import small_task

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

where, model, out = sys.argv[1:]
if where == "update":
    progress = lambda done, total: done == 5 and die()
else:
    progress = lambda done, total: None
    write = record.RunRecord.write
    record.RunRecord.write = lambda self: die() if len(self.scores) == 2 else write(self)
train(small_task(Path(model), "tdmtl"), Path(out), progress=progress)
"""


@pytest.mark.process
@pytest.mark.parametrize("where", ["update", "checkpoint"])
def test_a_killed_run_goes_on(where: str, whole: Path, bart: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-c", KILLED, where, str(bart), str(out)]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == -signal.SIGKILL
    if where == "checkpoint":  # the second was written, and nobody knows of it
        assert (out / "resume" / "checkpoint-6").exists()
    reached: list[int] = []
    train(small_task(bart, "tdmtl"), out, resume=True, progress=lambda done, total: reached.append(done))
    assert reached[0] == 4
    assert same(out, whole)


def test_a_run_that_is_stopped_while_it_scores_goes_on(
    whole: Path, bart: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, out = small_task(bart, "tdmtl"), tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(trainer, "SECONDS", 0.0)
        patch.setattr(trainer, "measure", raise_stopped)
        with pytest.raises(Stopped):
            train(task, out)
    assert [path.name for path in (out / "resume").glob("checkpoint-*")] == ["checkpoint-2"]
    train(task, out, resume=True)
    assert same(out, whole)


@pytest.mark.parametrize("limit", [{"updates": 5}, {"epochs": 2}, {"epochs": 9, "patience": 1}], ids=str)
def test_a_run_that_is_stopped_when_all_is_trained_trains_no_more(
    limit: dict[str, int], bart: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, out = small_task(bart), tmp_path / "out"
    task = replace(task, training=replace(task.training, **limit))
    train(task, tmp_path / "whole")
    with monkeypatch.context() as patch:
        patch.setattr(run, "finish", raise_stopped)
        with pytest.raises(Stopped):
            train(task, out)
    train(task, out, resume=True, progress=lambda done, total: pytest.fail("trained"))
    assert same(out, tmp_path / "whole")


def raise_stopped(*_: object) -> None:
    raise Stopped


def test_a_run_that_is_killed_before_its_first_checkpoint_begins_again(whole: Path, bart: Path, tmp_path: Path) -> None:
    task, out = small_task(bart, "tdmtl"), tmp_path / "out"
    with pytest.raises(Stopped):
        train(task, out, progress=stop_at(1))
    train(task, out, resume=True)
    assert same(out, whole)


@pytest.mark.parametrize("file", ["optimizer.pt", "rng_state.pth", "model.safetensors", "trainer_state.json"])
def test_a_checkpoint_that_is_not_ours_is_not_opened(
    file: str, bart: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    task, out = small_task(bart), tmp_path / "out"
    with pytest.raises(Stopped):
        train(task, out, progress=stop_at(4))
    damaged = out / "resume" / "checkpoint-3" / file
    damaged.write_bytes(damaged.read_bytes() + b" ")
    monkeypatch.setattr(torch, "load", lambda *_, **__: pytest.fail("opened"))
    with pytest.raises(DamagedCheckpoint, match=f"{file} is not what was written"):
        train(task, out, resume=True)


@pytest.mark.parametrize("place", ["resume/checkpoint-3/scaler.pt", "run.json"])
def test_what_a_run_did_not_write_is_not_read(place: str, bart: Path, tmp_path: Path) -> None:
    task, out = small_task(bart), tmp_path / "out"
    with pytest.raises(Stopped):
        train(task, out, progress=stop_at(4))
    (out / place).write_text("[]")
    with pytest.raises(DamagedCheckpoint, match=f"{place} is no.*remove .* and train again"):
        train(task, out, resume=True)


def test_what_is_there_is_not_written_over(whole: Path, bart: Path, tmp_path: Path) -> None:
    task, out = small_task(bart, "tdmtl"), tmp_path / "out"
    before = sorted(path.name for path in whole.iterdir())
    with pytest.raises(OutputInUse, match="is not empty: name a new folder"):
        train(task, whole)
    with pytest.raises(OutputInUse, match="is a file: name a new folder"):
        train(task, whole / "method.json")
    with pytest.raises(AnotherRun, match="holds a finished system of another seed: "):
        train(replace(task, seed=1), whole, resume=True)
    assert sorted(path.name for path in whole.iterdir()) == before
    with pytest.raises(Stopped):
        train(task, out, progress=stop_at(1))
    with pytest.raises(OutputInUse, match="--resume goes on"):
        train(task, out)
    with pytest.raises(AnotherRun, match="another seed, measure:"):
        train(replace(task, seed=1, measure="rouge_k"), out, resume=True)


@pytest.mark.parametrize("name", ["mtl", "tdmtl"])
def test_share_0_is_plain_training_exactly(name: str, bart: Path, tmp_path: Path) -> None:
    weights = {}
    for method, share in (("plain", {}), (name, {"share": 0.0}), (name, {"share": 0.3})):
        folder = tmp_path / f"{method}{share}"
        documents = tuple(replace(document, title="The bridge") for document in DOCUMENTS)
        task = small_task(bart, method, settings=share, documents=documents)
        train(replace(task, training=replace(task.training, epochs=1)), folder)
        weights[method, *share.values()] = (folder / "model.safetensors").read_bytes()
    assert weights["plain",] == weights[name, 0.0]
    assert weights["plain",] != weights[name, 0.3]


def test_the_best_epoch_is_kept_and_training_stops(bart: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = iter([0.1, 0.3, 0.2, 0.3, 0.9])
    monkeypatch.setattr(trainer, "measure", lambda *_: next(scores))
    task = small_task(bart)
    train(replace(task, training=replace(task.training, epochs=5, patience=2)), tmp_path / "stopped")
    answer = json.loads((tmp_path / "stopped" / "method.json").read_text())
    assert [row["score"] for row in answer["scores"]] == [0.1, 0.3, 0.2, 0.3]  # two epochs without a better one
    assert answer["best"] == {"step": 6, "score": 0.3}
    scores = iter([0.1, 0.2])
    train(replace(task, training=replace(task.training, epochs=2)), tmp_path / "two")
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("stopped", "two")]
    assert weights[0] == weights[1]


def test_a_loss_that_is_no_number_ends_it(bart: Path, tmp_path: Path) -> None:
    task = small_task(bart)
    with pytest.raises(Diverged, match="not a number after 1 updates: try a lower learning rate"):
        train(replace(task, training=replace(task.training, learning_rate=1e30, clip=1e30)), tmp_path / "out")


def test_documents_without_a_reference_are_refused(bart: Path) -> None:
    lacking = replace(DOCUMENTS[1], references=())
    with pytest.raises(
        UnsuitableDocuments, match=r"1 of 2 documents have no source or no reference .* the first is 'd1'"
    ):
        small_task(bart, documents=(DOCUMENTS[0], lacking))
    with pytest.raises(UnsuitableDocuments, match="there are no documents"):
        small_task(bart, dev=())
