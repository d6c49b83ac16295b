"""Which metric leads, and what cannot be told from it."""

from dataclasses import replace

import numpy as np
import pytest

from relevance.analysis.agreement.planning import pairs_to_separate
from relevance.analysis.leaders import Wanting, find_leaders, find_scarce, find_wanting, rank_metrics
from relevance.analysis.metrics_and_people import analyze_agreement
from tests.analysis.rated import rated


def test_a_metric_that_is_always_right_leads_alone() -> None:
    preferences = rated(40, worse=10, best=40)
    leaders = find_leaders(analyze_agreement(preferences), preferences)
    assert leaders is not None
    assert (leaders.best.metric, leaders.rivals, leaders.plan, leaders.pairs) == ("best", (), None, 0)


def test_a_near_metric_is_a_rival_and_the_plan_is_of_what_was_observed() -> None:
    preferences = rated(40, near=28, best=30, far=5)
    agreement = analyze_agreement(preferences)
    leaders = find_leaders(agreement, preferences)
    assert leaders is not None
    assert [row.metric for row in rank_metrics(agreement)] == ["best", "near", "far"]
    assert [rival.row.metric for rival in leaders.rivals] == ["near"]
    (compared,) = (
        comparison for comparison in agreement.comparisons if {comparison.first, comparison.second} == {"best", "near"}
    )
    assert leaders.rivals[0].p == compared.p_holm
    # 30 and 28 of 40, both right in 28: phi of the two indicators
    phi = float(np.corrcoef([1] * 30 + [0] * 10, [1] * 28 + [0] * 12)[0, 1])
    assert leaders.plan == pairs_to_separate(0.75, 0.7, phi=phi)
    assert leaders.pairs == 40


def test_the_plan_is_in_pairs_where_several_people_judge_each() -> None:
    once = rated(40, near=28, best=30)
    thrice = replace(once, pair=np.repeat(once.pair, 3), choices=np.repeat(once.choices, 3))
    thrice = replace(thrice, annotators=np.array(["x", "y", "z"] * 40, dtype=object))
    thrice = replace(thrice, left=np.repeat(once.left, 3), took=np.repeat(once.took, 3))
    by_pair, by_judgment = (find_leaders(analyze_agreement(item), item) for item in (once, thrice))
    assert by_pair is not None
    assert by_judgment is not None
    assert by_judgment.best.evaluation.agreement.pairs == 120
    assert (by_judgment.plan, by_judgment.pairs) == (by_pair.plan, 40)


def test_two_that_agree_alike_have_no_plan() -> None:
    preferences = rated(20, one=15, other=15)
    leaders = find_leaders(analyze_agreement(preferences), preferences)
    assert leaders is not None
    assert ([rival.row.metric for rival in leaders.rivals], leaders.plan) == (["other"], None)


@pytest.mark.parametrize(
    ("documents", "pairs", "missing"),
    [
        (1, 1, (19, 5)),
        (5, 4, (0, 1)),
        (6, 3, (2, 0)),
        (19, 1, (1, 0)),
        (20, 1, None),
        (6, 4, None),
    ],
)
def test_nobody_leads_on_too_few_judgments_or_documents(
    documents: int, pairs: int, missing: tuple[int, int] | None
) -> None:
    preferences = rated(documents, worse=documents // 2, best=documents)
    numbers = np.tile(preferences.pair, pairs)
    repeated = replace(
        preferences, pair=numbers, choices=np.ones(len(numbers)), annotators=np.full(len(numbers), None, dtype=object)
    )
    repeated = replace(repeated, left=np.full(len(numbers), np.nan), took=np.full(len(numbers), np.nan))
    agreement = analyze_agreement(repeated)
    wanting = find_wanting(agreement)
    assert (find_leaders(agreement, repeated) is None) == (wanting is not None)
    assert (None if wanting is None else wanting.missing) == missing
    assert wanting is None or wanting == Wanting(documents * pairs, documents)
    assert find_scarce(agreement) == {}  # where none has enough, all are shown


@pytest.mark.parametrize("values", [0, 1, 19])
def test_a_metric_with_hardly_a_value_is_no_rival(values: int) -> None:
    preferences = rated(120, near=88, best=90, apes=120)
    preferences.scores["apes"][values:] = np.nan
    agreement = analyze_agreement(preferences)
    assert list(find_scarce(agreement)) == ["apes"]
    assert [row.metric for row in rank_metrics(agreement)] == ["best", "near"]
    leaders = find_leaders(agreement, preferences)
    assert leaders is not None
    assert (leaders.best.metric, [rival.row.metric for rival in leaders.rivals]) == ("best", ["near"])


def test_a_metric_with_few_documents_is_scarce_whatever_the_number_of_its_pairs() -> None:
    few = rated(25, one=20, other=20)
    few.documents[:20] = "d000"
    few.scores["one"][20:] = np.nan
    analysis = analyze_agreement(few)
    assert [
        (row.metric, row.evaluation.agreement.pairs, row.evaluation.documents) for row in find_scarce(analysis).values()
    ] == [("one", 20, 1)]
    assert [row.evaluation.is_enough for row in analysis.rows] == [False, True]


@pytest.mark.parametrize("documents", [0, 3])
def test_nobody_leads_where_no_metric_has_an_agreement(documents: int) -> None:
    preferences = rated(documents) if documents else rated(0, one=0)
    assert find_leaders(analyze_agreement(preferences), preferences) is None
