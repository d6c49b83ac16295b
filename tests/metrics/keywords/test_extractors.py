"""Extractors: keywords derived by hand, as many as the overlap rule finds, in their places, the same every time."""

import json
import random
import re
from collections.abc import Sequence
from itertools import pairwise
from math import log
from pathlib import Path

import pytest

from relevance.data.importers import read_documents
from relevance.data.records import BadRecord, Document, Summary, make_examples
from relevance.metrics.keywords.extractors import (
    EXTRACTORS,
    LONGEST_PHRASE,
    ExtractorOverlap,
    Rarity,
    compared_keywords,
    comparison_signature,
    count_rarity,
    cut_runs,
    documents_keywords,
    documents_texts,
    extract,
    extractor,
    list_phrases,
    shared_keywords,
    textrank_keywords,
    tfidf_keywords,
    word_ranks,
)
from relevance.metrics.keywords.lists import KeywordLists, listed_keyword, read_keyword_lists, refuse_ambiguous
from relevance.metrics.keywords.overlap import Keyword, content_words, overlap_keywords
from relevance.metrics.pagerank import pagerank
from relevance.metrics.rouge_k import RougeK

GRAPHS = Document("d1", "", ("Graph networks learn.",), "Graph networks")
TREES = Document("d2", "", ("Trees learn.",), "Old trees")


def words(keywords: Sequence[Keyword]) -> list[str]:
    return [str(keyword) for keyword in keywords]


# --- phrases ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("Graph networks learn trees", [("graph", "network", "learn", "tree")]),
        ("graph of networks", [("graph",), ("network",)]),  # a stop word stands between
        ("graphs, networks. Trees (old)", [("graph",), ("network",), ("tree",), ("old",)]),
        ("two-step\n networks", [("two-step", "network")]),  # inner hyphens are kept, lines are white space
        ("of the", []),
        ("", []),
    ],
)
def test_phrases_do_not_reach_over_stop_words_and_marks(text: str, result: list[tuple[str, ...]]) -> None:
    assert list(cut_runs(text)) == result


def test_phrases_by_place_then_the_longer_one() -> None:
    assert list(list_phrases("old old trees learn")) == [
        ("old",),  # "old old" repeats a word
        ("old", "tree", "learn"),
        ("old", "tree"),
        ("old",),
        ("tree", "learn"),
        ("tree",),
        ("learn",),
    ]


# --- TF-IDF -----------------------------------------------------------------------------------------------------


def test_rarity_counts_documents() -> None:
    """Two documents: "learn" is in both, "graph network" in one."""
    rare = count_rarity(documents_texts([GRAPHS, TREES], "always"))
    assert rare.documents == 2
    assert rare.idf(("learn",)) == log(3 / 3) + 1
    assert rare.idf(("graph", "network")) == log(3 / 2) + 1
    assert rare.idf(("never", "seen")) == log(3 / 1) + 1


@pytest.mark.parametrize(
    ("count", "keywords"),
    [
        # tf * idf: 2 (ln(3/2) + 1) = 2.81 of "graph network", "graph" and "network", of which the first begins first
        # and is longest; 1.41 of "graph network learn" and "network learn"; 1 of "learn", in both documents.
        (1, ["graph network"]),
        (2, ["graph network", "learn"]),
        # Phrases of two words use up all three words too early, so that only single words are left: by tf * idf.
        (3, ["graph", "network", "learn"]),
        (9, ["graph", "network", "learn"]),
    ],
)
def test_tfidf_keywords(count: int, keywords: list[str]) -> None:
    texts = documents_texts([GRAPHS, TREES], "always")
    assert words(tfidf_keywords(texts[0], count, count_rarity(texts))) == keywords


def test_tfidf_without_other_documents_counts_sentences() -> None:
    """Three sentences. "learn" stands in two: 2 (ln(4/3) + 1) = 2.58; other phrases in one: ln(4/2) + 1 = 1.69."""
    texts = ["Graphs learn. Trees learn.", "Old."]
    assert words(extract("tfidf:2", texts)) == ["learn", "graph"]
    # Where all other documents speak of learning it is worth 2 (ln(9/9) + 1) = 2 beside ln(9/1) + 1 = 3.2.
    assert words(extract("tfidf:2", texts, Rarity(8, {("learn",): 8}))) == ["graph learn", "tree"]


# --- TextRank ---------------------------------------------------------------------------------------------------


