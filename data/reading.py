"""Reading of users' files: strict, bounded, and with the line in every error."""

import io
import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from relevance.data.files import open_file
from relevance.data.records import BadRecord

MAX_LINE_BYTES = 32 * 1024 * 1024
CHUNK = 1024 * 1024
"""The number of characters of a JSON list that are read at once."""
BLANKS = re.compile(r"[ \t\r\n]*")
MAX_BLANK_LINES = 100_000
"""The most blank lines in a row: ten million take long to skip and mean nothing."""
SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
"""The endings of spreadsheets, which are archives."""
MISSING = frozenset({"", "-", "--", "?", "n/a", "na", "nan", "none", "null", "missing", "unrated", "not rated"})
"""Values, in lower case, for a rating that was not given."""
AROUND_NAMES = re.compile(r"[\s\u200b\u2060\ufeff]*")
"""Invisible characters before and after a name."""
MAX_DIGITS = 20
"""The most digits of a whole number: no count or rating has more, and Python reads no more than 4,300."""
LISTED = 20
"""The most names or values that a message lists."""
MAX_NAME = 200
"""The most characters of a name."""
MAX_NUMBER = 1e100
"""The largest number of either sign: means, squares and sums of such numbers stay finite."""

Say = Callable[[str], None]
"""A function that receives messages of an importer to its user, besides errors."""


def say_nothing(message: str) -> None:
    """Ignore a message."""


class FileLine:
    """The place of a value in a file, for error messages: `file.jsonl:7`."""

    def __init__(self, path: Path, line: int) -> None:
        self.path, self.line = path, line

    def __str__(self) -> str:
        return f"{self.path.name}:{self.line}"

    def in_file(self) -> str:
        """Say where the place is in its file."""
        return f"line {self.line}"

    def beside(self, other: "FileLine") -> str:
        """Say where this place is to whoever looks at another: `line 7`, or `b.csv:7` if that is in another file."""
        return self.in_file() if self.path == other.path else str(self)

    def refuse(self, problem: str, by_option: str = "") -> NoReturn:
        """Raise `BadRecord` for this place; `by_option` is what options of the command line do about it."""
        raise BadRecord(f"{self}: {problem}", by_option)


def lines(path: Path, keep_ends: bool = False) -> Iterator[tuple[FileLine, str]]:
    """Yield the lines of a UTF-8 file, numbered from 1, without their ends (LF or CRLF) unless `keep_ends`.

    Only LF ends a line, so that U+2028 and the like stay in the text; in a file that begins with CR and no LF, CR does,
    as in those of old Macs. A byte order mark is skipped. Raises `BadRecord` for pipes and devices, other encodings,
    compressed files, NUL bytes, lines of over 32 MiB and over 100,000 blank lines in a row.
    """
    try:
        file = open_file(path)
    except OSError as error:
        raise BadRecord(f"{path}: cannot be read: {error.strerror}") from error
    with file:
        blank = 0
        place = FileLine(path, 1)
        try:
            for number, read in enumerate(raw_lines(file), 1):
                place = FileLine(path, number)
                raw = read.removeprefix(b"\xef\xbb\xbf") if number == 1 else read
                if number == 1:
                    refuse_other_files(place, raw)
                blank = 0 if raw.strip() else blank + 1
                if blank > MAX_BLANK_LINES:
                    place.refuse(
                        f"there are over {MAX_BLANK_LINES:,} blank lines in a row; is the file what it should be?"
                    )
                line = raw.removesuffix(b"\n").removesuffix(b"\r")
                if len(line) > MAX_LINE_BYTES:
                    place.refuse("the line is over 32 MiB")
                yield place, decode(place, raw if keep_ends else line)
        except OSError as error:
            raise BadRecord(f"{path}: cannot be read: {error.strerror}") from error


