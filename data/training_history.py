"""How a system was trained: losses, learning rates and scores on dev over the updates, in a file of its folder."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from relevance.data.files import write_whole
from relevance.data.reading import parse_number, read_json_lines, require_field, text

HISTORY = "history.jsonl"
"""The file of the history in the folder of a run: one entry a line."""


@dataclass(frozen=True)
class TrainingEntry:
    """The state of a run after some updates."""

    step: int
    """The updates made, from 1 on."""
    epoch: float
    """The passes made over the documents."""
    loss: float
    """The mean over the batches since the entry before."""
    learning_rate: float
    """That of the last update."""
    seconds: float
    """The time that the run had taken, scoring included; work that was lost with a killed process is not counted."""
    score: float | None = None
    """The mean score of the summaries of the dev documents, at the end of an epoch."""
    measure: str | None = None
    """The metric of the score."""


def best_entry(entries: Iterable[TrainingEntry]) -> TrainingEntry | None:
    """Return the entry with the best score on dev, the earlier of equal ones: its weights are kept."""
    scored = [(-entry.score, entry.step, entry) for entry in entries if entry.score is not None]
    return min(scored)[2] if scored else None


def write_history(path: Path, entries: Iterable[TrainingEntry]) -> None:
    """Write entries to a file, one a line. Raises OSError."""
    write_whole(path, (f"{json.dumps(asdict(entry))}\n" for entry in entries))


def history_in(folder: Path) -> list[TrainingEntry]:
    """Read the history in a folder; empty if there is none, as in folders of earlier versions. Raises `BadRecord`."""
    return read_history(folder / HISTORY) if (folder / HISTORY).is_file() else []


def read_history(path: Path) -> list[TrainingEntry]:
    """Read a file of `write_history`. Raises `BadRecord` with file and line, and OSError."""
    entries: list[TrainingEntry] = []
    for place, record in read_json_lines(path):
        step, epoch, loss, rate, seconds = (
            parse_number(place, require_field(place, record, name), name)
            for name in ("step", "epoch", "loss", "learning_rate", "seconds")
        )
        if step != int(step) or step <= (entries[-1].step if entries else 0):
            place.refuse(f"step must be a whole number above that of the line before, not {step:g}")
        entry = TrainingEntry(int(step), epoch, loss, rate, seconds)
        if record.get("score") is not None:
            score = parse_number(place, record["score"], "score")
            entry = replace(entry, score=score, measure=text(place, record.get("measure"), "measure"))
        entries.append(entry)
    return entries