def test_ranks_of_a_path() -> None:
    """graph - network - learn: b = .05 + .85 (a + c), a = c = .05 + .85 b / 2; so b (1 - .7225) = .05 + .085."""
    middle = 0.135 / 0.2775
    end = 0.05 + 0.425 * middle
    assert word_ranks(["Graph networks learn"]) == pytest.approx({"graph": end, "network": middle, "learn": end})
    assert 2 * end + middle == pytest.approx(1)


@pytest.mark.parametrize(
    ("count", "keywords"),
    [
        (1, ["network"]),  # the best word alone makes one keyword
        # With "graph", the earlier of two equals, "network" is still one keyword, and so it is with "learn", too. Of at
        # most two words "graph network" is the earlier of two equals; then "learn" is left.
        (2, ["graph network", "learn"]),
        (3, ["network", "graph", "learn"]),
        (4, ["network", "graph", "learn"]),
    ],
)  # fmt: skip
def test_textrank_keywords(count: int, keywords: list[str]) -> None:
    assert words(textrank_keywords(["Graph networks learn"], count)) == keywords


def test_pagerank_is_that_of_networkx(shared_data: Path) -> None:
    import networkx

    rng = random.Random(5)
    graphs = [networkx.gnp_random_graph(rng.randint(1, 40), rng.choice([0, 0.05, 0.3, 1]), seed=n) for n in range(60)]
    for graph in graphs:
        expected = networkx.pagerank(graph, alpha=0.85, tol=1e-13, max_iter=1000)
        result = pagerank(networkx.to_numpy_array(graph))
        assert result == pytest.approx(list(expected.values()), abs=1e-10)
    documents = [document for document, _ in read_documents(shared_data / "scitldr" / "dev.jsonl", "scitldr")][:40]
    for texts in documents_texts(documents, "always"):
        graph = networkx.Graph()
        for text in texts:
            content = content_words(text).words
            graph.add_nodes_from(content)
            graph.add_edges_from((a, b) for a, b in pairwise(content) if a != b)
        expected = networkx.pagerank(graph, alpha=0.85, tol=1e-13, max_iter=1000)
        assert word_ranks(texts) == pytest.approx(expected, abs=1e-8)


# --- side by side -----------------------------------------------------------------------------------------------


def test_compared_keywords() -> None:
    assert {
        name: [words(result) for result in of_all] for name, of_all in compared_keywords([GRAPHS, TREES]).items()
    } == {
        "overlap": [["graph network"], ["tree"]],
        "tfidf": [["graph network"], ["tree"]],
        "textrank": [["network"], ["tree"]],
    }
    assert list(EXTRACTORS) == ["overlap", "tfidf", "textrank"]


def test_without_a_second_text_nobody_finds_keywords() -> None:
    alone = Document("d", "", ("Graph networks learn.",))
    assert compared_keywords([alone]) == {name: [[]] for name in EXTRACTORS}
    assert compared_keywords([]) == {name: [] for name in EXTRACTORS}
    with pytest.raises(ValueError, match="title must be one of always, single, not 'never'"):
        compared_keywords([alone], "never")


def test_a_document_by_itself_needs_only_the_rarity_of_phrases_among_all() -> None:
    common = Document("d1", "", ("Dogs bark.", "Dogs bark here."))
    first = Document("d2", "", ("Dogs, cats and mice sleep.", "Dogs, cats, birds."))
    rare = count_rarity(documents_texts([common, first], "always"))
    by_name = {name: lists[1] for name, lists in compared_keywords([common, first]).items()}
    alone = {name: lists[0] for name, lists in compared_keywords([first], rare=rare).items()}
    assert alone == by_name
    assert alone["tfidf"] != compared_keywords([first])["tfidf"][0]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("split", "mean"), [("dev", 4.07), ("test", 5.01)])
def test_every_extractor_finds_as_many_on_scitldr(shared_data: Path, split: str, mean: float) -> None:
    documents = [document for document, _ in read_documents(shared_data / "scitldr" / f"{split}.jsonl", "scitldr")]
    compared = compared_keywords(documents)
    texts = documents_texts(documents, "always")
    assert compared["overlap"] == [overlap_keywords(of_document) for of_document in texts]
    assert sum(map(len, compared["overlap"])) / len(documents) == pytest.approx(mean, abs=0.005)
    for result in compared.values():
        assert list(map(len, result)) == list(map(len, compared["overlap"]))
    for name in ("tfidf", "textrank"):
        for keywords, of_document in zip(compared[name], texts, strict=True):
            used = [word for keyword in keywords for word in keyword.words]
            assert len(used) == len(set(used))
            for keyword in keywords:
                assert len(keyword.words) <= LONGEST_PHRASE
                assert keyword.places
                for index, (start, end) in keyword.places:
                    read = zip(*content_words(of_document[index]), strict=True)  # in its sentence, which tells lemmas
                    assert tuple(word for word, (at, to) in read if start <= at and to <= end) == keyword.words
    # Deterministic, and TF-IDF and TextRank find something else than each other and the overlap rule.
    assert compared_keywords(documents) == compared
    assert all(0.2 < shared.same < 0.6 for shared in shared_keywords(compared) if shared.same is not None)


