"""Marked words against keywords: counts by hand, chance by going through all draws, coverage by simulation."""

from itertools import combinations

import numpy as np
import pytest

from relevance.analysis.people.marked_words import NO_MARKS, MarkedText, chance_of_none, compare_marks, count_marks


def text(marked: str, *occurrences: tuple[int, int], document: str = "d", missing: str | None = None) -> MarkedText:
    """A text whose marked words are those that are an x."""
    return MarkedText(document, np.array([word == "x" for word in marked], dtype=np.bool_), occurrences, missing)


def test_counted_by_hand() -> None:
    # words 0 1 2 3 4 5 6 7; marked 1, 2, 6; keywords 2-3 and 5, so that 2 of 3 keyword words are not marked
    marks = count_marks(text(".xx...x.", (2, 4), (5, 6)))
    assert (marks.words, marks.marked, marks.of_keywords, marks.both) == (8, 3, 3, 1)
    assert (marks.occurrences, marks.hits) == (2, 1)
    assert marks.precision == 1 / 3
    assert marks.recall == 1 / 2
    assert marks.chance_of_precision == 3 / 8  # each marked word is one of the 3 of 8
    # of 2 words: 1 - C(6,3)/C(8,3)... none of them marked 20/56; of 1 word 3/8
    assert marks.chance_of_recall == pytest.approx(((1 - 20 / 56) + 3 / 8) / 2)


def test_words_that_two_keywords_share_count_once_and_both_occurrences() -> None:
    marks = count_marks(text("xx..", (0, 2), (1, 3)))
    assert (marks.of_keywords, marks.both, marks.occurrences, marks.hits) == (3, 2, 2, 2)


@pytest.mark.parametrize(("words", "marked"), [(5, 2), (6, 6), (6, 0), (7, 3)])
def test_chance_is_the_mean_over_all_ways_to_mark_as_many_words(words: int, marked: int) -> None:
    occurrences = [(0, 2), (3, 4), (3, 5)]
    draws = []
    for chosen in combinations(range(words), marked):
        marks = "".join("x" if place in chosen else "." for place in range(words))
        draws.append(count_marks(text(marks, *occurrences)))
    first = draws[0]
    assert first.both_by_chance == pytest.approx(np.mean([draw.both for draw in draws]))
    assert first.hits_by_chance == pytest.approx(np.mean([draw.hits for draw in draws]))


def test_the_chance_that_none_is_marked() -> None:
    assert chance_of_none(4, 2, 1) == 1 / 2
    assert chance_of_none(4, 3, 2) == 0
    assert chance_of_none(4, 0, 3) == 1


def test_documents_together() -> None:
    marks = compare_marks(
        [
            text("xx..", (0, 1), document="d10"),  # 1 of 2 words, 1 of 1 occurrences
            text("..x.", (0, 1), document="d2"),  # 0 of 1, 0 of 1
            text("x...", (0, 2), document="d2"),  # 1 of 1, 1 of 1
        ]
    )
    assert [document.document for document in marks.documents] == ["d2", "d10"]
    assert [(document.counts.precision, document.counts.recall) for document in marks.documents] == [
        (0.5, 0.5),
        (0.5, 1.0),
    ]
    assert (marks.counts.precision, marks.counts.recall) == (2 / 4, 2 / 3)
    # (1/4 + 2/4) of d2 and 2/4 of d10, over 4 marked words
    assert marks.counts.chance_of_precision == pytest.approx((0.25 + 0.5 + 0.5) / 4)
    assert marks.precision.low is not None
    assert marks.precision.low < 0.5 < (marks.precision.high or 0)


def test_what_is_missing_is_not_zero() -> None:
    unmarked = compare_marks([text("....", (0, 1), document="d1"), text("x...", (0, 1), document="d2")])
    first, second = unmarked.documents
    assert (first.missing, first.counts.precision, first.counts.recall) == (NO_MARKS, None, None)
    assert (second.missing, unmarked.counts.recall) == (None, 1.0)  # the occurrence of d1 is not counted as missed
    without = compare_marks([text("x...", document="d1", missing="no keywords: none"), text("x...", (1, 2))])
    assert [document.missing for document in without.documents] == [None, "no keywords: none"]
    assert (without.counts.marked, without.counts.precision) == (1, 0.0)
    assert without.precision.low is None  # one document is left
    nowhere = compare_marks([text("x..."), text("x.", document="e")])
    assert (nowhere.counts.precision, nowhere.counts.recall) == (0.0, None)
    assert compare_marks([]).counts.precision is None


def test_an_occurrence_outside_of_the_text_is_refused() -> None:
    with pytest.raises(ValueError, match="an occurrence from 1 to 3 is not in a text of 2 words"):
        count_marks(text("x.", (1, 3)))


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("truth", "documents", "least"),
    [(0.1, 10, 0.92), (0.5, 10, 0.91), (0.9, 10, 0.92), (0.1, 40, 0.92), (0.5, 40, 0.92), (0.9, 40, 0.92)],
)
def test_intervals_hold_the_truth(truth: float, documents: int, least: float) -> None:
    """Marked words of a document belong to keywords with a probability of its own (intraclass correlation .1)."""
    rng = np.random.default_rng(17)
    held = 0
    for _ in range(SIMULATED):
        shares = rng.beta(9 * truth, 9 * (1 - truth), documents)
        texts = []
        for number, share in enumerate(shares):
            marked = int(rng.integers(3, 13))
            inside = int(rng.binomial(marked, share))
            # the marked words, of which so many are keywords, then as many others, some of them keywords
            marks = "x" * marked + "." * 20
            texts.append(text(marks, *((place, place + 1) for place in range(inside)), document=f"d{number}"))
        precision = compare_marks(texts).precision
        assert precision.low is not None
        assert precision.high is not None
        held += precision.low <= truth <= precision.high
    assert held / SIMULATED >= least, held / SIMULATED


SIMULATED = 400