def raw_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file with their ends, cut where they are longer than what `lines` allows."""
    most = MAX_LINE_BYTES + 6  # room for a BOM, CR, LF and one byte over the limit
    begins = file.read(CHUNK)
    file.seek(0)
    if b"\n" in begins or b"\r" not in begins:
        while raw := file.readline(most):
            yield raw
        return
    rest = b""
    while chunk := file.read(CHUNK):
        *whole, rest = (rest + chunk).split(b"\r")
        yield from (line + b"\n" for line in whole)
        if len(rest) > most:
            break
    if rest:
        yield rest


def refuse_other_files(place: FileLine, raw: bytes) -> None:
    """Refuse a file that its first bytes tell to be no plain UTF-8. Raises `BadRecord`."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        place.refuse("the file is UTF-16 or UTF-32; save it as UTF-8")
    if raw.startswith(b"\x1f\x8b"):
        place.refuse("the file is compressed; unpack it first")
    if raw.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        if place.path.suffix.lower() in SPREADSHEETS:
            place.refuse("this is a spreadsheet, which is read as a table: leave out the format, or name spreadsheet")
        known = {b"[Content_Types].xml": ".xlsx", b"opendocument.spreadsheet": ".ods", b"\xd0\xcf\x11\xe0": ".xls"}
        with open_file(place.path) as file:
            begins = file.read(CHUNK)  # a line may end anywhere in it
        if ending := next((value for mark, value in known.items() if mark in begins), None):
            place.refuse(f"this seems to be a spreadsheet; give its name the ending {ending}, by which it is read")
        place.refuse("the file is compressed; unpack it first")


def decode(place: FileLine, raw: bytes) -> str:
    """Decode a line of UTF-8. Raises `BadRecord`, naming the first wrong byte."""
    if b"\0" in raw:
        place.refuse("there are NUL bytes in the line; is the file UTF-16? Save it as UTF-8")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        place.refuse(
            f"byte {error.start + 1} of the line (0x{raw[error.start]:02x}) is not UTF-8; is the file Latin-1? "
            "Save it as UTF-8"
        )


def read_json(path: Path, *, nan: bool = False) -> Iterator[tuple[FileLine, dict[str, Any]]]:
    """Yield the JSON objects of a file of lines (`read_json_lines`), or of one list (`read_json_list`)."""
    return read_json_list(path, nan=nan) if is_json_list(path) else read_json_lines(path, nan=nan)


def is_json_list(path: Path) -> bool:
    """Tell whether a file begins like a JSON list."""
    try:
        with open_file(path) as file:
            return file.read(CHUNK).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")
    except OSError as error:
        raise BadRecord(f"{path}: cannot be read: {error.strerror}") from error


def read_json_lines(path: Path, *, nan: bool = False) -> Iterator[tuple[FileLine, dict[str, Any]]]:
    """Yield the JSON object of each line; blank lines are skipped.

    Raises `BadRecord` for anything but strict JSON: duplicate keys, NaN (unless `nan`), Infinity, numbers out of range,
    unpaired surrogates, nesting deeper than Python parses.
    """
    for place, line in lines(path):
        if line.strip():
            yield place, json_object(place, line, nan=nan)


def json_object(place: FileLine, line: str, *, nan: bool = False) -> dict[str, Any]:
    """Parse one line as a strict JSON object."""
    record = parse_json_value(place, line, nan=nan)
    if not isinstance(record, dict):
        place.refuse("each line must be a JSON object")
    return record


def parse_json_value(place: FileLine, line: str, whole: str = "object", *, nan: bool = False) -> Any:
    """Parse one line as strict JSON; `whole` names what it must be in errors, such as "object" or "list"."""
    try:
        return json.loads(line, **strict_json(place, nan=nan))
    except json.JSONDecodeError as error:
        place.refuse(f"not valid JSON: {error.msg} at column {error.colno}; each line must be a whole JSON {whole}")
    except RecursionError:
        place.refuse("the JSON is nested too deeply")


def read_json_list(path: Path, *, nan: bool = False) -> Iterator[tuple[FileLine, dict[str, Any]]]:
    """Yield the objects of a file that is one JSON list, each with its first line.

    One object at a time is in memory. Raises `BadRecord` as `read_json_lines` does, for objects of over 32 MiB, and for
    anything after the list.
    """
    place = FileLine(path, 1)
    with open_text(place) as file:
        text, at = file.read(CHUNK), 0
        text, at = skip_blanks(file, text, at, place)
        if text[at : at + 1] != "[":
            place.refuse("the file must be one JSON list, and begin with [")
        expected = "an object or ]"
        at += 1
        while True:
            text, at = skip_blanks(file, text, at, place)
            if text[at : at + 1] == "]" and expected != "an object":
                break
            if text[at : at + 1] == "," and expected == ", or ]":
                expected, at = "an object", at + 1
                continue
            if text[at : at + 1] != "{" or expected == ", or ]":
                place.refuse(f"not valid JSON: {expected} is expected in the list, not {quote_value(text[at:][:20])}")
            record, text, at, lines_read = read_object(file, text, at, place, nan=nan)
            yield FileLine(path, place.line), record
            place.line += lines_read
            expected = ", or ]"
        text, at = skip_blanks(file, text, at + 1, place)
        if at < len(text):
            place.refuse(f"something follows the list: {quote_value(text[at:][:20])}")