def test_shared_keywords() -> None:
    """d1: {a, b} and {b, c} share 1 of 2; d2: {a} and {a}: 1; d3 has none by either and is left out."""
    a, b, c = (Keyword((word,), ()) for word in "abc")
    compared = {"one": [[a, b], [a], []], "two": [[b, c], [a], []], "none": [[], [], []]}
    assert shared_keywords(compared) == [
        ExtractorOverlap("one", "two", 0.75, 2),
        ExtractorOverlap("one", "none", None, 0),
        ExtractorOverlap("two", "none", None, 0),
    ]


@pytest.mark.parametrize("wanted", ["", "bm25", "tfidf:0", "tfidf:", "tfidf:x", "overlap:3", "textrank: 3", "list"])
def test_extractors_that_there_are_not(wanted: str) -> None:
    with pytest.raises(
        ValueError, match="is not one of overlap, tfidf, textrank, tfidf:K and textrank:K with K from 1"
    ):
        extractor(wanted)


@pytest.mark.parametrize("wanted", ["overlap", "tfidf", "tfidf:2", "textrank"])
def test_keywords_of_documents_are_those_of_rouge_k(wanted: str) -> None:
    """Other documents have no say, however common a phrase is among them."""
    common = [Document(str(n), "", ("Trees learn.", "A tree learns."), "Learning trees") for n in range(8)]
    documents = [GRAPHS, TREES, *common]
    result = documents_keywords(documents, wanted)
    for document, keywords in zip(documents, result, strict=True):
        (score,) = RougeK(keywords=wanted).score(make_examples(document, [Summary(document.id, "s", "Trees.")]))
        assert [keyword.keyword for keyword in score.evidence.keywords] == keywords


def test_a_number_needs_no_second_text() -> None:
    alone = Document("d", "", ("Graph networks learn.",))
    assert [words(keywords) for keywords in documents_keywords([alone], "textrank:2")] == [["graph network", "learn"]]
    assert documents_keywords([Document("d", "", ("of the",))], "textrank:2") == [[]]
    assert documents_keywords([Document("d", "", ("of the",))], "tfidf:2") == [[]]


def test_what_it_depends_on_is_named() -> None:
    first = comparison_signature([GRAPHS])
    assert comparison_signature([GRAPHS, TREES]) != comparison_signature([GRAPHS, GRAPHS])  # as many documents
    assert re.match(
        r"keywords\|overlap:10\|phrases:3\|idf:1documents@[0-9a-f]{8}\|damping:0\.85\|title:always\|lemma:", first
    )
    assert len({first, comparison_signature([GRAPHS, TREES]), comparison_signature([GRAPHS], "single")}) == 3


# --- lists ------------------------------------------------------------------------------------------------------


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


D1_D2 = [Document(name, "", ("Old trees.", "A tree.")) for name in ("d1", "d2")]


def test_lists_in_the_order_of_the_documents(tmp_path: Path) -> None:
    path = write(tmp_path / "k.jsonl", ["the Graph", "networks"], "", ["trees", "trees"])
    keyword_lists = read_keyword_lists(path, D1_D2)
    assert keyword_lists.by_document == {"d1": (("Graph",), ("networks",)), "d2": (("trees",),)}
    assert read_keyword_lists(write(tmp_path / "o.jsonl", {"id": "d2", "keywords": []}), D1_D2).by_document == {
        "d2": ()
    }


def test_the_hash_of_lists_is_of_the_documents_that_they_are_for(tmp_path: Path) -> None:
    path = write(tmp_path / "k.jsonl", ["whale"], ["cat"])
    by_id = write(tmp_path / "i.jsonl", {"id": "d2", "keywords": ["cat"]}, {"id": "d1", "keywords": ["whale"]})
    other = [Document(name, "", (name,)) for name in ("d1", "d2")]
    digests = [read_keyword_lists(path, documents).digest for documents in (D1_D2, D1_D2[::-1], other)]
    assert len(set(digests)) == 3
    assert read_keyword_lists(by_id, D1_D2).digest == digests[0]


