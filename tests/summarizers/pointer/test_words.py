"""Words, their numbers, and texts that come back."""

import pytest

from relevance.summarizers.pointer.words import (
    PADDING,
    SPECIAL,
    START,
    STOP,
    UNKNOWN,
    cut_words,
    join_words,
    make_vocabulary,
)


@pytest.mark.parametrize(
    "text",
    [
        "the u.s. paid $3,000.50 (or so) for it.",
        "state-of-the-art results, don't you think?",
        "ünïcode “quotes” and 100%: fine!",
        "注意 力",
    ],
)
def test_a_text_of_ordinary_spacing_comes_back(text: str) -> None:
    assert join_words(cut_words(text).words) == text


def test_words_are_lower_cased_and_keep_their_places() -> None:
    words, spans = cut_words("In the U.S. it FELL.")
    assert words == ("in", "the", "u.s", ".", "it", "fell", ".")
    assert spans[2] == (7, 10)


def test_a_vocabulary_has_the_most_frequent_words_the_earlier_of_equals() -> None:
    vocabulary = make_vocabulary(["b a a", "c b"], 2)
    assert vocabulary.words == (*SPECIAL, "b", "a")  # both twice, b first; c once
    assert [vocabulary.words[place] for place in (PADDING, UNKNOWN, START, STOP)] == list(SPECIAL)


def test_words_of_a_source_that_the_vocabulary_lacks_get_numbers_of_their_own() -> None:
    vocabulary = make_vocabulary(["a b"], 2)  # a is 4, b is 5
    source = vocabulary.read_source("a zebra a yak zebra b", 5)
    assert source.ids == (4, UNKNOWN, 4, UNKNOWN, UNKNOWN)
    assert source.extended == (4, 6, 4, 7, 6)
    assert source.extra == ("zebra", "yak")
    assert source.cut
    assert vocabulary.read_target("yak eats b", source, 5) == (7, UNKNOWN, 5, STOP)
    assert vocabulary.read_target("b b b", source, 2) == (5, 5)  # cut, so that its end is not learned
    assert vocabulary.write((7, 5), source) == "yak b"


def test_no_text_can_write_a_special_word() -> None:
    assert not set(SPECIAL) & set(cut_words(" ".join(SPECIAL)).words)
