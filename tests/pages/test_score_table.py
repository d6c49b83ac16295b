"""Tables of scores: who is preferred, what is missing and why; texts and names are never markup."""

import re

import pytest

from relevance.data.ties import TIE
from relevance.metrics.explained import CannotExplain, Explained
from relevance.pages.components.playground.score_table import (
    Change,
    MetricScores,
    ShownScore,
    best_letters,
    changes_html,
    describe_preference,
    scores_html,
    worths_html,
)
from relevance.pages.components.playground.what_if import Worth

HOSTILE = '<img src=x onerror="alert(1)">'


def score(value: float | None, missing: str | None = None, truncated: bool = False) -> Explained:
    return Explained(value, missing, truncated, None)


def cells(html: str, attribute: str) -> dict[str, str]:
    parts = re.findall(rf'<td {attribute}="([^"]*)"[^>]*>(.*?)</td>', html)
    return {name: re.sub(r"<[^>]*>", "", text).strip() for name, text in parts}


@pytest.mark.parametrize(
    ("result", "letters", "message"),
    [
        ({"A": score(0.5), "B": score(0.25)}, "A", "A"),
        ({"A": score(0.5), "B": score(0.5 + TIE / 2), "C": score(0.1)}, "AB", "tie of A, B"),
        ({"A": score(0.0), "B": score(None, "why")}, "", "–"),
        ({"A": score(0.0), "B": CannotExplain("gone")}, "", "–"),
        ({"A": score(0.0), "B": None}, None, "…"),
        ({"A": score(0.0), "B": score(None, "why"), "C": score(1.0)}, "C", "C"),
    ],
)
def test_who_is_preferred(result: dict[str, ShownScore], letters: str | None, message: str) -> None:
    assert best_letters(result) == letters
    assert describe_preference(best_letters(result)) == message


def test_a_missing_score_is_never_a_number() -> None:
    rows = [
        MetricScores("rouge1", "rouge1|x", {"A": score(0.0), "B": score(0.25, truncated=True)}),
        MetricScores(
            "apes", "apes|y", {"A": score(None, f"no entity {HOSTILE}"), "B": score(None, f"no entity {HOSTILE}")}
        ),
        MetricScores("bertscore", "bertscore|z", {"A": CannotExplain("no model"), "B": None}),
        MetricScores("length", "length|w", {"A": score(12.0), "B": score(12.0)}),
    ]
    html = scores_html(rows, {"A": "A", "B": f"B: {HOSTILE}"})
    assert cells(html, "data-score") == {
        "rouge1-A": "0.000",
        "rouge1-B": "★ preferred: 0.250 truncated",
        "apes-A": "missing",
        "apes-B": "missing",
        "bertscore-A": "missing",
        "bertscore-B": "computing…",
        "length-A": "12",
        "length-B": "12",
    }
    assert "APES, A, B: missing, no entity &lt;img" in html
    assert "BERTScore, A: missing, no model" in html
    assert "tie of A, B" in html
    assert "<img" not in html
    for row in rows:
        assert f"<code>{row.signature}</code>" in html


def test_what_has_changed_since_typing_began_stands_beside_the_score() -> None:
    rows = [
        MetricScores("rouge_k", "rouge_k|x", {"A": score(2 / 3), "B": score(0.5)}, {"A": 1 / 3, "B": 0.5}),
        MetricScores("length", "length|w", {"A": score(12.0), "B": score(9.0)}, {"A": 10.0}),
        MetricScores("rouge1", "rouge1|x", {"A": score(0.25), "B": score(0.12345)}, {"A": 0.5}),
    ]
    assert cells(scores_html(rows, {"A": "A", "B": "B"}), "data-score") == {
        "rouge_k-A": "★ preferred: 0.667 (+.333)",
        "rouge_k-B": "0.500",
        "length-A": "★ preferred: 12 (+2)",
        "length-B": "9",
        "rouge1-A": "★ preferred: 0.250 (-.250)",
        "rouge1-B": "0.123",
    }


def test_scores_that_are_no_tie_are_told_apart() -> None:
    rows = [MetricScores("rouge1", "rouge1|x", {"A": score(0.87184), "B": score(0.87181)})]
    shown = cells(scores_html(rows, {"A": "A", "B": "B"}), "data-score")
    assert shown == {"rouge1-A": "★ preferred: 0.87184", "rouge1-B": "0.87181"}


def test_changes_have_a_sign() -> None:
    html = changes_html(
        [
            Change("rouge1", score(0.5), score(0.75)),
            Change("rouge2", score(0.5), score(0.25)),
            Change("length", score(12.0), score(11.0)),
            Change("rougeL", score(0.5), score(0.5)),
            Change("rouge_k", score(0.5), score(None, "no keywords")),
            Change("apes", score(0.5), None),
        ]
    )
    result = cells(html, "data-what-if")
    differences = {name.split("-")[0]: text for name, text in result.items() if name.endswith("-difference")}
    assert differences == {
        "rouge1": "+.250",
        "rouge2": "-.250",
        "length": "-1",
        "rougeL": "0",
        "rouge_k": "–",
        "apes": "–",
    }
    assert (result["rouge_k-after"], result["apes-after"]) == ("missing", "computing…")
    assert "ROUGE-K: missing, no keywords" in html
    assert 'data-what-if="rouge1-difference" class="up"' in html
    assert 'data-what-if="rouge2-difference" class="down"' in html


def test_words_that_cost_most_come_first() -> None:
    words = [Worth("b", (0, 1), 0.5, 0.0), Worth(HOSTILE, (2, 9), 0.25, 0.25), Worth("d", (9, 10), None, None)]
    html = worths_html("rouge1", 0.5, words)
    assert html.index("&lt;img") < html.index('scope="row">b<')
    assert "falls by 0.250 to 0.250" in html
    assert "without it there is no score" in html
    assert "<img" not in html