def test_documents_that_share_scores_need_the_same_list() -> None:
    alone = Document("d3", "", ("Something else.",))
    records = [(document, [Summary(document.id, "s", "A whale.")]) for document in (*D1_D2, alone)]
    whale, cat = (("whale",),), (("cat",),)
    refuse_ambiguous(KeywordLists({"d1": whale, "d2": whale, "d3": cat}, ""), records)
    refuse_ambiguous(KeywordLists({"d3": cat}, ""), records)
    for lists in ({"d1": whale, "d2": cat}, {"d2": whale}, {"d1": ()}):
        with pytest.raises(BadRecord, match='the documents "d1" and "d2" have the same texts but not the same list'):
            refuse_ambiguous(KeywordLists(lists, ""), records)
    # a reference that stands as a candidate is not a text that its document's candidates are held against
    left, right = Document("l", "", ("Old trees.", "A tree.")), Document("r", "", ("Old trees.",))
    records = [(left, [Summary("l", "reference:2", "A tree.")]), (right, [Summary("r", "s", "A tree.")])]
    with pytest.raises(BadRecord, match="same texts"):
        refuse_ambiguous(KeywordLists({"l": whale, "r": cat}, ""), records)


@pytest.mark.parametrize(
    ("listed", "texts", "looked_for"),
    [
        ("Trees", ["a tree"], "tree"),
        ("gan", ["GANs learn"], "gan"),
        ("gan", ["nothing"], "gan"),
        ("training", ["the training of models"], "training"),
        ("training", ["We trained models"], "train"),
        ("Trainings", ["nothing"], "training"),
    ],
)
def test_how_a_listed_keyword_is_looked_for(listed: str, texts: list[str], looked_for: str) -> None:
    assert str(listed_keyword((listed,), texts)) == looked_for


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", EXTRACTORS)
def test_a_list_that_was_written_gives_the_same_keywords(shared_data: Path, tmp_path: Path, name: str) -> None:
    documents = [document for document, _ in read_documents(shared_data / "scitldr" / "dev.jsonl", "scitldr")]
    keywords = documents_keywords(documents, name)
    path = write(tmp_path / "k.jsonl", *(words(keyword) for keyword in keywords))
    lists = read_keyword_lists(path, documents).by_document
    for document, texts, keyword in zip(documents, documents_texts(documents, "always"), keywords, strict=True):
        assert [listed_keyword(item, texts).words for item in lists[document.id]] == [item.words for item in keyword]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "k.jsonl:1: the file is empty; it needs a JSON list of keywords a document"),
        ([["a tree"]], "k.jsonl:1: the file ends after 1 lists, but there are 2 documents; give each a list, "),
        ([["a tree"]] * 3, "k.jsonl:3: there are only 2 documents, and more lists than these"),
        ([["tree"], {"id": "d2", "keywords": []}], "k.jsonl:2: some lines are lists, others objects; "),
        ([{"id": "d3", "keywords": []}], 'k.jsonl:1: no document has the id "d3"'),
        ([{"id": "d1", "keywords": []}] * 2, 'k.jsonl:2: the document "d1" has a list already'),
        ([{"id": "d1"}], "k.jsonl:1: the field keywords is missing"),
        ([{"id": "d1", "keywords": "tree"}], "k.jsonl:1: keywords must be a list of strings, not a string"),
        ([["tree", 3], []], r"k.jsonl:1: keywords\[1\] must be a string, not a number"),
        ([["tree", " "], []], r"k.jsonl:1: keywords\[1\] is empty"),
        ([["of the"], []], r'k.jsonl:1: keywords\[0\] is "of the", which has no word but stop words'),
        (["[1", []], "k.jsonl:1: not valid JSON: "),
        (["[" * 100_000, []], "k.jsonl:1: the JSON is nested too deeply"),
        (["3", []], "k.jsonl:1: each line must be a JSON list of keywords, or an object with an id and its keywords"),
    ],
)
def test_lists_that_are_refused(tmp_path: Path, lines: list[object], message: str) -> None:
    with pytest.raises(BadRecord, match=message):
        read_keyword_lists(write(tmp_path / "k.jsonl", *lines), D1_D2)
