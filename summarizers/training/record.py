"""The record of a run: its task, its history, and the checkpoint to resume from.

The trainer's checkpoints hold pickles that we wrote ourselves. They are in `resume/`, and are opened only if each file
has the SHA-256 in `run.json`. A finished folder has neither: `method.json` is written last, then both are removed. The
history (`relevance.data.training_history`) is written while the run goes on, and stays.
"""

import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from relevance.data.files import sha256, write_whole
from relevance.data.training_history import HISTORY, best_entry, write_history
from relevance.metrics.models.files import read_object
from relevance.summarizers.methods.published import Training
from relevance.summarizers.methods.registry import RECORD
from relevance.summarizers.output_folder import check_output
from relevance.summarizers.training.history import RunHistory

RUN = "run.json"

RESUME = "resume"

FINISHED = RECORD

AGAIN = "remove {} and train again"


class AnotherRun(ValueError):
    """The folder holds a run with other settings or texts."""


class DamagedCheckpoint(ValueError):
    """A checkpoint has changed since it was written, and is not opened."""


class DevScore(NamedTuple):
    """The score of the summaries of the dev documents after a number of updates."""

    step: int
    score: float


class RunRecord:
    """The record of one run in its folder, written whole with each checkpoint."""

    def __init__(self, folder: Path, values: dict[str, Any]) -> None:
        self.folder = folder
        self.description = values
        self.history = RunHistory()
        self.files: dict[str, str] = {}
        """The SHA-256 of each file in `resume/` that is opened again, by its path there."""

    @property
    def resume(self) -> Path:
        """The folder of files to resume from."""
        return self.folder / RESUME

    @property
    def scores(self) -> list[DevScore]:
        """The scores in the order of training."""
        return [DevScore(entry.step, entry.score) for entry in self.history.entries if entry.score is not None]

    @property
    def best(self) -> DevScore | None:
        """The highest score, the earlier of equal ones."""
        best = best_entry(self.history.entries)
        return None if best is None or best.score is None else DevScore(best.step, best.score)

    @property
    def checkpoint(self) -> Path | None:
        """The trainer's checkpoint to resume from."""
        names = {name.partition("/")[0] for name in self.files if name.startswith("checkpoint-")}
        return self.resume / names.pop() if names else None

    @property
    def best_weights(self) -> Path:
        """The file of the weights with the best score."""
        return self.resume / f"best-{self.best.step if self.best else 0}.safetensors"

    def is_over(self, training: Training) -> bool:
        """Tell whether all updates are made, or the best score is as many scores back as the patience allows."""
        if not self.scores or self.best is None:
            return False
        since = len(self.scores) - 1 - self.scores.index(self.best)
        return since >= training.patience or self.scores[-1].step == training.updates

    def begin(self) -> None:
        """Make the folder of a new run; the folder of a run to resume is left as it is."""
        if not (self.folder / RUN).is_file():
            self.resume.mkdir(parents=True)
            self.write()

    def keep(self, checkpoint: Path) -> None:
        """Make a checkpoint and the best weights so far the ones to resume from, and remove all others."""
        paths = [path for path in sorted(checkpoint.rglob("*")) if path.is_file()]
        if self.best:
            paths.append(self.best_weights)
        self.files = {path.relative_to(self.resume).as_posix(): sha256(path) for path in paths}
        self.write()
        self.clear()

    def write(self) -> None:
        """Write `run.json`."""
        record = {"asked": self.description, "history": self.history.as_json(), "files": self.files}
        write_whole(self.folder / RUN, [json.dumps(record, indent=1) + "\n"])

    def write_history(self) -> None:
        """Write the history up to now, for people to read while the run goes on."""
        write_history(self.folder / HISTORY, self.history.entries)

    def read(self) -> None:
        """Read `run.json` and check the files to resume from. Raises `AnotherRun`, `DamagedCheckpoint`."""
        try:
            record = json.loads((self.folder / RUN).read_text())
            of_first, files = dict(record["asked"]), dict(record["files"])
            history = RunHistory.from_json(record["history"])
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedCheckpoint(
                f"{self.folder / RUN} is not a record of a run: {AGAIN.format(self.folder)}"
            ) from error
        if other := differences(self.description, of_first):
            raise AnotherRun(
                f"{self.folder} holds a run with another {', '.join(other)}: go on with what it was begun with, or "
                "name another --output"
            )
        self.history, self.files = history, files
        self.clear()
        there = {path.relative_to(self.resume).as_posix() for path in self.resume.rglob("*") if path.is_file()}
        for name in sorted({*there, *files}):
            path = self.resume / name
            if name not in there or sha256(path) != files.get(name):
                raise DamagedCheckpoint(f"{path} is not what was written: {AGAIN.format(self.folder)}")

    def clear(self) -> None:
        """Remove files that a killed run left half written, and all others that it does not resume from."""
        kept = {name.partition("/")[0] for name in self.files}
        for path in list(self.resume.iterdir()):
            if path.name not in kept:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def finish(self) -> None:
        """Write the history and `method.json`, and remove the files for resuming."""
        self.write_history()
        best = self.best
        scores = [score._asdict() for score in self.scores]
        record = self.description | {"scores": scores, "best": best and best._asdict()}
        write_whole(self.folder / FINISHED, [json.dumps(record, indent=1) + "\n"])
        remove_rest(self.folder)


def differences(values: dict[str, Any], there: dict[str, Any]) -> list[str]:
    """List the names of settings that differ from those of the existing run, such as `seed` and `batch`."""
    names = []
    for name, value in values.items():
        other = there.get(name)
        if isinstance(value, dict) and isinstance(other, dict):
            names += differences(value, other)
        elif value != other:
            names.append(name)
    return names


def remove_rest(folder: Path) -> None:
    """Remove the files for resuming."""
    shutil.rmtree(folder / RESUME, ignore_errors=True)
    (folder / RUN).unlink(missing_ok=True)


def open_record(folder: Path, values: dict[str, Any], *, resume: bool) -> RunRecord | None:
    """Open the record of a new run, in an empty or new folder, or of one to resume; None if it is finished.

    Raises `OutputInUse` for a folder with files, unless it holds a run and `resume` is set; `AnotherRun` and
    `DamagedCheckpoint`.
    """
    record = RunRecord(folder, values)
    if (folder / FINISHED).is_file() and resume:
        finished = read_object(folder / FINISHED)
        if other := differences(values, finished):
            raise AnotherRun(f"{folder} holds a finished system of another {', '.join(other)}: name another --output")
        remove_rest(folder)
        return None
    if (folder / RUN).is_file() and resume:
        record.resume.mkdir(exist_ok=True)
        record.read()
        return record
    check_output(folder, begun=(folder / RUN).is_file())
    return record
