import json
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from relevance.data.training_history import HISTORY, read_history
from relevance.summarizers.output_folder import OutputInUse
from relevance.summarizers.training import grid as grids
from relevance.summarizers.training.grid import expand, search_grid
from relevance.summarizers.training.record import AnotherRun
from relevance.summarizers.training.runs import train_runs
from relevance.summarizers.training.task import Task
from tests.summarizers.training.tasks import small_task

pytestmark = pytest.mark.model

GRID = {"learning_rate": (1e-3, 2e-3), "num_beams": (1, 2), "share": (0.3, 0.5)}


@pytest.fixture
def task(bart: Path) -> Task:
    task = small_task(bart, "rwgen")
    return replace(task, training=replace(task.training, epochs=1))


def test_the_combinations(task: Task) -> None:
    results = [
        (item.training.learning_rate, item.decoding.num_beams, item.method.settings["share"])
        for _, item in expand(task, GRID)
    ]
    assert results[:3] == [(1e-3, 1, 0.3), (1e-3, 1, 0.5), (1e-3, 2, 0.3)]
    assert len(set(results)) == 8
    assert all(
        replace(item, training=task.training, decoding=task.decoding, method=task.method) == task
        for _, item in expand(task, GRID)
    )


def test_the_best_of_dev_is_kept(task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[str] = []
    train = grids.train
    scores = iter([0.1, 0.2, 0.3, 0.2, 0.2, 0.6, 0.6, 0.5])

    def counted(task: Task, folder: Path, **options: Any) -> bool:
        made = train(task, folder, **options)
        trained.extend([folder.name] * made)
        return made

    monkeypatch.setattr(grids, "train", counted)
    monkeypatch.setattr(grids, "measure", lambda *_: next(scores))
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):  # stopped in the sixth
        search_grid(task, out, GRID, say=stop_at(6))
    assert (len(json.loads((out / "grid.json").read_text())["scores"]), trained) == (5, ["0", "1"])
    with pytest.raises(AnotherRun, match="a search of other settings"):
        search_grid(task, out, {"num_beams": (1, 2)}, resume=True)
    with pytest.raises(OutputInUse, match="--resume goes on"):
        search_grid(task, out, GRID)
    chosen = search_grid(task, out, GRID, resume=True)
    assert trained == ["0", "1"]  # beams and the share of RwGen need no training of their own

    answer = json.loads((out / "grid.json").read_text())["scores"]
    assert answer[5] == {"learning_rate": 2e-3, "num_beams": 1, "share": 0.5, "score": 0.6}  # of equals the first
    assert (chosen.training.learning_rate, chosen.decoding.num_beams, chosen.method.settings) == (
        2e-3,
        1,
        {"scale": 1.0, "share": 0.5},
    )
    method = json.loads((out / "method.json").read_text())
    assert (method["training"]["learning_rate"], method["settings"]) == (2e-3, {"scale": 1.0, "share": 0.5})
    assert json.loads((out / "generation_config.json").read_text())["num_beams"] == 1
    assert {item.learning_rate for item in read_history(out / HISTORY)} == {2e-3}  # that of the chosen training
    assert not (out / "grid").exists()
    assert search_grid(task, out, GRID, resume=True) == chosen


def stop_at(number: int) -> Any:
    numbers = count(1)

    def say(line: str) -> None:
        if not line.startswith("update ") and next(numbers) == number:  # a combination, not a line about its training
            raise KeyboardInterrupt

    return say


def test_what_was_chosen_is_what_a_run_of_its_own_trains(task: Task, tmp_path: Path) -> None:
    chosen = search_grid(task, tmp_path / "grid", {"learning_rate": (1e-3, 2e-3)})
    folders = train_runs(chosen, tmp_path / "bart", [1, 2])
    assert [folder.name for folder in folders] == ["bart#1", "bart#2"]
    grids.train(chosen, tmp_path / "own")
    weights = [
        (folder / "model.safetensors").read_bytes() for folder in (tmp_path / "grid", tmp_path / "own", *folders)
    ]
    assert weights[0] == weights[1]
    assert len(set(weights)) == 3  # each seed has its own


def test_other_runs_train_what_the_first_one_found(task: Task, tmp_path: Path) -> None:
    folders = train_runs(task, tmp_path / "bart", [1, 3], grid={"learning_rate": (1e-3, 2e-3)})
    answers = [json.loads((folder / "method.json").read_text()) for folder in folders]
    assert [row["seed"] for row in answers] == [1, 3]
    assert answers[0]["training"] == answers[1]["training"]
    assert (folders[0] / "grid.json").is_file()
    assert not (folders[1] / "grid.json").is_file()


@pytest.mark.parametrize("seeds", [[], [0, 1], [2, 2]])
def test_runs_are_numbered_by_seeds(seeds: list[int], task: Task, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="name each once, from 1 on"):
        train_runs(task, tmp_path / "bart", seeds)
