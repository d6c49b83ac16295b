"""ROUGE-K inside and outside of the source and by keyword length: means by hand, and of real systems."""

from pathlib import Path

import numpy as np
import pytest

from relevance.data.importers import read_documents
from relevance.data.records import Document, Summary, make_examples
from relevance.metrics.keywords.recall import (
    Hit,
    LengthRecall,
    Mean,
    Recall,
    Records,
    SummaryHits,
    by_length,
    by_source,
    recall_columns,
    search_keywords,
)
from relevance.metrics.rouge_k import RougeK
from relevance.summarizers import summarizer

# Keywords: "deep graph network", "tree" and "learn"; the source has the last two.
GRAPHS = Document(
    "d1",
    "Old trees learn. Nothing else does.",
    ("Deep graph networks learn a tree.",),
    "Trees learn: deep graph networks",
)
# Keywords: "cat", which the source has.
CATS = Document("d2", "A cat sat.", ("The cat.",), "Cats")
ALONE = Document("d3", "A cat sat.", ("The cat.",))  # no keywords
RECORDS = [
    (GRAPHS, [Summary("d1", "a", "Trees learn."), Summary("d1", "b", "A deep graph network.")]),
    (CATS, [Summary("d2", "a", "Dogs."), Summary("d2", "b", "Cats.")]),
    (ALONE, [Summary("d3", "a", "Cat."), Summary("d3", "c", "Cat.")]),
]


def recall_by_source(records: Records, metric: RougeK | None = None) -> list[Recall]:
    return by_source(search_keywords(records, metric))


def recall_by_length(records: Records) -> list[LengthRecall]:
    return by_length(search_keywords(records))


def test_recall_by_source() -> None:
    nothing = Mean(None, 0, "no document has keywords")
    assert recall_by_source(RECORDS) == [
        # d1: 2 of 3 keywords, in the source 2 of 2, not in it 0 of 1; d2: 0 of 1, which is in the source
        Recall("a", Mean((2 / 3 + 0) / 2, 2), Mean((1 + 0) / 2, 2), Mean(0.0, 1), words=(2 + 1 + 1) / 3),
        # d1: 1 of 3, 0 of 2, 1 of 1; d2: 1 of 1
        Recall("b", Mean((1 / 3 + 1) / 2, 2), Mean((0 + 1) / 2, 2), Mean(1.0, 1), words=(4 + 1) / 2),
        Recall("c", nothing, nothing, nothing, words=1),
    ]


def test_recall_by_length() -> None:
    none = Mean(None, 0, "its documents have no such keyword")
    assert recall_by_length(RECORDS) == [
        # one word: in d1 tree and learn, 2 of 2 and 0 of 2; in d2 cat, 0 of 1 and 1 of 1
        LengthRecall("a", 1, Mean(0.5, 2), 3, 4 / 3),
        LengthRecall("a", 3, Mean(0.0, 1), 1, 4 / 3),
        LengthRecall("b", 1, Mean(0.5, 2), 3, 2.5),
        LengthRecall("b", 3, Mean(1.0, 1), 1, 2.5),
        LengthRecall("c", 1, none, 0, 1),
        LengthRecall("c", 3, none, 0, 1),
    ]


def test_recall_of_each_summary() -> None:
    """As columns of cells, whose means are those of the systems."""
    cells = [("d1", "a"), ("d2", "a"), ("d3", "a"), ("d1", "b"), ("d2", "b"), ("d1", "nobody")]
    documents, systems = zip(*cells, strict=True)
    result = recall_columns(search_keywords(RECORDS), documents, systems)
    none = np.nan
    assert list(result) == ["IN-SRC", "OUT-SRC"]
    np.testing.assert_equal(result["IN-SRC"], [1, 0, none, 0, 1, none])
    np.testing.assert_equal(result["OUT-SRC"], [0, none, none, 1, none, none])


def test_lengths_are_told_apart_up_to_ten_words() -> None:
    """As in the paper's Figure 2; keywords of one's own may be longer."""
    four, five = "deep old graph network", "very large green apple tree pie"
    document = Document("d", "x", (f"{four} and more; {five}",), f"{four}. {five}")
    recall = recall_by_length([(document, [Summary("d", "s", four)])])
    # "very" is a stop word
    assert [(row.words, row.recall, row.keywords) for row in recall] == [(4, Mean(1.0, 1), 1), (5, Mean(0.0, 1), 1)]
    hits = tuple(Hit(words, None, is_in_summary=words < 11) for words in (9, 10, 11, 14))
    # of 10 words and more there are three, of which one is found
    assert [(row.words, row.recall, row.keywords) for row in by_length([SummaryHits("d", "s", 9, hits)])] == [
        (9, Mean(1.0, 1), 1),
        (10, Mean(1 / 3, 1), 3),
    ]


