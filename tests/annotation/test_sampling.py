"""Which pairs are drawn, and on which side each is shown."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.sampling import RULES, Candidate, Sample, first_is_left, sample_pairs


def documents(scores: dict[int, dict[str, float | None]]) -> list[tuple[int, list[Candidate]]]:
    """Document number -> system -> score; a summary's id is 100 * document + its place."""
    return [
        (number, [Candidate(100 * number + i, s, f"{s} {number}", v) for i, (s, v) in enumerate(systems.items())])
        for number, systems in scores.items()
    ]


def many(count: int, systems: str = "abc") -> list[tuple[int, list[Candidate]]]:
    return documents({number: dict.fromkeys(systems, 0.1) for number in range(count)})


def sample(
    of: list[tuple[int, list[Candidate]]],
    rule: str = "all",
    count: int | None = None,
    per_document: int | None = None,
    seed: int = 0,
) -> Sample:
    return sample_pairs(of, rule=rule, count=count, per_document=per_document, seed=seed)


SCORES: dict[int, dict[str, float | None]] = {
    1: {"a": 0.5, "b": 0.5, "c": 0.25},  # a-c and b-c differ
    2: {"a": 0.5, "b": None, "c": 0.5},  # a-b and b-c lack a score, a-c is equal
    3: {"a": 0.1 + 0.2, "b": 0.3, "c": 0.3 + 2e-9},  # a-b differ by rounding only
    4: {"a": 0.1},  # no pair at all
}


@pytest.mark.parametrize(
    ("rule", "eligible", "unscored"),
    [
        ("all", 9, 0),  # 3 + 3 + 3 + 0
        ("random", 9, 0),
        ("rouge_k_differs", 4, 2),  # 2 of document 1, 0 of 2, 2 of 3
    ],
)
def test_a_rule_allows(rule: str, eligible: int, unscored: int) -> None:
    drawn = sample(documents(SCORES), rule)
    assert (drawn.eligible, drawn.unscored, drawn.identical, len(drawn.pairs)) == (eligible, unscored, 0, eligible)


def test_every_rule_is_explained_and_tested() -> None:
    assert set(RULES) == {"all", "random", "rouge_k_differs"}


@pytest.mark.parametrize("rule", RULES)
def test_identical_texts_are_left_out_and_counted(rule: str) -> None:
    of = [(1, [Candidate(1, "a", "same", 0.1), Candidate(2, "b", "same", 0.9), Candidate(3, "c", "else", 0.2)])]
    drawn = sample(of, rule)
    # a and b are the same; b against c asks what a against c asks
    assert (drawn.identical, drawn.eligible) == (2, 1)
    assert [(pair.first_id, pair.second_id) for pair in drawn.pairs] == [(1, 3)]


def test_white_space_alone_makes_no_difference_case_does() -> None:
    of = [(1, [Candidate(1, "a", "x y"), Candidate(2, "b", "x\n y "), Candidate(3, "c", "X y")])]
    drawn = sample(of)
    assert (drawn.identical, drawn.eligible) == (2, 1)


def test_first_is_the_system_that_sorts_first_whatever_order_came_in() -> None:
    of = [(1, [Candidate(1, "z", "1"), Candidate(2, "B", "2"), Candidate(3, "a", "3")])]
    assert {(p.first_id, p.second_id) for p in sample(of).pairs} == {(2, 3), (2, 1), (3, 1)}


@pytest.mark.parametrize(
    ("count", "per_document", "expected"),
    [
        (None, None, 30),  # 10 documents of 3 pairs
        (None, 1, 10),
        (None, 2, 20),
        (None, 99, 30),
        (4, None, 4),
        (25, 2, 20),
        (1, 1, 1),
    ],
)
def test_limits(count: int | None, per_document: int | None, expected: int) -> None:
    drawn = sample(many(10), count=count, per_document=per_document)
    assert (len(drawn.pairs), drawn.eligible) == (expected, 30)
    assert len(set(drawn.pairs)) == expected
    assert max(Counter(pair.document_id for pair in drawn.pairs).values()) <= (per_document or 3)


@pytest.mark.parametrize("count", [1, 9, 10, 11, 15, 20, 29])
def test_a_small_sample_spreads_over_documents(count: int) -> None:
    taken = Counter(pair.document_id for pair in sample(many(10), count=count).pairs)
    of_each = [taken[number] for number in range(10)]
    assert max(of_each) - min(of_each) <= 1


@pytest.mark.parametrize("settings", [{"count": 0}, {"count": -1}, {"per_document": 0}, {"rule": "best"}, {"rule": ""}])
def test_refused_settings(settings: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"at least 1|unknown rule '.*'; known are rouge_k_differs, random, all"):
        sample(many(2), **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("of", [[], [(1, [])], many(3, "a")])
def test_nothing_to_pair_gives_nothing(of: list[tuple[int, list[Candidate]]]) -> None:
    assert sample(of) == Sample((), 0, 0, 0)


def test_a_seed_reproduces_the_draw_and_another_does_not() -> None:
    first = sample(many(40), count=20, seed=3)
    assert first == sample(many(40), count=20, seed=3)
    assert first.pairs != sample(many(40), count=20, seed=4).pairs


def test_documents_and_pairs_are_drawn_uniformly() -> None:
    # 3,000 draws of 2 of 6 documents, one of 3 pairs each: a pair is drawn 3000 * 2 / 18 = 333 times, standard
    # deviation sqrt(3000 * 1/9 * 8/9) = 17; six of those are allowed. The same for which is asked first, 3000 / 18.
    drawn, first = Counter[object](), Counter[object]()
    for seed in range(3000):
        pairs = sample(many(6), rule="random", count=2, per_document=1, seed=seed).pairs
        drawn.update(pairs)
        first[pairs[0]] += 1
    assert len(drawn) == len(first) == 18
    assert all(abs(times - 333) < 104 for times in drawn.values())
    assert all(abs(times - 167) < 77 for times in first.values())


# --- sides ---------------------------------------------------------------------------------------------------


@given(st.integers(0, 2**31 - 1), st.integers(1, 2**31 - 1), st.integers(1, 60))
def test_sides_are_never_further_apart_than_one(seed: int, annotator_id: int, turns: int) -> None:
    balance = 0
    for turn in range(turns):
        balance += 1 if first_is_left(seed=seed, annotator_id=annotator_id, turn=turn) else -1
        assert abs(balance) <= 1


def test_sides_differ_between_annotators_seeds_and_turns() -> None:
    def sides(seed: int, annotator_id: int) -> tuple[bool, ...]:
        return tuple(first_is_left(seed=seed, annotator_id=annotator_id, turn=turn) for turn in range(40))

    assert sides(1, 1) == sides(1, 1)
    assert len({sides(seed, annotator_id) for seed in range(10) for annotator_id in range(10)}) == 100
    # Of 200 annotators about half start with the first summary on the left: 100, standard deviation 7.
    assert 58 < sum(sides(1, annotator_id)[0] for annotator_id in range(200)) < 142
    # Neither always the same side nor always in turn.
    assert len({sides(1, annotator_id)[turn : turn + 2] for annotator_id in range(20) for turn in range(39)}) == 4
