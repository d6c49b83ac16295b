"""Parquet with the columns that `relevance.data.importers.table` reads, in row groups small enough for its importer."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from relevance.data.exporters.table import TEXTS, rating_columns, rows_of
from relevance.data.reading import Say
from relevance.data.records import Document, Summary

ROWS = 256
"""The number of rows of a row group."""


def save(records: Sequence[tuple[Document, list[Summary]]], path: Path, say: Say) -> None:
    """Write a file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {**dict.fromkeys(TEXTS, pa.string()), **dict.fromkeys(rating_columns(records), pa.float64())}
    schema = pa.schema(columns.items())
    rows = rows_of(records, "parquet")
    with pq.ParquetWriter(path, schema, compression="zstd") as out:
        while part := list(islice(rows, ROWS)):
            out.write_table(pa.Table.from_pylist(part, schema))
