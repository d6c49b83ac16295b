"""The embedded reader: what it compares, held against the definition written out."""

import numpy as np
import pytest
import torch

from relevance.metrics.apes.readers.embedded import LAYER, UNSEEN, WINDOW, find_context, likeness
from relevance.metrics.models.encoder import Encoded


def encoded(words, draw):
    """A text of words of one letter, a token each between two special ones, with random vectors."""
    size = len(words) + 2
    vectors = torch.tensor(draw.normal(size=(size, 8)), dtype=torch.float32)
    spans = [(0, 0), *((2 * place, 2 * place + 1) for place in range(len(words))), (0, 0)]
    special = tuple(place in (0, size - 1) for place in range(size))
    return Encoded({LAYER: vectors}, tuple(range(size)), tuple(spans), special, False)


def likeness_by_definition(first, place, second, other):
    """The sum of the three parts, from all pairs of tokens; places count words."""

    def unit(vector):
        return vector / np.linalg.norm(vector)

    def context(text, own):
        rows = text.vectors[LAYER].numpy().astype(float)
        around = {word: unit(rows[word + 1]) for word in range(len(rows) - 2) if word != own}
        return unit(rows[own + 1]), around, {w: v for w, v in around.items() if abs(w - own) <= WINDOW}

    def covered(ours, theirs):
        return np.mean([max(a @ b for b in theirs.values()) for a in ours.values()])

    (blank, around, near), (mention, its, its_near) = context(first, place), context(second, other)
    return blank @ mention + covered(around, its) + covered(near, its_near)


@pytest.mark.parametrize(("place", "other"), [(0, 0), (0, 6), (4, 9), (8, 2), (11, 9)])
def test_a_mention_is_worth_what_the_definition_says(place, other):
    draw = np.random.default_rng(place * 100 + other)
    first, second = encoded("abcdefghijkl", draw), encoded("mnopqrstuv", draw)
    blank = find_context(first, (2 * place, 2 * place + 1))
    mention = find_context(second, (2 * other, 2 * other + 1))
    assert likeness(blank, mention) == pytest.approx(likeness_by_definition(first, place, second, other), abs=1e-5)


def test_a_place_without_a_token_is_not_seen_and_one_alone_has_no_surroundings():
    draw = np.random.default_rng(0)
    text, alone = encoded("abc", draw), encoded("a", draw)
    assert find_context(text, (20, 21)) is None
    blank, only = find_context(text, (0, 1)), find_context(alone, (0, 1))
    assert likeness(blank, None) == UNSEEN
    assert likeness(blank, only) == pytest.approx(float(blank.vector @ only.vector))
