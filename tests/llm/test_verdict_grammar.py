"""The grammar of verdicts, on the shapes in which models answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relevance.llm.verdict_grammar import FIRST, SECOND, TIE, find_verdict

SHAPES = [
    # JSON, alone, fenced, within text, and with other keys
    ('{"verdict": "first"}', FIRST),
    ('{"reasons": "Verdict: first was my first thought.", "verdict": "second"}', SECOND),
    ('```json\n{"reasons": "x", "verdict": "Summary 2"}\n```', SECOND),
    ('{"reasoning": "The first {is} fine", "winner": "summary_1"}', FIRST),
    ('{"verdict": "summary 1", "reason": "better than the second"}', FIRST),
    ('{"Verdict":"tie"}', TIE),
    ('{"choice": 2}', SECOND),
    ('{"better_summary": "A"}', FIRST),
    ('I compared them.\n{"final verdict": "Second"}\nThank you.', SECOND),
    ('{"verdict": "first"}\nOn second thoughts:\n{"verdict": "second"}', SECOND),
    # a verdict alone in the last line, with emphasis
    ("**Summary 1**", FIRST),
    ("Both are fine.\n\n**Summary 2**", SECOND),
    ("Summary 1.", FIRST),
    ("First", FIRST),
    ("second summary", SECOND),
    ("The first summary.", FIRST),
    ("Tie", TIE),
    ("**Tie.**", TIE),
    ("Neither", TIE),
    ("A", FIRST),
    ("[[B]]", SECOND),
    ("\\boxed{1}", FIRST),
    # labelled lines
    ("Verdict: first", FIRST),
    ("Both are fine.\n\nVerdict: tie\n", TIE),
    ("**Verdict: Second**", SECOND),
    ("**Verdict:** second.", SECOND),
    ("**Verdict**: *second*", SECOND),
    ('Verdict: "second"', SECOND),
    ("## VERDICT: 'tie'", TIE),
    ("> Verdict: first", FIRST),
    ("- Verdict: tie", TIE),
    ("verdict:first", FIRST),
    ("Verdict: the first summary", FIRST),
    ("Verdict: first\nOn second thoughts:\nVerdict: second", SECOND),
    ("Verdict: second\r\nThanks for asking!", SECOND),
    ("Final verdict: **first**", FIRST),
    ("Final Answer: Summary 2", SECOND),
    ("Verdict - second", SECOND),
    ("Verdict = tie", TIE),
    ("Answer: 1", FIRST),
    ("Winner: Summary 2", SECOND),
    ("Preference: second summary", SECOND),
    ("Better summary: 1", FIRST),
    ("Verdict: both", TIE),
    ("Verdict: It's a tie", TIE),
    ("Verdict:\n\nfirst", FIRST),
    ("Verdict:\n**Summary 2**", SECOND),
    ("The choice is difficult.\n\n**Summary 1**", FIRST),
    ("Verdict: first. My answer is based on the names.", FIRST),
    ('{"result": {"length": 3}}\nVerdict: second', SECOND),
    # a label with a sentence
    ("My verdict: first, because it names the bridge", FIRST),
    ("The verdict is first.", FIRST),
    ("Verdict: Summary 1 is better than Summary 2", FIRST),
    ("Verdict: tie – both are equally good", TIE),
    ("Verdict: **first**, not the second", FIRST),
    ("Verdict: Neither is better", TIE),
    # a verdict within a sentence
    ("The better summary is the first one.", FIRST),
    ("The better one is summary two.", SECOND),
    ("I prefer the second summary because it is shorter.", SECOND),
    ("Overall, Summary 1 is better.", FIRST),
    ("The second summary is more relevant than the first.", SECOND),
    ("Summary 1 is slightly better than Summary 2, as it names the place.", FIRST),
    ("I would choose the first summary.", FIRST),
    ("I'd go with the second one.", SECOND),
    ("In my view Summary A wins.", FIRST),
    ("The winner is Summary 2!", SECOND),
    ("The first one is better.", FIRST),
    ("It is a tie.", TIE),
    ("Both summaries are equally good.", TIE),
    ("Neither summary is better.", TIE),
]

NONE = [
    "",
    "Let me see",
    "I cannot decide.",
    "Verdict:",
    "Verdict: firstly",
    "Verdict: first or second",
    "Verdict: first / second / tie",
    "Verdict: first, second or tie?",
    "Verdict: not the first",
    "Verdict: the first is not better",
    "Verdict: between the first and the second, second",
    "The first is not better.",
    "The first isn't better.",
    "The first is better on detail. The second is better overall.",
    "The first summary is longer, the second is shorter.",
    "Summary 1 mentions the bridge. Summary 2 mentions the river.",
    "First, I read the document.",
    '{"verdict": "first or second"}',
    '{"verdict": null}',
    '{"scores": {"first": 3, "second": 4}}',
    '{"reasons": "The first names the bri',
]


def test_there_are_fifty_shapes() -> None:
    assert len(SHAPES) >= 50
    assert {verdict for _, verdict in SHAPES} == {FIRST, SECOND, TIE}


@pytest.mark.parametrize(("answer", "verdict"), SHAPES)
def test_a_verdict_is_read_in_the_shapes_of_models(answer: str, verdict: str) -> None:
    assert find_verdict(answer) == verdict


@pytest.mark.parametrize("answer", NONE)
def test_where_nothing_is_decided_nothing_is_read(answer: str) -> None:
    assert find_verdict(answer) is None


SWAPPED = {
    "first": "second",
    "First": "Second",
    "summary 1": "summary 2",
    "Summary 1": "Summary 2",
    "summary_1": "summary_2",
}


@pytest.mark.parametrize(("answer", "verdict"), [item for item in SHAPES if item[1] != TIE])
def test_no_shape_is_read_for_one_side_only(answer: str, verdict: str) -> None:
    """Whoever says it of the other summary is read, too; otherwise judges would favour a side."""
    both = {**SWAPPED, **{second: first for first, second in SWAPPED.items()}}
    swapped, start = "", 0
    while start < len(answer):
        result = next((name for name in both if answer.startswith(name, start)), None)
        swapped += both[result] if result else answer[start]
        start += len(result or "x")
    if swapped != answer:
        assert find_verdict(swapped) == {FIRST: SECOND, SECOND: FIRST}[verdict]


@given(text=st.text(), prefix=st.sampled_from(["", "Verdict: ", "{", '{"verdict":']))
def test_any_text_is_read(text: str, prefix: str) -> None:
    assert find_verdict(prefix + text) in {FIRST, SECOND, TIE, None}


@given(reasons=st.text(alphabet="abcdefg \n.", max_size=60), verdict=st.sampled_from([FIRST, SECOND, TIE]))
def test_the_line_that_is_asked_for_is_always_read(reasons: str, verdict: str) -> None:
    assert find_verdict(f"{reasons}\nVerdict: {verdict}") == verdict
