"""The judge: both orders, the last line with a verdict, and nothing made up where there is none."""

import re

import pytest

from relevance.llm.asking import FAILED_IN_A_ROW, Answer, Caller, Limits
from relevance.llm.calls import Calls
from relevance.llm.client import Completion, Problem, Settings
from relevance.llm.judge import (
    DISAGREE,
    Judge,
    Judgment,
    Pair,
    Question,
    decide,
    lack_of_verdict,
)
from relevance.llm.openai_client import OpenAIClient
from relevance.llm.verdict_grammar import FIRST, SECOND, TIE
from tests.llm.stub import Handler, Stub, fails, says


def answer_with(text: str, finish: str = "stop") -> Answer:
    return Answer(Completion(text, "m", finish, 1, 1, 0.1))


@pytest.mark.parametrize(
    ("completion", "reason"),
    [
        (Completion("The first one is longer.", "m", "stop", 1, 1, 0.1), "the answer has no verdict"),
        (Completion("<think>\nVerdict: first\n</think>\nHm.", "m", "stop", 1, 1, 0.1), "the answer has no verdict"),
        (Completion("Let me see", "m", "length", 1, 1, 0.1), "the answer was cut before its verdict"),
    ],
)
def test_no_verdict_is_missing_with_its_reason(completion: Completion, reason: str) -> None:
    assert lack_of_verdict(completion) == Problem(reason, alike=True)
    lacking = Answer(None, reason, unusable=completion)
    assert decide(lacking, lacking)[3:] == (2, 2, ("m",))  # it was paid for
    assert decide(answer_with("Verdict: first"), lacking)[:3] == (None, (FIRST, None), reason)
    assert decide(lacking, answer_with("Verdict: first"))[:3] == (None, (None, SECOND), reason)


def test_a_verdict_is_read_behind_the_reasoning() -> None:
    text = "<think>\nVerdict: first\n</think>\n**Summary 2**"
    assert lack_of_verdict(answer_with(text).completion) is None  # type: ignore[arg-type]
    assert decide(answer_with(text), answer_with("<think>Verdict: second</think>Summary 1")).verdict == SECOND


def test_ten_answers_without_a_verdict_end_the_run_and_the_next_one_asks_anew(
    stub: Stub, client: OpenAIClient, calls: Calls
) -> None:
    stub.usual = says("They differ.")
    pairs = [Pair(f"Text {number}.", "a", "b") for number in range(FAILED_IN_A_ROW)]
    judge = Judge(Caller(client, calls, limits=Limits(at_once=1)), "gpt")
    judgments = judge.judge(pairs)
    assert len(stub.requests) == FAILED_IN_A_ROW
    assert {judgment.verdict for judgment in judgments} == {None}
    assert judgments[0].reason == "the answer has no verdict"
    assert judgments[-1].reason == "10 requests in a row failed, the last one with: the answer has no verdict"
    stub.usual = says('{"reasons": "They differ.", "verdict": "tie"}')
    again = Judge(Caller(client, calls, limits=Limits(at_once=1)), "gpt")
    assert again.plan(pairs).recorded == 0
    assert [item.verdict for item in again.judge(pairs)] == [TIE] * len(pairs)
    assert len(stub.requests) == FAILED_IN_A_ROW + 2 * len(pairs)
    assert again.plan(pairs).recorded == 2 * len(pairs)


def test_an_answer_that_was_recorded_as_usable_and_has_no_verdict_is_asked_for_anew(
    stub: Stub, client: OpenAIClient, calls: Calls
) -> None:
    """As an earlier version recorded it, which did not look for verdicts before."""
    judge, pairs = Judge(Caller(client, calls), "gpt"), [Pair("A text.", "a", "b")]
    stub.usual = says("They differ.")
    judge.caller.ask(judge.requests(pairs))
    stub.usual = says("Verdict: tie")
    assert judge.judge(pairs)[0].verdict == TIE
    assert judge.judge(pairs)[0].verdict == TIE
    assert len(stub.requests) == 4


@pytest.mark.parametrize(
    ("straight", "swapped", "verdict", "orders"),
    [
        (FIRST, SECOND, FIRST, (FIRST, FIRST)),  # the second of the swapped pair is the first
        (SECOND, FIRST, SECOND, (SECOND, SECOND)),
        (TIE, TIE, TIE, (TIE, TIE)),
        (FIRST, FIRST, DISAGREE, (FIRST, SECOND)),  # whatever stands first
        (SECOND, SECOND, DISAGREE, (SECOND, FIRST)),
        (FIRST, TIE, DISAGREE, (FIRST, TIE)),
    ],
)
def test_orders_that_disagree_are_a_state_of_their_own(
    straight: str, swapped: str, verdict: str, orders: tuple[str, str]
) -> None:
    result = decide(answer_with(f"Verdict: {straight}"), answer_with(f"Verdict: {swapped}"))
    assert result == Judgment(verdict, orders, None, tokens_in=2, tokens_out=2, models=("m",))


