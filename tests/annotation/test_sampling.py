"""Which pairs are drawn, and on which side each is shown."""

import random
from collections import Counter
from itertools import combinations
from statistics import mean, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relevance.annotation.sampling import (
    SAMPLING_RULES,
    PairCandidate,
    PairSample,
    SampledPair,
    allow_pairs,
    conflicting,
    draw_checks,
    first_is_left,
    sample_pairs,
)


def documents(scores: dict[int, dict[str, float | None]]) -> list[tuple[int, list[PairCandidate]]]:
    """Document number -> system -> score; a summary's id is 100 * document + its place."""
    return [
        (
            number,
            [PairCandidate(100 * number + i, s, f"{s} {number}", (v,)) for i, (s, v) in enumerate(systems.items())],
        )
        for number, systems in scores.items()
    ]


def many(count: int, systems: str = "abc") -> list[tuple[int, list[PairCandidate]]]:
    return documents({number: dict.fromkeys(systems, 0.1) for number in range(count)})


def sample(
    of: list[tuple[int, list[PairCandidate]]],
    rule: str = "all",
    count: int | None = None,
    per_document: int | None = None,
    seed: int = 0,
    random_share: float = 0.25,
) -> PairSample:
    return sample_pairs(of, rule=rule, count=count, per_document=per_document, seed=seed, random_share=random_share)


@pytest.mark.parametrize("rule", SAMPLING_RULES)
def test_an_empty_summary_stands_in_no_pair(rule: str) -> None:
    silent = [
        PairCandidate(1, "a", "one", (0.1, 0.9)),
        PairCandidate(2, "b", "two", (0.9, 0.1)),
        PairCandidate(3, "c", " \n", ()),
    ]
    result = sample([(number, [c._replace(id=10 * number + c.id) for c in silent]) for number in range(2)], rule)
    assert {(pair.first_id % 10, pair.second_id % 10) for pair in result.pairs} == {(1, 2)}
    assert (result.eligible, result.identical, result.unscored) == (2, 0, 0)


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
    assert set(SAMPLING_RULES) == {"all", "random", "rouge_k_differs", "conflicts"}


@pytest.mark.parametrize("rule", SAMPLING_RULES)
def test_identical_texts_are_left_out_and_counted(rule: str) -> None:
    of = [
        (
            1,
            [
                PairCandidate(i, s, t, (v,))
                for i, s, t, v in ((1, "a", "same", 0.1), (2, "b", "same", 0.9), (3, "c", "x", 0.2))
            ],
        )
    ]
    drawn = sample(of, rule)
    # a and b are the same; b against c asks what a against c asks
    assert (drawn.identical, drawn.eligible) == (2, 1)
    assert [(pair.first_id, pair.second_id) for pair in drawn.pairs] == [(1, 3)]


def test_white_space_alone_makes_no_difference_case_does() -> None:
    of = [(1, [PairCandidate(1, "a", "x y"), PairCandidate(2, "b", "x\n y "), PairCandidate(3, "c", "X y")])]
    drawn = sample(of)
    assert (drawn.identical, drawn.eligible) == (2, 1)


def test_first_is_the_system_that_sorts_first_whatever_order_came_in() -> None:
    of = [(1, [PairCandidate(1, "z", "1"), PairCandidate(2, "B", "2"), PairCandidate(3, "a", "3")])]
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


@pytest.mark.parametrize("wrong", [{"count": 0}, {"count": -1}, {"per_document": 0}, {"rule": "best"}, {"rule": ""}])
def test_refused_settings(wrong: dict[str, object]) -> None:
    with pytest.raises(
        ValueError, match=r"at least 1|unknown rule '.*'; known are random, all, rouge_k_differs, conflicts"
    ):
        sample(many(2), **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("of", [[], [(1, [])], many(3, "a")])
def test_nothing_to_pair_gives_nothing(of: list[tuple[int, list[PairCandidate]]]) -> None:
    assert sample(of) == PairSample((), 0, 0, 0)
    assert sample(of, "conflicts", count=5) == PairSample((), 0, 0, 0, conflicts=0)


def test_a_seed_reproduces_the_draw_and_another_does_not() -> None:
    first = sample(many(40), count=20, seed=3)
    assert first == sample(many(40), count=20, seed=3)
    assert first.pairs != sample(many(40), count=20, seed=4).pairs


@pytest.mark.simulation
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


# --- conflicts of metrics ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((0.5, 0.1), (0.4, 0.2), True),
        ((0.5, 0.2), (0.4, 0.1), False),
        ((0.5, 0.2), (0.4, 0.2), False),  # a tie has no say
        ((0.5, 0.2), (0.4, 0.2 + 1e-10), False),
        ((0.5, 0.2), (0.4, 0.2 + 2e-9), True),
        ((0.5, None), (0.4, 0.9), False),  # nor has a missing score
        ((0.5, None, 0.1), (0.4, 0.9, 0.2), True),
        ((None, None), (None, None), False),
        ((), (), False),
    ],
)
def test_a_conflict(first: tuple[float | None, ...], second: tuple[float | None, ...], expected: bool) -> None:
    left, right = PairCandidate(1, "a", "x", first), PairCandidate(2, "b", "y", second)
    assert conflicting(left, right) is conflicting(right, left) is expected