@contextmanager
def open_text(place: FileLine) -> Iterator[io.TextIOWrapper]:
    """Open the file of a place as UTF-8 text. Raises `BadRecord`, where the place then is for text of another kind."""
    try:
        with io.TextIOWrapper(open_file(place.path), encoding="utf-8-sig", newline="") as file:
            yield file
    except OSError as error:
        raise BadRecord(f"{place.path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        place.refuse("the file is not UTF-8, from here on; is it compressed, or Latin-1?")


def skip_blanks(file: io.TextIOWrapper, text: str, at: int, place: FileLine) -> tuple[str, int]:
    """Skip white space, reading more if the text ends, and count its lines."""
    while True:
        end = BLANKS.match(text, at).end()  # type: ignore[union-attr]
        place.line += text.count("\n", at, end)
        if end < len(text):
            return text, end
        text, at = file.read(CHUNK), 0
        if not text:
            return text, at


def read_object(
    file: io.TextIOWrapper, text: str, at: int, place: FileLine, *, nan: bool
) -> tuple[dict[str, Any], str, int, int]:
    """Parse the object that begins at `at`; return it, the text read, the object's end and its number of line ends."""
    decoder = json.JSONDecoder(**strict_json(place, nan=nan))
    text, more = text[at:], CHUNK
    while True:
        try:
            record, end = decoder.raw_decode(text)
            return record, text, end, text.count("\n", 0, end)
        except json.JSONDecodeError as error:
            added = file.read(more) if len(text) <= MAX_LINE_BYTES else ""
            if not added:
                place.refuse(f"not valid JSON: {error.msg}, {error.pos} characters into the object")
            text, more = text + added, more * 2
        except RecursionError:
            place.refuse("the JSON is nested too deeply")


def strict_json(place: FileLine, *, nan: bool = False) -> Any:
    """Return options with which Python's JSON parser refuses anything but strict JSON.

    With `nan`, NaN is read: Python writes it for a missing rating. Whatever else it stands for refuses it.
    """

    def read_constant(name: str) -> float:
        if name != "NaN" or not nan:
            place.refuse(f"{name} is not a JSON number")
        return math.nan

    def finite(digits: str) -> float:
        number = float(digits)
        if not math.isfinite(number):
            place.refuse(f"the number {digits[:40]} is out of range")
        return number

    def integer(digits: str) -> int:
        if len(digits) > MAX_DIGITS:
            place.refuse(f"the number {digits[:40]}... is out of range")
        return int(digits)

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) < len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            place.refuse(f"the key {quote_value(twice)} stands twice in one object")
        return record

    return {
        "parse_constant": read_constant,
        "parse_float": finite,
        "parse_int": integer,
        "object_pairs_hook": unique,
    }


def list_some(pieces: Sequence[str], between: str = ", ") -> str:
    """Return the first 20 pieces of a list as a part of a sentence, with the number of the others.

    >>> list_some([f"{number}" for number in range(22)], "; ")[-18:]
    '18; 19; and 2 more'
    """
    more = f"{between.rstrip(', ')} and {len(pieces) - LISTED} more" if len(pieces) > LISTED else ""
    return between.join(pieces[:LISTED]) + more


def quote_value(value: object) -> str:
    """Quote a value for an error message, escaped and shortened."""
    text = json.dumps(value) if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


# --- fields ---------------------------------------------------------------------------------------------


def require_field(place: FileLine, record: dict[str, Any], field: str) -> Any:
    """Return the value of a required field."""
    if field not in record:
        place.refuse(f"the field {field} is missing")
    return record[field]


def text(place: FileLine, value: object, name: str) -> str:
    """Check that a value is a string, not blank, and storable in every database and browser; return it."""
    checked = summary_text(place, value, name)
    if not checked.strip():
        place.refuse(f"{name} is empty")
    return checked


def summary_text(place: FileLine, value: object, name: str) -> str:
    """Check the text of a summary, which may be empty, and return it."""
    if not isinstance(value, str):
        place.refuse(f"{name} must be a string, not {kind(value)}")
    storable(place, value, name)
    return value


