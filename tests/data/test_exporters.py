"""What is written in another format is read again as it was, or it is said what the format has no place for."""

import csv
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from relevance.cli.convert import QUESTION, TO
from relevance.data.exporters import EXPORTERS, OutputExists, write_records
from relevance.data.exporters.refusal import CannotBeHeld
from relevance.data.importers import read_documents
from relevance.data.records import ClozeQuestion, Document, Summary

Record = tuple[Document, list[Summary]]

RATED = {"relevance": 4.5, "clear.ly": 1e-7}
PLAIN: list[Record] = [
    (
        Document("d1", "Rain fell, é.", ("It rained.", 'A "wet" day.'), None),
        [
            Summary(
                "d1", "bart", "=Rain;\tfell", {"relevance": 4.5, "clear.ly": 1e-7}, given=(("js-2", -0.5), ("x.y", 1.0))
            ),
            Summary("d1", "lead 1".replace(" ", "-"), "", given=(("js-2", 0.1), ("x.y", 0.25))),
        ],
    ),
    (
        Document("d:2", "Snow fell.", ("It snowed.",), None),
        [
            Summary("d:2", "bart", "Snow.", {"relevance": 3}, given=(("js-2", 0.0), ("x.y", 1e20))),
            Summary("d:2", "lead-1", "It snowed.", {"clear.ly": 2}, given=(("js-2", 0.3), ("x.y", 0.5))),
        ],
    ),
    (
        Document("3", "Wind blew.", ("It was windy.", "Windy.", "Storm."), None),
        [
            Summary("3", "bart", "Wind.", given=(("js-2", 0.1), ("x.y", 0.125))),
            Summary("3", "lead-1", "Blew.", given=(("js-2", 0.2), ("x.y", 0.75))),
        ],
    ),
]
"""What every format has a place for, but for the scores of tables."""


def without_scores(records: list[Record]) -> list[Record]:
    return [(document, [replace(summary, given=()) for summary in written]) for document, written in records]


def convert(records: list[Record], path: Path, format: str) -> tuple[list[Record], list[str]]:
    """Write records and read them again, with what was said while they were written."""
    notes: list[str] = []
    write_records(records, path, format, notes.append)
    return list(read_documents(path, format)), notes


def changed(change: Callable[[Document], Document], records: list[Record] = PLAIN) -> list[Record]:
    return [(change(document), written) for document, written in records]


GUARDED = "texts that a spreadsheet would run as formulas, and that got an apostrophe: 1"


def path_of(folder: Path, format: str) -> Path:
    return folder / {"interchange": "x.jsonl", "csv": "x.csv", "parquet": "x.parquet"}.get(format, "x")


def test_the_command_names_all_formats() -> None:
    assert (*EXPORTERS, QUESTION) == TO


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r", "\n", "'=", "''+", "'", "'tis "])
def test_no_text_of_a_csv_file_is_a_formula_and_all_come_back(tmp_path: Path, start: str) -> None:
    text = f"{start}HYPERLINK(1)"
    name = text.strip()  # names have no white space around them
    records = record_of(
        Document(name, f"{text} source", (f"{text} reference",), text), Summary(name, f"{name} system", text)
    )
    result, _ = convert(records, tmp_path / "x.csv", "csv")
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))]
    assert result == records


@pytest.mark.parametrize("format", EXPORTERS)
def test_records_come_back_as_they_were(tmp_path: Path, format: str) -> None:
    path = path_of(tmp_path, format)
    tables = format in ("csv", "parquet")
    records = without_scores(PLAIN) if tables else PLAIN
    result, notes = convert(records, path, format)
    assert result == records
    assert notes == ([GUARDED] if format == "csv" else [])
    assert list(read_documents(path)) == result  # recognized
    assert [item.name for item in tmp_path.iterdir()] == [path.name]
    assert stat.S_IMODE(path.stat().st_mode) & 0o444 == 0o444


