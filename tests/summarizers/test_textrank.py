from math import log

import numpy as np
import pytest

from relevance.data.importers import read_documents
from relevance.data.records import Document
from relevance.summarizers.textrank import DAMPING, TextRank, ranks, similarity

# The last sentence shares a word with each other one, which share none: a star. With n = 4 and all weights equal,
# hub = .15/4 + .85 (1 - hub) = .8875/1.85 and leaf = .15/4 + .85 hub/3.
STAR = ("Red apples grow.", "Green frogs jump.", "Blue whales sing.", "red GREEN blue")
HUB = 0.8875 / 1.85
LEAF = 0.0375 + 0.85 * HUB / 3

# All of 4 words; 0 and 1 share two of them, 1 and 2 share one: weights 2/(2 ln 4) and 1/(2 ln 4), that is 2 : 1.
# middle = .15/3 + .85 (1 - middle) = .9/1.85; the ends get 2/3 and 1/3 of what it passes on.
CHAIN = ("a b x y", "a b c d", "c u v w")
MIDDLE = 0.9 / 1.85

# One word shared on either side, but sentences of 2, 4 and 8 words: weights 1/(ln 2 + ln 4) = 1/(3 ln 2) and
# 1/(ln 4 + ln 8) = 1/(5 ln 2), that is 5 : 3.
UNEVEN = ("a x", "a b c d", "b n o p q r s t")


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        (STAR, [LEAF, LEAF, LEAF, HUB]),
        (CHAIN, [0.05 + 0.85 * MIDDLE * 2 / 3, MIDDLE, 0.05 + 0.85 * MIDDLE / 3]),
        (UNEVEN, [0.05 + 0.85 * MIDDLE * 5 / 8, MIDDLE, 0.05 + 0.85 * MIDDLE * 3 / 8]),
        # Two alike and one apart, which passes its rank on to all: apart = .15/3 + .85 apart/3 = .05/(1 - .85/3),
        # and the two halve the rest.
        (("a b", "a b", "c d"), [(1 - 3 / 43) / 2, (1 - 3 / 43) / 2, 3 / 43]),
        (("a b", "c d", "e f"), [1 / 3, 1 / 3, 1 / 3]),  # no edges: nothing to tell them apart
        (("a", "a", "a"), [1 / 3, 1 / 3, 1 / 3]),  # one word each: no length to divide by, no edges
        (("...", "a b", "--"), [1 / 3, 1 / 3, 1 / 3]),  # no words at all
        (("alone",), [1.0]),
    ],
)
def test_ranks(sentences, expected):
    assert ranks(sentences) == pytest.approx(expected, abs=2e-9)


@pytest.mark.parametrize(
    ("shared", "length", "other", "expected"),
    [
        (0, 5, 7, 0.0),
        (0, 0, 3, 0.0),
        (1, 1, 1, 0.0),
        (1, 1, 2, 1 / log(2)),
        (2, 4, 4, 1 / log(4)),  # 2 / (2 ln 4)
        (3, 10, 20, 3 / log(200)),
    ],
)
def test_similarity(shared, length, other, expected):
    assert similarity(shared, length, other) == pytest.approx(expected)


def test_a_word_is_shared_once_and_counts_each_time_for_the_length():
    # 0 and 1 share only `a` (once, although it stands twice in both) at lengths 4 and 4; 1 and 2 share only `c` at
    # 4 and 4: weights 1 : 1, so that the ends are equal.
    first, _, last = ranks(("a a x y", "a a c d", "c u v w"))
    assert first == last


@pytest.mark.parametrize(
    ("k", "source", "expected"),
    [
        (1, STAR, "red GREEN blue"),
        (2, STAR, "Red apples grow. red GREEN blue"),  # the leaves tie: the first; and in document order
        (3, STAR, "Red apples grow. Green frogs jump. red GREEN blue"),
        (1, CHAIN, "a b c d"),
        (2, CHAIN, "a b x y a b c d"),
        (2, tuple(reversed(CHAIN)), "a b c d a b x y"),
        (1, UNEVEN, "a b c d"),
        (2, ("a b", "c d", "e f"), "a b c d"),  # no shared words: the lead
        (1, ("a b", "c d", "c d", "a b"), "a b"),  # two pairs, all tied: the first
        (1, ("d e a", "d e", "a e", "f d", "e d"), "d e"),  # `e d` ranks the same but for 1e-16 of noise
        (2, ("x y", "a b", "a b", "z w"), "a b a b"),  # duplicates rank high and are not left out
        (2, ("Only one.",), "Only one."),
        (3, "Red apples grow. Green frogs jump. Blue whales sing. Red, green, blue.", None),
    ],
)
def test_textrank(k, source, expected):
    expected = expected or "Red apples grow. Green frogs jump. Red, green, blue."
    assert [s.text for s in TextRank(k).summarize([Document("d", source, ())])] == [expected]


@pytest.mark.parametrize("source", ["", " ", (), ("", " ")])
def test_a_document_without_source_has_no_summary(source):
    assert TextRank().summarize([Document("d", source, ())]) == []


def test_ranks_solve_the_equation_of_the_paper(shared_data):
    """Rank r = (1 - d)/n + d P'r, solved directly; P spreads the rank of a sentence without neighbours evenly."""
    for document, _ in list(read_documents(shared_data / "scitldr" / "dev.jsonl"))[:50]:
        words = [sentence.lower().replace("-", " ").split() for sentence in document.source]
        words = [["".join(c for c in word if c.isalnum()) for word in sentence] for sentence in words]
        sentences = [" ".join(sentence) for sentence in words]  # so that `ranks` finds the same words
        words = [sentence.split() for sentence in sentences]
        n = len(words)
        weights = np.array(
            [[similarity(len({*a} & {*b}), len(a), len(b)) if a is not b else 0.0 for b in words] for a in words]
        )
        out = weights.sum(axis=1, keepdims=True)
        passed = np.divide(weights, out, out=np.full((n, n), 1 / n), where=out > 0)
        solved = np.linalg.solve(np.eye(n) - DAMPING * passed.T, np.full(n, (1 - DAMPING) / n))
        assert ranks(sentences) == pytest.approx(solved.tolist(), abs=2e-9)
