"""Systems ranked from choices: golden values, choix on the same data, and what is undefined."""

import math
from collections.abc import Callable
from typing import Any

import choix
import numpy as np
import pytest

from relevance.analysis.arrays import Draws
from relevance.analysis.people.ranking import Ranking, bradley_terry

pytestmark = pytest.mark.filterwarnings("error")

Columns = tuple[list[str], list[str], list[float], list[str]]


def won(*games: str) -> Columns:
    """Judgments "ab" (a over b) or "a=b" (a tie), each of a document of its own."""
    return (
        [game[0] for game in games],
        [game[-1] for game in games],
        [0.0 if "=" in game else 1.0 for game in games],
        [f"d{number}" for number in range(len(games))],
    )


def study(seed: int, size: int = 150, systems: str = "abcd", documents: int = 12, ties: float = 0.2) -> Columns:
    """Random judgments, the systems weaker by half a logit each."""
    random = np.random.default_rng(seed)
    columns: Columns = ([], [], [], [])
    for _ in range(size):
        first, second = random.choice(len(systems), 2, replace=False)
        chance = 1 / (1 + math.exp(0.5 * (first - second)))
        columns[0].append(systems[first])
        columns[1].append(systems[second])
        columns[2].append(0 if random.random() < ties else 1 if random.random() < chance else -1)
        columns[3].append(f"d{random.integers(documents)}")
    return columns


def games(columns: Columns, systems: str) -> list[tuple[int, int]]:
    """Winner and loser of each judgment twice over, so that a tie is one game won by either."""
    result = []
    for left, right, choice, _ in zip(*columns, strict=True):
        first, second = systems.index(left), systems.index(right)
        result.append((first, second) if choice >= 0 else (second, first))
        result.append((first, second) if choice > 0 else (second, first))
    return result


def strengths(ranking: Ranking) -> dict[str, float | None]:
    return {row.system: row.strength for row in ranking.rows}


# --- strengths --------------------------------------------------------------------------------------------


def test_the_golden_value() -> None:
    # a beats b twice, b beats c, c beats a: x = strength a - c = c - b by symmetry, and at the maximum a's wins are
    # its expected wins: 2 = 2 s(2x) + s(x), s(x) = 1/(1 + e^-x) -> x = .4196
    result = bradley_terry(*won("ab", "ab", "bc", "ca"), penalty=1e-6, draws=Draws(resamples=10))
    assert [(row.system, row.strength) for row in result.rows] == [
        ("a", pytest.approx(0.4196, abs=1e-4)),
        ("c", pytest.approx(0, abs=1e-6)),
        ("b", pytest.approx(-0.4196, abs=1e-4)),
    ]
    assert [row[4:] for row in result.rows] == [(2, 3, 2 / 3, 1), (1, 2, 1 / 2, 2), (1, 3, 1 / 3, 3)]
    assert (result.n, result.documents, result.reason, result.note) == (4, 4, None, None)


def test_equals_choix_on_the_golden_data() -> None:
    data = [(0, 1), (0, 1), (1, 2), (2, 0)]
    result = strengths(bradley_terry(*won("ab", "ab", "bc", "ca"), penalty=1e-6, draws=Draws(resamples=10)))
    expected = choix.ilsr_pairwise(3, data, alpha=0)
    assert [result[system] for system in "abc"] == pytest.approx(expected - expected.mean(), abs=1e-5)