HARD = "Line one.\r\n\n  Two\u2028\rthree\x85 \x1b[2J "
RICH: list[Record] = [
    (
        Document("a b", ("One.", "Two."), ("Ref.", "Ref."), HARD, (ClozeQuestion("Who is @placeholder ?", "Kim"),)),
        [Summary("a b", "a/b", HARD, {HARD.strip(): -1.5}, ("source cut",), (("m", 0.5),)), Summary("a b", "c", "  ")],
    ),
    (Document("none", "", ()), [Summary("none", "x", "Text")]),
    (Document("alone", HARD, (HARD,)), []),
]


def test_interchange_holds_all_that_files_bring(tmp_path: Path) -> None:
    result, notes = convert(RICH, tmp_path / "x", "interchange")
    assert result == [(document, [replace(summary, remarks=()) for summary in written]) for document, written in RICH]
    assert notes == [
        "interchange has no place for these, which are not written: remarks on how summaries were written (1)"
    ]


def test_sacrerouge_holds_all_texts(tmp_path: Path) -> None:
    records = [(replace(document, title=None, questions=()), written) for document, written in RICH]
    result, notes = convert(RICH, tmp_path / "x", "sacrerouge")
    assert result == [
        (document, [replace(summary, remarks=()) for summary in written]) for document, written in records
    ]
    assert notes == [
        "sacrerouge has no place for these, which are not written: titles (1), questions (1), remarks on how summaries "
        "were written (1)"
    ]


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_tables_hold_texts_byte_for_byte(tmp_path: Path, format: str) -> None:
    records: list[Record] = [
        (
            Document("a b", HARD, (HARD, "Ref."), HARD),
            [Summary("a b", "a/b", HARD, {"x": -1.5}), Summary("a b", "c", "")],
        ),
        (Document("alone", HARD, ("Ref.", HARD)), []),
    ]
    assert convert(records, tmp_path / "x", format) == (records, [])
    wanted = replace(RICH[0][0], source=("One.", "Two."))
    ((document, _),), notes = convert([(wanted, [RICH[0][1][0]])], tmp_path / "y", format)
    assert document == replace(wanted, source="One. Two.", references=("Ref.",), questions=())
    assert notes == [
        f"{format} has no place for these, which are not written: questions (1), sources as lists of sentences (1), "
        "references that stand twice (1), scores of metrics (1), remarks on how summaries were written (1)"
    ]


def test_mt_metrics_eval_has_a_line_for_each_text(tmp_path: Path) -> None:
    written = [Summary("a", "x", "One.\nTwo.", {"r": 1}, given=(("m", 0.5),)), Summary("a", "y", "", given=(("n", 1),))]
    records = [(Document("a", "A\r\nb", ("R\n1",)), written), (Document("b", "", ()), [Summary("b", "y", "Y")])]
    result, notes = convert(records, tmp_path / "t", "mt_metrics_eval")
    assert result == [
        (Document("a", "A b", ("R 1",)), [Summary("a", "x", "One. Two.", {"r": 1}), Summary("a", "y", "")]),
        (Document("b", "", ()), [Summary("b", "y", "Y")]),
    ]
    assert notes == [
        "metrics that lack scores, of which none may be missing, are not written: m, n",
        "documents with line ends in their texts, which became spaces: 1",
    ]
    assert (tmp_path / "t" / "human-scores" / "und-und.r.seg.score").read_text() == "x\t1\nx\tNone\n"
    assert (tmp_path / "t" / "documents" / "und-und.docs").read_text() == "all a\nall b\n"


def record_of(document: Document, *written: Summary) -> list[Record]:
    return [(document, list(written))]


def test_mt_metrics_eval_keeps_the_order_of_references_and_sorts_systems(tmp_path: Path) -> None:
    references = tuple(f"R{number}" for number in range(12))
    records = record_of(Document("a", "A", references), *(Summary("a", name, "x") for name in ("M10", "M2")))
    ((document, written),), notes = convert(records, tmp_path / "t", "mt_metrics_eval")
    assert (document.references, [summary.system for summary in written], notes) == (references, ["M2", "M10"], [])