def population(seed: int, documents: int = 60) -> list[tuple[int, list[PairCandidate]]]:
    """Documents of 2 to 7 summaries, scored by three metrics that agree where summaries are far apart in quality."""
    generator = random.Random(seed)
    made = []
    for number in range(documents):
        candidates = []
        for place in range(generator.randint(2, 7)):
            quality = generator.random()
            scores = tuple(quality + generator.gauss(0, noise) for noise in (0.05, 0.2, 0.3))
            candidates.append(PairCandidate(100 * number + place, f"s{place}", f"{number} {place}", scores))
        made.append((number, candidates))
    return made


def scores_of(of: list[tuple[int, list[PairCandidate]]]) -> dict[int, tuple[float | None, ...]]:
    return {candidate.id: candidate.scores for _, candidates in of for candidate in candidates}


def is_conflict(of: list[tuple[int, list[PairCandidate]]], pair: SampledPair) -> bool:
    by_id = {candidate.id: candidate for _, candidates in of for candidate in candidates}
    return conflicting(by_id[pair.first_id], by_id[pair.second_id])


POPULATION = population(1)
EVERY = sample(POPULATION, "conflicts").pairs
IN_CONFLICT = {pair[:3] for pair in EVERY if is_conflict(POPULATION, pair)}


def test_all_pairs_are_taken_without_limits() -> None:
    drawn = sample(POPULATION, "conflicts")
    assert {pair.inclusion for pair in drawn.pairs} == {1.0}
    assert drawn.eligible == len(drawn.pairs) == len(sample(POPULATION).pairs)
    assert drawn.conflicts == len(IN_CONFLICT)
    assert 0.2 < len(IN_CONFLICT) / drawn.eligible < 0.8  # the population has enough of both


@pytest.mark.parametrize(
    ("count", "share", "conflicts", "others"),
    [
        (100, 0.25, 75, 25),
        (100, 0.5, 50, 50),
        (10, 0.01, 9, 1),  # at least one of the others
        (10, 0.99, 1, 9),  # and one conflict
        (2, 0.25, 1, 1),
        (2, 0.9, 1, 1),
        (len(EVERY) - 1, 0.01, len(IN_CONFLICT), len(EVERY) - len(IN_CONFLICT) - 1),  # others fill up
        (len(EVERY) - 1, 0.99, len(IN_CONFLICT) - 1, len(EVERY) - len(IN_CONFLICT)),  # conflicts fill up
        (10_000, 0.25, len(IN_CONFLICT), len(EVERY) - len(IN_CONFLICT)),
    ],
)
def test_shares_of_the_strata(count: int, share: float, conflicts: int, others: int) -> None:
    pairs = sample(POPULATION, "conflicts", count=count, random_share=share).pairs
    assert len(set(pairs)) == len(pairs)
    assert sum(pair[:3] in IN_CONFLICT for pair in pairs) == conflicts
    assert sum(pair[:3] not in IN_CONFLICT for pair in pairs) == others


@pytest.mark.parametrize("share", [0, 1, -0.5, 1.5, float("nan")])
def test_a_share_that_leaves_pairs_without_a_chance_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="above 0 and below 1"):
        sample(POPULATION, "conflicts", random_share=share)
    assert len(sample(POPULATION, "random", count=3, random_share=share).pairs) == 3  # where it says nothing


def test_one_pair_is_not_enough_for_two_strata() -> None:
    with pytest.raises(ValueError, match="must be at least 2"):
        sample(POPULATION, "conflicts", count=1)
    assert [pair.inclusion for pair in sample(many(4), "conflicts", count=1).pairs] == [1 / 12]  # all are ties


