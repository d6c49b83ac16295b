"""Writing study files as a text that is easy to read and change, and changing them in place."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime
from typing import Any
from unicodedata import bidirectional, category

import tomlkit

from relevance.annotation.protocol.records import StudyProtocol

ESCAPES = {"\\": "\\\\", "\t": "\\t", "\r": "\\r"}
TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""Bidirectional classes of characters that make a text look out of order; they are written as escapes."""

BARE = re.compile(r"[A-Za-z0-9_-]+")


def write_protocol(protocol: StudyProtocol) -> str:
    """Write a protocol as a study file, leaving out what is None or empty by default."""
    return "\n".join(write_table(protocol, "")).lstrip("\n") + "\n"


def edit_text(text: str, changes: Mapping[str, Any]) -> str:
    """Change the values of keys, such as `title` or `judging.ties`, in a study file's text; None removes a key."""
    document = tomlkit.parse(text)
    for path, value in changes.items():
        table, _, key = path.rpartition(".")
        inside: Any = document.setdefault(table, tomlkit.table()) if table else document
        if value is None:
            inside.pop(key, None)
        else:
            inside[key] = tomlkit.value(write_value(value))
    return tomlkit.dumps(document)


def write_table(record: Any, name: str) -> Iterator[str]:
    """Yield the lines of a table: its keys, then its inner tables."""
    tables = []
    for field in fields(record):
        value = getattr(record, field.name)
        if value is None or (not value and value != "" and type(value) in {tuple, dict} and has_default(field, value)):
            continue
        if is_dataclass(value) or isinstance(value, Mapping) or (isinstance(value, tuple) and is_dataclass(value[0])):
            tables.append((field, value))
        else:
            yield f"{field.name} = {write_value(value)}"
    for field, value in tables:
        inner = f"{name}.{field.name}".lstrip(".")
        if isinstance(value, tuple):
            for row in value:
                yield from ("", f"[[{inner}]]", *write_table(row, inner))
        elif isinstance(value, Mapping):
            yield from ("", f"[{inner}]")
            yield from (f"{write_key(key)} = {write_value(text)}" for key, text in value.items())
        elif (lines := list(write_table(value, inner))) or not has_default(field, value):
            # a table that has only inner tables needs no header
            yield from lines if lines and lines[0] == "" else ("", f"[{inner}]", *lines)


def has_default(field: Field[Any], value: Any) -> bool:
    """Tell whether a value is the default of its field."""
    default = field.default_factory() if field.default_factory is not MISSING else field.default
    return bool(value == default)


def write_value(value: Any) -> str:
    """Write a value in TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return write_text(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple):
        items = [write_value(item) for item in value]
        line = ", ".join(items)
        return f"[{line}]" if len(line) < 100 else "[\n" + "".join(f"    {item},\n" for item in items) + "]"
    return repr(value)


def write_key(key: str) -> str:
    """Write a key, in quotes unless it is a single word."""
    return key if BARE.fullmatch(key) else f'"{escape(key, quotes=True)}"'


def write_text(text: str) -> str:
    """Write a text in quotes, or unchanged between triple quotes if it has several lines."""
    if "\n" not in text:
        return f'"{escape(text, quotes=True)}"'
    lines = "\n".join(escape(line, quotes=False) for line in text.split("\n"))
    # escape a quote before two others, and at the end
    return '"""\n' + re.sub(r'"(?="")|"\Z', r"\\" + '"', lines) + '"""'


def escape(line: str, *, quotes: bool) -> str:
    """Escape what would be invisible in a line, or look out of order."""
    return "".join('\\"' if quotes and letter == '"' else escape_letter(letter) for letter in line)


def escape_letter(letter: str) -> str:
    """Return a character, or its escape."""
    if letter in ESCAPES:
        return ESCAPES[letter]
    if category(letter) in {"Cc", "Zl", "Zp"} or bidirectional(letter) in TURNS:
        return f"\\u{ord(letter):04x}"
    return letter
