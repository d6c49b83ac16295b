"""Tables as other people keep them: quotation marks, delimiters, blank cells, names, ratings; nothing goes silently."""

import csv
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relevance.data.alike import fold_name
from relevance.data.importers import read_documents
from relevance.data.importers.columns import read_head
from relevance.data.importers.table import OTHER_TEXT
from relevance.data.reading import lines, trim_name
from relevance.data.records import BadRecord, Document, Summary

HEADER = ("document_id", "source", "reference", "system", "summary")

Records = list[tuple[Document, list[Summary]]]


def read(path: Path, **options: str) -> tuple[Records, list[str]]:
    notes: list[str] = []
    return list(read_documents(path, say=notes.append, **options)), notes  # type: ignore[arg-type]


def written(tmp_path: Path, name: str, text: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(BadRecord) as refused:
        read(path)
    return str(refused.value)


def texts(records: Records) -> dict[tuple[str, str], str]:
    return {(document.id, summary.system): summary.text for document, summaries in records for summary in summaries}


def tsv(*rows: Sequence[str], header: Sequence[str] = HEADER) -> str:
    return "".join("\t".join(row) + "\n" for row in (header, *rows))


# --- quotation marks --------------------------------------------------------------------------------------------


def test_a_quotation_mark_at_the_start_of_a_cell_swallows_no_row(found_files: Path) -> None:
    records, _ = read(found_files / "11_quote.tsv")
    assert texts(records) == {("d1", "BART"): '"Yes', ("d1", "T5"): 'No"', ("d1", "M3"): "Maybe"}
    assert len(read_head(found_files / "11_quote.tsv").rows) == 3


CELLS = ('"Yes', 'No"', '"Yes"', '"', '""', 'he said ""so""', '"a", "b"', "it's", '5" screen', 'a ""b" c')


@given(st.lists(st.sampled_from(CELLS), min_size=1, max_size=5), st.sampled_from(CELLS))
def test_quotation_marks_of_a_tsv_are_those_of_its_texts(
    tmp_path_factory: pytest.TempPathFactory, cells: list[str], other: str
) -> None:
    rows = [("d", "A text.", other, f"s{number}", cell) for number, cell in enumerate(cells)]
    path = written(tmp_path_factory.mktemp("tsv"), "a.tsv", tsv(*rows))
    records, _ = read(path)
    assert texts(records) == {("d", f"s{number}"): cell for number, cell in enumerate(cells)}
    assert records[0][0].references == (other,)


@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
def test_a_tsv_that_is_quoted_throughout_is_read_without_its_quotation_marks(tmp_path: Path, quoting: int) -> None:
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", quoting=quoting, lineterminator="\n")  # type: ignore[arg-type]
    writer.writerows([[*HEADER, "human.relevance"], ["d", "A\ttext.\nIn lines.", 'R "one"', "s", 'Say "so"', 3]])
    records, _ = read(written(tmp_path, "a.tsv", out.getvalue()))
    assert records[0][0].source == "A\ttext.\nIn lines."
    assert texts(records) == {("d", "s"): 'Say "so"'}
    assert records[0][1][0].human == {"relevance": 3}


def test_a_tsv_with_some_cells_in_quotation_marks_as_they_hold_lines_is_read(tmp_path: Path) -> None:
    text = tsv(("d", '"One.\nTwo."', "R", "s", '"Say ""so"""'), ("d", '"One.\nTwo."', "R", "t", "Other"))
    records, _ = read(written(tmp_path, "a.tsv", text))
    assert records[0][0].source == "One.\nTwo."
    assert texts(records) == {("d", "s"): 'Say "so"', ("d", "t"): "Other"}


def test_rows_that_a_quotation_mark_holds_together_are_refused_or_said(tmp_path: Path) -> None:
    rows = ("d1,Text,R,a,First\n", 'd1,Text,R,b,"Yes\n', 'd1,Text,R,c,No"\n', "d1,Text,R,d,Last\n")
    records, notes = read(written(tmp_path, "a.csv", ",".join(HEADER) + "\n" + "".join(rows)))
    assert [item for item in notes if "a.csv:3: lines 3 to 4 are one row, as a quotation mark opens" in item]
    assert len(texts(records)) == 3
    whole = tsv(
        ("d1", "Text", "R", "b", '"Yes'), ("d1", "Text", "R", "c", 'No"'), ("d", "one field more", "R", "e", "x", "")
    )
    assert "a.tsv:2: lines 2 to 3 are one row" in refusal(written(tmp_path, "a.tsv", whole))


def test_a_text_in_lines_is_no_row(tmp_path: Path) -> None:
    text = ",".join(HEADER) + '\nd,"One, two, three.\nFour.\nFive, six.",R,a,"x\ny"\n'
    _, notes = read(written(tmp_path, "a.csv", text))
    assert not [item for item in notes if "quotation mark" in item]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            'd,T,R,a,"x" y',
            "a quotation mark stands within a cell that is in quotation marks, in the row that starts in line 2",
        ),
        (
            'd,T,R,a,"x',
            "a quotation mark opens in the row that starts in line 2, and none closes before the end of the file",
        ),
        ("d,T,R,a,x\ry", "a carriage return stands within a cell, in the row that starts in line 2"),
        ("d,T,R,a", "4 fields where the header has 5"),
    ],
)
def test_a_broken_table_is_refused_in_plain_words(tmp_path: Path, row: str, message: str) -> None:
    path = written(tmp_path, "a.csv", ",".join(HEADER) + f"\n{row}\n")
    assert message in refusal(path)
    assert "delimiter" not in refusal(path)


