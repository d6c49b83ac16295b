"""Parquet files, opened and read within limits, so that a small file takes little memory.

Compression and dictionaries let a file of kilobytes hold gigabytes, so files that are too large are refused by their
description and by the headers of their pages, before anything is unpacked. Then the texts are measured, in batches so
small that the largest possible values of their pages fit into memory, and only then read.
"""

import io
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from relevance.data.importers.thrift import Struct, read_struct
from relevance.data.one_line import message
from relevance.data.reading import FileLine
from relevance.data.records import BadRecord

MIB = 1024 * 1024
MAX_BYTES = 200 * MIB
"""The most text in a file, a repeated text counting each time: as much as a page takes in a text file."""
MAX_ROWS = 1_000_000
MAX_FOOTER = 4 * MIB
MAX_AT_ONCE = 64 * MIB
"""The most bytes of a row group's dictionaries and largest pages, which are in memory together."""
MAX_PAGES = 100_000
MAX_BATCHES = 100_000
BATCH_BYTES = 16 * MIB
"""The most bytes of a batch's values; a single row may take more."""
BATCH_ROWS = 1024

DICTIONARY = 2
DATA = {0: (5, 2), 3: (8, 4)}
"""Parquet's numbers of kinds of data pages, each with the field of the page's header and, in that, of the encoding."""
UNPLAIN = 7
"""Parquet's number of DELTA_BYTE_ARRAY, in which a value repeats the beginning of the previous one."""

REWRITE = "write the file in smaller row groups and pages, or as JSON lines"


def check_count(path: Path, groups: list[Struct]) -> None:
    """Refuse a file with too many rows."""
    if (count := sum(group[3] for group in groups)) > MAX_ROWS:
        refuse(path, f"the file has {count:,} rows, and at most {MAX_ROWS:,} are taken; split it")


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Raise errors of reading Parquet as `BadRecord`."""
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


def open_parquet(source: BinaryIO, path: Path, by_numbers: bool = False) -> tuple[Any, list[Struct]]:
    """Open a file with Parquet's own description of its columns; return it and its row groups, structs of the format.

    `by_numbers` reads texts as numbers in dictionaries.

    Arrow's own description is hidden: with it a column would come as a dictionary, which is read whole and kept. The
    library's access to row groups is not used, as damaged ones end the process.
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
    groups: list[Struct] = read_struct(io.BytesIO(described))[4]
    metadata = pq.read_metadata(pa.BufferReader(b"PAR1" + described + tail))
    leaves = [metadata.schema.column(place).path for place in range(metadata.num_columns)] if by_numbers else None
    opened = pq.ParquetFile(source, metadata=metadata, read_dictionary=leaves, pre_buffer=False, buffer_size=MIB)
    return opened, groups


def refuse(path: Path, problem: str) -> None:
    """Refuse the file as a whole."""
    FileLine(path, 1).refuse(problem)


def read_batches(file: Any, sizes: list[int], names: Collection[str]) -> Iterator[Any]:
    """Yield record batches of some columns, each row group in batches of its size."""
    for group, size in enumerate(sizes):
        yield from file.iter_batches(size, row_groups=[group], columns=names, use_threads=False)


def groups_with(groups: list[Struct], rows: range) -> list[int]:
    """List the numbers of the row groups that contain some rows."""
    starts = [0, *accumulate(group[3] for group in groups)]
    return [
        number for number, (start, end) in enumerate(pairwise(starts)) if max(start, rows.start) < min(end, rows.stop)
    ]


def read_slices(
    file: Any, groups: list[Struct], sizes: Mapping[int, int], names: Collection[str], rows: range
) -> Iterator[Any]:
    """Yield record batches with some rows of a file; `sizes` are the batch sizes of their row groups.

    Earlier rows of their first row group are unpacked and dropped.
    """
    starts = [0, *accumulate(group[3] for group in groups)]
    for number, size in sizes.items():
        row = starts[number]
        for batch in file.iter_batches(size, row_groups=[number], columns=names, use_threads=False):
            first, last = max(0, rows.start - row), min(batch.num_rows, rows.stop - row)
            if first < last:
                yield batch.slice(first, last - first)
            row += batch.num_rows
            if row >= rows.stop:
                return


# --- pages ------------------------------------------------------------------------------------------------


class Pages(NamedTuple):
    """Sizes of a column's pages according to their headers, in uncompressed bytes."""

    dictionary: int
    largest: int
    value: int
    """The most bytes of a value, on average over the page with the largest values."""
    total: int
    values: int
    """The number of values, counting each in a list."""
    unplain: bool
    """True if values repeat the beginnings of others."""


def batch_rows(
    path: Path,
    source: BinaryIO,
    group: Struct,
    taken: Collection[str],
    nested: bool = False,
    whole: bool = True,
) -> int:
    """Return how many rows of a row group to read at once; refuse a group that takes too much memory or time.

    Unless the `whole` group is kept, it may hold more text than a file may.

    In `nested` columns a row may have very many values, so that their number and encoding are limited; as texts are
    read as numbers there, rows take no more memory than the pages do.
    """
    columns = [column[3] for column in group[1]]
    pages = [measure_pages(path, source, column) for column in columns if comes_with(column[3], taken)]
    if whole and sum(column.total for column in pages) > MAX_BYTES:
        refuse(path, f"there are over {MAX_BYTES // MIB} MiB of text in a row group; split the file")
    if sum(column.dictionary + column.largest for column in pages) > MAX_AT_ONCE:
        refuse(path, f"its pages unpack to over {MAX_AT_ONCE // MIB} MiB at once; {REWRITE}")
    if nested and any(column.values > MAX_ROWS for column in pages):
        refuse(path, f"a row group has over {MAX_ROWS:,} values in a column; {REWRITE}")
    if nested and any(column.unplain for column in pages):
        refuse(path, "a column is written as DELTA_BYTE_ARRAY; write it with dictionaries or plainly, or JSON lines")
    value = (
        sum(column.total for column in pages) // max(1, group[3]) if nested else sum(column.value for column in pages)
    )
    size = max(1, min(BATCH_ROWS, BATCH_BYTES // max(1, value)))
    if group[3] > size * MAX_BATCHES:
        refuse(path, f"a row group has {group[3]:,} rows and texts too long to read at once; {REWRITE}")
    return size


def comes_with(path: list[bytes], taken: Collection[str]) -> bool:
    """Tell whether `iter_batches` reads a column: with a name it reads all that begin with the name and a full stop."""
    return any(before in taken for before in accumulate(b".".join(path).decode().split("."), "{}.{}".format))


def measure_pages(path: Path, source: BinaryIO, column: Struct) -> Pages:
    """Read the page headers of a column in a row group without decompressing any page."""
    dictionary = largest = value = total = seen = count = 0
    unplain = False
    place = column[9]
    if 0 < column.get(11, 0) < place:  # the offset of its dictionary
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
            shared = head[field][encoding] == UNPLAIN
            value = max(value, unpacked if shared else -(-unpacked // max(1, values)))
            unplain = unplain or shared
    return Pages(dictionary, largest, max(dictionary, value), total, seen, unplain)
