"""A reader that uses a question answering model of Hugging Face."""

from collections.abc import Sequence

from relevance.metrics.apes.base import BLANK, Answer, ReadingTask
from relevance.metrics.apes.readers.pretrained import UNSEEN, Pretrained, Window, choose_best, locate_mention
from relevance.metrics.text import Span

ASKED = "what"
"""The word that replaces the blank. These models are trained on questions, as in SQuAD, and not on texts with a gap;
the type of the blanked entity is unknown, and "what" asks for organisations, places and, less well, for persons."""

TASKS = 64
"""The number of tasks whose windows are in memory at once."""


class ExtractiveReader:
    """A reader that scores a mention by the logits of an answer's start and end exactly there.

    A candidate's score is that of its best mention. `model` is a folder or a name with an
    `AutoModelForQuestionAnswering` in safetensors, see `Pretrained`. Long summaries are read in overlapping windows,
    whose logits are compared as they are, as is done for SQuAD (Devlin et al. 2019, section 4.2, scores a span by the
    sum of the two). Raises `ModelUnavailable`.
    """

    def __init__(self, model: str) -> None:
        self.pretrained = Pretrained(model, "AutoModelForQuestionAnswering")

    @property
    def signature(self) -> str:
        """`extractive:<model>@<revision>`."""
        return f"extractive:{self.pretrained.model.signature}"

    def read(self, tasks: Sequence[ReadingTask]) -> list[Answer]:
        """Answer a batch, in order; scores are sums of two logits. Raises `ModelUnavailable`."""
        return [
            answer for start in range(0, len(tasks), TASKS) for answer in self.answers(tasks[start : start + TASKS])
        ]

    def answers(self, tasks: Sequence[ReadingTask]) -> list[Answer]:
        """Answer as many tasks as fit in memory."""
        windows = [self.windows(task) for task in tasks]
        rows = [window.inputs for windows_of_task in windows for window in windows_of_task]
        logits: list[tuple[list[float], list[float]]] = [([], [])] * len(rows)
        for batch, output in self.pretrained.forward(rows):
            starts, ends = output.start_logits.tolist(), output.end_logits.tolist()
            for row, index in enumerate(batch):
                logits[index] = starts[row], ends[row]
        of_task = iter(logits)
        return [read_off(t, window, [next(of_task) for _ in window]) for t, window in zip(tasks, windows, strict=True)]

    def windows(self, task: ReadingTask) -> list[Window]:
        """Return windows of the task's question, made a real one, with each stretch of its summary."""
        before, _, after = task.question.partition(BLANK)
        question, spot = self.pretrained.shortened(task.question, (len(before), len(task.question) - len(after)))
        before, after = question[: spot[0]], question[spot[1] :]
        asked_text = f"{before}{ASKED}{after}".rstrip(" .!") + "?"
        return self.pretrained.windows(task.summary, asked_text, first=True)


def read_off(task: ReadingTask, windows: Sequence[Window], logits: Sequence[tuple[list[float], list[float]]]) -> Answer:
    """Return the answer given by the start and end logits of a task's windows."""

    def score(mention: Span) -> float:
        seen = locate_mention(windows, mention)
        return max((logits[window][0][first] + logits[window][1][last] for window, first, last in seen), default=UNSEEN)

    return choose_best(task, [list(map(score, candidate.mentions)) for candidate in task.candidates])