# --- line ends and delimiters ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_all_systems_are_read(tmp_path: Path, end: str) -> None:
    text = f"\ufeff{','.join(HEADER)}{end}d,A text.,R,a,One{end}d,A text.,R,b,Two{end}"
    records, _ = read(written(tmp_path, "a.csv", text))
    assert texts(records) == {("d", "a"): "One", ("d", "b"): "Two"}
    path = written(tmp_path, "a.txt", f"One{end}{end}Three")
    assert [(place.line, line) for place, line in lines(path)] == [(1, "One"), (2, ""), (3, "Three")]


@pytest.mark.parametrize(("name", "delimiter"), [(n, d) for n in ("a.csv", "a.tsv") for d in (",", ";", "\t")])
def test_the_header_tells_the_delimiter_whatever_the_ending_says(tmp_path: Path, name: str, delimiter: str) -> None:
    for header in (HEADER, ("id", "article", "gold", "model", "output")):
        rows = "\n".join(delimiter.join(row) for row in (header, ("d", "A text.", "R", "a", "One")))
        records, notes = read(written(tmp_path, name, rows))
        assert texts(records) == {("d", "a"): "One"}
        assert any("the columns are separated by" in item for item in notes) == (
            delimiter != {"c": ",", "t": "\t"}[name[2]]
        )


def test_columns_without_a_name_are_passed_over(tmp_path: Path) -> None:
    text = f"{','.join(HEADER)},,\nd,T,R,a,One,,\nd,T,R,b,Two,,\n"
    records, notes = read(written(tmp_path, "a.csv", text))
    assert len(texts(records)) == 2
    assert 'columns passed over: "", ""' in notes


# --- blank cells and absent fields ------------------------------------------------------------------------------


def test_blank_cells_mean_the_same_in_wide_and_long_tables(tmp_path: Path, found_files: Path) -> None:
    long, said_of_long = read(found_files / "40_blank.csv")
    wide, said_of_wide = read(
        written(tmp_path, "wide.csv", "document_id,source,reference,summary.a,summary.b\n1,T,R,A one,\n")
    )
    assert wide == long
    assert texts(long) == {("1", "a"): "A one", ("1", "b"): ""}
    told = "1 summary is empty: it is kept without scores, and no study asks about it"
    assert said_of_long[-1] == said_of_wide[-1] == told


def test_a_row_without_summaries_gives_a_document_in_wide_and_long_tables(tmp_path: Path) -> None:
    for header, row in (("system,summary", ","), ("summary.a,summary.b", ",")):
        text = f"document_id,source,reference,{header}\n1,T,R,{row}\n"
        assert read(written(tmp_path, "a.csv", text))[0] == [(Document("1", "T", ("R",)), [])]


def test_a_document_may_lack_its_source_or_reference(tmp_path: Path) -> None:
    text = ",".join(HEADER) + "\n1,,R,a,One\n2,T,,a,Two\n"
    records, notes = read(written(tmp_path, "a.csv", text))
    assert [document for document, _ in records] == [Document("1", "", ("R",)), Document("2", "T", ())]
    assert notes[-1] == "1 of 2 documents has no reference: metrics that need one have no scores there"


