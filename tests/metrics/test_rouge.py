"""ROUGE: equal to rouge-score, missing where nothing can be compared, and its evidence gives the value back."""

from collections import Counter
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenizers import DefaultTokenizer

from relevance.data.importers import read_documents
from relevance.data.records import Example, make_examples
from relevance.metrics import make_metrics, metric
from relevance.metrics.from_signature import metric_of
from relevance.metrics.rouge import VALUES, RougeEvidence
from relevance.metrics.sentences import sentence_spans
from relevance.metrics.text import Reading, rouge_words

NAMES = ("rouge1", "rouge2", "rougeL")
ALL = (*NAMES, "rougeLsum", "rougeSU4")


class WordsOnce:
    """The peer's own words of a text, made once a text: SummEval compares each with many others."""

    def __init__(self) -> None:
        self.tokenize = lru_cache(4096)(DefaultTokenizer(use_stemmer=True).tokenize)


PEER = RougeScorer([*NAMES], tokenizer=WordsOnce())
PEER_OF_LINES = RougeScorer(["rougeLsum"], tokenizer=WordsOnce())

texts = st.text(alphabet="abcd ABé-'12\n.İK", max_size=40) | st.text(max_size=40)


def example(candidate: str, *references: str) -> Example:
    return Example("d", "s", candidate, references, None, "")


@pytest.fixture(scope="module")
def summeval(shared_data: Path) -> list[Example]:
    records = read_documents(shared_data / "summeval.jsonl", "interchange")
    return [e for document, summaries in records for e in make_examples(document, summaries)]


@pytest.mark.exhaustive
def test_equals_rouge_score_on_every_pair_of_summeval(summeval: list[Example]) -> None:
    """17,600 pairs; precision, recall and F1 of each, by asking for one reference at a time."""
    pairs = [example(e.candidate, reference) for e in summeval for reference in e.references]
    assert len(pairs) == 17_600
    columns = {m.name: m.score(pairs) for m in make_metrics(NAMES)}
    for row, pair in enumerate(pairs):
        theirs = PEER.score(pair.references[0], pair.candidate)
        for name in NAMES:
            ours = columns[name][row]
            assert ours.value == pytest.approx(theirs[name].fmeasure, abs=1e-9)
            assert ours.parts["precision"] == pytest.approx(theirs[name].precision, abs=1e-9)
            assert ours.parts["recall"] == pytest.approx(theirs[name].recall, abs=1e-9)


@pytest.mark.exhaustive
def test_several_references(summeval: list[Example]) -> None:
    batch = summeval[:48]
    for name in NAMES:
        best = metric(name).score(batch)
        mean = metric(name, references="mean").score(batch)
        first = metric(name, references="first").score(batch)
        for i, e in enumerate(batch):
            each = [PEER.score(reference, e.candidate)[name].fmeasure for reference in e.references]
            assert best[i].value == pytest.approx(PEER.score_multi(e.references, e.candidate)[name].fmeasure, abs=1e-9)
            assert mean[i].value == pytest.approx(sum(each) / len(each), abs=1e-9)
            assert first[i].value == pytest.approx(each[0], abs=1e-9)


@given(texts, texts)
@settings(max_examples=300)
def test_any_text_equals_rouge_score_or_is_missing(candidate: str, reference: str) -> None:
    theirs = PEER.score(reference, candidate)
    comparable = all(
        any(c in "abcdefghijklmnopqrstuvwxyz0123456789" for c in t.lower()) for t in (candidate, reference)
    )
    for m in make_metrics(NAMES):
        (score,) = m.score([example(candidate, reference)])
        assert (score.value is not None) == comparable
        if comparable:
            assert score.value == pytest.approx(theirs[m.name].fmeasure, abs=1e-9)


@given(
    texts,
    st.lists(texts, min_size=1, max_size=3),
    st.sampled_from(["max", "mean", "first", "pooled"]),
    st.sampled_from(VALUES),
    st.sampled_from(["clipped", "set"]),
)
@settings(max_examples=300)
def test_the_value_follows_from_the_evidence(
    candidate: str, references: list[str], rule: str, value: str, counts: str
) -> None:
    """Counting the matches that a page would show gives the value, and every match is equal text but for endings."""
    for m in make_metrics(ALL, references=rule, value=value, counts=counts):
        (score,) = m.score([example(candidate, *references)])
        if score.value is None:
            assert score.evidence is None
            continue
        evidence: RougeEvidence = score.evidence
        result = []
        for counted in evidence.counted:
            compared, matches = evidence.compared[counted], evidence.matches[counted]
            assert len(matches) == compared.matched
            result.append((len(matches), compared.in_candidate, compared.in_reference))
            for match in matches:
                ours = candidate[slice(*match.candidate)].lower()
                theirs = references[compared.reference][slice(*match.reference)].lower()
                assert ours[0] == theirs[0]
        if rule == "pooled":
            result = [tuple(map(sum, zip(*result, strict=True)))]
        # there are no units in ROUGE-2 of single words: 0 as the peer says
        divided = {"f1": lambda c, r: (c + r) / 2, "precision": lambda c, r: c, "recall": lambda c, r: r}[value]
        values = [matched / (divided(*sizes) or 1) for matched, *sizes in result]
        assert score.value == pytest.approx(sum(values) / len(values), abs=1e-9)


