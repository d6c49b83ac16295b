import csv
import io
import json

import pytest

from relevance.data.export import export
from relevance.data.files import write_whole

RECORDS = [
    {
        "text": 'a\u2028"b"\r\n,é\u202e😀',
        "list": [{"x": 1}, "é"],
        "none": None,
        "float": 0.1 + 0.2,
        "int": -3,
        "flag": True,
    },
    {"text": "", "list": [], "none": "null", "float": -1e-300, "int": 2**60, "flag": False},
]


def test_json_lines_are_lossless():
    text = export(iter(RECORDS), "jsonl")
    assert [json.loads(line) for line in text.split("\n")[:-1]] == RECORDS
    assert "é\u202e😀" in text  # readable, not escaped
    with pytest.raises(ValueError, match="not JSON compliant"):
        export([{"x": float("nan")}], "jsonl")


def test_csv():
    rows = list(csv.reader(io.StringIO(export(iter(RECORDS), "csv"), newline="")))
    assert rows == [
        ["text", "list", "none", "float", "int", "flag"],
        ['a\u2028"b"\r\n,é\u202e😀', '[{"x": 1}, "é"]', "", "0.30000000000000004", "-3", "True"],
        ["", "[]", "null", "-1e-300", str(2**60), "False"],
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),  # a text; the number -1 stays one
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("\n=1", "'\n=1"),
        (-1, "-1"),
        (-0.5, "-0.5"),
        ("a=1", "a=1"),
        ("'=1", "'=1"),
        ("x\r=1+1", "x\r=1+1"),  # quoted whole, so that no row starts at the CR
        ('","=1', '","=1'),
    ],
)
def test_formulas_are_neutralised_in_cells_and_headings(value, shown):
    text = export([{str(value): value, "other": "x"}], "csv")
    header, row = csv.reader(io.StringIO(text, newline=""))
    assert row == [shown, "x"]
    assert header == [shown if isinstance(value, str) else f"'{value}", "other"]


def test_nothing_to_export():
    assert export([], "csv") == ""
    assert export([], "jsonl") == ""
    with pytest.raises(ValueError, match="unknown export format 'xlsx'; known are jsonl, csv"):
        export([], "xlsx")


def test_files_are_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "f.jsonl"
    write_whole(path, ["é\u2028\n", "b\r\n"])
    assert path.read_bytes() == "é\u2028\nb\r\n".encode()

    def failing():
        yield "half"
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_whole(path, failing())
    assert path.read_bytes() == "é\u2028\nb\r\n".encode()
    assert [file.name for file in tmp_path.iterdir()] == ["f.jsonl"]


def test_links_and_devices_stay_what_they_are(tmp_path):
    target, link, device = tmp_path / "target", tmp_path / "link", tmp_path / "null"
    target.write_text("old")
    link.symlink_to(target)
    write_whole(link, ["new"])
    assert link.is_symlink()
    assert target.read_text() == "new"
    device.symlink_to("/dev/null")
    write_whole(device, ["gone"])
    assert device.is_char_device()
