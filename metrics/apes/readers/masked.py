"""A reader that asks a masked language model of Hugging Face for the candidate that fills the blank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from relevance.metrics.apes.base import BLANK, Answer, CandidateAnswer, ReadingTask
from relevance.metrics.apes.readers.pretrained import UNSEEN, Pretrained, choose_best, locate_mention, overlapping

if TYPE_CHECKING:
    import torch

TASKS = 16
"""The number of tasks whose rows, one or more for each candidate, are in memory at once."""


class MaskedInput(NamedTuple):
    """A stretch of the summary with a question whose blank has a mask for each piece of a candidate."""

    inputs: dict[str, list[int]]
    pieces: dict[int, int]
    """The candidate's pieces by the positions of their masks."""
    task: int
    candidate: int
    mentions: list[int]
    """The indices of the candidate's mentions in the stretch."""


class MaskedReader:
    """A reader that scores a candidate by the mean log-probability of its pieces, masked together, after the summary.

    `model` is a folder or a name with an `AutoModelForMaskedLM` in safetensors, see `Pretrained`. The mean is used
    because a sum would penalise long names. In a long summary, each stretch that mentions the candidate is tried, and
    the best counts; mentions in one stretch cannot be told apart, so the answer is read from the first of them. Raises
    `ModelUnavailable`.
    """

    def __init__(self, model: str) -> None:
        self.pretrained = Pretrained(model, "AutoModelForMaskedLM")

    @property
    def signature(self) -> str:
        """`masked:<model>@<revision>`."""
        return f"masked:{self.pretrained.model.signature}"

    def read(self, tasks: Sequence[ReadingTask]) -> list[Answer]:
        """Answer a batch, in order; scores are mean log-probabilities, at most 0. Raises `ModelUnavailable`."""
        return [
            answer for start in range(0, len(tasks), TASKS) for answer in self.answers(tasks[start : start + TASKS])
        ]

    def answers(self, tasks: Sequence[ReadingTask]) -> list[Answer]:
        """Answer as many tasks as fit in memory."""
        rows = [
            row
            for t, task in enumerate(tasks)
            for c, candidate in enumerate(task.candidates)
            for row in self.rows(task, candidate, t, c)
        ]
        scores = [[[UNSEEN] * len(candidate.mentions) for candidate in task.candidates] for task in tasks]
        for batch, output in self.pretrained.forward([row.inputs for row in rows]):
            for number, index in enumerate(batch):
                row = rows[index]
                score = mean_log_probability(output.logits[number], row.pieces)
                of_candidate = scores[row.task][row.candidate]
                for mention in row.mentions:
                    of_candidate[mention] = max(of_candidate[mention], score)
        return [choose_best(task, score) for task, score in zip(tasks, scores, strict=True)]

    def rows(self, task: ReadingTask, candidate: CandidateAnswer, t: int, c: int) -> list[MaskedInput]:
        """Return the inputs that score one candidate. Raises `BadModel`."""
        if (mask := self.pretrained.tokenizer.mask_token_id) is None:
            raise self.pretrained.refused("has no mask token: it is not a masked language model")
        before, _, after = task.question.partition(BLANK)
        filled = f"{before}{candidate.name}{after}"
        question, spot = self.pretrained.shortened(filled, (len(before), len(before) + len(candidate.name)))
        windows = self.pretrained.windows(task.summary, question, first=False)
        shown: dict[int, list[int]] = {}
        for number, mention in enumerate(candidate.mentions):
            for place in locate_mention(windows, mention):
                shown.setdefault(place.window, []).append(number)
        rows = []
        for index, mentions in shown.items():
            ids = list(windows[index].inputs["input_ids"])
            pieces = {position: ids[position] for position in overlapping(windows[index].question, spot)}
            for position in pieces:
                ids[position] = mask
            if pieces:
                rows.append(MaskedInput({**windows[index].inputs, "input_ids": ids}, pieces, t, c, mentions))
        return rows


def mean_log_probability(logits: torch.Tensor, pieces: dict[int, int]) -> float:
    """Return the mean log-probability of pieces by position, from a row's logits (tokens, vocabulary)."""
    return float(logits[list(pieces)].log_softmax(-1)[range(len(pieces)), list(pieces.values())].mean())
