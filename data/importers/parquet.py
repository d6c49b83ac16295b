"""Parquet: the columns of `data.importers.table`, within the limits that keep a small file from taking much memory.

Compression and dictionaries let a file of kilobytes hold gigabytes, so what is too large is refused by what the file
says of itself and by the heads of its pages, before anything is unpacked. Then the texts are measured, in batches so
small that the largest values that the pages may hold fit into memory, and only then read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from data import reading
from data.files import open_file
from data.importers.table import HUMAN, TableRow, check_columns, gather, is_taken
from data.importers.thrift import Struct, parse_struct, read_struct
from data.one_line import message
from data.reading import FileLine, Say
from data.records import BadRecord, Document, Summary

MIB = 1024 * 1024
MAX_BYTES = 200 * MIB
"""Text in a file, a repeated text counted each time: as much as a page takes in a text file."""
MAX_ROWS = 1_000_000
MAX_FOOTER = 4 * MIB
MAX_AT_ONCE = 64 * MIB
"""Dictionaries and largest pages of a row group's columns, which are in memory together."""
MAX_PAGES = 100_000
MAX_BATCHES = 100_000
BATCH_BYTES = 16 * MIB
"""Most that the values of a batch may take; one row may take more."""
BATCH_ROWS = 1024

DICTIONARY = 2
DATA = {0: (5, 2), 3: (8, 4)}
"""Parquet's numbers of kinds of pages; for both kinds of data the field with the rest, and in that the encoding's."""
UNPLAIN = 7
"""Parquet's number of DELTA_BYTE_ARRAY, in which a value repeats the beginning of the one before it."""

REWRITE = "write the file in smaller row groups and pages, or as JSON lines"


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a Parquet file; the line in errors is the row's number."""
    return gather(read_rows(path, say))


def read_rows(path: Path, say: Say) -> Iterator[TableRow]:
    """The rows of a Parquet file, their columns checked and measured before the first is read."""
    with open_file(path) as source, readable(path):
        file, groups = open_parquet(source, path)
        names = file.schema_arrow.names
        check_columns(FileLine(path, 1), names, say)
        taken = dict.fromkeys(name for name in names if is_taken(name))
        check_types(path, file.schema_arrow, taken)
        sizes = [batch_rows(path, source, group, taken) for group in groups]
        measure(path, file, sizes, taken)
        number = 0
        for batch in read_batches(file, sizes, taken):
            for record in batch.to_pylist():
                number += 1
                yield FileLine(path, number), record


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Refuse the file where it cannot be read as Parquet."""
    import pyarrow as pa

    try:
        yield
    except BadRecord:
        raise
    except UnicodeDecodeError as error:
        raise BadRecord(f"{path.name}:1: not a readable Parquet file: a text in it is not UTF-8") from error
    except (LookupError, TypeError, AttributeError) as error:
        raise BadRecord(f"{path.name}:1: not a readable Parquet file: its description is damaged") from error
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError) as error:
        raise BadRecord(f"{path.name}:1: not a readable Parquet file: {message(error)}") from error


def open_parquet(source: BinaryIO, path: Path) -> tuple[Any, list[Struct]]:
    """The file with its columns as Parquet describes them, and its row groups, which are structs of Parquet's format.

    Arrow's own description is hidden: by it a column would come as a dictionary, which is read whole and kept. The
    library's account of row groups is not asked for: damaged ones end the process.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    end = source.seek(0, 2)
    source.seek(max(0, end - 8))
    tail = source.read()
    footer = int.from_bytes(tail[:4], "little")
    if tail[4:] != b"PAR1" or footer > end - 12:
        refuse(path, "not a readable Parquet file: it does not end as one; is it cut short?")
    if footer > MAX_FOOTER:
        refuse(path, f"the description of its columns is over {MAX_FOOTER // MIB} MiB; {REWRITE}")
    source.seek(end - 8 - footer)
    described = source.read(footer).replace(b"ARROW:schema", b"arrow_schema")
    groups: list[Struct] = parse_struct(described)[4]
    if (count := sum(group[3] for group in groups)) > MAX_ROWS:
        refuse(path, f"the file has {count:,} rows, and at most {MAX_ROWS:,} are taken; split it")
    metadata = pq.read_metadata(pa.BufferReader(b"PAR1" + described + tail))
    return pq.ParquetFile(source, metadata=metadata, pre_buffer=False, buffer_size=MIB), groups


def refuse(path: Path, problem: str) -> None:
    """Refuse the file as a whole."""
    FileLine(path, 1).refuse(problem)


