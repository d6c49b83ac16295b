import json
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from data.records import Document
from summarizers.sentences import sentences_of, split


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (("One.", "  Two. Still two. ", " ", "", "Three"), ["One.", "Two. Still two.", "Three"]),
        ((), []),
        ("One. Two.", ["One.", "Two."]),
        ("", []),
        (" \n ", []),
    ],
)
def test_given_sentences_are_kept_and_a_text_is_split(source, expected):
    assert sentences_of(Document("d", source, ())) == expected


@pytest.mark.parametrize(
    "sentences",
    [
        ["one without an end"],
        ["Dr. Smith paid $3.5 m.", "He left."],
        ["U.S. officials met.", "They left."],
        ["J. R. Smith met V. Stiviano, e.g. at 3.30 p.m. on Monday.", "It rained."],
        ['He said "No."', "“Really?!”", "Yes..."],
        ["A line\nbreak does not end it.", "This does."],
        # tokenised, as in SummEval
        ["Burnley drew on Sunday .", "'Just watching , did you miss the coach ?", "Yes ."],
        ["`` We were there . ''", "Mr . Smith of the U.S. team left .", "( CNN ) It was his . )", "The end"],
        ["`` Really ? '' he asked .", "‘ It is . ’", "GO ! ! !", "She does n't . '"],
    ],
)
@pytest.mark.parametrize("space", [" ", "  ", "\n\n"])
def test_split(sentences, space):
    assert split(space.join(sentences)) == sentences


def test_a_paragraph_ends_a_sentence():
    assert split("A headline\n\nThe text . \n \n'Quoted '\n\n. Odd") == [
        "A headline",
        "The text .",
        "'Quoted '",
        ". Odd",
    ]


pieces = st.sampled_from([*"aB7 .!?…'’”\")]\n\t\xa0\u2003\x1c", "Dr.", "U.S.", "''", "``", " . ", "Yes", "。"])


@settings(deadline=None)  # the first example imports simplemma
@given(st.text() | st.lists(pieces).map("".join))
@example("\x1c a . \u2003 B")
def test_the_sentences_are_the_text_but_for_the_white_space_between_them(text):
    sentences = split(text)
    place = 0
    for sentence in sentences:
        found = text.index(sentence, place)
        assert not text[place:found].strip()
        place = found + len(sentence)
    assert not text[place:].strip()
    assert all(sentence == sentence.strip() != "" for sentence in sentences)


def test_the_tokenised_articles_of_summeval(shared_data):
    articles = [json.loads(line)["source"] for line in (shared_data / "summeval.jsonl").open(encoding="utf-8")]
    found = [split(article) for article in articles]
    assert len(articles) == 100
    assert sum(map(len, found)) == 1375
    # a full stop or closing quote that belongs to the sentence before would stand at the start
    assert not [s for sentences in found for s in sentences if re.match(r"[.!?]|''|[’”)]", s)]
    assert found[0][0].endswith("0-0 draw with Burnley on Sunday .")
