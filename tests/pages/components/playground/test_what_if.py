"""Words left out and swapped, and what each is worth: against the metrics' own scores."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relevance.data.demo import FILE
from relevance.data.importers import read_documents
from relevance.data.records import Example
from relevance.metrics import lexical_metrics, metric
from relevance.metrics.rouge import numbered_ngrams, numbered_skip_bigrams
from relevance.metrics.rouge_lsum import sentence_words
from relevance.metrics.sentences import sentence_spans
from relevance.metrics.text import lemmas, rouge_words
from relevance.pages.components.playground.draft import examples_of, from_records
from relevance.pages.components.playground.what_if import (
    MOST_CHARACTERS,
    MOST_WORDS,
    Worth,
    describe_worth,
    make_parts,
    most_words,
    swap_word,
    word_spans,
    worths,
)

EXAMPLE = Example(
    "d", "A", "The storm hit the coast, twice.", ("A storm hit the coast.", "The storm was near."), "Storm", ""
)
TRIED = [name for name in lexical_metrics() if name != "length"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("  ... ", []),
        ("The well-known one's end.", ["The", "well-known", "one's", "end"]),
        ("naïve café\u0301 2024", ["naïve", "café\u0301", "2024"]),
        ("我们 go", ["我", "们", "go"]),
        ("שלום עולם", ["שלום", "עולם"]),
        ("a👩‍🚀b", ["a", "b"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert [text[slice(*span)] for span in word_spans(text)] == words


@pytest.mark.parametrize(
    ("text", "word", "by", "left"),
    [
        ("The storm hit.", 0, "", "storm hit."),
        ("The storm hit.", 1, "", "The hit."),
        ("The storm hit.", 2, "", "The storm."),
        ("The storm hit.", 1, "rain", "The rain hit."),
        ("one, two", 0, "", ", two"),
        ("alone", 0, "", ""),
        ("a-b", 0, "", ""),
        ("我们", 0, "", "们"),
    ],
)
def test_a_word_left_out_or_swapped(text: str, word: int, by: str, left: str) -> None:
    assert swap_word(text, word_spans(text)[word], by) == left


@given(st.text(max_size=80))
def test_parts_are_the_text(text: str) -> None:
    cut = make_parts(text, [])
    assert "".join(part.text for part in cut) == text
    words = [part for part in cut if part.word is not None]
    assert [part.word for part in words] == list(range(len(words)))
    assert [part.text for part in words] == [text[slice(*span)] for span in word_spans(text)]


@given(st.text(alphabet="ab c,.'-", max_size=40), st.text(alphabet="xy ", max_size=5))
def test_nothing_but_the_word_and_a_space_goes(text: str, by: str) -> None:
    for start, end in word_spans(text):
        left = swap_word(text, (start, end), by)
        assert left in {text[:start] + by + text[end:], text[: start - 1] + text[end:], text[:start] + text[end + 1 :]}


@pytest.mark.parametrize("name", TRIED)
def test_each_word_is_worth_what_the_metric_says(name: str) -> None:
    scorer = metric(name)
    document = next(read_documents(FILE, "interchange"))
    for example in [EXAMPLE, *examples_of(from_records(*document)).values()]:
        whole, result = worths(scorer.signature, example)
        assert whole == scorer.score([example])[0].value
        assert [worth.word for worth in result] == [example.candidate[slice(*s)] for s in word_spans(example.candidate)]
        for worth in result:
            (alone,) = scorer.score([replace(example, candidate=swap_word(example.candidate, worth.span))])
            assert worth.without == alone.value
            assert whole is not None
            assert alone.value is not None
            assert worth.loss == whole - alone.value


def test_where_there_is_no_score() -> None:
    signature = metric("rouge1").signature
    whole, (worth,) = worths(signature, replace(EXAMPLE, candidate="storm"))
    assert whole is not None
    assert worth == Worth("storm", (0, 5), None, None)
    assert describe_worth(worth) == "without it there is no score"
    whole, result = worths(metric("rouge_k").signature, replace(EXAMPLE, references=("one",), title=None))
    assert whole is None
    assert {worth.loss for worth in result} == {None}
    with pytest.raises(ValueError, match="no metric has the signature"):
        worths("rouge1|mine", EXAMPLE)


def test_bars_are_shares_of_the_largest() -> None:
    # 4 of 6 words match reference 1 (5 words): F1 = 8/11; without "coast" 3 of 5 and 5: 6/10, without "twice" 8/10
    whole, result = worths(metric("rouge1").signature, EXAMPLE)
    assert whole == pytest.approx(8 / 11)
    by_word = {part.text: part for part in make_parts(EXAMPLE.candidate, result) if part.word is not None}
    assert by_word["coast"].loss == 1.0
    assert not by_word["coast"].gain
    assert by_word["twice"].gain
    assert by_word["twice"].loss == pytest.approx((8 / 10 - 8 / 11) / (8 / 11 - 6 / 10), abs=1e-3)
    assert by_word["coast"].says == f"without it the score falls by {8 / 11 - 0.6:.3f} to 0.600"
    assert by_word["twice"].says == f"without it the score rises by {0.8 - 8 / 11:.3f} to 0.800"


def test_only_so_many_words_are_tried() -> None:
    text = " ".join(["storm"] * (MOST_WORDS + 5))
    _, result = worths(metric("rouge1").signature, replace(EXAMPLE, candidate=text))
    assert len(result) == MOST_WORDS
    assert [part.says for part in make_parts(text, result) if part.word is not None][-1] == "not tried"


def test_the_longer_a_summary_the_fewer_words_are_tried() -> None:
    assert most_words("") == most_words("x" * 2000) == MOST_WORDS
    for length in (5000, 20_000):
        assert MOST_CHARACTERS - length < most_words("x" * length) * length <= MOST_CHARACTERS


@pytest.mark.parametrize("name", TRIED)
def test_what_is_tried_of_a_long_summary_is_not_kept(name: str) -> None:
    scorer = metric(name)
    text = " ".join(f"storm{number}" for number in range(1500))
    worths(scorer.signature, replace(EXAMPLE, candidate=text))
    caches = (rouge_words, lemmas, numbered_ngrams, numbered_skip_bigrams, sentence_words, sentence_spans)
    assert sum(cache.cache_info().currsize for cache in caches) == 0
    worths(scorer.signature, replace(EXAMPLE, candidate=f"A short one for {name}."))
    assert sum(cache.cache_info().currsize for cache in caches) > 5