# --- ROUGE-Lsum and ROUGE-SU4 ---------------------------------------------------------------------------------


def lines(text: str) -> str:
    """A sentence a line, as `rouge-score` wants it."""
    return "\n".join(text[start:end] for start, end in sentence_spans(text))


@pytest.mark.parametrize("step", [79, pytest.param(7, marks=pytest.mark.exhaustive)])
def test_rouge_lsum_equals_rouge_score(summeval: list[Example], step: int) -> None:
    """Texts as they are, with a sentence a line, and split by the option; up to 229 pairs of SummEval."""
    pairs = [example(e.candidate, e.references[place % 11]) for place, e in enumerate(summeval[::step])]
    in_lines = [example(lines(e.candidate), lines(e.references[0])) for e in pairs]
    lsum, splitting = metric("rougeLsum"), metric("rougeLsum", lsum_sentences="split")
    parted = 0
    for item in (pairs, in_lines):
        for result, pair in zip(lsum.score(item), item, strict=True):
            theirs = PEER_OF_LINES.score(pair.references[0], pair.candidate)["rougeLsum"]
            assert result.value == pytest.approx(theirs.fmeasure, abs=1e-9)
            assert result.parts["precision"] == pytest.approx(theirs.precision, abs=1e-9)
            assert result.parts["recall"] == pytest.approx(theirs.recall, abs=1e-9)
    for whole, split, of_lines in zip(lsum.score(pairs), splitting.score(pairs), lsum.score(in_lines), strict=True):
        assert split.value == of_lines.value
        parted += split.value != whole.value
    assert parted > 0.8 * len(pairs)


def test_what_rouge_lsum_takes_for_sentences_is_in_its_signature() -> None:
    named = {of: metric("rougeLsum", lsum_sentences=of).signature for of in ("lines", "split")}
    assert metric("rougeLsum").signature == named["lines"]
    for of, signature in named.items():
        assert f"|sentences:{of}|" in signature
        assert metric_of(signature).signature == signature
    assert metric_of(named["lines"].replace("|sentences:lines", "")) is None  # lines or sentences, as the text had them
    with pytest.raises(ValueError, match="lsum_sentences must be one of lines, split, stops, not 'words'"):
        metric("rougeLsum", lsum_sentences="words")


few_words = st.lists(st.lists(st.sampled_from("abcd"), max_size=7).map(" ".join), min_size=2, max_size=4).map("\n".join)


@given(few_words, few_words)
@settings(max_examples=500)
def test_rouge_lsum_takes_the_subsequences_that_rouge_score_takes(candidate: str, reference: str) -> None:
    """Among many equally long ones: four words, in a few lines."""
    (result,) = metric("rougeLsum").score([example(candidate, reference)])
    if result.value is not None:
        assert result.value == pytest.approx(PEER_OF_LINES.score(reference, candidate)["rougeLsum"].fmeasure, abs=1e-9)


def test_rouge_lsum_by_hand() -> None:
    """Lin 2004, section 3.2: w1 w2 w3 w4 w5 beside w1 w2 w6 w7 w8 and w1 w3 w8 w9 w5: the union w1 w2 w3 w5, 4 of 5."""
    (result,) = metric("rougeLsum", value="recall").score([example("1 2 6 7 8\n1 3 8 9 5", "1 2 3 4 5")])
    assert result.value == 4 / 5
    assert result.parts == pytest.approx({"precision": 4 / 10, "f1": 2 * 4 / 15})


@pytest.mark.parametrize(
    ("candidate", "value"),
    [
        # Lin 2004, section 5, of `police killed the gunman`: 4 words and 6 pairs, as none has over four words between.
        ("police hurt the gunman", 6 / 10),  # police, the, gunman; police the, police gunman, the gunman
        ("the gunman hurt police", 4 / 10),  # police, the, gunman; the gunman
        ("the gunman police killed", 6 / 10),  # all four; the gunman, police killed
        # Four words between the two are allowed, five are not.
        ("police a b c d gunman", 3 / 10),
        ("police a b c d e gunman", 2 / 10),
    ],
)
def test_rouge_su4_by_hand(candidate: str, value: float) -> None:
    (result,) = metric("rougeSU4", value="recall").score([example(candidate, "police killed the gunman")])
    assert result.value == value


