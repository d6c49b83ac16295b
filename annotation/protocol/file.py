"""The study file: TOML, read strictly into the records of `relevance.annotation.protocol.records`."""

import re
import tomllib
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path as FilePath
from typing import Any, Union, get_args, get_origin, get_type_hints

from relevance.annotation.protocol.places import KeyTooLong, Path, find_lines
from relevance.annotation.protocol.records import FORMAT, StudyProtocol
from relevance.annotation.protocol.rules import Mistake, find_mistakes, say_table
from relevance.annotation.protocol.writing import write_protocol
from relevance.data.files import open_file
from relevance.data.reading import MAX_DIGITS
from relevance.data.store import StoreError

__all__ = ["BadStudyFile", "read_protocol", "read_study_file", "write_protocol"]

EXAMPLE = FilePath(__file__).with_name("example.toml")
"""A study file with every key and its explanation."""

LARGEST = 1024 * 1024
"""The largest size of a study file, in bytes."""

LONG_NUMBER = re.compile(rf"[0-9][0-9_]{{{MAX_DIGITS}}}")
"""More digits than any number may have; in texts they are fine."""

KINDS: dict[Any, str] = {
    str: "a text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    datetime: "a date and time with its zone, such as 2030-12-31T18:00:00+01:00",
}
"""The types of values, in words."""


class BadStudyFile(StoreError):
    """A study file is not valid."""


def read_study_file(path: FilePath) -> str:
    """Read the text of a study file. Raises `BadStudyFile` if it is too large or not UTF-8, `BadRecord`, OSError."""
    with open_file(path) as file:
        return decode(file.read(LARGEST + 1), path.name)


def decode(content: bytes, name: str = "study file") -> str:
    """Decode the bytes of a study file, keeping its line ends. Raises `BadStudyFile`."""
    if len(content) > LARGEST:
        raise BadStudyFile(f"{name}: a study file has at most {LARGEST // 1024} KiB")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BadStudyFile(f"{name}:{line}: this is not UTF-8; save the file as UTF-8") from error


def read_protocol(text: str, name: str = "study file") -> StudyProtocol:
    """Read the protocol from a study file's text; errors begin with the file's `name` and the line.

    Raises `BadStudyFile`.
    """
    try:
        if len(text.encode()) > LARGEST:
            raise BadStudyFile(f"{name}: a study file has at most {LARGEST // 1024} KiB")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise BadStudyFile(f"{name}:{line}: there is half a character (a lone surrogate)") from error
    if text.startswith("\ufeff"):
        raise BadStudyFile(f"{name}:1: the file begins with a byte order mark; save it as UTF-8 without one")
    try:
        lines = find_lines(text)
        content = tomllib.loads(text)
    except KeyTooLong as error:
        raise BadStudyFile(f"{name}:{error.line}: {error}") from error
    except RecursionError as error:
        raise BadStudyFile(f"{name}: its lists or tables are nested too deeply") from error
    except tomllib.TOMLDecodeError as error:
        raise BadStudyFile(describe_toml_error(str(error), text, name)) from error
    except ValueError as error:  # Python refuses numbers of thousands of digits
        digits = LONG_NUMBER.search(text)
        line = text.count("\n", 0, digits.start() if digits else 0) + 1
        raise BadStudyFile(f"{name}:{line}: a number has too many digits") from error
    try:
        protocol: StudyProtocol = read_document(content)
        if mistake := next(find_mistakes(protocol), None):
            raise mistake
    except Mistake as mistake:
        raise BadStudyFile(f"{say_place(mistake.path, lines, name)}: {mistake}") from mistake
    return protocol


def describe_toml_error(message: str, text: str, name: str) -> str:
    """Describe an error of TOML syntax, with its line."""
    match = re.fullmatch(r"(.*) \((?:at line (\d+), column \d+|at end of document)\)", message, re.DOTALL)
    what, line = (message, None) if match is None else match.groups()
    where = line or str(text.count("\n") + 1)
    return f"{name}:{where}: this is not TOML: {what[:1].lower()}{what[1:]}; texts need quotes, keys stand before ="


