"""Parquet with the columns of `relevance.data.importers.table`, a row per summary, whose texts are measured first."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from relevance.data import reading
from relevance.data.files import open_file
from relevance.data.importers import parquet
from relevance.data.importers.called import HUMAN
from relevance.data.importers.parquet import (
    MIB,
    batch_rows,
    check_count,
    groups_with,
    open_parquet,
    read_batches,
    read_slices,
    readable,
    refuse,
)
from relevance.data.importers.rows import TableRow
from relevance.data.importers.table import check_columns, gather, is_taken
from relevance.data.reading import FileLine, Say, say_nothing
from relevance.data.records import Document, Summary


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a Parquet file; the line in errors is the row's number."""
    return gather(read_rows(path, say), say)


def read_rows(path: Path, say: Say) -> Iterator[TableRow]:
    """Yield the rows of a Parquet file, after checking its columns and measuring its texts."""
    with open_file(path) as source, readable(path):
        file, groups = open_parquet(source, path)
        check_count(path, groups)
        taken = check_table(path, file, say)
        sizes = [batch_rows(path, source, group, taken) for group in groups]
        texts = text_columns(file, taken)
        measure(path, read_batches(file, sizes, texts), texts)
        yield from records(path, read_batches(file, sizes, taken))


def load_part(path: Path, rows: range) -> Iterator[tuple[Document, list[Summary]]]:
    """Read some rows of a Parquet file, numbered from 0, as whole documents, from their row groups only.

    The limits hold for these rows, not for the file. Raises `BadRecord` with the row's number in the file.
    """
    return gather(read_part(path, rows), say_nothing)


def read_part(path: Path, rows: range) -> Iterator[TableRow]:
    """Yield some rows of a Parquet file, numbered from 0, checked and measured as in `read_rows`."""
    with open_file(path) as source, readable(path):
        file, groups = open_parquet(source, path)
        taken = check_table(path, file, say_nothing)
        sizes = {
            number: batch_rows(path, source, groups[number], taken, whole=False) for number in groups_with(groups, rows)
        }
        texts = text_columns(file, taken)
        measure(path, read_slices(file, groups, sizes, texts, rows), texts, rows.start)
        yield from records(path, read_slices(file, groups, sizes, taken, rows), rows.start)


def records(path: Path, batches: Iterator[Any], before: int = 0) -> Iterator[TableRow]:
    """Yield the rows of batches; `before` is the number of the file's rows before them."""
    number = before
    for batch in batches:
        for record in batch.to_pylist():
            number += 1
            yield FileLine(path, number), record


def check_table(path: Path, file: Any, say: Say) -> dict[str, None]:
    """Return the columns that are read, after checking that they are those of a table."""
    names = file.schema_arrow.names
    check_columns(FileLine(path, 1), names, say)
    taken = dict.fromkeys(name for name in names if is_taken(name))
    check_types(path, file.schema_arrow, taken)
    return taken


def text_columns(file: Any, taken: Collection[str]) -> list[str]:
    """List the columns that hold texts."""
    from pyarrow import types

    return [name for name in taken if types.is_string(file.schema_arrow.field(name).type)]


def check_types(path: Path, schema: Any, taken: Collection[str]) -> None:
    """Refuse columns of lists, bytes, times and the like, as none of their rows could be read."""
    from pyarrow import types

    simple = (types.is_string, types.is_null, types.is_integer, types.is_floating, types.is_boolean)
    for name in taken:
        if not any(is_simple(schema.field(name).type) for is_simple in simple):
            wanted = "a number" if name.startswith(HUMAN) else "a string"
            actual = "a list" if types.is_list(schema.field(name).type) else "an object"
            refuse(path, f"{name} must be {wanted}, not {actual}")


def measure(path: Path, batches: Iterator[Any], texts: Collection[str], before: int = 0) -> None:
    """Refuse a text that is too long, and too much text in all, before any of it is kept.

    `before` is the number of the file's rows before the batches.
    """
    import pyarrow.compute as pc

    row, total = before, 0
    for batch in batches:
        for name in texts:
            lengths = pc.binary_length(batch.column(name))
            longest = pc.max(lengths).as_py() or 0
            if longest > reading.MAX_LINE_BYTES:
                FileLine(path, row + pc.index(lengths, longest).as_py() + 1).refuse(f"{name} is over 32 MiB")
            total += pc.sum(lengths).as_py() or 0
        row += batch.num_rows
        if total > parquet.MAX_BYTES:
            FileLine(path, row).refuse(
                f"there are over {parquet.MAX_BYTES // MIB} MiB of text up to this row; split the file, or write JSON "
                "lines"
            )
