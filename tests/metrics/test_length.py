"""Length counts what is between white space, and its evidence shows each word."""

import pytest
import regex
from hypothesis import assume, given
from hypothesis import strategies as st

from relevance.data.records import Document, Example
from relevance.metrics import metric
from relevance.metrics.text import NO_SPACES
from relevance.summarizers.base import SummaryLength
from relevance.summarizers.lead import Lead


@given(st.text())
def test_value_and_evidence_are_the_words(text: str) -> None:
    assume(not regex.search(f"[{NO_SPACES}]", text))
    (score,) = metric("length").score([Example("d", "s", text, ("r",), None, "")])
    words = text.split()
    assert score.value == len(words)
    assert [text[slice(*span)] for span in score.evidence.words] == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't stop , it 's well-known .", 7),  # tokenised text: what stands alone is a word
        ("Don't stop, it's well-known.", 4),
        ("「猫が好き。」 cats, 2猫", 7),  # a character a word, with the punctuation beside it
        (" \t\n", 0),
    ],
)
def test_a_word_is_the_same_wherever_words_are_counted(text: str, words: int) -> None:
    """The metric, and the length of a summary: what just fits is taken, and is not with a word less."""
    (score,) = metric("length").score([Example("d", "s", text, ("r",), None, "")])
    assert score.value == len(score.evidence.words) == words
    if words:
        document = Document("d", (text, text), ())
        for allowed, sentences in ((2 * words, 2), (2 * words - 1, 1)):
            (summary,) = Lead(SummaryLength(allowed, "words")).summarize([document])
            assert summary.text == " ".join([text] * sentences)
