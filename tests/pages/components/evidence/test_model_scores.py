"""Waiting for models: what is asked again, what is given up, what is forgotten."""

import threading
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from relevance.data.records import Example
from relevance.metrics import metric
from relevance.metrics.background.explaining import Inspector
from relevance.metrics.explained import CannotExplain, Explained, ModelsBusy, RequestCancelled
from relevance.pages.components.evidence import model_scores
from relevance.pages.components.evidence.model_scores import ModelScores
from tests.waiting import PATIENCE, until

ONE, OTHER, THIRD = (
    Example("d", name, f"{name} left Paris.", ("Anna left Paris.",), None, "") for name in ("Anna", "Ben", "Cem")
)
FOUND = Explained(0.5, None, False, None)


class Telling(Inspector):
    """Says what it was told to say, one thing after the other; the last one for ever."""

    def __init__(self, *says: Explained | Exception) -> None:
        super().__init__()
        self.says = list(says)
        self.requests: list[Example] = []

    def explain(
        self, signature: str, example: Example, timeout: float = 30, given_up: Callable[[], bool] = lambda: False
    ) -> Explained:
        self.requests.append(example)
        answer = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def told(inspector: Inspector, *examples: Example) -> ModelScores:
    scores = ModelScores()
    scores.want(("m", example) for example in examples)
    scores.ask(inspector)
    scores.wait(PATIENCE)
    return scores


def test_models_that_are_busy_or_loading_are_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_scores, "AGAIN", 0.001)
    inspector = Telling(ModelsBusy("loading"), ModelsBusy("busy"), FOUND)
    assert told(inspector, ONE).answer("m", ONE) == FOUND
    assert inspector.requests == [ONE] * 3


def test_what_else_is_raised_concerns_one_question() -> None:
    scores = told(Telling(RuntimeError("out of luck"), FOUND), ONE, OTHER)
    assert str(scores.answer("m", ONE)) == "RuntimeError: out of luck"
    assert scores.answer("m", OTHER) == FOUND


def test_a_failure_is_forgotten_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    inspector = Telling(CannotExplain("no memory"), FOUND)
    scores = told(inspector, ONE)
    for after, known in ((PATIENCE, 1), (-1.0, 0)):
        monkeypatch.setattr(model_scores, "FORGOTTEN", after)
        scores.want([("m", ONE)])
        assert len(scores.kept) == known
    scores.ask(inspector)
    scores.wait(PATIENCE)
    assert scores.answer("m", ONE) == FOUND


class Slow(Telling):
    """Answers one question at a time, when it may."""

    def __init__(self, *says: Explained | Exception) -> None:
        super().__init__(*(says or (FOUND,)))
        self.may = threading.Semaphore(0)
        self.given_up: list[bool] = []

    def explain(
        self, signature: str, example: Example, timeout: float = 30, given_up: Callable[[], bool] = lambda: False
    ) -> Explained:
        self.requests.append(example)
        assert self.may.acquire(timeout=PATIENCE)
        self.given_up.append(given_up())
        answer = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def finished(scores: ModelScores) -> bool:
    scores.collect()
    return not scores.going_on


def of(*examples: Example) -> list[tuple[str, Example]]:
    return [("m", example) for example in examples]


def test_what_comes_next_is_asked_when_all_else_is_answered() -> None:
    inspector, scores = Slow(), ModelScores()
    scores.want(of(ONE), of(OTHER))
    scores.ask(inspector)
    inspector.may.release()
    scores.wait(PATIENCE)
    assert scores.answer("m", ONE) == FOUND
    assert not scores.open
    until(lambda: inspector.requests == [ONE, OTHER])
    scores.want(of(OTHER), of(THIRD))  # while it is being answered
    scores.ask(inspector)
    assert scores.open == (("m", OTHER),)
    inspector.may.release()
    scores.wait(PATIENCE)
    assert scores.answer("m", OTHER) == FOUND
    assert scores.answer("m", ONE) is None  # nobody wants it any more
    until(lambda: inspector.requests == [ONE, OTHER, THIRD])
    inspector.may.release()
    until(lambda: finished(scores))
    scores.want(of(THIRD))
    assert scores.answer("m", THIRD) == FOUND
    assert inspector.given_up == [False] * 3