def storable(place: FileLine, value: str, name: str) -> None:
    """Refuse strings with NUL or unpaired surrogates, which cannot be stored as UTF-8 text."""
    if "\0" in value:
        place.refuse(f"{name} contains a NUL character (\\u0000)")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        place.refuse(f"{name} contains an unpaired surrogate (\\u{ord(value[error.start]):04x})")


def identifier(place: FileLine, value: object, name: str) -> str:
    """Check a short name and return it without white space around it; a whole number is read as its digits."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    elif not isinstance(value, str):
        what = quote_value(value) if isinstance(value, float) else kind(value)
        place.refuse(f"{name} must be a string or a whole number, not {what}")
    checked = trim_name(text(place, value, name))
    if not checked:
        place.refuse(f"{name} is empty")
    if len(checked) > MAX_NAME:
        place.refuse(f"{name} is over {MAX_NAME} characters long")
    return checked


def trim_name(name: str) -> str:
    """Return a name without what nobody sees before and after it."""
    start = AROUND_NAMES.match(name).end()  # type: ignore[union-attr]
    end = len(name) - AROUND_NAMES.match(name[::-1]).end()  # type: ignore[union-attr]
    return name[start:end]


def optional_text(place: FileLine, value: object, name: str) -> str | None:
    """Return a text, or None if it is absent, null or blank."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    return text(place, value, name)


def parse_texts(place: FileLine, value: object, name: str) -> tuple[str, ...]:
    """Check a list of at least one text, and return the texts."""
    if not isinstance(value, list):
        place.refuse(f"{name} must be a list of strings, not {kind(value)}")
    if not value:
        place.refuse(f"{name} is an empty list")
    for index, item in enumerate(value):
        if isinstance(item, str) and not item.strip():
            place.refuse(f"{name}[{index}] is empty; leave it out of the list")
    return tuple(text(place, item, f"{name}[{index}]") for index, item in enumerate(value))


def given_texts(place: FileLine, value: object, name: str) -> tuple[str, ...]:
    """Return the texts of a list; none where it is absent, null or empty."""
    return () if value is None or value == [] else parse_texts(place, value, name)


def objects(place: FileLine, value: object, name: str) -> list[dict[str, Any]]:
    """Check a list of JSON objects, which may be empty, and return it."""
    if not isinstance(value, list):
        place.refuse(f"{name} must be a list of objects, not {kind(value)}")
    for index, item in enumerate(value):
        if not isinstance(item, dict):
            place.refuse(f"{name}[{index}] must be an object, not {kind(item)}")
    return value


def ratings(place: FileLine, value: object, name: str) -> dict[str, float]:
    """Read a mapping from aspect to a finite number; null is an empty one, and what is not rated is left out."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        place.refuse(f"{name} must be an object of numbers, not {kind(value)}")
    return {
        identifier(place, aspect, f"an aspect of {name}"): parse_number(place, rating, f"{name}.{aspect}")
        for aspect, rating in value.items()
        if not is_missing(rating)
    }


def annotators(place: FileLine, value: object, name: str) -> dict[str, dict[str, float]]:
    """Read a mapping from annotator to their ratings (`ratings`); null is an empty one."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        place.refuse(f"{name} must be an object of annotators, not {kind(value)}")
    return {
        identifier(place, annotator, f"an annotator of {name}"): ratings(place, given, f"{name}.{annotator}")
        for annotator, given in value.items()
    }


def describe_unrated(count: int) -> str:
    """Say that ratings are missing."""
    return f"{count:,} rating{' is' if count == 1 else 's are'} missing (blank, null, NaN or N/A): nobody gave them"


def is_missing(rating: object) -> bool:
    """Tell whether a value says that there is no rating: null, NaN, or a text such as N/A."""
    if isinstance(rating, str):
        return rating.strip().casefold() in MISSING
    return rating is None or (isinstance(rating, float) and math.isnan(rating))


def parse_number(place: FileLine, value: object, name: str) -> float:
    """Check that a value is a finite number and no truth value, and return it as a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        place.refuse(f"{name} must be a number, not {kind(value)}")
    if not math.isfinite(value):
        place.refuse(f"{name} must be a finite number, not {value}")
    if abs(value) > MAX_NUMBER:
        place.refuse(f"{name} is out of range")
    return float(value)


def kind(value: object) -> str:
    """Return the name of a JSON value's type for error messages."""
    names = {str: "a string", bool: "a truth value", int: "a number", float: "a number", list: "a list"}
    return "null" if value is None else names.get(type(value), "an object")
