"""Rows of a Parquet file whose columns may hold lists of objects, as conversations are released.

The limits of `relevance.data.importers.parquet` hold here, too. A row may hold very many values, and each may be stored
as a number in a dictionary; so texts are read as such numbers, which take no more memory than the pages do, and are
measured row by row before any row becomes Python objects.
"""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from relevance.data import reading
from relevance.data.files import open_file
from relevance.data.importers.parquet import (
    MAX_BYTES,
    MIB,
    batch_rows,
    check_count,
    open_parquet,
    read_batches,
    readable,
    refuse,
)
from relevance.data.reading import FileLine
from relevance.data.records import BadRecord

MAGIC = b"PAR1"
"""The first bytes of a Parquet file."""
AT_ONCE = 64
"""The number of rows that are Python objects at once."""
MAX_VALUES = 10_000
"""The most values of a column within a row: messages of a conversation, or their parts."""


def is_parquet(path: Path) -> bool:
    """Tell whether a file begins like Parquet."""
    try:
        with open_file(path) as source:
            return source.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise BadRecord(f"{path}: cannot be read: {error.strerror}") from error


def column_names(path: Path) -> list[str]:
    """Return the names of a Parquet file's columns. Raises `BadRecord`."""
    with open_file(path) as source, readable(path):
        file, _ = open_parquet(source, path)
        names: list[str] = file.schema_arrow.names
        return names


def read_rows(path: Path, wanted: Collection[str]) -> Iterator[tuple[FileLine, dict[str, Any]]]:
    """Yield the rows of a Parquet file, with the columns in `wanted` that it has; times are seconds since 1970.

    The line of a `FileLine` is the row's number. Raises `BadRecord`.
    """
    with open_file(path) as source, readable(path):
        file, groups = open_parquet(source, path, by_numbers=True)
        check_count(path, groups)
        taken = [name for name in dict.fromkeys(file.schema_arrow.names) if name in wanted]
        for name in taken:
            check_type(path, name, file.schema_arrow.field(name).type)
        sizes = [batch_rows(path, source, group, taken, nested=True) for group in groups]
        measure(path, read_batches(file, sizes, taken))
        number = 0
        for batch in read_batches(file, sizes, taken):
            timed = plain_times(batch)
            for start in range(0, timed.num_rows, AT_ONCE):
                for record in timed.slice(start, AT_ONCE).to_pylist():
                    number += 1
                    yield FileLine(path, number), record


def check_type(path: Path, name: str, kind: Any) -> None:
    """Refuse a column with bytes, decimals, maps and the like at any depth; times are allowed as whole columns.

    Raises `BadRecord`.
    """
    from pyarrow import types

    simple = (types.is_string, types.is_null, types.is_integer, types.is_floating, types.is_boolean)
    if types.is_timestamp(kind):
        return
    held = [kind]
    while held:
        kind = held.pop()
        if types.is_dictionary(kind):
            kind = kind.value_type
        if types.is_list(kind):
            held.append(kind.value_type)
        elif types.is_struct(kind):
            held += [field.type for field in kind]
        elif not any(is_simple(kind) for is_simple in simple):
            refuse(path, f"{name} holds values of a kind that is not read ({kind}); write texts and numbers")


def plain_times(batch: Any) -> Any:
    """Return a batch with its columns of times as seconds since 1970."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, field in enumerate(batch.schema):
        if pa.types.is_timestamp(field.type):
            micros = batch.column(place).cast(pa.timestamp("us", field.type.tz), safe=False).cast(pa.int64())
            batch = batch.set_column(place, field.name, pc.divide(micros.cast(pa.float64(), safe=False), 1e6))
    return batch


def measure(path: Path, batches: Iterator[Any]) -> None:
    """Refuse a row with too much text or too many values, and a file with too much text in all."""
    import numpy as np

    before = total = 0
    for batch in batches:
        lengths = np.zeros(batch.num_rows, dtype=np.int64)
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            counts = add_lengths(lengths, column, np.arange(batch.num_rows))
            if (counts > MAX_VALUES).any():
                row = before + int(np.argmax(counts)) + 1
                FileLine(path, row).refuse(f"{name} has over {MAX_VALUES:,} values in this row")
        if (lengths > reading.MAX_LINE_BYTES).any():
            FileLine(path, before + int(np.argmax(lengths)) + 1).refuse("the row has over 32 MiB of text")
        before += batch.num_rows
        total += int(lengths.sum())
        if total > MAX_BYTES:
            FileLine(path, before).refuse(
                f"there are over {MAX_BYTES // MIB} MiB of text up to this row; split the file, or write JSON lines"
            )


def add_lengths(lengths: Any, values: Any, rows: Any) -> Any:
    """Add the bytes of the texts in an array to their rows; return the most values of a row.

    `rows` has the row of each value, `lengths` a number for each row.
    """
    import numpy as np
    import pyarrow.compute as pc
    from pyarrow import types

    counts = np.bincount(rows, minlength=len(lengths))
    if types.is_list(values.type):
        held = rows[pc.list_parent_indices(values).to_numpy()]
        counts = np.maximum(counts, add_lengths(lengths, pc.list_flatten(values), held))
    elif types.is_struct(values.type):
        for part in values.flatten():
            counts = np.maximum(counts, add_lengths(lengths, part, rows))
    elif types.is_dictionary(values.type) and len(values.dictionary):
        each = pc.binary_length(values.dictionary).take(values.indices).fill_null(0).to_numpy(zero_copy_only=False)
        lengths += np.bincount(rows, weights=each, minlength=len(lengths)).astype(np.int64)
    return counts