D = Document("d", "Text.", ("Ref.",))
CANNOT: list[tuple[str, list[Record], str]] = [
    ("csv", record_of(D, Summary("d", "s", " \n")), "the summary of s is white space"),
    ("sacrerouge", record_of(Document("d", "S", ())), "it has neither summaries nor references"),
    (
        "mt_metrics_eval",
        record_of(Document("d e", "S", ("R",))),
        'the document "d e": there is white space in its id',
    ),
    ("mt_metrics_eval", record_of(D, Summary("d", "a b", "x")), 'the system "a b": it has white space'),
    ("mt_metrics_eval", record_of(D, Summary("d", "ref1", "x")), "or a reference's name"),
    ("mt_metrics_eval", record_of(D, Summary("d", "../x", "x")), r'"\.\./x", which no file can have there'),
    ("mt_metrics_eval", record_of(D, Summary("d", "s", "x", {"é" * 101: 1})), "which no file can have there"),
    ("mt_metrics_eval", record_of(D, Summary("d", "s", "x", given=(("a/b", 1),))), '"a/b", which no file can have'),
]


@pytest.mark.parametrize(("format", "records", "refusal"), CANNOT, ids=range(len(CANNOT)))
def test_what_cannot_be_held_is_refused_and_nothing_is_left(
    tmp_path: Path, format: str, records: list[Record], refusal: str
) -> None:
    with pytest.raises(CannotBeHeld, match=refusal):
        write_records(records, tmp_path / "x", format)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("mine")
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("x", "link", "."):
        with pytest.raises(OutputExists, match="is there already"):
            write_records(PLAIN, tmp_path / name, "csv")
    with pytest.raises(ValueError, match="there is no folder"):
        write_records(PLAIN, tmp_path / "absent" / "x", "csv")
    with pytest.raises(ValueError, match="unknown format 'xml'; known are interchange, csv"):
        write_records(PLAIN, tmp_path / "new", "xml")
    assert (tmp_path / "x").read_text() == "mine"
    assert {item.name for item in tmp_path.iterdir()} == {"x", "link"}


def test_mt_metrics_eval_refuses_the_text_that_stands_for_none_there(tmp_path: Path) -> None:
    text = "[No translation supplied]"
    for record in (
        (Document("d", "S.", ("R.",)), [Summary("d", "s", text)]),
        (Document("d", text, ("R.",)), [Summary("d", "s", "x")]),
        (Document("d", "S.", (text,)), [Summary("d", "s", "x")]),
    ):
        with pytest.raises(CannotBeHeld, match="by which it marks texts that were not written"):
            write_records([record], tmp_path / "t", "mt_metrics_eval")
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("format", EXPORTERS)
def test_byte_order_marks_in_texts_are_kept_and_those_around_names_are_not(tmp_path: Path, format: str) -> None:
    mark = "\ufeff"
    document = Document(f"{mark}d", f"{mark}S.", (f"{mark}R.", f"{mark}Q."))
    records = [(document, [Summary(document.id, f"{mark}s", f"{mark}x", {"r": 1.0})])]
    named = [(replace(document, id="d"), [Summary("d", "s", f"{mark}x", {"r": 1.0})])]
    assert convert(records, path_of(tmp_path, format), format) == (named, [])


@pytest.mark.parametrize("format", ["csv", "parquet", "interchange"])
def test_documents_without_sources_or_references_are_kept(tmp_path: Path, format: str) -> None:
    records = [
        (Document("a", "", ("R",)), [Summary("a", "s", "x", {"r": 1.0})]),
        (Document("b", "S", ()), [Summary("b", "s", "x")]),
        (Document("c", "", (), "Title"), []),
    ]
    ((*back,), _) = convert(records, path_of(tmp_path, format), format)
    assert back == records