@pytest.mark.parametrize("field", ["source", "references"])
def test_absent_null_and_empty_fields_are_the_same(tmp_path: Path, field: str) -> None:
    whole = {"id": "a", "source": "T", "references": ["R"], "summaries": [{"system": "s", "text": "One"}]}
    without = {name: value for name, value in whole.items() if name != field}
    variants = [without, without | {field: None}, without | {field: []}]
    read_as = [read(written(tmp_path, "a.jsonl", json.dumps(variant)))[0] for variant in variants]
    assert read_as[0] == read_as[1] == read_as[2]
    assert not getattr(read_as[0][0][0], field)


def test_files_without_references_or_with_null_are_read(found_files: Path) -> None:
    assert read(found_files / "14_absentref.jsonl")[0] == read(found_files / "14_nullref.jsonl")[0]
    assert refusal(found_files / "14_emptyref.jsonl").endswith("references[1] is empty; leave it out of the list")
    assert refusal(found_files / "14_nosource.jsonl").endswith(
        "source is empty; write null, or leave the field out, if the data set does not have its documents"
    )


# --- names ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", [" ", "\u00a0", "\u3000", "\u200b", "\ufeff", "\t", "\n"])
def test_white_space_around_names_is_nothing(tmp_path: Path, space: str) -> None:
    assert trim_name(f"{space}a{space}b{space}") == f"a{space}b"
    record = {
        "id": f"d{space}",
        "source": "T",
        "references": ["R"],
        "summaries": [{"system": f"{space}s", "text": "One", "human": {f"relevance{space}": 3}}],
    }
    records, _ = read(written(tmp_path, "a.jsonl", json.dumps(record)))
    assert texts(records) == {("d", "s"): "One"}
    assert records[0][1][0].human == {"relevance": 3}
    cells = [f"{space}{name}{space}" for name in (*HEADER, "human.relevance")]
    out = io.StringIO()
    csv.writer(out).writerows([cells, [f"d{space}", "T", "R", f"{space}s", "One", 3]])
    assert read(written(tmp_path, "a.csv", out.getvalue()))[0] == records


def test_what_is_one_name_after_trimming_is_one(found_files: Path) -> None:
    records, _ = read(found_files / "11_trailid.csv")
    assert list(texts(records)) == [("d1", "BART"), ("d1", "T5"), ("d2", "BART"), ("d2", "T5")]
    twice = f'11_trail.csv:3: the system "BART" stands twice for "1", in line 2, too{OTHER_TEXT}'
    assert refusal(found_files / "11_trail.csv") == twice


def test_names_that_look_alike_are_said(tmp_path: Path) -> None:
    rows = [("1", "T", "R", "BART", "One"), ("1", "T", "R", "bart", "Two"), ("2", "T", "R", "Caf\u00e9", "One")]
    rows += [("2", "T", "R", "cafe\u0301", "Two"), ("D", "U", "R", "x", "y"), ("d", "V", "R", "x", "z")]
    records, notes = read(written(tmp_path, "a.tsv", tsv(*rows)))
    assert len(texts(records)) == 6
    different = "whose names differ only in case, white space or the form of letters are taken as different"
    same = "rename one in the file if they are the same"
    assert notes[-2:] == [
        f'documents {different}: "D" and "d"; {same}',
        f'systems {different}: "BART" and "bart", "Caf\\u00e9" and "cafe\\u0301"; {same}',
    ]
    assert fold_name("BART \u2160") == fold_name("bart  i")


# --- ratings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["", " ", "NA", "n/a", "NaN", "null", "None", "-"])
def test_ratings_that_nobody_gave_are_missing(tmp_path: Path, missing: str) -> None:
    rows = [("d", "T", "R", "a", "One", missing), ("d", "T", "R", "b", "Two", "3.5")]
    records, notes = read(written(tmp_path, "a.tsv", tsv(*rows, header=[*HEADER, "human.x"])))
    assert [summary.human for _, summaries in records for summary in summaries] == [{}, {"x": 3.5}]
    assert notes[-1] == "1 rating is missing (blank, null, NaN or N/A): nobody gave them"


@pytest.mark.parametrize("file", ["12_nan.jsonl", "12_null.jsonl"])
def test_ratings_of_null_and_nan_are_missing(found_files: Path, file: str) -> None:
    records, notes = read(found_files / file)
    assert [summary.human for _, summaries in records for summary in summaries] == [{}, {"relevance": 3}]
    assert "1 rating is missing (blank, null, NaN or N/A): nobody gave them" in notes


@pytest.mark.parametrize("value", ["good", "3,5", "Infinity", "4/5"])
def test_what_is_no_rating_is_refused(tmp_path: Path, value: str) -> None:
    text = tsv(("d", "T", "R", "a", "One", value), header=[*HEADER, "human.x"])
    assert "human.x must be a number such as 4 or 3.5" in refusal(written(tmp_path, "a.tsv", text))