def test_what_nobody_foresaw_is_asked_at_once() -> None:
    inspector, scores = Slow(), ModelScores()
    scores.want(of(ONE), of(OTHER))
    scores.ask(inspector)
    until(lambda: inspector.requests == [ONE])
    job = scores.job
    assert job is not None
    scores.want(of(THIRD))
    inspector.may.release()
    until(lambda: job.over)
    assert inspector.requests == [ONE]
    assert inspector.given_up == [True]
    assert scores.collect() == 0
    assert not scores.going_on
    scores.ask(inspector)
    inspector.may.release()
    scores.wait(PATIENCE)
    assert scores.kept == {("m", THIRD): FOUND}


def test_a_question_that_is_wanted_again_is_not_put_twice() -> None:
    inspector, scores = Slow(), ModelScores()
    scores.want(of(ONE))
    scores.ask(inspector)
    until(lambda: inspector.requests == [ONE])
    scores.want(of(OTHER))
    scores.want(of(ONE, OTHER))
    scores.ask(inspector)
    for _ in range(2):
        inspector.may.release()
    scores.wait(PATIENCE)
    assert scores.kept == {("m", ONE): FOUND, ("m", OTHER): FOUND}
    assert inspector.requests == [ONE, OTHER]


def test_a_question_given_up_too_early_is_put_again() -> None:
    inspector = Telling(RequestCancelled("it is no longer needed"), FOUND)
    assert told(inspector, ONE).answer("m", ONE) == FOUND
    assert inspector.requests == [ONE] * 2


def test_a_failure_that_nobody_saw_is_no_answer() -> None:
    inspector, scores = Telling(FOUND, CannotExplain("busy"), FOUND), ModelScores()
    scores.want(of(ONE), of(OTHER))
    scores.ask(inspector)
    until(lambda: finished(scores))
    assert isinstance(scores.answer("m", OTHER), CannotExplain)
    scores.want(of(OTHER))
    assert scores.open == (("m", OTHER),)
    scores.ask(inspector)
    scores.wait(PATIENCE)
    assert scores.answer("m", OTHER) == FOUND
    assert inspector.requests == [ONE, OTHER, OTHER]


def test_a_failure_is_forgotten_by_a_job_at_work_too(monkeypatch: pytest.MonkeyPatch) -> None:
    inspector, scores = Slow(CannotExplain("busy"), FOUND), ModelScores()
    scores.want(of(ONE, OTHER))
    scores.ask(inspector)
    inspector.may.release()
    until(lambda: inspector.requests == [ONE, OTHER])
    scores.collect()
    assert isinstance(scores.answer("m", ONE), CannotExplain)
    monkeypatch.setattr(model_scores, "FORGOTTEN", -1.0)
    scores.want(of(ONE, OTHER))
    monkeypatch.setattr(model_scores, "FORGOTTEN", 30.0)
    scores.ask(inspector)
    assert scores.answer("m", ONE) is None
    for _ in range(2):
        inspector.may.release()
    scores.wait(PATIENCE)
    assert scores.kept == {("m", ONE): FOUND, ("m", OTHER): FOUND}


def test_a_job_keeps_no_answer_that_nobody_wants() -> None:
    inspector, scores = Telling(FOUND), ModelScores()
    examples = [replace(ONE, candidate=f"{number} left Paris.") for number in range(50)]
    jobs = []
    for example, following in pairwise(examples):
        scores.want(of(example), of(following))
        scores.ask(inspector)
        scores.wait(PATIENCE)
        jobs.append(scores.job)
        assert set(scores.kept) <= {("m", example), ("m", following)}
        assert scores.answer("m", example) == FOUND
    assert all(len(job.answers) <= 2 for job in jobs if job is not None)
    until(lambda: len(inspector.requests) >= len(examples))
    assert inspector.requests == examples  # each once, in their order


def test_a_question_given_up_in_the_queue_is_not_put() -> None:
    inspector, given_up = Inspector(), threading.Event()
    raised: list[str] = []

    def ask() -> None:
        try:
            inspector.explain(metric("bertscore").signature, ONE, given_up=given_up.is_set)
        except CannotExplain as error:
            raised.append(str(error))

    with inspector.turn:  # another one is being answered
        thread = threading.Thread(target=ask)
        thread.start()
        given_up.set()
    thread.join(10)
    assert raised == ["it is no longer needed"]
    assert inspector.child is None  # no process was started for it
