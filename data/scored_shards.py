"""A folder of scored shards, read by columns for an analysis, without texts and without a database."""

import json
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relevance.data.cells import Cells
from relevance.data.files import sha256
from relevance.data.names import NameColumn
from relevance.data.shards import (
    DOCUMENT,
    METADATA,
    MISSING,
    RATING,
    SCORE,
    SYSTEM,
    TRUNCATED,
    BadShard,
    Manifest,
    ManifestShard,
    read_manifest,
)


@dataclass(frozen=True, eq=False)
class ScoredShards:
    """The scores and ratings of a folder of shards."""

    cells: Cells
    """Sorted by document and system."""
    truncated: dict[str, NDArray[np.bool_]]
    """By signature, for each cell: True if a model saw only a part of its texts."""
    documents: int
    """The number of documents with summaries."""


def read_scored_shards(folder: Path, metrics: Collection[str] | None = None) -> ScoredShards:
    """Read the scores of some metrics, or of all in the folder, with the ratings and no other columns.

    Raises `BadShard` for a folder of anything else than scores, a shard that does not match the manifest, two rows of
    one document and system, a metric that the folder lacks, and values that are not finite numbers or missing without a
    reason; OSError if a file cannot be read.
    """
    import pyarrow as pa

    manifest = read_manifest(folder)
    if manifest.kind != "scores":
        raise BadShard(f"{folder}: these shards hold {manifest.kind}, not scores; name a folder of relevance score")
    if unknown := [name for name in metrics or () if name not in manifest.signatures]:
        raise BadShard(
            f"{folder}: there are no scores by {', '.join(unknown)}; there are {', '.join(manifest.signatures)}"
        )
    if not manifest.shards:
        raise BadShard(f"{folder}: there are no shards; score a file that has summaries")
    names = [name for name in manifest.signatures if metrics is None or name in metrics]
    with ThreadPoolExecutor(2) as threads:
        tables = list(threads.map(lambda shard: read_shard(folder, shard, manifest, names), manifest.shards))
    table = pa.concat_tables(tables, promote_options="default")
    documents, known = as_codes(table[DOCUMENT])
    systems, by = as_codes(table[SYSTEM])
    order = np.lexsort((systems, documents))
    refuse_doubles(folder, manifest, order, documents, systems, table)
    signature_of = manifest.signatures
    aspects = [name for name in table.column_names if name.startswith(RATING)]
    cells = Cells(
        documents=NameColumn.of_numbers(documents[order], known),
        systems=NameColumn.of_numbers(systems[order], by),
        ratings={name.removeprefix(RATING): as_floats(table[name])[order] for name in aspects},
        scores={signature_of[name]: as_floats(table[f"{SCORE}{name}"])[order] for name in names},
    )
    cut = {signature_of[name]: table[f"{TRUNCATED}{name}"].to_numpy()[order].astype(bool) for name in names}
    return ScoredShards(cells, cut, len(known))


def read_shard(folder: Path, shard: ManifestShard, manifest: Manifest, names: Collection[str]) -> Any:
    """Read the columns of one shard as an Arrow table, after checking it against the manifest. Raises `BadShard`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / shard.file
    if sha256(path) != shard.sha256:
        raise BadShard(f"{path}: this is not the file that the manifest was written for; score the input again")
    try:
        schema = pq.read_schema(path)
        facts = json.loads((schema.metadata or {})[METADATA])
        made = (facts["kind"], facts["signatures"], facts["format"])
    except (KeyError, TypeError, ValueError, pa.ArrowException) as error:
        raise BadShard(f"{path}: this is not a shard of scores: {error}") from error
    if made != (manifest.kind, dict(manifest.signatures), manifest.format):
        raise BadShard(
            f"{path}: its scores are by other metrics or settings than the manifest's; score the input again"
        )
    types = {DOCUMENT: pa.string(), SYSTEM: pa.string()}
    types |= {name: pa.float64() for name in schema.names if name.startswith(RATING)}
    for name in names:
        types |= {f"{SCORE}{name}": pa.float64(), f"{MISSING}{name}": pa.string(), f"{TRUNCATED}{name}": pa.bool_()}
    if lacking := [name for name in types if name not in schema.names]:
        raise BadShard(f"{path}: there is no column {', '.join(lacking)}")
    try:
        table = pq.read_table(path, columns=list(types), partitioning=None).select(list(types))
        table = table.cast(pa.schema(types.items()))
    except (ValueError, OSError, pa.ArrowException) as error:
        raise BadShard(f"{path}: a column is damaged or not of its type: {error}") from error
    if table.num_rows != shard.rows:
        raise BadShard(f"{path}: there are {table.num_rows} rows, but the manifest says {shard.rows}")
    check_values(path, table, names)
    return table.drop_columns([f"{MISSING}{name}" for name in names])


def check_values(path: Path, table: Any, names: Collection[str]) -> None:
    """Refuse rows without a name, numbers that are not finite and scores missing without a reason."""
    import pyarrow.compute as pc

    wrong = {f"there is no {name}": pc.is_null(table[name]) for name in (DOCUMENT, SYSTEM)}
    for name in (name for name in table.column_names if name.startswith((RATING, SCORE))):
        wrong[f"{name} is not a finite number"] = pc.fill_null(pc.invert(pc.is_finite(table[name])), False)
    for name in names:
        absent, told = pc.is_null(table[f"{SCORE}{name}"]), pc.is_valid(table[f"{MISSING}{name}"])
        wrong[f"{SCORE}{name} must be a number or missing with a reason"] = pc.xor(absent, told)
        wrong[f"there is no {TRUNCATED}{name}"] = pc.is_null(table[f"{TRUNCATED}{name}"])
    for what, rows in wrong.items():
        if (row := pc.index(rows, True).as_py()) >= 0:
            raise BadShard(f"{path}:{row + 1}: {what}")


def as_codes(column: Any) -> tuple[NDArray[np.int32], list[str]]:
    """Return a column of texts as indices into its sorted distinct values, and these values."""
    encoded = column.combine_chunks().dictionary_encode()
    values = encoded.dictionary.to_pylist()
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = np.empty(len(values), dtype=np.int32)
    ranks[order] = np.arange(len(values), dtype=np.int32)
    return ranks[encoded.indices.to_numpy()], [values[place] for place in order]


def as_floats(column: Any) -> NDArray[np.float64]:
    """Return a column of numbers, with NaN for null."""
    return np.asarray(column.to_numpy(), dtype=np.float64)


def refuse_doubles(
    folder: Path,
    manifest: Manifest,
    order: NDArray[np.intp],
    documents: NDArray[np.int32],
    systems: NDArray[np.int32],
    table: Any,
) -> None:
    """Refuse two rows of one document and system; `order` sorts the rows by both, keeping the order of equals."""
    first, second = order[:-1], order[1:]
    same = (documents[first] == documents[second]) & (systems[first] == systems[second])
    if not same.any():
        return
    place = int(np.argmax(same))
    starts = np.cumsum([0, *(shard.rows for shard in manifest.shards)])

    def where(row: int) -> str:
        shard = int(np.searchsorted(starts, row, side="right")) - 1
        return f"{folder / manifest.shards[shard].file}:{row - int(starts[shard]) + 1}"

    row = int(second[place])
    document, system = table[DOCUMENT][row].as_py(), table[SYSTEM][row].as_py()
    other = where(int(first[place]))
    raise BadShard(f"{where(row)}: there is a row of document {document!r} and system {system!r} already, {other}")
