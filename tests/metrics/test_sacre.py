"""BLEU, chrF and TER: the values of sacreBLEU under its signatures, with places of what both texts share."""

import pickle
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relevance.data.records import Example
from relevance.metrics import METRICS, MatchedEvidence, metric
from relevance.metrics.evidence import check_evidence
from relevance.metrics.fragments import Fragment, find_fragments, place_words
from relevance.metrics.from_signature import metric_of
from tests.metrics.corpora import read_examples

sacrebleu = pytest.importorskip("sacrebleu", reason="relevance-studies[sacrebleu] is not installed")

OPTIONS = [
    ("bleu", {}, lambda: sacrebleu.BLEU(effective_order=True)),
    ("bleu", {"bleu_tokenizer": "intl"}, lambda: sacrebleu.BLEU(effective_order=True, tokenize="intl")),
    ("chrf", {}, sacrebleu.CHRF),
    ("chrf", {"chrf_words": 2}, lambda: sacrebleu.CHRF(word_order=2)),
    ("ter", {}, sacrebleu.TER),
]


@pytest.fixture(scope="module")
def examples(shared_data: Path) -> list[Example]:
    """Summaries with one reference or several."""
    return read_examples(shared_data, 173)


def shorten(example: Example) -> Example:
    """Return the example with the first words of each text."""

    def cut(text: str) -> str:
        return " ".join(text.split()[:15])

    cut_references = tuple(map(cut, example.references[:3]))
    return replace(example, candidate=cut(example.candidate), references=cut_references, source=cut(example.source))


def groups(example: Example, rule: str) -> list[tuple[str, ...]]:
    """Return the references that count together by a rule."""
    if rule == "mean":
        return [(reference,) for reference in example.references]
    return [{"max": example.references, "first": example.references[:1], "source": (example.source,)}[rule]]


@pytest.mark.parametrize(("name", "options", "library"), OPTIONS)
@pytest.mark.parametrize("references", ["max", "mean", "first", "source"])
def test_values_and_signatures_are_the_library_s(examples, name, options, library, references) -> None:
    made, theirs = metric(name, references=references, **options), library()
    if name == "ter":  # which takes seconds for long texts
        examples = list(map(shorten, examples))
    for example, score in zip(examples, made.score(examples), strict=True):
        wanted = fmean(
            theirs.sentence_score(example.candidate, list(group)).score for group in groups(example, references)
        )
        assert score.value == pytest.approx(-wanted if name == "ter" else wanted, abs=1e-12)
    theirs.num_refs = -1
    own = [f"refs:{references}"] if references != "max" else []
    own += ["value:negated"] if name == "ter" else []
    before, after = str(theirs.get_signature()).split("|version:")
    assert made.signature == "|".join([name, before, *own, f"version:{after}"])
    again = metric_of(made.signature)
    assert again is not None
    assert again.signature == made.signature
    assert [item.value for item in again.score(examples[:3])] == [item.value for item in made.score(examples[:3])]


@pytest.mark.parametrize("name", ["bleu", "chrf"])
@pytest.mark.parametrize("references", ["max", "source"])
def test_evidence_is_what_both_texts_have(examples: list[Example], name: str, references: str) -> None:
    result = 0
    for example, score in zip(examples, metric(name, references=references).score(examples), strict=True):
        evidence = score.evidence
        for match in evidence.matches:
            assert (match.reference is None) == (references == "source")
            text = example.source if match.reference is None else example.references[match.reference]
            ours, theirs = example.candidate[slice(*match.candidate)], text[slice(*match.text)]
            assert "".join(ours.split()) == "".join(theirs.split())
            assert len("".join(ours.split())) >= (6 if name == "chrf" else 1)
            result += 1
        check_evidence(evidence, METRICS[name].evidence, example)
        if name == "bleu":
            assert evidence.sentence.startswith("n-grams of 1 to ")
    assert result > len(examples)


def test_what_is_said_of_bleu_are_its_counts() -> None:
    example = Example("d", "s", "the cat sat down", ("the cat sat",), None, "")
    (score,) = metric("bleu").score([example])
    assert score.evidence == MatchedEvidence(
        (score.evidence.matches[0],),
        "n-grams of 1 to 4 words found: 3 of 4, 2 of 3, 1 of 2 and 0 of 1; brevity penalty 1.000",
    )
    assert score.evidence.matches[0].candidate == (0, 11)


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter"])
def test_without_a_text_to_compare_there_is_no_value(name: str) -> None:
    bare = Example("d", "s", "a b c", (), None, "")
    blank = Example("d", "s", "a b c", (" ",), None, "")
    assert [item.missing for item in metric(name).score([bare, blank])] == ["there is no reference"] * 2
    assert metric(name, references="source").score([bare])[0].missing == "there is no source"


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter"])
def test_workers_can_be_given_it(name: str) -> None:
    example = Example("d", "s", "the cat sat down", ("the cat sat",), None, "")
    made = metric(name)
    (value,) = made.score([example])
    (again,) = pickle.loads(pickle.dumps(made)).score([example])
    assert again.value == value.value


WORDS = st.lists(st.sampled_from("abc"), max_size=12)


@given(WORDS, WORDS, st.integers(1, 3))
def test_fragments_are_the_longest_at_their_places(ours: list[str], theirs: list[str], shortest: int) -> None:
    def shared(start: int, length: int) -> bool:
        part = ours[start : start + length]
        return len(part) == length and any(theirs[at : at + length] == part for at in range(len(theirs)))

    fragments = list(find_fragments(ours, theirs, shortest))
    end = 0
    for start, place, length in fragments:
        assert length >= shortest
        assert start >= end
        assert ours[start : start + length] == theirs[place : place + length]
        assert not shared(start, length + 1)
        assert not any(shared(between, shortest) for between in range(end, start))
        end = start + length
    assert not any(shared(between, shortest) for between in range(end, len(ours)))
    assert all(isinstance(item, Fragment) for item in fragments)


@given(st.lists(st.sampled_from(["the", "cat", "n't", ",", "``", "''", "&"]), max_size=9), st.data())
def test_words_are_placed_where_they_stand(words: list[str], data: st.DataObject) -> None:
    rewritten = {"``": '"', "''": '"', "&": "&amp;"}
    written = [data.draw(st.sampled_from([word, rewritten.get(word, word)])) for word in words]
    text = "".join(part + data.draw(st.sampled_from(["", " ", "  "])) for part in written)
    end = 0
    for word, place in zip(words, place_words(text, words), strict=True):
        if place is not None:
            assert text[slice(*place)] == word
            assert place[0] >= end
            end = place[1]
    if written == words:
        assert None not in place_words(text, words)