def say_place(path: Path, lines: Mapping[Path, int], name: str) -> str:
    """Return the file and the line of a path, or of the table that it would belong to."""
    while path and path not in lines:
        path = path[:-1]
    return f"{name}:{lines[path]}" if path else name


def read_document(content: dict[str, Any]) -> StudyProtocol:
    """Read the protocol from a parsed file. Raises `Mistake`."""
    if "format" not in content:
        raise Mistake((), f"the key 'format' is missing: begin the file with format = {FORMAT}")
    if type(content["format"]) is not int or content["format"] != FORMAT:
        raise Mistake(("format",), f"this version reads study files of format = {FORMAT} only")
    protocol: StudyProtocol = read_table(StudyProtocol, content, ())
    return protocol


def read_value(kind: Any, value: Any, path: Path) -> Any:
    """Convert a TOML value to the type of a field. Raises `Mistake`."""
    origin = get_origin(kind)
    if origin in {Union, types.UnionType}:
        return read_value(next(choice for choice in get_args(kind) if choice is not type(None)), value, path)
    if is_dataclass(kind):
        if not isinstance(value, dict):
            raise Mistake(path, f"{path[-1]!r} is a table: write [{path[-1]}] on a line, and its keys below")
        return read_table(kind, value, path)
    if origin is tuple:
        return read_list(get_args(kind)[0], value, path)
    if origin is Mapping:
        if not isinstance(value, dict):
            raise Mistake(path, f"{path[-1]!r} is a table: write [{path[-1]}] on a line, and its keys below")
        return {key: read_value(get_args(kind)[1], inner, (*path, key)) for key, inner in value.items()}
    if kind is float and type(value) is int and abs(value) < 10**MAX_DIGITS:
        return float(value)
    if type(value) is not kind or (kind is datetime and value.tzinfo is None):
        raise Mistake(path, f"{say_key(path)} must be {KINDS[kind]}{hint(kind, value)}")
    return value


def read_list(kind: Any, value: Any, path: Path) -> tuple[Any, ...]:
    """Convert a TOML list to a tuple. Raises `Mistake`."""
    tables = is_dataclass(kind)
    if not isinstance(value, list) or (tables and not all(isinstance(item, dict) for item in value)):
        header = ".".join(str(part) for part in path)
        how = f"tables: write [[{header}]] before each" if tables else 'a list, such as ["one", "two"]'
        raise Mistake(path, f"{say_key(path)} must be {how}")
    return tuple(read_value(kind, item, (*path, place)) for place, item in enumerate(value))


def read_table(kind: Any, table: dict[str, Any], path: Path) -> Any:
    """Convert a TOML table to the record whose fields are its keys. Raises `Mistake`."""
    hints = get_type_hints(kind)
    for key in table:
        if key not in hints:
            close = get_close_matches(key, hints, 1)
            help = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(hints)}"
            raise Mistake((*path, key), f"unknown key {key[:100]!r}{say_table(path)}; {help}")
    for field in fields(kind):
        if field.name not in table and field.default is MISSING and field.default_factory is MISSING:
            how = f"; write [{field.name}] and its keys" if is_dataclass(hints[field.name]) else ""
            raise Mistake(path, f"the key {field.name!r}{say_table(path)} is missing{how}")
    return kind(**{key: read_value(hints[key], value, (*path, key)) for key, value in table.items()})


def say_key(path: Path) -> str:
    """Return a key with its table, such as `'ties' in [judging]`; for an item of a list, its number from 1."""
    if isinstance(path[-1], int):
        return f"item {path[-1] + 1} of {say_key(path[:-1])}"
    return f"{path[-1][:100]!r}{say_table(path[:-1])}"


def hint(kind: Any, value: Any) -> str:
    """Return a hint at the probable meaning of a value of the wrong type."""
    if kind is str and type(value) in {int, float, bool}:
        return f', say "{str(value).lower()[:40]}"'
    if isinstance(value, str) and kind in {int, float, bool, datetime}:
        return ", without quotes"
    return ""