def test_of_each_document_so_many_of_either_stratum() -> None:
    pairs = sample(POPULATION, "conflicts", per_document=2).pairs
    taken = Counter((pair.document_id, pair[:3] in IN_CONFLICT) for pair in pairs)
    there = Counter((pair.document_id, pair[:3] in IN_CONFLICT) for pair in EVERY)
    assert taken == {stratum: min(2, number) for stratum, number in there.items()}
    assert {pair.inclusion for pair in pairs} == {min(1, 2 / number) for number in there.values()}


@settings(max_examples=60)
@given(
    st.integers(0, 10_000),
    st.integers(2, 120),
    st.none() | st.integers(1, 4),
    st.floats(0.01, 0.99),
)
def test_inclusion_probabilities_sum_to_the_sample_of_each_stratum(
    seed: int, count: int, per_document: int | None, share: float
) -> None:
    # Each kept pair of a stratum stands for the m / k of its document: the probabilities of all pairs there are,
    # summed, must give the number drawn. Of a document all pairs have the same, so that one drawn tells them all.
    of = population(seed, 12)
    everything = sample(of, "conflicts").pairs
    drawn = sample(of, "conflicts", count, per_document, seed, share).pairs
    for stratum in (True, False):
        there = Counter(pair.document_id for pair in everything if is_conflict(of, pair) is stratum)
        kept = {document: min(number, per_document or number) for document, number in there.items()}
        mine = [pair for pair in drawn if is_conflict(of, pair) is stratum]
        assert bool(mine) is bool(there)
        rate = len(mine) / (sum(kept.values()) or 1)
        inclusion = {document: kept[document] / there[document] * rate for document in there}
        assert [pair.inclusion for pair in mine] == pytest.approx([inclusion[pair.document_id] for pair in mine])
        assert sum(inclusion[d] * number for d, number in there.items()) == pytest.approx(len(mine))


@pytest.mark.simulation
@pytest.mark.parametrize("per_document", [None, 2])
def test_pairs_are_drawn_as_often_as_their_probabilities_say(per_document: int | None) -> None:
    of = population(3, 12)
    draws, times, inclusion = 2000, Counter[object](), {}
    for seed in range(draws):
        for pair in sample(of, "conflicts", 20, per_document, seed).pairs:
            times[pair[:3]] += 1
            assert inclusion.setdefault(pair[:3], pair.inclusion) == pair.inclusion  # the same in every draw
    assert set(inclusion) == {pair[:3] for pair in sample(of, "conflicts").pairs}
    for pair, probability in inclusion.items():
        assert probability is not None
        error = (probability * (1 - probability) / draws) ** 0.5
        assert abs(times[pair] / draws - probability) <= 4.5 * error, (pair, probability)
    assert sum(filter(None, inclusion.values())) == pytest.approx(20)


@pytest.mark.simulation
@pytest.mark.parametrize("per_document", [None, 2])
def test_weighted_agreement_is_that_of_all_pairs(per_document: int | None) -> None:
    # The third metric is the noisiest: it errs mostly in conflicts, so that a sample full of them makes it look bad.
    scores, generator = scores_of(POPULATION), random.Random(5)
    right: dict[object, bool] = {}
    for pair in sorted(EVERY):
        difference = [
            first - second for first, second in zip(scores[pair.first_id], scores[pair.second_id], strict=True)
        ]  # type: ignore[operator]
        prefers_first = difference[0] + generator.gauss(0, 0.05) > 0  # people follow the first metric, more or less
        right[pair[:3]] = prefers_first == (difference[2] > 0)
    truth = sum(right.values()) / len(right)
    weighted, unweighted = [], []
    for seed in range(400):
        pairs = sample(POPULATION, "conflicts", 80, per_document, seed).pairs
        weights = [1 / pair.inclusion for pair in pairs if pair.inclusion]
        correct = [right[pair[:3]] for pair in pairs]
        weighted.append(sum(w * c for w, c in zip(weights, correct, strict=True)) / sum(weights))
        unweighted.append(sum(correct) / len(correct))
    bias = mean(weighted) - truth
    assert abs(bias) < 4 * stdev(weighted) / len(weighted) ** 0.5
    assert abs(bias) < 0.01
    assert mean(unweighted) < truth - 0.05


# --- attention checks ----------------------------------------------------------------------------------------


