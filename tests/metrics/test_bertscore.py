"""BERTScore: equal to the bert-score package, missing where nothing can be compared, evidence that adds up."""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relevance.data.importers import read_documents
from relevance.data.records import Example, make_examples
from relevance.metrics import metric
from relevance.metrics.base import Score
from relevance.metrics.bertscore import BertScore, BertScoreEvidence
from relevance.metrics.models.encoder import Encoder
from relevance.metrics.models.files import embedded_model
from relevance.metrics.scoring import score_record

pytestmark = pytest.mark.model

Values = list[tuple[float, float, float]]


def example(candidate: str, *references: str) -> Example:
    return Example("d", "s", candidate, references, None, "")


@pytest.fixture(scope="module")
def summeval(shared_data: Path) -> list[Example]:
    records = read_documents(shared_data / "summeval.jsonl", "interchange")
    return [e for document, summaries in records for e in make_examples(document, summaries)]


@pytest.fixture(scope="module")
def pairs(summeval: list[Example]) -> list[Example]:
    """500 pairs of nine documents from all over the file: few enough texts to encode them twice in a test."""
    some = [e for document in range(0, 100, 12) for e in summeval[16 * document : 16 * document + 16]]
    return [example(e.candidate, reference) for e in some for reference in e.references][::3][:500]


def theirs(batch: Sequence[Example], layer: int = 5, **options: Any) -> Values:
    """The package's precision, recall and F1; against several references the best of each."""
    import bert_score

    several = any(len(e.references) > 1 for e in batch)
    columns = bert_score.score(
        [e.candidate for e in batch],
        [list(e.references) if several else e.references[0] for e in batch],
        model_type=str(embedded_model().folder),
        num_layers=layer,
        device="cpu",
        nthreads=0,
        **options,
    )
    return list(zip(*(column.tolist() for column in columns), strict=True))


def ours(scores: Sequence[Score]) -> Values:
    assert all(score.value is not None for score in scores)
    return [(score.parts["precision"], score.parts["recall"], score.value or 0) for score in scores]


def assert_close(mine: Values, peer: Values, within: float = 1e-4) -> None:
    assert np.abs(np.array(mine) - np.array(peer)).max() < within


# --- ties ---------------------------------------------------------------------------------------------------


def test_texts_that_differ_in_case_tie(summeval: list[Example]) -> None:
    """The embedded encoder has no case: 60 of 60 pairs, side by side and in runs of their own."""
    small = [replace(e, references=e.references[:1]) for e in summeval[::27][:60]]
    large = [replace(e, candidate=e.candidate.upper()) for e in small]
    bertscore = BertScore()
    together = bertscore.score([e for pair in zip(small, large, strict=True) for e in pair])
    assert [item.value for item in together[::2]] == [other.value for other in together[1::2]]
    bertscore.encoder.forget()
    alone = [s.value or 0 for s in bertscore.score(large[::-1])[::-1]]
    assert np.array(alone) == pytest.approx([s.value or 0 for s in together[::2]], abs=1.01e-6)


def test_values_have_six_decimals(pairs: list[Example]) -> None:
    """The noise of single precision ends before the digits that are kept; the evidence has all digits."""
    for result in BertScore().score(pairs[:20]):
        figures = [result.value or 0, *result.parts.values()]
        assert figures == [round(figure, 6) for figure in figures]
        assert result.value == pytest.approx(result.evidence.matches[0].f1, abs=1e-6)


# --- equal to the package -----------------------------------------------------------------------------------


def test_equals_bert_score(pairs: list[Example]) -> None:
    assert len(pairs) == 500
    assert_close(ours(BertScore().score(pairs)), theirs(pairs))


@pytest.mark.parametrize("layer", [0, 2, 6])
def test_equals_bert_score_at_other_layers(pairs: list[Example], layer: int) -> None:
    assert_close(ours(BertScore(layer=layer).score(pairs[:60])), theirs(pairs[:60], layer))


@pytest.mark.smoke
def test_several_references(summeval: list[Example]) -> None:
    batch = summeval[8:28]  # of two documents
    assert {len(e.references) for e in batch} == {11}
    assert_close(ours(BertScore().score(batch)), theirs(batch))
    each = [ours(BertScore().score([example(e.candidate, r) for r in e.references])) for e in batch]
    assert_close(ours(BertScore("mean").score(batch)), [tuple(np.mean(e, axis=0)) for e in each], 2e-6)
    assert_close(ours(BertScore("first").score(batch)), [e[0] for e in each], 2e-6)


