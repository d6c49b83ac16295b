"""The history of a run while it goes on."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

from relevance.data.training_history import TrainingEntry


class RunHistory:
    """The entries of a run, and the sum of the losses of the batches since the last one."""

    def __init__(
        self, entries: Iterable[TrainingEntry] = (), loss: float = 0.0, batches: int = 0, seconds: float = 0.0
    ) -> None:
        self.entries = list(entries)
        self.loss, self.batches = loss, batches
        self.learning_rate = 0.0
        """That of the last update."""
        self.began = time.monotonic() - seconds

    @property
    def seconds(self) -> float:
        """The seconds that the run has taken."""
        return round(time.monotonic() - self.began, 1)

    def add_loss(self, loss: float) -> None:
        """Count the loss of a batch."""
        self.loss += loss
        self.batches += 1

    def add(self, step: int, epoch: float) -> TrainingEntry:
        """Add the entry of a step, unless there is one; return it."""
        if not self.entries or self.entries[-1].step < step:
            mean = self.loss / self.batches
            self.entries.append(TrainingEntry(step, round(epoch, 4), mean, self.learning_rate, self.seconds))
            self.loss, self.batches = 0.0, 0
        return self.entries[-1]

    def add_score(self, score: float, measure: str) -> TrainingEntry:
        """Add the score on dev by a metric to the last entry; return it."""
        self.entries[-1] = replace(self.entries[-1], score=score, measure=measure, seconds=self.seconds)
        return self.entries[-1]

    def as_json(self) -> dict[str, Any]:
        """Return what a resumed run needs."""
        since = {"loss": self.loss, "batches": self.batches, "seconds": self.seconds}
        return {"entries": [asdict(entry) for entry in self.entries], **since}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> RunHistory:
        """Make it from what `as_json` returned. Raises KeyError, TypeError or ValueError for anything else."""
        entries = [TrainingEntry(**entry) for entry in values["entries"]]
        return cls(entries, float(values["loss"]), int(values["batches"]), float(values["seconds"]))