def test_a_check_shows_a_summary_of_another_document() -> None:
    of = many(20)
    owners = {candidate.id: (number, candidate.system) for number, candidates in of for candidate in candidates}
    checks = draw_checks(of, count=50, seed=3)
    assert len({(check.first_id, check.second_id) for check in checks}) == 50
    for check in checks:
        assert check.expected_id == check.first_id
        assert owners[check.first_id][0] == check.document_id != owners[check.second_id][0]
        assert owners[check.first_id][1] == owners[check.second_id][1]  # the same system writes much alike
    assert max(Counter(check.document_id for check in checks).values()) == 3  # documents take turns
    assert checks == draw_checks(of, count=50, seed=3) != draw_checks(of, count=50, seed=4)


def test_another_system_where_the_same_has_no_other_document() -> None:
    of = [(1, [PairCandidate(1, "a", "x")]), (2, [PairCandidate(2, "b", "y")])]
    checks = draw_checks(of, count=2, seed=0)
    assert {check[:3] for check in checks} == {(1, 1, 2), (2, 2, 1)}


def test_a_check_needs_texts_that_differ() -> None:
    # The other document repeats one text but for white space; blank ones cannot be told from nothing.
    of = [
        (1, [PairCandidate(1, "a", "x y"), PairCandidate(2, "b", "z")]),
        (2, [PairCandidate(3, "a", "x  y"), PairCandidate(4, "b", "w"), PairCandidate(5, "c", " ")]),
    ]
    # Of the first document both against w, of the second both against z: never against what both have.
    assert {check[:3] for check in draw_checks(of, count=4, seed=0)} == {(1, 1, 4), (1, 2, 4), (2, 3, 2), (2, 4, 2)}
    with pytest.raises(ValueError, match="give 4 different"):
        draw_checks(of, count=5, seed=0)


@pytest.mark.parametrize(
    ("of", "message"),
    [
        ([], "two documents are needed"),
        (many(1), "two documents are needed"),
        ([*many(1), (7, []), (8, [PairCandidate(1, "a", " ")])], "two documents are needed"),
        ([(n, [PairCandidate(n, "a", "same")]) for n in (1, 2)], "give 0 different attention checks"),
        (many(2, "a"), "give 2 different attention checks"),
    ],
)
def test_checks_that_cannot_be(of: list[tuple[int, list[PairCandidate]]], message: str) -> None:
    assert draw_checks(of, count=0, seed=0) == []
    with pytest.raises(ValueError, match=message):
        draw_checks(of, count=3, seed=0)


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


@settings(max_examples=300)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", " a", "c d", "c  d", "", "e"]),
            st.tuples(*[st.sampled_from([None, 0.0, 1e-12, 0.5, 1.0])] * 2),
        ),
        max_size=9,
    ),
    st.sampled_from(list(SAMPLING_RULES)),
)
def test_pairs_of_many_systems_are_those_of_few(written: list[tuple[str, tuple[float | None, ...]]], rule: str) -> None:
    """What is found as arrays is what is found pair by pair, in the same order."""
    scores = 1 if rule == "rouge_k_differs" else 2
    candidates = [
        PairCandidate(7 * place, f"s{place:02}", text, values[:scores]) for place, (text, values) in enumerate(written)
    ]
    result = []
    for many in (2, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("relevance.annotation.sampling.MANY", many)
            allowed = allow_pairs([(3, candidates)], rule)
            result.append((*[list(map(list, strata)) for strata in allowed[:2]], *allowed[2:]))
            sample = sample_pairs([(3, candidates), (4, candidates)], rule="random", count=3, per_document=2, seed=5)
            assert len({*sample.pairs}) == len(sample.pairs) == min(3, 2 * min(2, sample.eligible // 2))
    assert result[0] == result[1]


@pytest.mark.parametrize("rule", ["random", "conflicts"])
def test_every_pair_of_many_is_as_likely_as_said(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("relevance.annotation.sampling.MANY", 2)
    scores = [(0.0, 3.0), (1.0, 2.0), (2.0, 4.0), (3.0, 1.0)]
    candidates = [PairCandidate(place, f"s{place}", f"t{place}", both) for place, both in enumerate(scores)]
    times: Counter[tuple[int, int]] = Counter()
    text: dict[tuple[int, int], float | None] = {}
    for seed in range(3000):
        sample = sample_pairs([(1, candidates)], rule=rule, count=3, per_document=None, seed=seed)
        assert len({*sample.pairs}) == 3
        for pair in sample.pairs:
            times[pair.first_id, pair.second_id] += 1
            text[pair.first_id, pair.second_id] = pair.inclusion
    # a pair is drawn with the probability that is said, or 3 of 6 times: standard deviation at most .009
    assert {pair: round(count / 3000 - (text[pair] or 0.5), 1) for pair, count in times.items()} == dict.fromkeys(
        combinations(range(4), 2), 0
    )
