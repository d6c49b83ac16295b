"""Papers of arXiv, cleaned as Dobko et al. (2018) describe it."""

from pathlib import Path

import pytest

from relevance.data.importers import guess_format, read_documents
from relevance.data.importers.arxiv_papers import clean, without_abstract, without_ending
from relevance.data.records import BadRecord

ABSTRACT = "We study how rain falls on towns, and find that it falls from above in most of them."
ROWS = f"id\tabstract\ttitle\n1801.01587v1\t{ABSTRACT}\tOn rain\n1801.00001v2\tWe study snow.\tOn snow\n"
TEXT = f"""On Rain
Abstract
{ABSTRACT.upper()[:40]}
{ABSTRACT[40:]}
1 Introduction
Rain is wet: p(x|θ) ∼ N (µ, σ2). It trains a GAN by backprop of zzt.
Acknowledgements
We thank the clouds.
"""


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    (tmp_path / "abstracts-2K.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "1801.01587v1.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path


def test_a_paper_becomes_a_document_with_its_abstract_for_a_reference(papers: Path) -> None:
    notes: list[str] = []
    assert guess_format(papers) == "arxiv_papers"
    ((document, summaries),) = read_documents(papers, "arxiv_papers", notes.append)
    assert (document.id, document.title, document.references, summaries) == ("1801.01587v1", "On rain", (ABSTRACT,), [])
    assert document.source == "On Rain Abstract Introduction Rain is wet. It trains a GAN by backprop of."
    assert notes == ["1 papers of abstracts-2K.csv have no text here and were left out"]


def test_only_words_are_kept_and_sentences_end_where_they_did() -> None:
    assert clean("Let x1, x2 ∈ R be so. The loss L(θ) is ∑ zk. We're done.") == "Let be so. The loss is. We're done."
    assert clean("xn − yk ≥ 0") == ""


def test_an_abstract_is_cut_only_where_both_of_its_ends_are_there() -> None:
    assert without_abstract(f"Before {ABSTRACT.lower()} after", ABSTRACT) == "Before  after"
    assert without_abstract(f"Before {ABSTRACT[:40]} after", ABSTRACT) == f"Before {ABSTRACT[:40]} after"
    assert without_abstract("Before We study snow. after", "We study snow.") == "Before  after"


def test_acknowledgements_end_a_paper_only_towards_its_end() -> None:
    assert without_ending("Acknowledgments aside, rain falls.") == "Acknowledgments aside, rain falls."
    assert (
        without_ending("Rain falls on all towns and fields. ACKNOWLEDGMENTS We")
        == "Rain falls on all towns and fields. "
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("abstracts-2K.csv", "id\ttitle\nx\ty\n", r"abstracts-2K.csv:1: the column abstract is missing"),
        ("abstracts-2K.csv", f"{ROWS}1\t2\n", r"abstracts-2K.csv:4: 2 fields where the header has 3"),
        ("abstracts-2K.csv", f"{ROWS}1801.01587v1\ta\tb\n", r"abstracts-2K.csv:4: .*1801.01587v1"),
        ("abstracts-3K.csv", ROWS, r"one table abstracts\*.csv beside the texts is read, and it has 2"),
        ("1801.9.txt", "Rain.", r"1801.9.txt:1: abstracts-2K.csv has no paper '1801.9'"),
    ],
)
def test_what_does_not_fit_is_refused(papers: Path, name: str, content: str, message: str) -> None:
    (papers / name).write_text(content, encoding="utf-8")
    with pytest.raises(BadRecord, match=message):
        list(read_documents(papers, "arxiv_papers"))
