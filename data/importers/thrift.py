"""Structs in Thrift's compact protocol, as used in a Parquet file for its description and page headers."""

from typing import Any, BinaryIO

DEPTH = 16
"""The most levels of nested structs and lists; Parquet nests four."""
MOST_BYTES = 1 << 22
"""The most bytes of a text in a description."""

Struct = dict[int, Any]
"""The values of a struct by the numbers of its fields: numbers, bytes, truth values, lists, and structs again."""


def read_struct(source: BinaryIO) -> Struct:
    """Read a struct from a file's current position. Raises ValueError for anything else."""
    return Thrift(source).struct(0)


class Thrift:
    """A file as a source of Thrift values."""

    def __init__(self, source: BinaryIO) -> None:
        self.source = source

    def struct(self, depth: int) -> Struct:
        """Read a struct: fields up to a zero byte."""
        fields: Struct = {}
        number = 0
        while head := self.byte():
            delta, kind = head >> 4, head & 15
            number = number + delta if delta else self.integer()
            fields[number] = kind == 1 if kind in (1, 2) else self.value(kind, depth + 1)
        return fields

    def value(self, kind: int, depth: int) -> Any:
        """Read a value of a kind."""
        if depth > DEPTH:
            raise ValueError("its description is nested too deeply")
        match kind:
            case 1 | 2 | 3:
                return self.byte()
            case 4 | 5 | 6:
                return self.integer()
            case 7:
                return self.bytes(8)
            case 8:
                return self.bytes(self.varint())
            case 9 | 10:
                head = self.byte()
                size = self.varint() if head >> 4 == 15 else head >> 4
                return [self.value(head & 15, depth + 1) for _ in range(size)]
            case 12:
                return self.struct(depth)
        raise ValueError("its description has a value of an unknown kind")

    def integer(self) -> int:
        """Read a signed number."""
        number = self.varint()
        return number >> 1 ^ -(number & 1)

    def varint(self) -> int:
        """Read a number in groups of seven bits."""
        number = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
        raise ValueError("its description has a number out of range")

    def byte(self) -> int:
        """Read the next byte."""
        return self.bytes(1)[0]

    def bytes(self, count: int) -> bytes:
        """Read the next bytes, never allocating more than `MOST_BYTES`. Raises ValueError if the file lacks some."""
        if len(content := self.source.read(min(count, MOST_BYTES))) < count:
            raise ValueError("its description is cut short")
        return content
