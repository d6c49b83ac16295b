"""Signatures are read in their parts and written again as they were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relevance.data.signatures import Signature, distinct, is_length, labels, references_rule, signature
from relevance.metrics import METRICS, metric
from relevance.metrics.base import VERSION
from relevance.metrics.libraries import OF_LIBRARIES
from relevance.summarizers.registry import SUMMARIZERS, summarizer

PARTS = st.text(st.characters(exclude_characters="|:", exclude_categories=["Cs"]), min_size=1)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_one_that_is_read(name: str) -> None:
    text = metric(name).signature
    parsed = Signature.parse(text)
    assert (parsed.name, str(parsed)) == (name, text)
    if name not in OF_LIBRARIES:  # which have the versions of the libraries
        assert parsed.version == VERSION
    assert signature(parsed.name, str(parsed.version), **parsed.values) == text
    assert is_length(text) == is_length(name) == (name == "length")


@pytest.mark.parametrize("name", SUMMARIZERS)
def test_every_summarizer_has_one_that_is_read(name: str) -> None:
    text = summarizer(name).signature
    parsed = Signature.parse(text)
    assert parsed.name in (name, name.split("-", maxsplit=1)[0])
    assert str(parsed) == text == signature(parsed.name, str(parsed.version), **parsed.values)


@given(PARTS, st.dictionaries(PARTS, PARTS), PARTS)
def test_what_is_written_is_read(name: str, settings: dict[str, str], version: str) -> None:
    parsed = Signature.parse(signature("x", version, **{f"_{key}": value for key, value in settings.items()}))
    assert parsed.values == {f"_{key}": value for key, value in settings.items()}
    assert parsed.version == version
    assert Signature.parse(name) == Signature(name)


@given(st.text())
def test_any_text_is_written_as_it_was_read(text: str) -> None:
    assert str(Signature.parse(text)) == text


def test_the_rule_for_references() -> None:
    mean, most = (signature("rouge1", "1", refs=rule, tok="x") for rule in ("mean", "max"))
    assert str(Signature.parse(mean).changed("refs", "max")) == most
    assert [references_rule(text) for text in (mean, most, "length|unit:words")] == ["mean", "max", None]
    assert distinct([mean, most]) == [most]
    assert distinct([mean, "rouge1"]) == [mean, "rouge1"]


def test_labels_tell_versions_apart() -> None:
    assert labels(["m|a:1|version:1", "m|a:1|version:2", "n|version:1"]) == {
        "m|a:1|version:1": "m (version:1)",
        "m|a:1|version:2": "m (version:2)",
        "n|version:1": "n",
    }