def test_equals_bert_score_with_idf(pairs: list[Example]) -> None:
    """The package takes the references of the call as its corpus, repeated ones too."""
    batch = pairs[::5]
    corpus = [e.references[0] for e in batch]
    with_idf = ours(BertScore(idf=corpus).score(batch))
    assert_close(with_idf, theirs(batch, idf=True))
    assert np.abs(np.array(with_idf) - np.array(ours(BertScore().score(batch)))).max() > 0.01


def test_idf_by_hand() -> None:
    """ "the" is in both texts and weighs log(3/3) = 0, "cat" and "." log(3/2), a token of neither log(3/1)."""
    bertscore = BertScore(idf=["the cat .", "the dog"])
    (score,) = bertscore.score([example("the cat bird", "the cat .")])
    evidence: BertScoreEvidence = score.evidence
    assert evidence.candidate.weights == pytest.approx([0, 0, math.log(3 / 2), math.log(3), 0])
    assert evidence.references[0].weights == pytest.approx([0, 0, math.log(3 / 2), math.log(3 / 2), 0])


def test_equals_bert_score_rescaled(pairs: list[Example], tmp_path: Path) -> None:
    file = tmp_path / "baseline.tsv"
    file.write_text("LAYER,P,R,F\n" + "".join(f"{n},0.{n}1,0.{n}2,0.{n}3\n" for n in range(7)))
    batch = pairs[:60]
    for layer in (5, 2):
        rescaled = ours(BertScore(layer=layer, baseline=file).score(batch))
        assert_close(rescaled, theirs(batch, layer, lang="en", rescale_with_baseline=True, baseline_path=str(file)))
        plain = ours(BertScore(layer=layer).score(batch))
        floor = np.array([layer + 0.1, layer + 0.2, layer + 0.3]) / 10
        assert_close(rescaled, [tuple(row) for row in (np.array(plain) - floor) / (1 - floor)], 3e-6)


def test_rescaled_against_several_references(summeval: list[Example], tmp_path: Path) -> None:
    file = tmp_path / "baseline.tsv"
    file.write_text("LAYER,P,R,F\n5,0.3,0.31,0.32\n")
    batch = summeval[:4]
    plain, floor = np.array(ours(BertScore().score(batch))), np.array([0.3, 0.31, 0.32])
    rescaled = BertScore(baseline=file).score(batch)
    assert_close(ours(rescaled), [tuple(row) for row in (plain - floor) / (1 - floor)], 3e-6)
    best = max(match.f1 for match in rescaled[0].evidence.matches)
    assert rescaled[0].value == pytest.approx(best, abs=1e-6)


def test_table_1_of_the_rouge_k_paper(shared_data: Path) -> None:
    """The hypothesis without the keyword is preferred, as published for another encoder."""
    table = json.loads((shared_data / "rouge_k_table1.json").read_text())
    first, second = BertScore().score([example(h["text"], table["reference"]) for h in table["hypotheses"]])
    assert (round(first.value or 0, 4), round(second.value or 0, 4)) == (0.7299, 0.6887)


# --- missing and truncated ----------------------------------------------------------------------------------


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("candidate", "references", "why"),
    [
        ("a cat", (), "there is no reference"),
        ("a cat", ("", " \n"), "no reference has a token"),
        ("", ("a cat",), "the summary has no token"),
        ("\u200b\t", ("a cat",), "the summary has no token"),
        ("", (), "there is no reference"),
    ],
)
def test_missing_is_not_zero(candidate: str, references: tuple[str, ...], why: str) -> None:
    whole, score = BertScore().score([example("a cat", "a cat"), example(candidate, *references)])
    assert whole.value == pytest.approx(1, abs=1e-5)
    assert (score.value, score.missing, score.evidence) == (None, why, None)


