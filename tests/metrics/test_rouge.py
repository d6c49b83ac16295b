"""ROUGE: equal to rouge-score, missing where nothing can be compared, and its evidence gives the value back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from data.importers import read
from data.records import Example, examples
from metrics import Options, metric, metrics
from metrics.rouge import RougeEvidence

NAMES = ("rouge1", "rouge2", "rougeL")
PEER = RougeScorer(list(NAMES), use_stemmer=True)

texts = st.text(alphabet="abcd ABé-'12\n.İK", max_size=40) | st.text(max_size=40)


def example(candidate: str, *references: str) -> Example:
    return Example("d", "s", candidate, references, None, "")


@pytest.fixture(scope="module")
def summeval(shared_data: Path) -> list[Example]:
    records = read(shared_data / "summeval.jsonl", "interchange")
    return [e for document, summaries in records for e in examples(document, summaries)]


def test_equals_rouge_score_on_every_pair_of_summeval(summeval: list[Example]) -> None:
    """17,600 pairs; precision, recall and F1 of each, by asking for one reference at a time."""
    pairs = [example(e.candidate, reference) for e in summeval for reference in e.references]
    assert len(pairs) == 17_600
    columns = {m.name: m.score(pairs) for m in metrics(NAMES)}
    for row, pair in enumerate(pairs):
        theirs = PEER.score(pair.references[0], pair.candidate)
        for name in NAMES:
            ours = columns[name][row]
            assert ours.value == pytest.approx(theirs[name].fmeasure, abs=1e-9)
            assert ours.parts["precision"] == pytest.approx(theirs[name].precision, abs=1e-9)
            assert ours.parts["recall"] == pytest.approx(theirs[name].recall, abs=1e-9)


def test_several_references(summeval: list[Example]) -> None:
    batch = summeval[:48]
    for name in NAMES:
        best = metric(name).score(batch)
        mean = metric(name, Options(references="mean")).score(batch)
        first = metric(name, Options(references="first")).score(batch)
        for i, e in enumerate(batch):
            each = [PEER.score(reference, e.candidate)[name].fmeasure for reference in e.references]
            assert best[i].value == pytest.approx(PEER.score_multi(e.references, e.candidate)[name].fmeasure, abs=1e-9)
            assert mean[i].value == pytest.approx(sum(each) / len(each), abs=1e-9)
            assert first[i].value == pytest.approx(each[0], abs=1e-9)


@given(texts, texts)
@settings(max_examples=300, deadline=None)
def test_any_text_equals_rouge_score_or_is_missing(candidate: str, reference: str) -> None:
    theirs = PEER.score(reference, candidate)
    comparable = all(
        any(c in "abcdefghijklmnopqrstuvwxyz0123456789" for c in t.lower()) for t in (candidate, reference)
    )
    for m in metrics(NAMES):
        (score,) = m.score([example(candidate, reference)])
        assert (score.value is not None) == comparable
        if comparable:
            assert score.value == pytest.approx(theirs[m.name].fmeasure, abs=1e-9)


@given(texts, st.lists(texts, min_size=1, max_size=3), st.sampled_from(["max", "mean", "first"]))
@settings(max_examples=300, deadline=None)
def test_the_value_follows_from_the_evidence(candidate: str, references: list[str], rule: str) -> None:
    """Counting the matches that a page would show gives the value, and every match is equal text but for endings."""
    for m in metrics(NAMES, Options(references=rule)):
        (score,) = m.score([example(candidate, *references)])
        if score.value is None:
            assert score.evidence is None
            continue
        evidence: RougeEvidence = score.evidence
        values = []
        for counted in evidence.counted:
            compared, matches = evidence.compared[counted], evidence.matches[counted]
            assert len(matches) == compared.matched
            units = compared.in_candidate + compared.in_reference  # none in ROUGE-2 of single words: 0 as the peer says
            values.append(2 * len(matches) / units if units else 0.0)
            for match in matches:
                ours = candidate[slice(*match.candidate)].lower()
                theirs = references[compared.reference][slice(*match.reference)].lower()
                assert ours[0] == theirs[0]
        assert score.value == pytest.approx(sum(values) / len(values), abs=1e-9)


@pytest.mark.parametrize(
    ("candidate", "references", "why"),
    [
        ("...", ("a cat",), "the candidate has no token (a-z0-9)"),
        ("кошка", ("кошка",), "the candidate has no token (a-z0-9)"),
        ("a cat", ("...",), "no reference with a token (a-z0-9)"),
        ("a cat", (), "no reference with a token (a-z0-9)"),
    ],
)
def test_missing_is_not_zero(candidate: str, references: tuple[str, ...], why: str) -> None:
    for m in metrics(NAMES):
        (score,) = m.score([example(candidate, *references)])
        assert (score.value, score.missing) == (None, why)


def test_a_reference_without_tokens_is_left_out_and_said() -> None:
    (score,) = metric("rouge1", Options(references="mean")).score([example("a cat", "!", "a cat")])
    assert score.value == 1.0
    assert score.evidence.left_out == (0,)


@pytest.mark.parametrize(
    ("candidate", "reference", "value"),
    [
        ("кошка сидит", "кошка лежит", 0.5),
        ("猫が好き", "犬が好き", 0.75),  # a character a token: 3 of 4 shared
        ("हिन्दी भाषा", "हिन्दी", 2 / 3),  # vowel signs stay inside the word: 1 shared of 2 and 1
    ],
)
def test_unicode_tokenizer(candidate: str, reference: str, value: float) -> None:
    (score,) = metric("rouge1", Options(tokenizer="unicode")).score([example(candidate, reference)])
    assert score.value == pytest.approx(value)


def test_spans_are_in_the_original_text() -> None:
    """A letter that lower-cases to two characters before the match must not move it."""
    (score,) = metric("rouge1").score([example("İİİ Cats", "the cat")])
    (match,) = score.evidence.matches[0]
    assert ("İİİ Cats"[slice(*match.candidate)], "the cat"[slice(*match.reference)]) == ("Cats", "cat")


def test_published_table_1_of_the_rouge_k_paper(shared_data: Path) -> None:
    import json

    table = json.loads((shared_data / "rouge_k_table1.json").read_text())
    batch = [Example("d", h["name"], h["text"], (table["reference"],), table["title"], "") for h in table["hypotheses"]]
    first, second = (score.value for score in metric("rouge1").score(batch))
    assert (round(100 * (first or 0), 2), round(100 * (second or 0), 2)) == (27.45, 26.09)
    first, second = (score.value for score in metric("rouge_k").score(batch))
    assert first is not None
    assert second is not None
    assert second > first


@pytest.mark.parametrize(
    ("options", "signature"),
    [
        (Options(), "rouge1|refs:max|case:lower|tok:a-z0-9|stem:porter|value:f1|version:0.2.0"),
        (
            Options(references="mean", tokenizer="unicode"),
            "rouge1|refs:mean|case:lower|tok:unicode|stem:porter|value:f1|version:0.2.0",
        ),
    ],
)
def test_signature(options: Options, signature: str) -> None:
    assert metric("rouge1", options).signature == signature


@pytest.mark.parametrize("options", [Options(references="best"), Options(tokenizer="bpe")])
def test_options_out_of_range_are_refused(options: Options) -> None:
    with pytest.raises(ValueError, match="must be one of"):
        metric("rouge1", options)
