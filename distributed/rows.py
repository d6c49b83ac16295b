"""Pieces of whole documents in Parquet tables, found by reading only the column of their ids."""

from collections.abc import Iterator
from pathlib import Path

from relevance.data.files import open_file
from relevance.data.importers.parquet import batch_rows, groups_with, open_parquet, read_batches, readable, refuse
from relevance.data.importers.thrift import Struct

ID = "document_id"
OFFSET, DICTIONARY_OFFSET, PACKED = 9, 11, 7
"""Parquet's field numbers for a column in a row group: the start of its pages, of its dictionary, and their size in
bytes."""


class Cuts:
    """The rows where a table can be cut so that all rows of a document stay together, even if they are scattered."""

    def __init__(self, per_piece: int) -> None:
        self.starts = [0]
        """The first rows of pieces, from 0."""
        self.rows = 0
        self.per_piece = per_piece
        self.documents = 0
        self.piece_of: dict[object, int] = {}

    def add(self, document: object) -> None:
        """Add the next row's document. If it came before, all pieces since its first row are joined."""
        start = self.piece_of.get(document)
        if start is None:
            if self.documents >= self.per_piece:
                self.starts.append(self.rows)
                self.documents = 0
            self.documents += 1
            self.piece_of[document] = self.starts[-1]
        elif start < self.starts[-1]:
            while start < self.starts[-1]:
                self.starts.pop()
            self.documents = self.per_piece
        self.rows += 1

    def ranges(self) -> list[range]:
        """Return the range of rows of each piece."""
        ends = [*self.starts[1:], self.rows]
        return [range(start, end) for start, end in zip(self.starts, ends, strict=True)]


def divide(path: Path, per_piece: int) -> tuple[list[range], list[Struct], int]:
    """Return the rows of each piece of a table, its row groups, and the byte at which its footer begins.

    Raises `BadRecord`, OSError.
    """
    cuts = Cuts(per_piece)
    with open_file(path) as source, readable(path):
        file, groups = open_parquet(source, path)
        end = source.seek(-8, 2)
        footer = end - int.from_bytes(source.read(4), "little")
        if ID in file.schema_arrow.names:
            sizes = [batch_rows(path, source, group, [ID], whole=False) for group in groups]
            for batch in read_batches(file, sizes, [ID]):
                for document in batch.column(0).to_pylist():
                    cuts.add(document)
    return cuts.ranges(), groups, footer


def bytes_of(path: Path, groups: list[Struct], rows: range, footer: int) -> tuple[int, int]:
    """Return the start and end byte of the row groups that contain some rows. Raises `BadRecord`."""
    spans = [span for number in groups_with(groups, rows) for span in column_spans(groups[number])]
    start, end = min(start for start, _ in spans), max(end for _, end in spans)
    if not 0 < start < end <= footer:
        refuse(path, "not a readable Parquet file: a column is not where the file says")
    return start, end


def column_spans(group: Struct) -> Iterator[tuple[int, int]]:
    """Yield the start and end byte of each column in a row group."""
    for column in group[1]:
        told = column[3]
        start = min(told[OFFSET], told.get(DICTIONARY_OFFSET) or told[OFFSET])
        yield start, start + told[PACKED]
