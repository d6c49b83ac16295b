"""Model scores computed in a thread, so that the page never blocks on a model.

A script that waited would delay everything else asked of the page; instead, a timer draws it again. Answers are stored
by signature and texts, so that none is ever shown for other texts.
"""

import threading
import time
from collections.abc import Collection, Iterable, Sequence

from relevance.data.records import Example
from relevance.metrics.background.explaining import LOADING, Inspector
from relevance.metrics.explained import CannotExplain, Explained, ModelsBusy, RequestCancelled

ScoreRequest = tuple[str, Example]
"""A signature, and the texts for its metric to score."""

AGAIN = 0.5
"""Seconds between two tries while the models are loading or busy."""

FORGOTTEN = 30.0
"""Seconds after which a failure is forgotten, and the request is sent again."""

LOOK = 0.5
"""Seconds between two checks, by a page's timer, for new answers."""


class Job:
    """A thread that sends requests to the models, one after the other."""

    def __init__(self, inspector: Inspector, requests: Sequence[ScoreRequest]) -> None:
        self.inspector = inspector
        self.requests = tuple(requests)
        self.answers: dict[ScoreRequest, Explained | CannotExplain] = {}
        self.over = False
        self.moved = threading.Condition()
        """Held while any of these changes."""
        threading.Thread(target=self.work, daemon=True).start()

    def work(self) -> None:
        """Send requests until all are answered or no longer wanted."""
        began = time.monotonic()
        while (question := self.following()) is not None:
            signature, example = question
            answer: Explained | CannotExplain
            try:
                answer = self.inspector.explain(signature, example, given_up=lambda: question not in self.requests)
            except RequestCancelled:
                continue  # it may be wanted again by now
            except CannotExplain as error:
                if isinstance(error, ModelsBusy) and time.monotonic() - began <= LOADING:
                    time.sleep(AGAIN)
                    continue
                answer = error
            except Exception as error:  # the other requests go on
                answer = CannotExplain(f"{type(error).__name__}: {error}")
            began = time.monotonic()
            with self.moved:
                if question in self.requests:
                    self.answers[question] = answer
                self.moved.notify_all()

    def following(self) -> ScoreRequest | None:
        """Return the first request without an answer; if there is none, the job is over."""
        with self.moved:
            question = next((request for request in self.requests if request not in self.answers), None)
            self.over = question is None
            self.moved.notify_all()
            return question

    def replace_requests(self, requests: Sequence[ScoreRequest]) -> bool:
        """Replace the requests and keep only their scores, no failures; return False if the job is over."""
        with self.moved:
            if self.over:
                return False
            self.requests = tuple(requests)
            self.answers = {
                request: answer
                for request, answer in self.answers.items()
                if request in self.requests and isinstance(answer, Explained)
            }
            return True

    def wait(self, requests: Collection[ScoreRequest], seconds: float) -> None:
        """Wait until all of these are answered or the job is over, but no longer than these seconds."""
        with self.moved:
            self.moved.wait_for(lambda: self.over or self.answers.keys() >= set(requests), seconds)

    def told(self) -> tuple[bool, dict[ScoreRequest, Explained | CannotExplain]]:
        """Return whether it is over, and all answers up to now."""
        with self.moved:
            return self.over, dict(self.answers)


class ModelScores:
    """The models' answers about the current texts, and about those that are likely to be wanted next.

    `want` sets the requests, those ahead being sent last; `ask` sends them. They are cancelled if something else is
    wanted than was foreseen.
    """

    def __init__(self) -> None:
        self.wanted: tuple[ScoreRequest, ...] = ()
        self.ahead: tuple[ScoreRequest, ...] = ()
        self.kept: dict[ScoreRequest, Explained | CannotExplain] = {}
        self.job: Job | None = None
        self.failed_at = 0.0

    def want(self, requests: Iterable[ScoreRequest], ahead: Iterable[ScoreRequest] = ()) -> None:
        """Set the requests wanted now and next; answers to others are dropped."""
        wanted, ahead = tuple(dict.fromkeys(requests)), tuple(dict.fromkeys(ahead))
        self.collect()
        scores = {request for request, answer in self.kept.items() if isinstance(answer, Explained)}
        forget = self.failed_at > 0 and time.monotonic() - self.failed_at > FORGOTTEN
        if forget:
            self.failed_at = 0.0
        elif (wanted, ahead) == (self.wanted, self.ahead):
            return
        # A failure counts while it is shown; one that nobody has seen yet is tried again.
        known = scores if forget else scores | set(self.wanted)
        self.wanted, self.ahead = wanted, ahead
        self.kept = {
            request: self.kept[request] for request in (*wanted, *ahead) if request in self.kept and request in known
        }
        if self.job is not None:
            coming = set(self.job.requests)
            foreseen = coming.issuperset(request for request in wanted if request not in self.kept)
            rest = [request for request in (*wanted, *ahead) if request in coming and request not in self.kept]
            self.job.replace_requests(rest if foreseen else [])

    def ask(self, inspector: Inspector) -> None:
        """Send all wanted requests that have no answer yet."""
        self.collect()
        unknown = [request for request in (*self.wanted, *self.ahead) if request not in self.kept]
        if unknown and (self.job is None or not self.job.replace_requests(unknown)):
            self.collect()  # the job's last answers
            self.job = Job(inspector, [request for request in unknown if request not in self.kept])

    def wait(self, seconds: float) -> None:
        """Wait until all that is wanted now is answered, but no longer than these seconds."""
        if self.job is not None:
            self.job.wait(self.open, seconds)
        self.collect()

    def collect(self) -> int:
        """Take the job's answers; return the number of requests wanted now that have one."""
        if self.job is not None:
            over, answers = self.job.told()
            unknown = answers.keys() - self.kept.keys()
            new = {request: answers[request] for request in (*self.wanted, *self.ahead) if request in unknown}
            if any(isinstance(answer, CannotExplain) for answer in new.values()):
                self.failed_at = time.monotonic()
            self.kept |= new
            if over:
                self.job = None
        return len(self.wanted) - len(self.open)

    def answer(self, signature: str, example: Example) -> Explained | CannotExplain | None:
        """Return the score, or why there is none, or None while it is unknown."""
        return self.kept.get((signature, example))

    @property
    def open(self) -> tuple[ScoreRequest, ...]:
        """The requests wanted now that have no answer yet."""
        return tuple(request for request in self.wanted if request not in self.kept)

    @property
    def going_on(self) -> bool:
        """True while a job is at work."""
        return self.job is not None