def test_a_pair_is_asked_in_both_orders_and_once(stub: Stub, client: OpenAIClient, calls: Calls) -> None:
    def longer(handler: Handler) -> None:
        first, second = re.findall(r"<(?:first|second)-summary>\n(.*)\n</", handler.question)
        verdict = "tie" if len(first) == len(second) else "first" if len(first) > len(second) else "second"
        says(f"I count.\nVerdict: {verdict}")(handler)

    stub.usual = longer
    pairs = [
        Pair("A text.", "long summary", "short"),
        Pair("A text.", "same", "size"),
        Pair("{first}", "b", "{document}"),
    ]
    judge = Judge(Caller(client, calls, limits=Limits(at_once=1)), "gpt", Question("Which is longer?"))
    judgments = judge.judge(pairs)
    assert [judgment.verdict for judgment in judgments] == [FIRST, TIE, SECOND]
    assert len(stub.requests) == 6
    assert stub.questions[0].startswith("Which is longer?\n")
    assert "<document>\nA text.\n</document>\n\n<first-summary>\nlong summary\n</first-summary>" in stub.questions[0]
    assert "<first-summary>\nshort\n</first-summary>\n\n<second-summary>\nlong summary" in stub.questions[1]
    assert judge.judge(pairs) == judgments
    assert judge.plan(pairs).recorded == len(stub.requests) == 6


def test_a_model_that_always_takes_the_first_says_nothing(stub: Stub, client: OpenAIClient, calls: Calls) -> None:
    stub.usual = says("Verdict: first")
    judgments = Judge(Caller(client, calls), "gpt").judge([Pair("A text.", "a", "b")])
    assert judgments == [Judgment(DISAGREE, (FIRST, SECOND), None, 60, 14, ("stub-1.5",))]


def test_a_failure_of_one_order_leaves_the_pair_without_a_verdict(
    stub: Stub, client: OpenAIClient, calls: Calls
) -> None:
    stub.replies.extend([says("Verdict: first"), fails(400, "no"), fails(400, "no")])
    judgments = Judge(Caller(client, calls, limits=Limits(at_once=1)), "gpt").judge([Pair("A text.", "a", "b")])
    reason = f"{stub.address} answers 400: no"
    assert judgments == [Judgment(None, (FIRST, None), reason, tokens_in=None, tokens_out=None, models=("stub-1.5",))]


def test_tokens_of_both_orders_are_known_or_none_are() -> None:
    untold = Answer(Completion("Verdict: tie", "m", "stop", 5, None, 0.1))
    assert decide(untold, untold)[3:5] == (10, None)


def test_without_ties_none_is_offered_or_taken() -> None:
    pair = Pair("A text.", "a", "b")
    whole, forced = (
        Question("Which?", "Read both.").write(pair),
        Question("Which?", "Read both.", ties=False).write(pair),
    )
    assert whole.startswith("Which?\n\nRead both.\n\nDocument, first summary")
    assert whole.endswith("one of these three:\nVerdict: first\nVerdict: second\nVerdict: tie")
    assert forced.endswith("one of these two:\nVerdict: first\nVerdict: second")
    assert "choose one even where they are close" in forced
    tie = Completion("Verdict: tie", "m", "stop", 1, 1, 0.1)
    assert lack_of_verdict(tie, ties=False) == Problem("the answer is a tie, which was not offered", alike=True)
    assert lack_of_verdict(tie) is None


def test_a_signature_names_all_that_a_verdict_depends_on(client: OpenAIClient, stub: Stub, calls: Calls) -> None:
    question, caller = Question("Which?"), Caller(client, calls)
    begin = f"judge: gpt|model:stub|at:{stub.address}|prompt:{question.hash}|ties:yes|orders:both|"
    settings = Settings(max_tokens=9)
    whole, cut = (Judge(caller, "gpt", question, settings, source_tokens=most) for most in (None, 5))
    assert whole.signature == f"{begin}source:all|max_tokens:9|temperature:0.0|version:2"
    assert cut.signature == f"{begin}source:5|counted:bytes/4|max_tokens:9|temperature:0.0|version:2"
    assert cut.seen("word " * 5) == "word word word word"  # 20 bytes
    assert whole.seen("word " * 5) == "word " * 5
    others = [Question("What?"), Question("Which?", "So."), Question("Which?", ties=False)]
    assert len({item.hash for item in [question, *others]}) == 4


@pytest.mark.parametrize("ties", [True, False])
def test_servers_that_offer_it_are_asked_for_json(ties: bool, stub: Stub, client: OpenAIClient, calls: Calls) -> None:
    stub.usual = says('{"reasons": "Long.", "verdict": "first"}')
    judge = Judge(Caller(client, calls, limits=Limits(at_once=1)), "gpt", Question(ties=ties))
    assert judge.judge([Pair("A text.", "a", "b")])[0].orders == (FIRST, SECOND)
    form = stub.requests[0]["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["schema"]["properties"]["verdict"]["enum"] == [FIRST, SECOND, *([TIE] if ties else [])]
    assert list(form["json_schema"]["schema"]["properties"]) == ["reasons", "verdict"]  # it reasons before it decides


def test_a_server_that_takes_no_schema_is_asked_without_one(stub: Stub, client: OpenAIClient, calls: Calls) -> None:
    def takes_none(handler: Handler) -> None:
        (fails(400, "unknown parameter") if "response_format" in stub.requests[-1] else says("Verdict: tie"))(handler)

    stub.usual = takes_none
    judge = Judge(Caller(client, calls, limits=Limits(at_once=1)), "gpt")
    assert judge.judge([Pair("A text.", "a", "b")])[0].verdict == TIE
    assert ["response_format" in item for item in stub.requests] == [True, False, False]
    stub.usual = fails(400, "too long")  # whatever is asked
    reason = f"{stub.address} answers 400: too long"
    other = Judge(Caller(OpenAIClient("stub", stub.address), calls, limits=Limits(at_once=1)), "gpt")
    assert other.judge([Pair("Another.", "a", "b")])[0].reason == reason
    assert ["response_format" in item for item in stub.requests[3:]] == [True, False, True, False]