def test_systems_are_left_out_after_what_stands_as_one_is_withheld() -> None:
    """A reference that stands as a system makes no keywords, whoever is asked for; else `a` would find 1 of 2."""
    document = Document("d", "x", ("A cat eats.", "Cats eat mice.", "The mice."), None)
    standing = Summary("d", "reference:3", "The mice.")
    summaries = [Summary("d", "a", "Cats eat."), standing]
    (alone,) = by_source(search_keywords([(document, summaries)], systems=["a"]))
    assert alone == by_source(search_keywords([(document, summaries)]))[0]
    assert alone.everywhere == Mean(1.0, 1)  # "cat eat"; mouse is shared by what is withheld
    (without,) = by_source(search_keywords([(document, summaries[:1])]))
    assert without.everywhere == Mean(1 / 2, 1)


@pytest.mark.parametrize(
    ("source", "in_source", "out_source"),
    [
        (" ", "no document with keywords has a source", "no document with keywords has a source"),
        ("Dogs.", "no keyword occurs in a source", None),
        ("A cat.", None, "every keyword occurs in a source"),
    ],
)
def test_means_that_there_are_not(source: str, in_source: str | None, out_source: str | None) -> None:
    document = Document("d", source, ("The cat.",), "Cats")
    (row,) = recall_by_source([(document, [Summary("d", "s", "Cats.")])])
    assert (row.in_source.reason, row.out_source.reason) == (in_source, out_source)
    for result in (row.in_source, row.out_source):
        assert (result.value, result.documents) == ((1.0, 1) if result.reason is None else (None, 0))


def test_a_metric_that_looks_for_some_keywords_only_is_refused() -> None:
    with pytest.raises(ValueError, match="keywords are divided by the source here already: leave out only=in-source"):
        recall_by_source(RECORDS, RougeK(only="in-source"))


@pytest.mark.exhaustive
def test_means_are_those_of_the_metric(shared_data: Path) -> None:
    """Each mean is that of ROUGE-K itself, with `only`."""
    records = list(read_documents(shared_data / "summeval.jsonl", "interchange"))[:12]
    wanted = {None: "everywhere", "in-source": "in_source", "out-source": "out_source"}
    for extractor in ("overlap", "tfidf:4", "textrank"):
        by_name = {row.system: row for row in recall_by_source(records, RougeK(keywords=extractor))}
        for only, name in wanted.items():
            metric = RougeK(keywords=extractor, only=only)
            values: dict[str, list[float]] = {system: [] for system in by_name}
            for document, summaries in records:
                batch = make_examples(document, summaries)
                for example, score in zip(batch, metric.score(batch), strict=True):
                    values[example.system] += [score.value] if score.value is not None else []
            for system, of_system in values.items():
                mean = getattr(by_name[system], name)
                assert mean.documents == len(of_system)
                assert mean.value == (pytest.approx(sum(of_system) / len(of_system)) if of_system else None)


@pytest.mark.exhaustive
@pytest.mark.parametrize("file", ["summeval.jsonl", "scitldr/test.jsonl"])
def test_what_is_copied_has_nothing_that_is_not_in_the_source(shared_data: Path, file: str) -> None:
    """By construction: sentences that follow each other in the source have only words that it has, in its order."""
    documents = [document for document, _ in read_documents(shared_data / file)]
    copied = summarizer("lead-1").summarize(documents) + summarizer("lead").summarize(documents)
    by_document = {document.id: [s for s in copied if s.document_id == document.id] for document in documents}
    recall = recall_by_source([(document, by_document[document.id]) for document in documents])
    assert [row.system for row in recall] == ["lead", "lead-1"]
    for row in recall:
        assert row.out_source.value == 0.0
        assert row.out_source.documents > 100 if "scitldr" in file else 50
        assert row.in_source.value is not None
        assert row.everywhere.value is not None
        assert row.in_source.value > row.everywhere.value > 0.05
    assert recall[0].in_source.value > recall[1].in_source.value  # type: ignore[operator]  three sentences say more


@pytest.mark.exhaustive
def test_systems_of_summeval(shared_data: Path) -> None:
    """As in the paper's Table 9, systems find what the source has, and hardly anything else."""
    records = list(read_documents(shared_data / "summeval.jsonl", "interchange"))
    sources, lengths = recall_by_source(records), recall_by_length(records)
    assert len(sources) == 16
    for row in sources:
        assert row.in_source.documents == 100
        assert row.in_source.value > row.everywhere.value > 4 * row.out_source.value  # type: ignore[operator]
        assert row.out_source.value < 0.05  # type: ignore[operator]
    assert {1, 2, 3, 4} < {row.words for row in lengths} <= {*range(1, 11)}
    assert {(row.words, row.keywords) for row in lengths if row.system == "M0"} == {
        (row.words, row.keywords) for row in lengths if row.system == "M11"
    }
