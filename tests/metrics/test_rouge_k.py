"""ROUGE-K: the paper's keyword statistics, whole words only, missing without keywords, evidence in place."""

import json
from dataclasses import replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from relevance.data.importers import read_documents
from relevance.data.records import Example
from relevance.metrics import metric
from relevance.metrics.base import VERSION
from relevance.metrics.keywords.lists import KeywordLists
from relevance.metrics.keywords.overlap import compared_texts, overlap_keywords
from relevance.metrics.lemmas import RULES
from relevance.metrics.rouge_k import RougeK


def example(candidate: str, *references: str, title: str | None = None, source: str = "") -> Example:
    return Example("d", "s", candidate, references, title, source)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("split", "column"), [("train", 0), ("dev", 1), ("test", 2)])
def test_keyword_statistics_of_scitldr(shared_data: Path, split: str, column: int) -> None:
    """Table 4 of the paper: keywords per summary within 0.2, their length in words within 0.1."""
    published = json.loads((shared_data / "published_tables.json").read_text())["rouge_k"][
        "table4_keywords_train_val_test"
    ]
    documents = [document for document, _ in read_documents(shared_data / "scitldr" / f"{split}.jsonl", "scitldr")]
    results = [overlap_keywords(compared_texts(d.references, d.title, "always")) for d in documents]
    count = sum(map(len, results))
    words = sum(len(keyword.words) for keywords in results for keyword in keywords)
    assert count / len(results) == pytest.approx(published["SciTLDR"]["keywords_per_summary"][column], abs=0.2)
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


def test_a_keyword_is_located_in_every_text_that_has_it() -> None:
    # "A museum" and "the museum" share two-word windows; the title has the word without a stop word beside it
    result = overlap_keywords(["A museum gave it back.", "And the museum says more.", "Museum returns drum"])
    (museum,) = (item for item in result if item.words == ("museum",))
    assert museum.places == ((0, (2, 8)), (1, (8, 14)), (2, (0, 6)))


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
    """Keywords: "network", whose window of two has a stop word, and "hawaiian text"; the candidate has one of two."""
    e = example("They restore Hawaiian texts.", "A network for Hawaiian text", title="Networks: old Hawaiian text")
    (score,) = metric("rouge_k").score([e])
    assert score.value == 0.5
    assert score.parts == {"keywords": 2, "found": 1}
    second, first = score.evidence.keywords
    assert [str(k.keyword) for k in (first, second)] == ["hawaiian text", "network"]
    assert [e.candidate[slice(*span)] for span in first.occurrences] == ["Hawaiian texts"]
    assert second.occurrences == ()
    places = [(index, score.evidence.texts[index][slice(*span)]) for index, span in second.keyword.places]
    assert places == [(0, "network"), (1, "Networks")]


@pytest.mark.parametrize(
    ("e", "why"),
    [
        (
            example("x", "only one"),
            "no keywords: there are not two texts among references and title to compare; keywords by tfidf:K or "
            "textrank:K, or a list of your own, need only one",
        ),
        (example("x", "cats", "dogs"), "no keywords: references and title share no content word"),
    ],
)
def test_missing_is_not_zero(e: Example, why: str) -> None:
    (score,) = metric("rouge_k").score([e])
    assert (score.value, score.missing) == (None, why)


def test_the_title_counts_always_or_beside_a_single_reference() -> None:
    e = example("cats", "cats sleep", "dogs sleep", title="Cats")
    (always,) = metric("rouge_k").score([e])
    (single,) = metric("rouge_k", title="single").score([e])
    assert always.parts["keywords"] == 2  # cat, sleep
    assert single.parts["keywords"] == 1  # sleep
    assert metric("rouge_k", title="single").signature.split("|")[2] == "title:single"


def test_the_value_follows_from_the_evidence(shared_data: Path) -> None:
    from relevance.data.records import make_examples

    records = read_documents(shared_data / "summeval.jsonl", "interchange")
    batch = [e for document, summaries in records for e in make_examples(document, summaries)][:200]
    for score in metric("rouge_k").score(batch):
        keywords = score.evidence.keywords
        assert score.value == sum(bool(k.occurrences) for k in keywords) / len(keywords)


# --- other keywords ---------------------------------------------------------------------------------------------

FORMS = f"lemminflect{version('lemminflect')}+simplemma{version('simplemma')}+rules{RULES}"
LEMMAS = f"lemma:{FORMS}|version:{VERSION}"
IDF = sha256(b'["a"]').hexdigest()[:8]
LISTS = KeywordLists({"d": (("Networks",), ("old", "tree")), "empty": ()}, "1a2b3c4d5e6f")
ABOUT = example("Graph networks.", "Graph networks learn a tree.", title="Trees: graph networks", source="A tree.")


@pytest.mark.parametrize(
    ("options", "signature"),
    [
        ({}, f"rouge_k|kw:overlap10|title:always|{LEMMAS}"),
        ({"idf": ("a",)}, f"rouge_k|kw:overlap10|title:always|{LEMMAS}"),
        ({"keywords": "tfidf"}, f"rouge_k|kw:tfidf|title:always|idf:own|{LEMMAS}"),
        ({"keywords": "tfidf:12", "title": "single"}, f"rouge_k|kw:tfidf12|title:single|idf:own|{LEMMAS}"),
        ({"keywords": "tfidf:5", "idf": ("a",)}, f"rouge_k|kw:tfidf5|title:always|idf:{IDF}|{LEMMAS}"),
        ({"keywords": "textrank:5"}, f"rouge_k|kw:textrank5|title:always|{LEMMAS}"),
        ({"only": "in-source"}, f"rouge_k|kw:overlap10|title:always|only:in-src|{LEMMAS}"),
        (
            {"keywords": "textrank", "only": "out-source"},
            f"rouge_k|kw:textrank|title:always|only:out-src|{LEMMAS}",
        ),
        ({"keywords": LISTS}, f"rouge_k|kw:list@1a2b3c4d|title:always|{LEMMAS}"),
    ],
)
def test_signatures(options: dict[str, Any], signature: str) -> None:
    assert metric("rouge_k", **options).signature == signature


