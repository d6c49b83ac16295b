"""Spreadsheets: what is read of them, and that none takes this process's memory or time."""

import zipfile
from pathlib import Path

import pytest

from relevance.data.importers import read_documents
from relevance.data.importers.mapping import Columns
from relevance.data.importers.opening import open_table
from relevance.data.importers.sheets import sheet_rows
from relevance.data.reading import SPREADSHEETS, say_nothing
from relevance.data.records import BadRecord
from tests.fuzzing import mutations
from tests.sheets import ods, write_sheet, xlsx

ROWS = [
    ["document", "rating", "good", "text"],
    ["d1", 4, True, "a < b & c"],
    [],
    ["d2", 0.25, None, "two\nlines"],
    ["d3", 1000000, False, "=1+1"],
]
ENDINGS = (".xlsx", ".ods")

pytestmark = pytest.mark.process


def refusal(path: Path, **options: bool) -> str:
    with pytest.raises(BadRecord) as refused:
        list(open_table(path, **options).read([], say_nothing))
    return str(refused.value)


@pytest.mark.smoke
@pytest.mark.parametrize("ending", ENDINGS)
def test_cells_are_what_csv_would_have(tmp_path: Path, ending: str) -> None:
    table = open_table(write_sheet(tmp_path / f"a{ending}", ROWS))
    assert table.names == ("document", "rating", "good", "text")
    rows = {str(place): tuple(row.values()) for place, row in table.read(table.names, say_nothing)}
    assert rows == {
        f"a{ending}:2": ("d1", "4", "true", "a < b & c"),
        f"a{ending}:4": ("d2", "0.25", "", "two\nlines"),
        f"a{ending}:5": ("d3", "1000000", "false", "=1+1"),
    }


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_first_sheet_that_is_not_empty_is_read_and_the_others_are_named(tmp_path: Path, ending: str) -> None:
    path = write_sheet(tmp_path / f"a{ending}", [], Second=ROWS, Third=[["x"], ["y"]])
    notes: list[str] = []
    assert len(list(sheet_rows(path, None, notes.append))) == 4
    assert notes == ['the sheet "Second" is read, and not "Table", "Third"']
    assert open_table(path, Columns({}, sheet="Third")).names == ("x",)
    with pytest.raises(BadRecord, match=r'1: there is no sheet "No"; there are "Table", "Second", "Third"'):
        open_table(path, Columns({}, sheet="No"))


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_table_of_summaries_is_read_as_csv_is(tmp_path: Path, ending: str) -> None:
    rows = [
        ["Doc", "gold", "model", "output", "human.fluency"],
        [7, "A ferry.", "bart", "Ferry.", 4],
        [7, "A ferry.", 5, "", ""],
    ]
    ((document, written),) = read_documents(write_sheet(tmp_path / f"a{ending}", rows))
    assert (document.id, document.references) == ("7", ("A ferry.",))
    assert [(summary.system, summary.text, dict(summary.human)) for summary in written] == [
        ("bart", "Ferry.", {"fluency": 4}),
        ("5", "", {}),
    ]


def write_parts(path: Path, parts: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize("ending", SPREADSHEETS)
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and more", b"\xd0\xcf\x11\xe0 and more", b"a,b\n1,2\n"])
def test_what_is_no_spreadsheet_is_refused(tmp_path: Path, ending: str, content: bytes) -> None:
    path = tmp_path / f"a{ending}"
    path.write_bytes(content)
    assert refusal(path).startswith(f"a{ending}:1: not a readable spreadsheet: ")


def test_a_cell_far_away_takes_no_memory_here(tmp_path: Path) -> None:
    parts = xlsx({"Table": [["a"], ["b"]]})
    far = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    parts["xl/worksheets/sheet1.xml"] = parts["xl/worksheets/sheet1.xml"].replace("</sheetData>", far)
    assert "takes over 2 GiB of memory or 120 s to read" in refusal(write_parts(tmp_path / "a.xlsx", parts))


def test_cells_that_are_repeated_take_no_memory_here(tmp_path: Path) -> None:
    parts = ods({"Table": [["a"], ["b"]]})
    cell = '<table:table-cell table:number-columns-repeated="10000" office:value-type="float" office:value="1"/>'
    row = f'<table:table-row table:number-rows-repeated="1000000">{cell}</table:table-row></table:table>'
    parts["content.xml"] = parts["content.xml"].replace("</table:table>", row)
    assert "not a readable spreadsheet" in refusal(write_parts(tmp_path / "a.ods", parts))


def test_a_sheet_with_very_much_text_is_refused(tmp_path: Path) -> None:
    parts = xlsx({"Table": [["a"], ["TEXT"]]})
    long = parts["xl/worksheets/sheet1.xml"].replace("TEXT", "x" * 210_000_000)
    path = write_parts(tmp_path / "a.xlsx", parts | {"xl/worksheets/sheet1.xml": long})
    assert refusal(path) == "a.xlsx:1: there are over 200 MiB of text in the sheet; split it"


def test_an_empty_spreadsheet_is_refused(tmp_path: Path) -> None:
    assert refusal(write_sheet(tmp_path / "a.ods", [])) == "a.ods:1: the file is empty"


def test_a_spreadsheet_of_another_name_is_refused_with_the_way_out(tmp_path: Path) -> None:
    path = write_sheet(tmp_path / "a.xlsx", ROWS).rename(tmp_path / "a.csv")
    assert "give its name the ending .xlsx" in refusal(path)


@pytest.mark.parametrize("ending", ENDINGS)
def test_damaged_spreadsheets_are_taken_or_refused_in_one_line(tmp_path: Path, ending: str) -> None:
    path = write_sheet(tmp_path / f"f{ending}", ROWS)
    for content in mutations([path.read_bytes()], 40, seed=len(ending)):
        path.write_bytes(content)
        try:
            table = open_table(path)
            list(table.read(table.names, say_nothing))
        except BadRecord as error:
            message = str(error)
            assert message.startswith(f"f{ending}:")
            assert message.isprintable()