def check_types(path: Path, schema: Any, taken: Collection[str]) -> None:
    """Refuse columns of lists, bytes, times and the like: no row of them could be taken."""
    from pyarrow import types

    simple = (types.is_string, types.is_null, types.is_integer, types.is_floating, types.is_boolean)
    for name in taken:
        if not any(is_simple(schema.field(name).type) for is_simple in simple):
            wanted = "a number" if name.startswith(HUMAN) else "a string"
            found = "a list" if types.is_list(schema.field(name).type) else "an object"
            refuse(path, f"{name} must be {wanted}, not {found}")


def measure(path: Path, file: Any, sizes: list[int], taken: Collection[str]) -> None:
    """Refuse a text that is too long, and more text in all than is taken, before any of it is kept."""
    import pyarrow.compute as pc
    from pyarrow import types

    texts = [name for name in taken if types.is_string(file.schema_arrow.field(name).type)]
    row = total = 0
    for batch in read_batches(file, sizes, texts):
        for name in texts:
            lengths = pc.binary_length(batch.column(name))
            longest = pc.max(lengths).as_py() or 0
            if longest > reading.MAX_LINE_BYTES:
                FileLine(path, row + pc.index(lengths, longest).as_py() + 1).refuse(f"{name} is over 32 MiB")
            total += pc.sum(lengths).as_py() or 0
        row += batch.num_rows
        if total > MAX_BYTES:
            FileLine(path, row).refuse(
                f"there are over {MAX_BYTES // MIB} MiB of text up to this row; split the file, or write JSON lines"
            )


def read_batches(file: Any, sizes: list[int], names: Collection[str]) -> Iterator[Any]:
    """Record batches of some columns, each row group in batches of its size."""
    for group, size in enumerate(sizes):
        yield from file.iter_batches(size, row_groups=[group], columns=names, use_threads=False)


# --- pages ------------------------------------------------------------------------------------------------


class Pages(NamedTuple):
    """Sizes of a column's pages according to their headers, in uncompressed bytes."""

    dictionary: int
    largest: int
    value: int
    """The most that a value takes, on average over the page where values are largest."""
    total: int


def batch_rows(path: Path, source: BinaryIO, group: Struct, taken: Collection[str]) -> int:
    """How many rows of a row group are read at once. Refuses a group that takes too much memory or time."""
    columns = [column[3] for column in group[1]]
    pages = [measure_pages(path, source, column) for column in columns if comes_with(column[3], taken)]
    if sum(column.total for column in pages) > MAX_BYTES:
        refuse(path, f"there are over {MAX_BYTES // MIB} MiB of text in a row group; split the file")
    if sum(column.dictionary + column.largest for column in pages) > MAX_AT_ONCE:
        refuse(path, f"its pages unpack to over {MAX_AT_ONCE // MIB} MiB at once; {REWRITE}")
    size = max(1, min(BATCH_ROWS, BATCH_BYTES // max(1, sum(column.value for column in pages))))
    if group[3] > size * MAX_BATCHES:
        refuse(path, f"a row group has {group[3]:,} rows and texts too long to read so many; {REWRITE}")
    return size


def comes_with(path: list[bytes], taken: Collection[str]) -> bool:
    """Whether `iter_batches` reads a column: with a name it takes all whose names go on after a full stop."""
    return any(before in taken for before in accumulate(b".".join(path).decode().split("."), "{}.{}".format))


def measure_pages(path: Path, source: BinaryIO, column: Struct) -> Pages:
    """Read the page headers of a column in a row group without decompressing any page."""
    dictionary = largest = value = total = seen = count = 0
    place = column[9]
    if 0 < column.get(11, 0) < place:  # where its dictionary stands
        place = column[11]
    while seen < column[5]:  # values
        source.seek(place)
        head = read_struct(source)
        unpacked, packed = head.get(2, -1), head.get(3, -1)
        if unpacked < 0 or packed < 0:
            refuse(path, "not a readable Parquet file: a page has no size")
        place = source.tell() + packed
        total, count = total + unpacked, count + 1
        if count > MAX_PAGES:
            refuse(path, f"a column has over {MAX_PAGES:,} pages; {REWRITE}")
        if head.get(1) == DICTIONARY:
            dictionary = max(dictionary, unpacked)
        elif head.get(1) in DATA:
            field, encoding = DATA[head[1]]
            values = head[field][1]
            largest, seen = max(largest, unpacked), seen + values
            value = max(value, unpacked if head[field][encoding] == UNPLAIN else -(-unpacked // max(1, values)))
    return Pages(dictionary, largest, max(dictionary, value), total)
