"""The lines of the keys in a TOML text, as `tomllib` gives the values but not their places."""

import re
import tomllib
from contextlib import suppress
from typing import NoReturn, TypeAlias

Path: TypeAlias = tuple[str | int, ...]
"""Keys and places in arrays, from the top: `("training", "pairs", 0, "better")`."""

MOST_PARTS = 8
"""The most parts of a key: `tomllib` takes quadratic time in their number, and no table lies deeper than three."""

BETWEEN = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*+")
PART = re.compile(r"""[ \t]*([A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*""")
STRING = re.compile(
    r'''"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}|"(?:[^"\\\n]|\\.)*+"'''
    r"""|'''(?:[^']|'(?!''))*+'{3,5}|'[^'\n]*+'""",
    re.DOTALL,
)
OTHER = re.compile(r"[^,\]}#\n]++")
"""A number, a date or a truth value."""


class KeyTooLong(ValueError):
    """A key on line `line` has more parts than any table of a study file has."""

    def __init__(self, line: int) -> None:
        super().__init__(f"a key has more than {MOST_PARTS} parts")
        self.line = line


class NoToml(ValueError):
    """The text is not TOML from here on."""


def find_lines(text: str) -> dict[Path, int]:
    """Find the line, from 1, where each key of a TOML text and each table of an array first appears.

    If the text is not TOML, the result covers the part before the error. Takes linear time. Raises `KeyTooLong`.
    """
    scan = Scan(text)
    with suppress(NoToml, RecursionError):  # `tomllib` stops at the same place, with an error
        scan.read()
    return scan.lines


class Scan:
    """One pass over a text."""

    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0
        self.line, self.counted = 1, 0
        self.lines: dict[Path, int] = {}
        self.arrays: dict[Path, int] = {}
        """The number of tables so far, by the path of their array."""

    def read(self) -> None:
        """Read headers and keys until the end."""
        table: Path = ()
        self.match(BETWEEN)
        while self.place < len(self.text):
            if self.take("[["):
                table = self.enter(self.key(), array=True)
                self.expect("]]")
            elif self.take("["):
                table = self.enter(self.key(), array=False)
                self.expect("]")
            else:
                self.pair(table)
            if not BETWEEN.fullmatch(self.text, self.place) and "\n" not in self.match(BETWEEN):
                self.stop()
            self.match(BETWEEN)

    def enter(self, keys: tuple[str, ...], *, array: bool) -> Path:
        """Return the path of a table, given its header; within an array, that of its last table."""
        path: Path = ()
        for place, key in enumerate(keys, 1):
            path = (*path, key)
            self.note(path)
            if array and place == len(keys):
                self.arrays[path] = self.arrays.get(path, 0) + 1
            if path in self.arrays:
                path = (*path, self.arrays[path] - 1)
        self.note(path)
        return path

    def pair(self, table: Path) -> None:
        """Read a key and its value."""
        path = table
        for key in self.key():
            path = (*path, key)
            self.note(path)
        self.expect("=")
        self.value(path)

    def value(self, path: Path) -> None:
        """Read a value."""
        self.match(BETWEEN)
        if self.take("["):
            self.items("]", path, numbered=True)
        elif self.take("{"):
            self.items("}", path, numbered=False)
        elif self.text.startswith(('"', "'"), self.place):
            self.match(STRING)
        else:
            self.match(OTHER)

    def items(self, end: str, path: Path, *, numbered: bool) -> None:
        """Read the items of an array, or of a table on one line, until its end."""
        place = 0
        self.match(BETWEEN)
        while not self.take(end):
            if numbered:
                self.note((*path, place))
                self.value((*path, place))
            else:
                self.pair(path)
            self.match(BETWEEN)
            if not self.take(",") and not self.text.startswith(end, self.place):
                self.stop()
            self.match(BETWEEN)
            place += 1

    def key(self) -> tuple[str, ...]:
        """Read a key with dots."""
        parts = [decode(self.match(PART).strip(" \t"))]
        while self.take("."):
            parts.append(decode(self.match(PART).strip(" \t")))
            if len(parts) > MOST_PARTS:
                raise KeyTooLong(self.here())
        return tuple(parts)

    def note(self, path: Path) -> None:
        """Note the line where a key first appears."""
        self.lines.setdefault(path, self.here())

    def here(self) -> int:
        """Return the current line."""
        self.line += self.text.count("\n", self.counted, self.place)
        self.counted = self.place
        return self.line

    def match(self, pattern: re.Pattern[str]) -> str:
        """Read the match of a pattern."""
        matched = pattern.match(self.text, self.place)
        if matched is None:
            self.stop()
        self.place = matched.end()
        return matched[0]

    def take(self, mark: str) -> bool:
        """Read a mark if it comes next, and tell whether it did."""
        stands = self.text.startswith(mark, self.place)
        self.place += len(mark) if stands else 0
        return stands

    def expect(self, mark: str) -> None:
        """Read a mark that must come next."""
        if not self.take(mark):
            self.stop()

    def stop(self) -> NoReturn:
        """Stop reading."""
        raise NoToml


def decode(part: str) -> str:
    """Return a part of a key without its quotes."""
    if part[0] not in "\"'":
        return part
    try:
        return str(tomllib.loads(f"key = {part}")["key"])
    except ValueError as error:
        raise NoToml from error