def test_nan_is_a_rating_only(tmp_path: Path) -> None:
    record = '{"id": NaN, "source": "T", "references": ["R"]}'
    assert "id must be a string or a whole number" in refusal(written(tmp_path, "a.jsonl", record))


# --- flat objects -----------------------------------------------------------------------------------------------


def test_flat_objects_are_read_as_rows_of_csv(tmp_path: Path, found_files: Path) -> None:
    for file in ("13_own.jsonl", "13_own2.jsonl"):
        records, notes = read(found_files / file)
        assert "format: json (guessed)" in notes
        assert [(document.id, document.references) for document, _ in records] == [
            ("1", ("hello world",)),
            ("2", ("good night",)),
        ]
        assert list(texts(records).values()) == ["hello big world", "good night all"]
    rows = [
        {"id": 7, "article": "T", "gold": ["R one", "R two"], "model": "a", "output": "One", "human.x": None},
        {"id": 7, "article": "T", "gold": ["R one", "R two"], "model": "b", "output": "Two", "human.x": 2, "extra": 1},
    ]
    for text in ("\n".join(map(json.dumps, rows)), json.dumps(rows)):
        records, notes = read(written(tmp_path, "a.jsonl", text))
        assert records[0][0] == Document("7", "T", ("R one", "R two"))
        assert texts(records) == {("7", "a"): "One", ("7", "b"): "Two"}
        assert [record.human for record in records[0][1]] == [{}, {"x": 2}]
        assert any('field passed over: "extra"' in item for item in notes)
    wide = {"document": "T", "reference": "R", "summary_a": "One", "summary_b": "Two"}
    assert texts(read(written(tmp_path, "b.jsonl", json.dumps(wide)))[0]) == {("1", "a"): "One", ("1", "b"): "Two"}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"source": ["One.", "Two."]}, "source must be a string, not a list"),
        ({"reference": {"a": "b"}}, "reference must be a string, not an object"),
        ({"reference": ["R", ""]}, "reference[1] is empty; leave it out of the list"),
        ({"reference": ["R", 3]}, "reference[1] must be a string, not a number"),
        ({"summary": ["S"]}, "summary must be a string, not a list"),
        ({"id": None}, "document_id must be a string or a whole number, not null"),
        ({"human.x": [1]}, "human.x must be a number, not a list"),
    ],
)
def test_what_a_row_cannot_hold_is_refused(tmp_path: Path, changes: dict[str, object], problem: str) -> None:
    record = {"source": "T", "reference": "R", "summary": "S", **changes}
    path = written(tmp_path, "a.jsonl", json.dumps({"reference": "R", "summary": "S"}) + "\n" + json.dumps(record))
    with pytest.raises(BadRecord) as refused:
        read(path, format="json")
    assert str(refused.value) == f"a.jsonl:2: {problem}"


def test_objects_that_are_no_table_are_refused_with_what_they_lack(tmp_path: Path) -> None:
    message = refusal(written(tmp_path, "a.jsonl", '{"article": "T", "summary": "S"}'))
    assert message.startswith(
        'a.jsonl:1: the format cannot be told from the fields "article", "summary": to be read as a '
    )
    assert "lack a reference (reference, references, ref, refs, target ...)" in message
    later = '{"reference": "R", "summary": "S"}\n{"reference": "R"}'
    assert refusal(written(tmp_path, "a.jsonl", later)).startswith(
        "a.jsonl:2: the object is not a row of a table: it lacks a summary"
    )


@pytest.mark.parametrize(
    ("name", "head", "message"),
    [
        ("a.xlsx", b"PK\x03\x04", "this is a spreadsheet, which is read as a table"),
        ("a.csv", b"PK\x03\x04[Content_Types].xml", "give its name the ending .xlsx"),
        ("a.csv", b"PK\x03\x04 application/vnd.oasis.opendocument.spreadsheet", "give its name the ending .ods"),
        ("a.csv", b"PK\x03\x04\n[Content_Types].xml", "give its name the ending .xlsx"),
        ("a.tsv", b"\xd0\xcf\x11\xe0", "give its name the ending .xls"),
    ],
)
def test_a_spreadsheet_is_refused_with_the_way_out(tmp_path: Path, name: str, head: bytes, message: str) -> None:
    with pytest.raises(BadRecord, match=re.escape(message)):
        list(lines(written(tmp_path, name, head + b"\x00" * 100)))