@pytest.mark.parametrize("penalty", [1e-6, 0.01, 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_equals_choix_with_ties_and_a_penalty(seed: int, penalty: float) -> None:
    columns = study(seed)
    result = strengths(bradley_terry(*columns, penalty=penalty, draws=Draws(resamples=10)))
    # choix penalises by alpha * sum(strength^2), here beside games counted twice: alpha is 2 * penalty/2
    expected = choix.opt_pairwise(4, games(columns, "abcd"), alpha=penalty, tol=1e-10)
    assert [result[system] for system in "abcd"] == pytest.approx(expected, abs=1e-5)
    assert sum(filter(None, result.values())) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("penalty", [1e-6, 1e-4, 0.01])
@pytest.mark.parametrize(
    "played", [("ab",) * 3000, ("ab",) * 999 + ("bc", "cd", "de", "ea"), ("ab", "bc", "cd", "d=e")]
)
def test_lopsided_data_converge(played: tuple[str, ...], penalty: float) -> None:
    columns = won(*played)
    result = strengths(bradley_terry(*columns, penalty=penalty, draws=Draws(resamples=20)))
    # at the maximum, wins less expected wins are the penalty's pull on each system
    for system, strength in result.items():
        assert strength is not None
        excess = 0.0
        for first, second, choice, _ in zip(*columns, strict=True):
            if system in {first, second}:
                against = result[second if system == first else first]
                assert against is not None
                excess += (1 + choice * (1 if system == first else -1)) / 2 - 1 / (1 + math.exp(against - strength))
        assert excess == pytest.approx(penalty * strength, abs=1e-6)


def test_equal_strengths_share_a_rank() -> None:
    result = bradley_terry(*won("ba", "ab", "bc", "ac", "ad", "bd", "c=d", "de"), draws=Draws(resamples=10))
    assert [(row.system, row.rank) for row in result.rows] == [("a", 1), ("b", 1), ("d", 3), ("c", 4), ("e", 5)]


# --- weights ----------------------------------------------------------------------------------------------


def test_equal_weights_change_nothing() -> None:
    columns = study(2)
    plain = bradley_terry(*columns, draws=Draws(resamples=50))
    weighted = bradley_terry(*columns, weights=[4.0] * 150, draws=Draws(resamples=50))
    assert strengths(weighted) == pytest.approx(strengths(plain))
    for first, second in zip(plain.rows, weighted.rows, strict=True):
        assert second[2:] == pytest.approx(first[2:])


def test_a_weight_is_a_repetition() -> None:
    # weights 2, 1, 1 have a mean of 4/3: the repeated judgments weigh 4/3 times as much beside the same penalty
    weighted = bradley_terry(*won("ab", "bc", "ca"), weights=[2, 1, 1], penalty=0.3, draws=Draws(resamples=10))
    repeated = bradley_terry(*won("ab", "ab", "bc", "ca"), penalty=0.4, draws=Draws(resamples=10))
    assert strengths(weighted) == pytest.approx(strengths(repeated))
    assert weighted.rows[0][4:] == (1, 2, pytest.approx(2 / 3), 1)


# --- intervals --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "documents"), [(80, 12), (9, 4)])
def test_equals_a_bootstrap_that_repeats_the_judgments_of_drawn_documents(size: int, documents: int) -> None:
    # of 9 judgments, many resamples lack a system or fall into groups
    columns = study(8, size, documents=documents)
    names = sorted(set(columns[3]))
    assert len(names) == documents
    random = np.random.default_rng(3)
    drawn = []
    for _ in range(40):
        resample: Columns = ([], [], [], [])
        for name in (names[index] for index in random.integers(len(names), size=len(names))):
            for row in zip(*columns, strict=True):
                if row[3] == name:
                    for column, value in zip(resample, row, strict=True):
                        column.append(value)  # type: ignore[arg-type]
        drawn.append(choix.opt_pairwise(4, games(resample, "abcd"), alpha=0.1, tol=1e-10))
    low, high = np.quantile(drawn, [0.05, 0.95], axis=0)
    result = bradley_terry(*columns, penalty=0.1, draws=Draws(level=0.9, resamples=40, seed=3))
    for row in result.rows:
        number = "abcd".index(row.system)
        assert row[2:4] == (pytest.approx(low[number], abs=1e-4), pytest.approx(high[number], abs=1e-4))
    assert result[3:7] == (0.1, 0.9, 40, 3)


def test_chunks_of_resamples_give_the_same_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = study(6)
    whole = bradley_terry(*columns, draws=Draws(resamples=30))
    monkeypatch.setattr("relevance.analysis.people.ranking.CELLS", 50)  # three resamples at a time
    for first, second in zip(whole.rows, bradley_terry(*columns, draws=Draws(resamples=30)).rows, strict=True):
        assert second[1:] == pytest.approx(first[1:])


def test_neither_the_order_nor_the_sides_matter() -> None:
    first, second, choices, documents = study(7)
    result = bradley_terry(first, second, choices, documents, draws=Draws(resamples=50))
    for other in (
        bradley_terry(first[::-1], second[::-1], choices[::-1], documents[::-1], draws=Draws(resamples=50)),
        bradley_terry(
            second, first, [-choice * 3 for choice in choices], np.array(documents), draws=Draws(resamples=50)
        ),
    ):
        assert [row.system for row in other.rows] == [row.system for row in result.rows]
        for left, right in zip(result.rows, other.rows, strict=True):
            assert right[1:] == pytest.approx(left[1:])
    assert bradley_terry(first, second, choices, documents, draws=Draws(resamples=50, seed=1)).rows != result.rows


# --- what is undefined ------------------------------------------------------------------------------------


def test_no_judgments() -> None:
    result = bradley_terry([], [], [], [])
    assert (result.rows, result.n, result.documents, result.reason) == ((), 0, 0, "there are no judgments")


def test_groups_that_never_met_have_no_strengths() -> None:
    result = bradley_terry(*won("de", "ca", "b=a"))
    assert result.reason == "systems in these groups were never compared with each other: a, b, c | d, e"
    assert [row[:4] for row in result.rows] == [(system, None, None, None) for system in "abcde"]
    assert [row[4:] for row in result.rows] == [
        (0.5, 2, 0.25, None), (0.5, 1, 0.5, None), (1, 1, 1, None), (1, 1, 1, None), (0, 1, 0, None)
    ]  # fmt: skip


def test_one_document_gives_no_intervals() -> None:
    result = bradley_terry(["a", "b"], ["b", "a"], [1, 0], ["d", "d"])
    assert result.reason == "no intervals: fewer than 2 documents"
    assert [(row.system, row.low, row.high, row.rank) for row in result.rows] == [
        ("a", None, None, 1),
        ("b", None, None, 2),
    ]
    assert result.rows[0].strength == pytest.approx(math.log(3) / 2, abs=0.01)  # 1.5 wins to .5, less the penalty


def test_ties_alone_rank_nobody() -> None:
    result = bradley_terry(*won("a=b", "b=c"), draws=Draws(resamples=10))
    assert result.reason == "all judgments are ties: nobody preferred a system"
    assert [row[:4] for row in result.rows] == [(system, None, None, None) for system in "abc"]
    assert [(row.wins, row.comparisons, row.rank) for row in result.rows] == [
        (0.5, 1, None),
        (1, 2, None),
        (0.5, 1, None),
    ]


@pytest.mark.parametrize("played", [("ab",) * 12, ("ab", "ac", "bc", "cb", "ac"), ("ab",)])
def test_who_never_lost_has_no_interval(played: tuple[str, ...]) -> None:
    result = bradley_terry(*won(*played), draws=Draws(resamples=10))
    few = "fewer than 2 documents" if len(played) == 1 else "some systems never lost to the others"
    assert result.reason == f"no intervals: {few}"
    assert result.note is not None
    assert (result.rows[0].system, result.rows[0].rank) == ("a", 1)
    assert all(row.strength is not None and row.low is row.high is None for row in result.rows)


def test_documents_that_say_the_same_have_no_interval() -> None:
    # a beats b in two of three judgments of every document, so that all resamples say so
    result = bradley_terry("aaa" * 5, "bbb" * 5, [1, 1, -1] * 5, np.repeat(np.arange(5), 3), draws=Draws(resamples=10))
    assert result.reason == "no intervals: all resamples have the same strengths"
    assert (result.rows[0].strength, result.rows[0].low) == (pytest.approx(math.log(2) / 2, abs=0.01), None)


@pytest.mark.simulation
def test_intervals_cover_the_strengths_where_documents_differ() -> None:
    """Studies of 30 documents of 6 judgments; in each document systems are stronger or weaker by one logit or so.

    Resamples of documents hold the strength of the best system, that of a study of 4,000 documents, in 92 to 98 of 100
    studies; resamples of judgments in fewer than 88.
    """
    random = np.random.default_rng(0)
    first, second = np.triu_indices(3, 1)

    def drawn(documents: int) -> tuple[list[str], list[str], list[float], np.ndarray[Any, Any]]:
        strength = np.array([0.5, 0, -0.5]) + random.normal(0, 1, (documents, 3))
        chance = 1 / (1 + np.exp(strength[:, second] - strength[:, first]))
        won = random.random((2, documents, 3)) < chance
        names = [[*np.array(list("abc"))[side]] * documents * 2 for side in (first, second)]
        return names[0], names[1], np.where(won.ravel(), 1.0, -1.0).tolist(), np.tile(np.repeat(range(documents), 3), 2)

    truth = strengths(bradley_terry(*drawn(4000), draws=Draws(resamples=2)))["a"]
    assert truth is not None
    held = alone = 0
    studies = 150
    for seed in range(studies):
        columns = drawn(30)
        covers = []
        for documents in (columns[3], range(180)):
            result = bradley_terry(*columns[:3], documents, draws=Draws(resamples=200, seed=seed))
            (best,) = (row for row in result.rows if row.system == "a")
            assert best.low is not None
            assert best.high is not None
            covers.append(best.low <= truth <= best.high)
        held, alone = held + covers[0], alone + covers[1]
    assert 0.9 <= held / studies <= 0.99
    assert alone / studies < 0.88


@pytest.mark.parametrize(
    ("played", "groups"),
    [
        (("ab", "ab"), "a | b"),
        (("ab", "bc", "cb", "ac"), "a | b, c"),
        (("ca", "cb", "a=b"), "c | a, b"),
        (("ab", "bc", "c=a"), None),
    ],
)
def test_a_note_says_where_only_the_penalty_keeps_strengths_finite(played: tuple[str, ...], groups: str | None) -> None:
    note = bradley_terry(*won(*played), draws=Draws(resamples=10)).note
    assert (note and note.split(": ")[1]) == groups


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bradley_terry(["a"], ["b"], [1], []), "differ in length: first 1, second 1, choices 1, documents 0"),
        (lambda: bradley_terry(["a"], ["b", "c"], [1], ["d"]), "differ in length: first 1, second 2"),
        (lambda: bradley_terry(["a"], ["a"], [1], ["d"]), "a was compared with itself"),
        (lambda: bradley_terry(["a"], ["b"], [math.inf], ["d"]), "choices must be finite"),
        (lambda: bradley_terry(["a"], ["b"], [1], ["d"], weights=[0]), "weights must be above 0"),
        (lambda: bradley_terry(["a"], ["b"], [1], ["d"], weights=[1, 1]), "weights must have the shape"),
        (lambda: bradley_terry(["a"], ["b"], [1], ["d"], penalty=0), "penalty must be at least 1e-06"),
        (lambda: bradley_terry(["a"], ["b"], [1], ["d"], draws=Draws(level=0)), "level must lie"),
        (lambda: bradley_terry(["a"], ["b"], [1], ["d"], draws=Draws(resamples=0)), "resamples must be"),
    ],
)
def test_bad_columns_are_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_many_systems_have_strengths_without_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    result = bradley_terry(*study(1))
    assert result.rows[0].low is not None
    monkeypatch.setattr("relevance.analysis.people.ranking.MOST_DRAWN", 3)
    many = bradley_terry(*study(1))
    assert strengths(many) == strengths(result)
    assert all(row.low is None for row in many.rows)
    assert many.reason == "no intervals: 4 systems are too many to rank in every resample, 3 are not"


def test_of_many_systems_a_note_names_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("relevance.analysis.people.ranking.NAMED", 2)
    played = won("ab", "ba", "bc", "cb", "cd", "de", "ef")  # a, b and c won and lost; d, e and f come after another
    assert (bradley_terry(*played).note or "").endswith(": a, b, 1 more | d | 2 more groups")
