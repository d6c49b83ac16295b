import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import benchmarks.sentences as benchmark
from relevance.data.records import Document
from relevance.summarizers.oracles.exact import exact
from relevance.summarizers.oracles.problem import Problem
from relevance.summarizers.sentences import sentences_of, split_sentences


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
        # abbreviations and numbers inside a sentence, and at its end
        ["As in Fig. 3 of Lee et al. (2016), i.e. the first.", "Jones et al. 2019 disagree."],
        ["He left the U.S.", "She stayed until 5 p.m.", "They met on Oct. 4.", "He was 27.", "It cost $ 20.", "Why?"],
        ["1. The first thing.", "2. The second thing."],
        ["They left it out [...] and ( ... ) went on ... slowly.", "No. 5 came first."],
        ["`` He said 'robber ! ' .", "He scored ( twice ) .", "A 'mini-derby ' ."],
    ],
)
@pytest.mark.parametrize("space", [" ", "  ", "\n\n"])
def test_split(sentences, space):
    assert split_sentences(space.join(sentences)) == sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["he paid approx. 3.5 dollars.", "she left at 5 p.m. on monday."],
        ["j. r. smith met v. stiviano, e.g. in the u.s. on oct. 4.", "it rained."],
        ["see www.example.com/a.html for more.", "'really ? ' he asked .", "she said 'no . '", "it rained ( twice ) ."],
        ["he thought ... and thought.", "dr. smith of acme inc. said so.", "did he?", "he was 27.", '"yes."'],
        ["mr . smith saw it .", "'it was late , ' he said .", "12 people came ."],
    ],
)
def test_lower_case(sentences):
    assert split_sentences(" ".join(sentences)) == sentences


def test_one_lower_case_word_after_a_full_stop_does_not_make_a_text_one_in_lower_case():
    assert split_sentences("He ran node. js on it. She left.") == ["He ran node. js on it.", "She left."]


def test_boundaries_of_texts_that_came_split(shared_data):
    collections = benchmark.collections(shared_data)
    collections.pop("SciTLDR, all abstracts")  # a tenth is cut at the lines of a page
    for name, texts in collections.items():
        assert benchmark.measure(texts).f1 > 0.99, name  # .9968 and .9988
        lowered = [[sentence.lower() for sentence in text] for text in texts]
        assert benchmark.measure(lowered).f1 > 0.99, name  # .9968 and .9973


def test_boundaries_are_counted_between_characters():
    # they: a.|b. c.|d  ours: a. b.|c.|d, so one of two is right
    result = benchmark.measure([["A.", "B. C.", "D"]], lambda text: ["A. B.", "C.", "D"])
    assert result == (1, 2, 2)
    assert result.f1 == 0.5


def test_lower_case_costs_the_optimum_nothing(shared_data):
    lines = (shared_data / "summeval.jsonl").read_text(encoding="utf-8").splitlines()[:10]
    best = {str.strip: 0.0, str.lower: 0.0}
    for record in map(json.loads, lines):
        for change in best:
            sentences = split_sentences(change(record["source"]))
            assert len(sentences[0].split()) < len(record["source"].split()) / 4  # where all is one sentence: all of it
            best[change] += exact(Problem(sentences, record["references"][0])).f1 / len(lines)
    assert best[str.lower] == pytest.approx(best[str.strip], abs=0.005)
    assert best[str.lower] > 0.62  # .636; .406 where articles were one sentence


def test_a_paragraph_ends_a_sentence():
    assert split_sentences("A headline\n\nThe text . \n \n'Quoted '\n\n. Odd") == [
        "A headline",
        "The text .",
        "'Quoted '",
        ". Odd",
    ]


pieces = st.sampled_from([*"aB7 .!?…'’”\")]\n\t\xa0\u2003\x1c", "Dr.", "U.S.", "''", "``", " . ", "Yes", "。"])


@given(st.text() | st.lists(pieces).map("".join))
@example("\x1c a . \u2003 B")
@example("\r).")
def test_the_sentences_are_the_text_but_for_the_white_space_between_them(text):
    sentences = split_sentences(text)
    place = 0
    for sentence in sentences:
        index = text.index(sentence, place)
        assert not text[place:index].strip()
        place = index + len(sentence)
    assert not text[place:].strip()
    assert all(sentence == sentence.strip() != "" for sentence in sentences)


def test_the_tokenised_articles_of_summeval(shared_data):
    articles = [json.loads(line)["source"] for line in (shared_data / "summeval.jsonl").open(encoding="utf-8")]
    results = [split_sentences(article) for article in articles]
    assert len(articles) == 100
    assert sum(map(len, results)) == 1390
    # a full stop or closing quote that belongs to the sentence before would stand at the start
    assert not [s for sentences in results for s in sentences if re.match(r"[.!?]|''|[’”)]", s)]
    assert results[0][0].endswith("0-0 draw with Burnley on Sunday .")
