"""The finding in sentences, counted by hand."""

import pytest

from relevance.analysis.agreement.counts import Agreement
from relevance.analysis.leaders import Wanting, find_leaders
from relevance.analysis.metrics_and_people import analyze_agreement
from relevance.reports.findings import (
    MOST_PAIRS,
    two_digits,
    write_details,
    write_headline,
    write_plan,
    write_share,
    write_wanting,
)
from tests.analysis.rated import rated


def test_the_headline_counts_and_compares_and_the_details_give_interval_and_plan() -> None:
    preferences = rated(40, near=28, best=30, far=5)
    leaders = find_leaders(analyze_agreement(preferences), preferences)
    assert leaders is not None
    assert leaders.plan is not None
    assert leaders.plan.pairs is not None
    # near: 2 documents on which only one of them is right, McNemar's exact p is .5; far: 25 and none
    assert write_headline(leaders, "annotators", "within-document pair") == (
        "best agrees most often with annotators: on 30 of 40 pairs (75 %). near is not significantly worse; the other "
        "metric is (Holm, alpha = .05)."
    )
    details = write_details(leaders, "within-document pair")
    ends = leaders.best.evaluation.intervals.half
    assert details.startswith(f"The 95 % interval of best is {100 * ends.low:.0f} to {100 * ends.high:.0f} %; chance")
    assert details.endswith(
        f"Telling best and near apart would take about {two_digits(leaders.plan.pairs - 40):,} more pairs, if the "
        "difference between them stays as it is."
    )


@pytest.mark.parametrize(
    ("right", "message"),
    [
        ({"best": 40, "worse": 10}, "The other metric is significantly worse (Holm, alpha = .05)."),
        ({"best": 40, "worse": 10, "bad": 9}, "All other metrics are significantly worse (Holm, alpha = .05)."),
        ({"best": 30, "near": 28}, "near is not significantly worse (Holm, alpha = .05)."),
        ({"best": 30, "near": 28, "by": 27}, "No other metric is significantly worse (Holm, alpha = .05)."),
        (
            {"best": 30, "a": 29, "b": 28, "c": 27, "bad": 1, "worse": 0},
            "a, b and c are not significantly worse; the other 2 metrics are (Holm, alpha = .05).",
        ),
        (
            {"best": 30, "a": 29, "b": 28, "c": 27, "d": 27, "bad": 1},
            "4 other metrics are not significantly worse; the other metric is (Holm, alpha = .05).",
        ),
        ({"best": 40}, "No other metric has enough scores to be compared with it."),
    ],
)
def test_what_is_said_of_the_other_metrics(right: dict[str, int], message: str) -> None:
    preferences = rated(40, **right)
    leaders = find_leaders(analyze_agreement(preferences), preferences)
    assert leaders is not None
    assert write_headline(leaders, "annotators", "judgment").partition(" %). ")[2] == message


def test_two_that_are_right_as_often_are_both_named() -> None:
    preferences = rated(40, one=30, other=30)
    leaders = find_leaders(analyze_agreement(preferences), preferences)
    assert leaders is not None
    assert write_headline(leaders, "annotators", "judgment") == (
        "one and other agree most often with annotators: on 30 of 40 judgments (75 %)."
    )


def test_ties_count_half_and_that_is_said() -> None:
    def share(concordant: int, tied: int) -> str:
        return write_share(Agreement(49, 0, concordant, 49 - concordant - tied, tied, 0), "judgment")

    assert share(38, 0) == "38 of 49 judgments (78 %)"
    assert share(38, 1) == "38 of 49 judgments (79 %, counting its tie half)"  # 38.5 of 49
    assert share(38, 2) == "38 of 49 judgments (80 %, counting its 2 ties half)"


def test_the_best_is_no_winner_where_its_interval_reaches_chance() -> None:
    preferences = rated(40, near=21, best=22)
    leaders = find_leaders(analyze_agreement(preferences), preferences)
    assert leaders is not None
    assert write_headline(leaders, "annotators", "judgment") == (
        "best agrees most often with annotators: on 22 of 40 judgments (55 %). That is not significantly more often "
        "than chance."
    )
    assert "more pairs" not in write_details(leaders, "judgment")


def test_what_is_missing_is_counted() -> None:
    assert write_wanting(Wanting(1, 1), "judgment") == (
        "So far 1 judgment of 1 document can be counted: people prefer one of the two summaries, and a metric scores "
        "both. Naming a best metric takes at least 20 judgments of 6 documents. Still missing: 19 more judgments and 5 "
        "more documents."
    )
    assert write_wanting(Wanting(19, 7), "within-document pair").endswith("Still missing: 1 more pair.")
    assert write_wanting(Wanting(30, 5), "judgment").endswith("Still missing: 1 more document.")


def test_a_plan_is_said_to_two_digits() -> None:
    assert [two_digits(n) for n in (7, 45, 144, 16_382)] == [7, 45, 140, 16_000]


def test_a_plan_that_nobody_could_follow_is_none() -> None:
    assert write_plan(MOST_PAIRS, "a", "b").startswith("Telling a and b apart would take about 100,000 more pairs")
    assert write_plan(MOST_PAIRS + 1, "a", "b").startswith("Telling a and b apart would take more than 100,000 more")
