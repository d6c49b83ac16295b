"""Length counts what is between white space, and its evidence shows each word."""

from hypothesis import given
from hypothesis import strategies as st

from data.records import Example
from metrics import metric


@given(st.text())
def test_value_and_evidence_are_the_words(text: str) -> None:
    (score,) = metric("length").score([Example("d", "s", text, ("r",), None, "")])
    words = text.split()
    assert score.value == len(words)
    assert [text[slice(*span)] for span in score.evidence.words] == words
