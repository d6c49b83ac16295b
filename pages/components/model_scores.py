"""What models say, as it arrives: asked for in a thread, so that nobody waits for it who wants something else.

A script that waited would hold up whatever is asked of the page meanwhile; it is drawn again by a timer instead.
Answers are known by signature and texts: one about other texts than are shown now is never given.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence

from data.records import Example
from metrics.inspection import LOADING, CannotExplain, Explained, Inspector, NotYet

Asked = tuple[str, Example]
"""A signature and the texts that its metric is to score."""

AGAIN = 0.5
"""Seconds between two tries while the models are still being loaded, or busy."""

FORGOTTEN = 30.0
"""Seconds after which a failure is no answer any more: whoever then wants to know asks again."""

LOOK = 0.5
"""Seconds between two looks, by a page's timer, whether more has been answered."""


class Job:
    """Questions that a thread of their own puts to the models, one after the other."""

    def __init__(self, inspector: Inspector, asked: Sequence[Asked]) -> None:
        self.inspector, self.asked = inspector, tuple(asked)
        self.answers: dict[Asked, Explained | CannotExplain] = {}
        self.given_up = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self) -> None:
        """Ask until all is answered, or nobody wants the rest."""
        began = time.monotonic()
        for signature, example in self.asked:
            while not self.given_up.is_set():
                try:
                    self.answers[signature, example] = self.inspector.explain(
                        signature, example, given_up=self.given_up.is_set
                    )
                    break
                except CannotExplain as error:
                    if not isinstance(error, NotYet) or time.monotonic() - began > LOADING:
                        self.answers[signature, example] = error
                        break
                    self.given_up.wait(AGAIN)
                except Exception as error:  # what it raises concerns this question only
                    self.answers[signature, example] = CannotExplain(f"{type(error).__name__}: {error}")
                    break

    @property
    def going_on(self) -> bool:
        """Whether there is more to come."""
        return self.thread.is_alive()


class ModelScores:
    """The models' answers about the texts as they are now: those about other texts are never given.

    `want` says what is to be known. A job for what is not known yet begins with `ask`, and is given up when something
    else is wanted.
    """

    def __init__(self) -> None:
        self.wanted: tuple[Asked, ...] = ()
        self.kept: dict[Asked, Explained | CannotExplain] = {}
        self.job: Job | None = None
        self.failed_at = 0.0

    def want(self, asked: Iterable[Asked]) -> None:
        """Say what is to be known; answers about anything else are forgotten."""
        wanted = tuple(dict.fromkeys(asked))
        if self.failed_at and time.monotonic() - self.failed_at > FORGOTTEN:
            self.kept = {one: answer for one, answer in self.kept.items() if isinstance(answer, Explained)}
            self.failed_at = 0.0
        if wanted == self.wanted:
            return
        self.collect()
        self.wanted = wanted
        self.kept = {one: self.kept[one] for one in wanted if one in self.kept}
        if self.job is not None:
            self.job.given_up.set()
            self.job = None

    def ask(self, inspector: Inspector) -> None:
        """Begin to ask for what is wanted and not known, unless that goes on already."""
        if self.open and self.job is None:
            self.job = Job(inspector, self.open)

    def wait(self, seconds: float) -> None:
        """Return when all is answered, at the latest after these seconds."""
        if self.job is not None:
            self.job.thread.join(seconds)
        self.collect()

    def collect(self) -> int:
        """Take what the job has found; returns how many answers there are."""
        if self.job is not None:
            over = not self.job.going_on  # looked at first: what it says last must not be lost
            answers = dict(self.job.answers)
            if any(isinstance(answers[one], CannotExplain) for one in answers.keys() - self.kept.keys()):
                self.failed_at = time.monotonic()
            self.kept |= answers
            if over:
                self.job = None
        return len(self.kept)

    def answer(self, signature: str, example: Example) -> Explained | CannotExplain | None:
        """The score, why there is none, or None while it is not known."""
        return self.kept.get((signature, example))

    @property
    def open(self) -> tuple[Asked, ...]:
        """What is wanted and not known yet."""
        return tuple(one for one in self.wanted if one not in self.kept)

    @property
    def going_on(self) -> bool:
        """Whether a job is at work."""
        return self.job is not None