@pytest.mark.parametrize(
    ("options", "keywords", "value"),
    [
        ({}, ["graph network", "tree"], 1 / 2),
        ({"only": "in-source"}, ["tree"], 0.0),
        ({"only": "out-source"}, ["graph network"], 1.0),
        # Two keywords, as many as overlap gives. Two sentences, the reference and the title, have "graph network" and
        # "tree": 2 (ln(3/3) + 1) = 2; phrases of one of them have ln(3/2) + 1 = 1.41.
        ({"keywords": "tfidf"}, ["graph network", "tree"], 1 / 2),
        ({"keywords": "tfidf:3"}, ["graph network", "tree", "learn"], 1 / 3),
        # graph - network - learn - tree - graph is a circle, in which all words are equal: the first two are one
        # keyword, and so are the first three; of four, tree stands alone.
        ({"keywords": "textrank"}, ["graph network learn", "tree"], 0.0),
        ({"keywords": LISTS}, ["network", "old tree"], 1 / 2),
        ({"keywords": LISTS, "only": "out-source"}, ["network", "old tree"], 1 / 2),
    ],
)  # fmt: skip
def test_other_keywords(options: dict[str, Any], keywords: list[str], value: float) -> None:
    (score,) = metric("rouge_k", **options).score([ABOUT])
    assert score.value == value
    result = score.evidence.keywords
    assert [str(item.keyword) for item in result] == keywords
    assert score.evidence.texts == ("Graph networks learn a tree.", "Trees: graph networks")
    assert [bool(item.occurrences) for item in result].count(True) == score.parts["found"]
    for item in result:
        for index, (start, end) in item.keyword.places:
            place = example(score.evidence.texts[index][start:end], "x")
            assert place.candidate.lower().split()[0].startswith(item.keyword.words[0])


def test_rarity_among_other_texts_changes_what_tfidf_finds() -> None:
    """Where three of four texts speak of trees, "tree" is worth 2 (ln(5/4) + 1) = 2.4, "learn" ln(5/1) + 1 = 2.6."""
    other = {"keywords": "tfidf:2", "idf": ("trees", "a tree", "old trees", "x")}
    (score,) = metric("rouge_k", **other).score([ABOUT])
    assert [str(keyword.keyword) for keyword in score.evidence.keywords] == ["graph network", "learn"]


ALONE = example("Graph", "Graph networks learn.", source="Trees.")


@pytest.mark.parametrize(
    ("options", "e", "why"),
    [
        ({"keywords": "tfidf"}, ALONE, "there are not two texts among references and title to compare; keywords"),
        ({"keywords": "textrank"}, example("x", "cats", "dogs"), "references and title share no content word"),
        ({"keywords": "textrank:2"}, example("x", "of the"), "references and title have no content word"),
        ({"keywords": "tfidf:2"}, example("x"), "there are no references"),
        ({"only": "in-source"}, example("x", "cat", "cat"), "there is no source in which they could occur"),
        ({"keywords": "tfidf:2", "only": "in-source"}, ALONE, "none of the document's 2 occurs in the source"),
        (
            {"keywords": "tfidf:2", "only": "out-source"},
            replace(ABOUT, source="Graph networks learn a tree."),
            "each of the document's 2 occurs in the source",
        ),
        (
            {"keywords": LISTS},
            replace(ALONE, document_id="e"),
            "the file of keywords has no list for",
        ),
        (
            {"keywords": LISTS},
            replace(ALONE, document_id="empty"),
            "the list of this document is emp",
        ),
    ],
)
def test_why_there_are_no_other_keywords(options: dict[str, Any], e: Example, why: str) -> None:
    (score,) = metric("rouge_k", **options).score([e])
    assert score.value is None
    assert score.missing is not None
    assert score.missing.startswith(f"no keywords: {why}")


def test_one_reference_is_enough_where_a_number_is_asked_for() -> None:
    for keywords in ("tfidf:3", "textrank:3"):
        (score,) = metric("rouge_k", keywords=keywords).score([ALONE])
        assert score.parts == {"keywords": 3, "found": 1}  # graph of graph, network, learn


def test_documents_of_the_same_texts_have_their_own_lists() -> None:
    lists = KeywordLists({"one": (("graph",),), "two": (("tree",),)}, "0" * 64)
    batch = [replace(ABOUT, document_id=name) for name in ("one", "two", "one")]
    assert [score.value for score in RougeK(keywords=lists).score(batch)] == [1.0, 0.0, 1.0]


def test_lists_whose_value_depends_on_the_title_say_so() -> None:
    """A listed "training" that stands in a text is looked for as it is; elsewhere its verb counts, too."""
    lists = KeywordLists({"d": (("training",),)}, "0" * 64)
    e = example("We train GANs.", "alpha beta", "alpha gamma", title="The training of GANs")
    metrics = [RougeK(title, lists) for title in ("always", "single")]
    assert [metric.score([e])[0].value for metric in metrics] == [0.0, 1.0]
    assert len({metric.signature for metric in metrics}) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keywords": "bm25"}, "'bm25' is not one of overlap, tfidf, textrank, tfidf:K and textrank:K"),
        ({"keywords": "list"}, "'list' is not one of overlap, tfidf, textrank, tfidf:K and textrank:K"),
        ({"only": "source"}, "only must be one of None, in-source, out-source, not 'source'"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        metric("rouge_k", **options)
