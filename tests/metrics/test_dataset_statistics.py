"""How many keywords a data set has, and how long its texts are."""

import json
from pathlib import Path

import pytest

from relevance.data.importers import read_documents
from relevance.data.records import Document, Summary
from relevance.metrics.dataset_statistics import KeywordStatistics, Lengths, keyword_statistics, length_statistics

CATS = Document("d1", ("A cat sat.", "It saw two mice there."), ("Cats eat mice.", "A cat hunts a mouse."), "Of mice")
ALONE = Document("d2", "", ("One reference only.",))


def test_keywords() -> None:
    # d1: cat and mouse of three texts; d2: no keyword of one text
    assert keyword_statistics([CATS, ALONE]) == KeywordStatistics(2, 4 / 2, 2 / 2, 1.0, 1)
    # the title counts beside a single reference only: d1 has two
    assert keyword_statistics([CATS, ALONE], "single").references == 3 / 2
    assert keyword_statistics([]) == KeywordStatistics(0, None, None, None, 0)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("split", "column"), [("dev", 1), ("test", 2)])
def test_keywords_of_scitldr_are_those_of_the_paper(shared_data: Path, split: str, column: int) -> None:
    """All columns of Table 4 of Takeshita et al. 2024 that are on record."""
    published = json.loads((shared_data / "published_tables.json").read_text())["rouge_k"][
        "table4_keywords_train_val_test"
    ]["SciTLDR"]
    result = keyword_statistics(document for document, _ in read_documents(shared_data / "scitldr" / f"{split}.jsonl"))
    assert {*published} == {"references_per_document", "keywords_per_summary", "keyword_length_words"}
    assert result.references == pytest.approx(published["references_per_document"][column], abs=0.051)
    assert result.keywords == pytest.approx(published["keywords_per_summary"][column], abs=0.2)
    assert result.words == pytest.approx(published["keyword_length_words"][column], abs=0.1)


def test_lengths() -> None:
    summaries = [Summary("d1", "a", "Cats eat. Mice run."), Summary("d1", "b", " ")]
    by_name = {(row.of, row.unit): row for row in length_statistics([(CATS, summaries), (ALONE, [])])}
    assert [*by_name] == [
        ("source", "words"), ("source", "sentences"), ("reference", "words"), ("reference", "sentences"),
        ("title", "words"), ("summary", "words"), ("summary", "sentences"), ("source : reference", "words"),
    ]  # fmt: skip
    assert by_name["source", "words"] == Lengths("source", "words", 1, 8, None, 8, 8, 8, 8, 8)
    assert by_name["source", "sentences"].mean == 2
    # 3, 5 and 3 words: mean 11/3, squares (4 + 16 + 4) / 9 over 2
    assert by_name["reference", "words"] == Lengths(
        "reference", "words", 3, pytest.approx(11 / 3), pytest.approx((4 / 3) ** 0.5), 3, 3, 3, 4, 5
    )
    assert (by_name["summary", "words"].n, by_name["summary", "sentences"].mean) == (1, 2)  # the empty one is left out
    # 8 words for 3 and for 5; the document without a source has no ratio
    assert by_name["source : reference", "words"].mean == pytest.approx((8 / 3 + 8 / 5) / 2)
    assert {row.of for row in length_statistics([(CATS, summaries)], systems=["b"])} == {
        "source", "reference", "title", "source : reference"
    }  # fmt: skip
    assert length_statistics([]) == []