def test_texts_of_tokens_that_weigh_nothing_are_missing() -> None:
    """A corpus of one text gives each of its tokens log(2/2) = 0."""
    bertscore = BertScore(idf=["the cat"])
    scores = bertscore.score([example("a dog", "the cat"), example("cat", "the dog"), example("dog", "the dog")])
    assert [score.missing for score in scores] == [
        "no reference has a token with an inverse document frequency above 0",
        "the summary has no token with an inverse document frequency above 0",
        None,
    ]


def test_a_reference_without_tokens_is_left_out() -> None:
    (score,) = BertScore("mean").score([example("a cat", "", "a cat")])
    assert score.value == pytest.approx(1, abs=1e-5)
    assert [match.reference for match in score.evidence.matches] == [1]
    assert len(score.evidence.references) == 2
    (score,) = BertScore("first").score([example("a cat", "", "a cat")])
    assert score.missing == "no reference has a token"


def test_long_texts_are_marked_as_truncated() -> None:
    long = "The cat sat on the mat. " * 100  # 600 words, 702 tokens of which 512 are seen
    batch = [example(long, "A cat sat."), example("A cat sat.", "A dog.", long), example("A cat sat.", "A dog.")]
    scores = BertScore().score(batch)
    assert [score.truncated for score in scores] == [True, True, False]
    evidence = [score.evidence for score in scores]
    assert [e.candidate.truncated for e in evidence] == [True, False, False]
    assert [[side.truncated for side in e.references] for e in evidence] == [[False], [False, True], [False]]
    assert len(evidence[0].candidate.spans) == 512
    assert evidence[0].candidate.spans[-2][1] < len(long)
    lines = [score_record(e, {"bertscore": score}) for e, score in zip(batch, scores, strict=True)]
    assert [line.get("truncated") for line in lines] == [["bertscore"], ["bertscore"], None]


def test_a_reference_that_does_not_count_does_not_mark_a_score() -> None:
    (score,) = BertScore("first").score([example("A cat sat.", "A cat.", "cat " * 600)])
    assert not score.truncated
    assert len(score.evidence.references) == 1


# --- evidence -----------------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_the_value_follows_from_the_evidence(summeval: list[Example]) -> None:
    batch = summeval[:50]
    corpus = [reference for e in batch[::16] for reference in e.references]
    for bertscore, combine in [(BertScore(), max), (BertScore("mean", idf=corpus), np.mean)]:
        for e, score in zip(batch, bertscore.score(batch), strict=True):
            evidence: BertScoreEvidence = score.evidence
            rows = []
            ours = np.array(evidence.candidate.weights)
            for match in evidence.matches:
                side = evidence.references[match.reference]
                weights = np.array(side.weights)
                assert match.similarity.shape == (len(ours), len(weights))
                nearest = match.similarity[np.arange(len(ours)), match.nearest_to_candidate]
                assert (nearest == match.similarity.max(axis=1)).all()
                precision = (nearest * ours).sum() / ours.sum()
                nearest = match.similarity[match.nearest_to_reference, np.arange(len(weights))]
                assert (nearest == match.similarity.max(axis=0)).all()
                recall = (nearest * weights).sum() / weights.sum()
                f1 = 2 * precision * recall / (precision + recall)
                assert (match.precision, match.recall, match.f1) == pytest.approx((precision, recall, f1), abs=1e-6)
                rows.append((precision, recall, f1))
            assert len(rows) == len(e.references)
            assert score.value == pytest.approx(combine([f1 for *_, f1 in rows]), abs=1e-6)
            # those that counted make the value by themselves
            assert score.value == pytest.approx(np.mean([rows[place][2] for place in evidence.counted]), abs=1e-6)
            assert len(evidence.counted) == (len(rows) if combine is np.mean else 1)
            assert score.parts["precision"] == pytest.approx(combine([p for p, *_ in rows]), abs=1e-6)
            assert score.parts["recall"] == pytest.approx(combine([r for _, r, _ in rows]), abs=1e-6)


@pytest.mark.parametrize(
    ("rule", "counted", "reference"), [("max", (1,), 2), ("mean", (0, 1), None), ("first", (0,), 0)]
)
def test_the_evidence_says_which_references_counted(rule: str, counted: tuple[int, ...], reference: int | None) -> None:
    """Places among the comparisons: the second reference is without a token, and so compared with nothing."""
    (score,) = BertScore(rule).score([example("the cat sat", "dogs run", "", "the cat sat")])
    evidence: BertScoreEvidence = score.evidence
    assert evidence.counted == counted
    values = [evidence.matches[place].f1 for place in counted]
    assert score.value == pytest.approx(sum(values) / len(values), abs=1e-6)
    if reference is not None:
        assert [evidence.matches[place].reference for place in counted] == [reference]


