"""Grid search: every combination of the published values is trained and tried, and the best on dev is kept."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from itertools import product
from pathlib import Path
from typing import Any

from relevance.data.files import write_whole
from relevance.data.training_history import HISTORY
from relevance.metrics.models.files import read_object
from relevance.summarizers.methods.base import Decoding
from relevance.summarizers.methods.published import Training
from relevance.summarizers.output_folder import check_output
from relevance.summarizers.training.measuring import measure, write_all
from relevance.summarizers.training.record import FINISHED, AnotherRun
from relevance.summarizers.training.run import start, train
from relevance.summarizers.training.task import Task
from relevance.summarizers.training_documents import TRAINING_DOCUMENTS

GRID = "grid.json"
"""The file of the searched grid and the score of each combination."""

Grid = Mapping[str, Sequence[Any]]
"""The values of fields of `Training`, `Decoding` or the method, by their names."""


def search_grid(
    task: Task,
    output: Path,
    grid: Grid,
    *,
    resume: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
    say: Callable[[str], None] = lambda line: None,
) -> Task:
    """Train and write with every combination, and save the system with the best dev score in a folder.

    Settings that only affect writing are searched with one training, whose early stopping uses the task's own decoding.
    The first of equally good combinations counts. Returns the best one's task. Raises what `train` does.
    """
    description = task.as_json() | {"grid": {name: list(values) for name, values in grid.items()}}
    scores = open_scores(output, description, resume=resume)
    if not (output / GRID).is_file():
        start(task)  # may refuse, so it comes before anything is written
        output.mkdir(parents=True, exist_ok=True)
        write_scores(output, description, scores)
    combinations = list(expand(task, grid))
    trained: list[Task] = []
    for number, (values, combined) in enumerate(combinations):
        learned = for_training(task, combined)
        if learned not in trained:
            trained.append(learned)
        if number < len(scores):
            continue
        say(f"{number + 1} of {len(combinations)}: {', '.join(f'{name} {value}' for name, value in values.items())}")
        folder = output / "grid" / str(trained.index(learned))
        train(learned, folder, resume=True, progress=progress, say=say)
        network = combined.method.load(folder)
        texts = write_all(combined.method, network.on(task.device), combined.dev, combined.decoding)
        scores.append(measure(combined.dev, texts, combined.measure))
        write_scores(output, description, scores)
    best = max(range(len(scores)), key=lambda number: (scores[number], -number))
    _, chosen = combinations[best]
    if not (output / FINISHED).is_file():
        keep(chosen, output / "grid" / str(trained.index(for_training(task, chosen))), output)
    shutil.rmtree(output / "grid", ignore_errors=True)
    return chosen


def expand(task: Task, grid: Grid) -> Iterator[tuple[dict[str, Any], Task]]:
    """Yield each combination's values with its task, with the last setting changing first."""
    for values in product(*grid.values()):
        named = dict(zip(grid, values, strict=True))

        def of(kind: Any, named: dict[str, Any] = named) -> dict[str, Any]:
            return {field.name: named[field.name] for field in fields(kind) if field.name in named}

        yield (
            named,
            replace(
                task,
                training=replace(task.training, **of(Training)),
                decoding=replace(task.decoding, **of(Decoding)),
                method=replace(task.method, **of(task.method)),
            ),
        )


def for_training(task: Task, combined: Task) -> Task:
    """Return a combination's task for training: settings that only affect writing are those of the given task."""
    writing = {name: task.method.settings[name] for name in task.method.for_writing}
    return replace(combined, decoding=task.decoding, method=replace(combined.method, **writing))


def keep(task: Task, trained: Path, output: Path) -> None:
    """Save the trained network with the best combination's decoding, and write its record."""
    network = task.method.load(trained)
    task.method.save(network, output, task.decoding)
    task.learned_from.write(output / TRAINING_DOCUMENTS)
    with suppress(FileNotFoundError):  # an earlier version, which kept none, began the search
        shutil.copyfile(trained / HISTORY, output / HISTORY)
    record = read_object(trained / FINISHED)
    scores = {name: record[name] for name in ("scores", "best")}
    write_whole(output / FINISHED, [json.dumps(task.as_json() | scores, indent=1) + "\n"])


def open_scores(output: Path, values: dict[str, Any], *, resume: bool) -> list[float]:
    """Read the scores of the finished combinations. Raises `OutputInUse`, `AnotherRun`."""
    if (output / GRID).is_file() and resume:
        search = read_object(output / GRID)
        if search.get("asked") != json.loads(json.dumps(values)):
            raise AnotherRun(f"{output} holds a search of other settings or texts: name another --output")
        return [entry["score"] for entry in search["scores"]]
    check_output(output, begun=(output / GRID).is_file())
    return []


def write_scores(output: Path, description: dict[str, Any], scores: Sequence[float]) -> None:
    """Write `grid.json`: the search, and each combination's values with its score."""
    grid: Grid = description["grid"]
    tried = zip(product(*grid.values()), scores, strict=False)
    rows = [dict(zip(grid, values, strict=True)) | {"score": score} for values, score in tried]
    write_whole(output / GRID, [json.dumps({"asked": description, "scores": rows}, indent=1) + "\n"])
