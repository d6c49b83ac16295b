"""Tables of judgments of today's systems: sources and summaries, and no references."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from relevance.data.importers import read_documents
from relevance.data.importers.mapping import Columns
from relevance.data.records import BadRecord, Document, Summary
from tests.sheets import write_sheet

RAIN, SNOW = "Rain fell in May, and nobody went out.", "Snow fell in May, and all went out."
LONG = [
    {"document_id": "1", "source": RAIN, "system": "gpt", "summary": "It rained.", "human.relevance": 4},
    {"document_id": "1", "source": RAIN, "system": "bart", "summary": "Rain.", "human.relevance": 2},
    {"document_id": "2", "source": SNOW, "system": "gpt", "summary": "It snowed.", "human.relevance": 5},
    {"document_id": "2", "source": SNOW, "system": "bart", "summary": "Snow.", "human.relevance": 1},
]
CALLED = {
    "document_id": "id",
    "source": "article",
    "system": "model",
    "summary": "output",
    "human.relevance": "relevance",
}
EXPECTED = [
    (Document("1", RAIN, ()), ["It rained.", "Rain."]),
    (Document("2", SNOW, ()), ["It snowed.", "Snow."]),
]


def read(path: Path, columns: Columns | None = None) -> tuple[list[tuple[Document, list[Summary]]], list[str]]:
    notes: list[str] = []
    return list(read_documents(path, say=notes.append, columns=columns)), notes


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    frame = pd.DataFrame(rows)
    match path.suffix:
        case ".csv" | ".tsv":
            frame.to_csv(path, index=False, sep="," if path.suffix == ".csv" else "\t")
        case ".parquet":
            frame.to_parquet(path)
        case ".xlsx" | ".ods":
            write_sheet(path, [[*frame.columns], *frame.to_numpy().tolist()])
        case ".json" | ".jsonl":
            frame.to_json(path, orient="records", lines=path.suffix == ".jsonl")
    return path


FORMS = [
    "csv",
    "tsv",
    "parquet",
    "json",
    "jsonl",
    *(pytest.param(name, marks=pytest.mark.process) for name in ("xlsx", "ods")),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("names", [{}, CALLED], ids=["ours", "theirs"])
def test_a_source_stands_for_the_reference(tmp_path: Path, form: str, names: dict[str, str]) -> None:
    rows = [{names.get(name, name): value for name, value in row.items()} for row in LONG]
    records, notes = read(write(tmp_path / f"a.{form}", rows))
    assert [(document, [summary.text for summary in written]) for document, written in records] == EXPECTED
    assert [summary.human for _, written in records for summary in written] == [{"relevance": n} for n in (4, 2, 5, 1)]
    assert notes[-1] == "no document has a reference: metrics set summaries against the sources"


@pytest.mark.parametrize("form", FORMS)
def test_a_column_for_each_system(tmp_path: Path, form: str) -> None:
    rows = [
        {"article": RAIN, "summary_gpt": "It rained.", "summary_bart": "Rain."},
        {"article": SNOW, "summary_gpt": "It snowed.", "summary_bart": "Snow."},
    ]
    records, _ = read(write(tmp_path / f"a.{form}", rows))
    assert [(document, [summary.text for summary in written]) for document, written in records] == EXPECTED


@pytest.mark.parametrize("form", FORMS)
def test_one_text_beside_a_source_may_be_its_reference(tmp_path: Path, form: str) -> None:
    """As in XSum's files. A mapping says whose summaries they are, if they are summaries."""
    path = write(tmp_path / f"a.{form}", [{"article": RAIN, "summary": "It rained."}])
    with pytest.raises(BadRecord, match="reference"):
        read(path)
    with pytest.raises(BadRecord, match="no column reference"):
        read(path, Columns({"source": "article", "summary": "summary"}))
    ((document, (summary,)),), _ = read(path, Columns({"source": "article", "summary": "summary"}, system="bart"))
    assert (document.source, document.references, summary.system) == (RAIN, (), "bart")


def test_what_lacks_a_source_too_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", [{"document_id": "1", "system": "gpt", "summary": "It rained."}])
    with pytest.raises(BadRecord, match=r"a\.csv:1: no column reference; needed are .* source can stand for reference"):
        read(path)


def test_some_documents_without_a_reference_are_said(tmp_path: Path) -> None:
    rows = [{**row, "reference": "It rained much." if row["document_id"] == "1" else ""} for row in LONG]
    records, notes = read(write(tmp_path / "a.csv", rows))
    assert [document.references for document, _ in records] == [("It rained much.",), ()]
    assert notes[-1] == "1 of 2 documents has no reference: metrics that need one have no scores there"


def test_a_rank_that_is_none_is_refused_and_no_rank_is_passed_over(tmp_path: Path) -> None:
    rows = [{**row, "rank": rank} for row, rank in zip(LONG, ("1", "2", "first of all", "2"), strict=True)]
    for row in rows:
        row.pop("human.relevance")
    with pytest.raises(BadRecord, match=r'a\.csv:4: rank must be a rank .* not "first of all"; correct it'):
        read(write(tmp_path / "a.csv", rows))