def test_spans_of_the_evidence() -> None:
    candidate, reference = "Cafés, unbelievably", "The café"
    (score,) = BertScore().score([example(candidate, reference)])
    evidence: BertScoreEvidence = score.evidence
    shown = [candidate[start:end] for start, end in evidence.candidate.spans]
    assert shown[:3] == ["", "Cafés", ","]
    assert "".join(shown) == "Cafés,unbelievably"
    assert [reference[start:end] for start, end in evidence.references[0].spans] == ["", "The", "café", ""]
    assert evidence.references[0].weights == (0, 1, 1, 0)
    (match,) = evidence.matches
    assert match.reference == 0
    nearest = match.nearest_to_candidate[shown.index("Cafés")]
    assert reference[slice(*evidence.references[0].spans[nearest])] == "café"
    assert match.nearest_to_reference[nearest] == shown.index("Cafés")


def test_evidence_of_texts_that_were_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("relevance.metrics.models.encoder.KEPT_BYTES", 0)
    encoder = Encoder()
    (score,) = BertScore(encoder=encoder).score([example("a cat", "the dog")])
    assert encoder.encoded == 2
    assert score.evidence.matches[0].f1 == pytest.approx(score.value, abs=1e-6)
    assert encoder.encoded == 4
    assert score.evidence.matches
    assert encoder.encoded == 4


# --- settings -----------------------------------------------------------------------------------------------


def test_signature(tmp_path: Path) -> None:
    start = "bertscore|refs:max|model:all-MiniLM-L6-v2@53aa5117|layer:5"
    assert metric("bertscore").signature == f"{start}|idf:none|rescale:no|value:f1|version:0.2.0"
    file = tmp_path / "baseline.tsv"
    file.write_text("LAYER,P,R,F\n5,0.3,0.3,0.3\n")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:8]
    chosen = metric("bertscore", references="mean", layer=2, baseline=None, idf=("a b", "c")).signature
    assert chosen.startswith("bertscore|refs:mean|model:all-MiniLM-L6-v2@53aa5117|layer:2|idf:")
    assert f"|rescale:{digest}|" in metric("bertscore", baseline=file).signature
    others = [("a", "b c"), ("a b\nc",), ("a b",), ("a b", "c", "c"), ()]
    assert len({chosen, *(BertScore("mean", layer=2, idf=idf).signature for idf in others)}) == 1 + len(others)
    assert BertScore(idf=["\ud800"]).signature != BertScore(idf=["?"]).signature


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"references": "best"}, "references of BERTScore must be one of max, mean, first, source, not 'best'"),
        ({"model": "somebody/encoder"}, "name the hidden layer of 'somebody/encoder'"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BertScore(**options)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("LAYER,P,R,F\n5,0.1,0.2\n", r"baseline\.tsv:2: a line must be LAYER,P,R,F with four numbers"),
        ("LAYER,P,R,F\n\n4,0,0,0\n5,0.1,0.2,x\n", r"baseline\.tsv:4: a line must be LAYER,P,R,F with four numbers"),
        ("5,0.1,0.2,0.3,0.4\n", r"baseline\.tsv:1: a line must be LAYER,P,R,F with four numbers"),
        ("LAYER,P,R,F\n5,0.1,0.2,1\n", r"baseline\.tsv:2: a baseline is below 1"),
        ("LAYER,P,R,F\n5,0.1,nan,0.2\n", r"baseline\.tsv:2: a baseline is below 1"),
        ("LAYER,P,R,F\n5,0.1,-inf,0.2\n", r"baseline\.tsv:2: a baseline is below 1"),
        ("LAYER,P,R,F\n4,0.1,0.2,0.3\n", r"baseline\.tsv has no line for layer 5"),
        ("", r"baseline\.tsv has no line for layer 5"),
    ],
)
def test_a_malformed_baseline_is_refused_by_its_line(lines: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "baseline.tsv"
    file.write_text(lines)
    with pytest.raises(ValueError, match=message):
        BertScore(baseline=file)
