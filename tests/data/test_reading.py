import pytest

from relevance.data import reading
from relevance.data.records import BadRecord


def write(path, content: bytes):
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a\nb", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),  # a mark is a mark only at the start
        ("a\u2028b\x0bc\x85d\re\n".encode(), ["a\u2028b\x0bc\x85d\re"]),  # only LF ends a line
    ],
)
def test_lines(tmp_path, content, lines):
    path = write(tmp_path / "f.txt", content)
    assert [line for _, line in reading.lines(path)] == lines
    assert [str(place) for place, _ in reading.lines(path)] == [f"f.txt:{n}" for n in range(1, len(lines) + 1)]


def test_line_ends_are_kept_on_demand(tmp_path):
    path = write(tmp_path / "f.txt", b"\xef\xbb\xbfa\r\nb\nc")
    assert [line for _, line in reading.lines(path, keep_ends=True)] == ["a\r\n", "b\n", "c"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\nb".encode("utf-16"), "f.txt:1: the file is UTF-16 or UTF-32; save it as UTF-8"),
        ("a\nb".encode("utf-16-le"), "f.txt:1: there are NUL bytes in the line; is the file UTF-16? Save it as UTF-8"),
        ("a\nb".encode("utf-32"), "f.txt:1: the file is UTF-16 or UTF-32; save it as UTF-8"),
        (
            "gut\ngrün".encode("latin-1"),
            "f.txt:2: byte 3 of the line (0xfc) is not UTF-8; is the file Latin-1? Save it as UTF-8",
        ),
        (b"ok\n\xed\xa0\x80", "f.txt:2: byte 1 of the line (0xed) is not UTF-8; is the file Latin-1? Save it as UTF-8"),
        (b"a\nb\0c", "f.txt:2: there are NUL bytes in the line; is the file UTF-16? Save it as UTF-8"),
        (b"\x1f\x8b\x08\0", "f.txt:1: the file is compressed; unpack it first"),
        (b"PK\x03\x04", "f.txt:1: the file is compressed; unpack it first"),
    ],
)
def test_what_is_not_utf_8_text_is_refused(tmp_path, content, message):
    with pytest.raises(BadRecord) as refused:
        list(reading.lines(write(tmp_path / "f.txt", content)))
    assert str(refused.value) == message


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize(
    ("end", "fits"),
    [(b"\n", True), (b"\r\n", True), (b"", False)],  # without an end, y belongs to the line: one byte too many
)
def test_a_line_has_at_most_32_mib(tmp_path, mark, end, fits):
    path = write(tmp_path / "f.txt", mark + b"x" * reading.MAX_LINE_BYTES + end + b"y")
    if fits:
        assert [len(line) for _, line in reading.lines(path)] == [32 * 1024 * 1024, 1]
    else:
        with pytest.raises(BadRecord, match=r"^f\.txt:1: the line is over 32 MiB$"):
            list(reading.lines(path))


@pytest.mark.parametrize("name", ["absent.jsonl", "folder"])
def test_what_cannot_be_opened_is_refused(tmp_path, name):
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadRecord, match=f"{name}: cannot be read: (No such file|Is a directory)"):
        list(reading.lines(tmp_path / name))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "not valid JSON: Expecting property name enclosed in double quotes at column 2"),
        ('{"a": 1} {"b": 2}', "not valid JSON: Extra data at column 10"),
        ("{'a': 1}", "not valid JSON: Expecting property name enclosed in double quotes at column 2"),
        ('{"a": "tab\there"}', "not valid JSON: Invalid control character at at column 11"),
        ('{"a": 01}', "not valid JSON: Expecting ',' delimiter at column 8"),
        ("[]", "each line must be a JSON object"),
        ("null", "each line must be a JSON object"),
        ('{"a": NaN}', "NaN is not a JSON number"),
        ('{"a": [-Infinity]}', "-Infinity is not a JSON number"),
        ('{"a": 1e999}', "the number 1e999 is out of range"),
        ('{"a": -1e999}', "the number -1e999 is out of range"),
        ('{"a": ' + "9" * 5000 + "}", f"the number {'9' * 40}... is out of range"),
        ('{"a": 1, "b": 2, "a": 1}', 'the key "a" stands twice in one object'),
        ('{"a": {"\\u001b": 1, "\\u001b": 2}}', 'the key "\\u001b" stands twice in one object'),
        ('{"a": ' + "[" * 100_000, "the JSON is nested too deeply"),
        ('{"a": ' * 100_000 + "1" + "}" * 100_000, "the JSON is nested too deeply"),
    ],
)
def test_json_is_strict(tmp_path, line, problem):
    with pytest.raises(BadRecord) as refused:
        list(reading.read_json_lines(write(tmp_path / "f.jsonl", b'{"fine": 1}\n\n' + line.encode())))
    assert str(refused.value).removesuffix("; each line must be a whole JSON object") == f"f.jsonl:3: {problem}"


def test_json_lines_pass_over_blank_lines_and_keep_texts(tmp_path):
    path = write(tmp_path / "f.jsonl", '\ufeff{"a": "x\u2028\\u2028\\ud83d\\ude00"}\r\n \t\r\n\n{"b": 1.5}'.encode())
    assert [(str(place), record) for place, record in reading.read_json_lines(path)] == [
        ("f.jsonl:1", {"a": "x\u2028\u2028😀"}),
        ("f.jsonl:4", {"b": 1.5}),
    ]