@given(st.lists(st.sampled_from("abcde"), max_size=14), st.lists(st.sampled_from("abcde"), max_size=14))
def test_rouge_su4_is_the_overlap_of_words_and_skip_bigrams(ours: list[str], theirs: list[str]) -> None:
    """Two words belong together that have at most four between them: their places differ by at most five."""

    def units(words: list[str]) -> Counter[str]:
        pairs = combinations(enumerate(words), 2)
        return Counter(words) + Counter(f"{a} {b}" for (i, a), (j, b) in pairs if j - i <= 5)

    (result,) = metric("rougeSU4").score([example(" ".join(ours), " ".join(theirs))])
    if ours and theirs:
        mine, other = units(ours), units(theirs)
        shared = (mine & other).total()
        assert result.value == pytest.approx(2 * shared / (mine.total() + other.total()), abs=1e-12)
        assert len(result.evidence.matches[0]) == shared


# --- other values, other counts --------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_precision_and_recall_as_values(summeval: list[Example]) -> None:
    """The best reference is the one of the highest precision, or recall, then."""
    batch = summeval[:32]
    for name in NAMES:
        for value in ("precision", "recall"):
            result = metric(name, value=value).score(batch)
            for score, e in zip(result, batch, strict=True):
                each = [getattr(PEER.score(reference, e.candidate)[name], value) for reference in e.references]
                assert score.value == pytest.approx(max(each), abs=1e-9)
                assert {*score.parts} == {*VALUES} - {value}


@pytest.mark.parametrize("n", [1, 2])
def test_the_rouge_n_of_dobko_et_al(summeval: list[Example], n: int) -> None:
    """Sums over the references of products of binary vectors: n-grams of both texts by n-grams of the reference."""
    batch = summeval[::100]
    options = {"references": "pooled", "value": "recall", "counts": "set"}
    for score, e in zip(metric(f"rouge{n}", **options).score(batch), batch, strict=True):
        own, *others = (
            {words[i : i + n] for i in range(len(words) - n + 1)}
            for words in (rouge_words(text, Reading("ascii")) for text in (e.candidate, *e.references))
        )
        assert score.value == pytest.approx(sum(len(own & o) for o in others) / sum(map(len, others)), abs=1e-12)
    # the cat the cat | the cat sat, a cat: 2 of 3 and 1 of 2, pooled 3 of 5; each word of the candidate counts once
    (score,) = metric("rouge1", **options).score([example("the cat the cat", "the cat sat", "a cat")])
    assert (score.value, score.parts["precision"]) == (3 / 5, 3 / 4)


@pytest.mark.parametrize(
    ("candidate", "references", "why"),
    [
        ("...", ("a cat",), "the summary has no token (a-z0-9)"),
        ("кошка", ("кошка",), "the summary has no token (a-z0-9)"),
        ("a cat", ("...",), "no reference with a token (a-z0-9)"),
        ("a cat", (), "there is no reference"),
    ],
)
def test_missing_is_not_zero(candidate: str, references: tuple[str, ...], why: str) -> None:
    for m in make_metrics(ALL):
        (score,) = m.score([example(candidate, *references)])
        assert (score.value, score.missing) == (None, why)


def test_a_reference_without_tokens_is_left_out_and_said() -> None:
    (score,) = metric("rouge1", references="mean").score([example("a cat", "!", "a cat")])
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
    (score,) = metric("rouge1", tokenizer="unicode").score([example(candidate, reference)])
    assert score.value == pytest.approx(value)


def test_spans_are_in_the_original_text() -> None:
    """A letter that lower-cases to two characters before the match must not move it."""
    (score,) = metric("rouge1").score([example("İİİ Cats", "the cat")])
    (match,) = score.evidence.matches[0]
    assert ("İİİ Cats"[slice(*match.candidate)], "the cat"[slice(*match.reference)]) == ("Cats", "cat")


@pytest.mark.exhaustive
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
        ({}, "rouge1|refs:max|case:lower|tok:a-z0-9|stem:porter|value:f1|version:0.2.0"),
        (
            {"references": "mean", "tokenizer": "unicode"},
            "rouge1|refs:mean|case:lower|tok:unicode|stem:porter|value:f1|version:0.2.0",
        ),
        (
            {"references": "pooled", "value": "recall", "counts": "set"},
            "rouge1|refs:pooled|case:lower|tok:a-z0-9|stem:porter|counts:set|value:recall|version:0.2.0",
        ),
    ],
)
def test_signature(options: dict[str, Any], signature: str) -> None:
    assert metric("rouge1", **options).signature == signature


@pytest.mark.parametrize("options", [{"references": "best"}, {"tokenizer": "bpe"}, {"value": "f2"}])
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be one of"):
        metric("rouge1", **options)
