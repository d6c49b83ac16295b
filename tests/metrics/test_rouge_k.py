"""ROUGE-K: the paper's keyword statistics, whole words only, missing without keywords, evidence in place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from data.importers import read
from data.records import Example
from metrics import Options, metric
from metrics.keywords import compared_texts, overlap_keywords


def example(candidate: str, *references: str, title: str | None = None) -> Example:
    return Example("d", "s", candidate, references, title, "")


@pytest.mark.parametrize(("split", "column"), [("train", 0), ("dev", 1), ("test", 2)])
def test_keyword_statistics_of_scitldr(shared_data: Path, split: str, column: int) -> None:
    """Table 4 of the paper: keywords per summary within 0.2, their length in words within 0.1."""
    published = json.loads((shared_data / "published_tables.json").read_text())["rouge_k"][
        "table4_keywords_train_val_test"
    ]
    documents = [document for document, _ in read(shared_data / "scitldr" / f"{split}.jsonl", "scitldr")]
    found = [overlap_keywords(compared_texts(d.references, d.title, "always")) for d in documents]
    count = sum(map(len, found))
    words = sum(len(keyword.words) for keywords in found for keyword in keywords)
    assert count / len(found) == pytest.approx(published["SciTLDR"]["keywords_per_summary"][column], abs=0.2)
    assert words / count == pytest.approx(published["SciTLDR"]["keyword_length_words"][column], abs=0.1)


@pytest.mark.parametrize(
    ("texts", "keywords"),
    [
        # "the neural model" loses its stop word; "neural" and "model" are then used.
        (["We train the neural model.", "A neural model, trained."], ["neural model", "train"]),
        # The window "probability of a token" gives a keyword that a shorter window would miss.
        (["probability of a token", "the probability of each token"], ["probability token"]),
        (["Hawaiian text", "old Hawaiian texts"], ["hawaiian text"]),
        (["limited-data problem", "data problem"], ["problem"]),  # inner hyphens are kept
        (["the of and", "the of and"], []),
        (["one text only"], []),
        ([], []),
    ],
)
def test_overlap_keywords(texts: list[str], keywords: list[str]) -> None:
    assert [str(keyword) for keyword in overlap_keywords(texts)] == keywords


def test_the_same_text_gives_the_same_keywords_in_the_same_order() -> None:
    texts = ["graph networks learn fast and generalise", "networks of graphs generalise and learn fast"]
    assert [overlap_keywords(texts) for _ in range(3)] == [overlap_keywords(texts)] * 3


@pytest.mark.parametrize(
    ("candidate", "value"),
    [
        ("Art is old.", 1.0),
        ("It is smart.", 0.0),  # no match inside a word
        ("Two arts", 1.0),  # the lemma matches
    ],
)
def test_keywords_match_whole_words(candidate: str, value: float) -> None:
    (score,) = metric("rouge_k").score([example(candidate, "The art", "An art")])
    assert score.value == value


def test_value_and_evidence() -> None:
    """Keywords: "hawaiian text" and "network"; the candidate has the first of two -> 1/2."""
    e = example("They restore Hawaiian texts.", "A network for Hawaiian text", title="Networks: old Hawaiian text")
    (score,) = metric("rouge_k").score([e])
    assert score.value == 0.5
    assert score.parts == {"keywords": 2, "found": 1}
    first, second = score.evidence.keywords
    assert [str(k.keyword) for k in (first, second)] == ["hawaiian text", "network"]
    assert [e.candidate[slice(*span)] for span in first.occurrences] == ["Hawaiian texts"]
    assert second.occurrences == ()
    places = [(index, score.evidence.texts[index][slice(*span)]) for index, span in second.keyword.found]
    assert places == [(0, "network"), (1, "Networks")]


@pytest.mark.parametrize(
    ("e", "why"),
    [
        (example("x", "only one"), "no keywords: there are not two texts among references and title to compare"),
        (example("x", "cats", "dogs"), "no keywords: references and title share no content word"),
    ],
)
def test_missing_is_not_zero(e: Example, why: str) -> None:
    (score,) = metric("rouge_k").score([e])
    assert (score.value, score.missing) == (None, why)


def test_the_title_counts_always_or_beside_a_single_reference() -> None:
    e = example("cats", "cats sleep", "dogs sleep", title="Cats")
    (always,) = metric("rouge_k").score([e])
    (single,) = metric("rouge_k", Options(title="single")).score([e])
    assert always.parts["keywords"] == 2  # cat, sleep
    assert single.parts["keywords"] == 1  # sleep
    assert metric("rouge_k", Options(title="single")).signature.split("|")[2] == "title:single"


def test_the_value_follows_from_the_evidence(shared_data: Path) -> None:
    from data.records import examples

    records = read(shared_data / "summeval.jsonl", "interchange")
    batch = [e for document, summaries in records for e in examples(document, summaries)][:200]
    for score in metric("rouge_k").score(batch):
        keywords = score.evidence.keywords
        assert score.value == sum(bool(k.occurrences) for k in keywords) / len(keywords)
