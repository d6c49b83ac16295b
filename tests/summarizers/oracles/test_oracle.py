"""Oracles over the references of a document, and as systems of a data set."""

import pytest

from relevance.data.importers import read_documents
from relevance.data.records import Document, Example
from relevance.metrics import make_metrics
from relevance.metrics.rouge import RougeN
from relevance.metrics.text import count_words
from relevance.summarizers import summarizer
from relevance.summarizers.base import REFERENCE_LENGTH, SummaryLength
from relevance.summarizers.oracles import ALGORITHMS, Limits, Oracle, Problem, Target, find_extract
from relevance.summarizers.oracles.exact import exact
from relevance.summarizers.sentences import sentences_of

TWO = Document("d", ("Red cars.", "Blue trucks.", "Green boats float."), ("red trucks", "green boats", "..."))


def test_the_reference_that_most_can_be_had_of_counts():
    # Against the first: "Red cars. Blue trucks." 2 x 2 / (4 + 2); the second: 2 x 2 / (3 + 2); the third has no token.
    result = find_extract(TWO)
    assert (result.reference, result.text) == (1, "Green boats float.")
    assert result.solution.sentences == (2,)
    assert result.solution.f1 == pytest.approx(0.8)
    assert result.solution.proven
    first = find_extract(TWO, Target(references="first"))
    assert (first.reference, first.text) == (0, "Red cars. Blue trucks.")
    assert first.solution.f1 == pytest.approx(2 / 3)


def test_the_bound_is_one_over_all_references():
    # Whatever the second reference allows, a first one that is not proven leaves more to be had.
    solved = find_extract(TWO).solution
    each = [exact(Problem(sentences_of(TWO), reference)) for reference in TWO.references[:2]]
    assert solved.bound == max(solution.bound for solution in each)
    assert solved.iterations == sum(solution.iterations for solution in each)
    assert find_extract(TWO, algorithm="vns").solution.bound is None


def test_equal_references_are_told_apart_by_order():
    document = Document("d", ("a b", "c d"), ("c d", "a b"))
    assert (find_extract(document).reference, find_extract(document).text) == (0, "c d")


@pytest.mark.parametrize(
    "document",
    [
        Document("d", "", ("r",)),
        Document("d", (" ",), ("r",)),
        Document("d", "A b.", ()),
        Document("d", "A.", ("...",)),
    ],
)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_document_without_sentences_or_references_has_none(document, algorithm):
    assert find_extract(document, algorithm=algorithm) is None
    assert Oracle(algorithm).summarize([document]) == []


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_where_nothing_matches_the_extract_is_empty_and_there_is_no_summary(algorithm):
    document = Document("d", "Red cars. Blue trucks.", ("green boats",))
    result = find_extract(document, algorithm=algorithm)
    assert (result.text, result.solution.sentences, result.solution.f1) == ("", (), 0.0)
    assert result.solution.proven == (algorithm == "exact")
    assert Oracle(algorithm).summarize([document]) == []


@pytest.mark.parametrize("tokenizer", ["ascii", "unicode"])
def test_the_tokenizer_is_that_of_rouge(tokenizer):
    document = Document("d", ("Это кот.", "Там дом."), ("там дом",))
    result = find_extract(document, Target(tokenizer=tokenizer))
    assert (result is None) == (tokenizer == "ascii")  # no letter of the reference is a token
    if result:
        assert (result.text, result.solution.f1) == ("Там дом.", 1.0)


@pytest.mark.exhaustive
def test_the_optimum_is_the_value_of_the_metric(shared_data):
    """Clipped ROUGE-1 of the best extract, and no system of the data set is an extract that scores more."""
    records = list(read_documents(shared_data / "summeval.jsonl", "interchange"))[:8]
    rouge = {rule: RougeN(1, rule) for rule in ("max", "first")}
    for document, _ in records:
        for rule in rouge:
            for algorithm in ("exact", "greedy"):
                result = find_extract(document, Target(references=rule), algorithm)
                example = Example(document.id, "s", result.text, document.references, document.title, "")
                value = rouge[rule].score([example])[0].value
                # Against another reference than it was made for, a heuristic's extract may score more than it knows.
                assert value >= result.solution.f1 - 1e-12
                if algorithm == "exact" or rule == "first":
                    assert value == pytest.approx(result.solution.f1, abs=1e-12)
        best = find_extract(document).solution.f1
        for name in ("lead", "textrank", "lexrank", "lsa"):
            [summary] = summarizer(name).summarize([document])
            example = Example(document.id, name, summary.text, document.references, document.title, "")
            assert make_metrics(["rouge1"])[0].score([example])[0].value <= best + 1e-9


@pytest.mark.exhaustive
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_oracle_never_exceeds_its_length(algorithm, shared_data):
    documents = [document for document, _ in read_documents(shared_data / "summeval.jsonl", "interchange")][:6]
    target = Target(references="first")
    for length, limit in ((SummaryLength(2), None), (SummaryLength(40, "words"), 40), (REFERENCE_LENGTH, None)):
        oracle = Oracle(algorithm, target, length)
        for document, summary in zip(documents, oracle.summarize(documents), strict=True):
            words = limit or count_words(document.references[0])
            if length.unit == "sentences":
                assert summary.text == find_extract(document, target, algorithm, limits=Limits(sentences=2)).text
            else:
                assert 0 < count_words(summary.text) <= words
            assert summary.system == oracle.name


def test_the_length_of_a_reference_that_has_no_word():
    assert Oracle(length=REFERENCE_LENGTH).summarize([Document("d", "A b.", ("...", "a b"))]) == []
    assert Oracle().summarize([Document("d", "A b.", ("...", "a b"))])[0].text == "A b."


def test_seeds_and_times_are_named():
    oracle = Oracle("vns", Target(2, "set", "first", "unicode"), SummaryLength(3), seed=5, seconds=0.5)
    assert oracle.name == "oracle-vns-rouge2-set-first-3-seed5"
    assert oracle.signature == (
        "oracle|algorithm:vns|by:relevance|k_max:3|iterations:5000|patience:700|seconds:0.5|seed:5|metric:rouge2|definition:set|"
        "ngrams:within-sentences|refs:first|tok:unicode|stem:porter|sentences:3|version:0.2.0"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("best",), "algorithm must be one of greedy, vns@paper, .*, exact, not 'best'"),
        (("exact", Target(0)), "an n-gram has at least 1 word, not 0"),
        (("exact", Target(definition="x")), "definition must be one of clipped, set, not 'x'"),
        (("exact", Target(references="mean")), "references must be one of max, first, not 'mean'"),
        (("exact", Target(tokenizer="x")), "tokenizer must be one of ascii, unicode, spaces, ar, .*, zh, not 'x'"),
        (("exact", Target(), SummaryLength(0)), "a summary has at least 1 sentence, not 0"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Oracle(*arguments)
    if len(arguments) == 1:
        with pytest.raises(ValueError, match=message):
            find_extract(TWO, Target(), *arguments)
    elif len(arguments) == 2:
        with pytest.raises(ValueError, match=message):
            find_extract(TWO, arguments[1])
