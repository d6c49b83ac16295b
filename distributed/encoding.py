"""The bytes of a shard's file: the same bytes for the same columns and facts."""

import io
import json
import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from relevance.data.distribution import DISTRIBUTION
from relevance.data.files import open_file
from relevance.data.shards import METADATA, BadShard, ShardFacts

PACKAGES = (
    DISTRIBUTION,
    "lemminflect",
    "numpy",
    "nltk",
    "pyarrow",
    "regex",
    "scipy",
    "simplemma",
    "spacy",
    "stopwordsiso",
    "tokenizers",
    "torch",
    "transformers",
)
"""The packages on which values or a file's bytes depend."""


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python and of the installed packages that shards depend on."""
    installed = {"Python": platform.python_version()}
    for name in PACKAGES:
        try:
            installed[name] = version(name)
        except PackageNotFoundError:
            continue
    return installed


def encode(columns: Mapping[str, Any], facts: ShardFacts) -> bytes:
    """Return the Parquet file of some Arrow columns, with the shard's facts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(dict(columns), metadata=None).replace_schema_metadata({METADATA: facts.as_bytes()})
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def read_facts(path: Path) -> ShardFacts:
    """Read the facts of a shard's file. Raises `BadShard`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with open_file(path) as file:
            given = json.loads((pq.read_schema(file).metadata or {})[METADATA])
        return ShardFacts(**given)
    except (KeyError, TypeError, ValueError, OSError, RecursionError, pa.ArrowException) as error:
        raise BadShard(f"{path}: no shard of a run, or a damaged one: delete it, or name another folder") from error
