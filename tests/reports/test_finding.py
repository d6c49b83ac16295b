"""The finding in sentences, counted by hand."""

from relevance.analysis.leaders import Wanting, find_leaders
from relevance.analysis.metrics_and_people import analyze_agreement
from relevance.reports.finding import (
    MOST_PAIRS,
    two_digits,
    write_finding,
    write_headline,
    write_plan,
    write_wanting,
)
from tests.analysis.test_leaders import rated


def test_the_sentences() -> None:
    preferences = rated(40, near=28, best=30, far=5)
    found = find_leaders(analyze_agreement(preferences), preferences)
    assert found is not None
    assert found.plan is not None
    assert found.plan.pairs is not None
    words = write_finding(found, "annotators", "within-document pair")
    assert write_headline(found, "annotators") == "best agrees best with annotators, but not clearly"
    assert words.startswith("best agrees with annotators on 0.750 of 40 pairs (95 % interval ")
    # 2 documents on which only one of them is right: McNemar's exact p is .5, and Holm leaves the largest p as it is
    assert "It cannot be told from near (0.700, p = .500) at the level .05 after Holm's correction." in words
    assert f"About {two_digits(found.plan.pairs - 40):,} more pairs would tell best from near" in words
    alone = rated(40, worse=10, best=40)
    leader = find_leaders(analyze_agreement(alone), alone)
    assert leader is not None
    assert write_headline(leader, "annotators") == "best agrees best with annotators"
    said = write_finding(leader, "annotators", "judgment")
    assert said.startswith("best agrees with annotators on 1.000 of 40 judgments (95 % interval ")
    assert said.endswith("Every other metric agrees significantly less.")


def test_the_best_is_no_winner_where_its_interval_reaches_chance() -> None:
    preferences = rated(40, near=21, best=22)
    found = find_leaders(analyze_agreement(preferences), preferences)
    assert found is not None
    assert write_headline(found, "annotators") == (
        "best agrees best with annotators, but not significantly more often than chance"
    )
    words = write_finding(found, "annotators", "judgment")
    assert words.startswith("best has the highest agreement with annotators: 0.550 of 40 judgments (95 % interval ")
    assert words.endswith("; chance is 0.500). That is not significantly above chance.")


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
    assert write_plan(MOST_PAIRS, "a", "b").startswith("About 100,000 more pairs would tell a from b")
    assert write_plan(MOST_PAIRS + 1, "a", "b").startswith("More than 100,000 more pairs would tell a from b")
