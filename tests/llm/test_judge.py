"""The judge: both orders, the last line with a verdict, and nothing made up where there is none."""

import re

import pytest

from relevance.llm.asking import Answer, Caller, Limits
from relevance.llm.calls import Calls
from relevance.llm.client import Completion, Settings
from relevance.llm.judge import (
    DISAGREE,
    FIRST,
    SECOND,
    TIE,
    Judge,
    Judgment,
    Pair,
    Question,
    decide,
    read_verdict,
)
from relevance.llm.openai_client import OpenAIClient
from tests.llm.stub import Handler, Stub, fails, says


def said(text: str, finish: str = "stop") -> Answer:
    return Answer(Completion(text, "m", finish, 1, 1, 0.1))


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Verdict: first", FIRST),
        ("Both are fine.\n\nVerdict: tie\n", TIE),
        ("**Verdict: Second**", SECOND),
        ("**Verdict:** second.", SECOND),
        ("## VERDICT: 'tie'", TIE),
        ("Verdict: the first summary", FIRST),
        ("Verdict: first\nOn second thoughts:\nVerdict: second", SECOND),  # the last one counts
        ("Verdict: second\r\nThanks for asking!", SECOND),
    ],
)
def test_the_last_verdict_is_read(text: str, verdict: str) -> None:
    assert read_verdict(said(text)) == (verdict, None)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (said("The first one is better."), "the answer has no line with a verdict"),
        (said("Verdict: first or second"), "the answer has no line with a verdict"),
        (said("Verdict: firstly"), "the answer has no line with a verdict"),
        (said("My verdict: first, because"), "the answer has no line with a verdict"),
        (said("Let me see", "length"), "the answer was cut before its verdict"),
        (Answer(None, "refused: no"), "refused: no"),
    ],
)
def test_no_verdict_is_missing_with_its_reason(answer: Answer, reason: str) -> None:
    assert read_verdict(answer) == (None, reason)
    assert decide(said("Verdict: first"), answer)[:3] == (None, (FIRST, None), reason)
    assert decide(answer, said("Verdict: first"))[:3] == (None, (None, SECOND), reason)


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
    found = decide(said(f"Verdict: {straight}"), said(f"Verdict: {swapped}"))
    assert found == Judgment(verdict, orders, None, tokens_in=2, tokens_out=2, models=("m",))


def test_a_pair_is_asked_in_both_orders_and_once(stub: Stub, client: OpenAIClient, calls: Calls) -> None:
    def longer(handler: Handler) -> None:
        one, other = re.findall(r"<(?:first|second)-summary>\n(.*)\n</", handler.question)
        says(
            f"I count.\nVerdict: {'tie' if len(one) == len(other) else 'first' if len(one) > len(other) else 'second'}"
        )(handler)

    stub.usual = longer
    pairs = [
        Pair("A text.", "long summary", "short"),
        Pair("A text.", "same", "size"),
        Pair("{first}", "b", "{document}"),
    ]
    judge = Judge(Caller(client, calls, limits=Limits(at_once=1)), "gpt", Question("Which is longer?"))
    judgments = judge.judge(pairs)
    assert [judgment.verdict for judgment in judgments] == [FIRST, TIE, SECOND]
    assert len(stub.asked) == 6
    assert stub.questions[0].startswith("Which is longer?\n")
    assert "<document>\nA text.\n</document>\n\n<first-summary>\nlong summary\n</first-summary>" in stub.questions[0]
    assert "<first-summary>\nshort\n</first-summary>\n\n<second-summary>\nlong summary" in stub.questions[1]
    assert judge.judge(pairs) == judgments
    assert judge.plan(pairs).recorded == len(stub.asked) == 6


def test_a_model_that_always_takes_the_first_says_nothing(stub: Stub, client: OpenAIClient, calls: Calls) -> None:
    stub.usual = says("Verdict: first")
    judgments = Judge(Caller(client, calls), "gpt").judge([Pair("A text.", "a", "b")])
    assert judgments == [Judgment(DISAGREE, (FIRST, SECOND), None, 60, 14, ("stub-1.5",))]


def test_a_failure_of_one_order_leaves_the_pair_without_a_verdict(
    stub: Stub, client: OpenAIClient, calls: Calls
) -> None:
    stub.replies.extend([says("Verdict: first"), fails(400, "no")])
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
    assert read_verdict(said("Verdict: tie"), ties=False) == (None, "the answer is a tie, which was not offered")
    assert decide(said("Verdict: first"), said("Verdict: second"), ties=False).verdict == FIRST


def test_a_signature_names_all_that_a_verdict_depends_on(client: OpenAIClient, stub: Stub, calls: Calls) -> None:
    question, caller = Question("Which?"), Caller(client, calls)
    begin = f"judge: gpt|model:stub|at:{stub.address}|prompt:{question.hash}|ties:yes|orders:both|"
    settings = Settings(max_tokens=9)
    whole, cut = (Judge(caller, "gpt", question, settings, source_tokens=most) for most in (None, 5))
    assert whole.signature == f"{begin}source:all|max_tokens:9|temperature:0.0|version:1"
    assert cut.signature == f"{begin}source:5|counted:bytes/4|max_tokens:9|temperature:0.0|version:1"
    assert cut.seen("word " * 5) == "word word word word"  # 20 bytes
    assert whole.seen("word " * 5) == "word " * 5
    others = [Question("What?"), Question("Which?", "So."), Question("Which?", ties=False)]
    assert len({one.hash for one in [question, *others]}) == 4
