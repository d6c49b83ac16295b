"""Scores of many summaries as a folder of Parquet files, one for each shard of the input, and a manifest written last.

A shard has the columns `document` and `system`, `rating:ASPECT` with human ratings, and for each metric `score:NAME`
(null if missing), `missing:NAME` with the reason and `truncated:NAME`. The file's metadata and, once all shards are
written, `manifest.json` record how the scores were made.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, field
from pathlib import Path
from typing import Any

from relevance.data.files import open_file, write_whole
from relevance.data.records import BadRecord

FORMAT = 1
MANIFEST = "manifest.json"
METADATA = b"relevance"
"""The key of a shard's metadata: the fields of `ShardFacts`, as JSON."""

DOCUMENT, SYSTEM = "document", "system"
RATING, SCORE, MISSING, TRUNCATED = "rating:", "score:", "missing:", "truncated:"
"""Prefixes of the names of columns."""


class BadShard(BadRecord):
    """A shard or manifest is not as it was written."""


@dataclass(frozen=True, slots=True)
class ShardFacts:
    """The origin of a shard: its input, and what computed it."""

    kind: str
    """The kind of results: scores, summaries, oracles or questions."""
    signatures: Mapping[str, str]
    """The signatures of what computed it, by name."""
    input: str
    """The path of the input file as it was given."""
    sha256: str
    """The SHA-256 of the input file."""
    lines: str = ""
    """The lines of the input, such as `1-512`; empty for the whole file."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """The versions of this program, Python and the libraries that the values depend on."""
    format: int = FORMAT

    def as_bytes(self) -> bytes:
        """Return the facts as JSON for a shard's metadata: the same bytes for the same facts."""
        return json.dumps(asdict(self), sort_keys=True, ensure_ascii=False).encode()


@dataclass(frozen=True, slots=True)
class ManifestShard:
    """A shard in the manifest."""

    file: str
    """Its name in the folder."""
    sha256: str
    documents: int
    rows: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part of the input that has no shard, because it could not be read or computed."""

    input: str
    """The path of the input file as it was given."""
    lines: str
    """The lines of the input, such as `1-512`; empty for the whole file."""
    reason: str

    @property
    def where(self) -> str:
        """The part in words."""
        return describe_lines(self.input, self.lines)


@dataclass(frozen=True, slots=True)
class Manifest:
    """All shards of a folder; it is written last, so that a folder that has one is complete but for what it names."""

    kind: str
    signatures: Mapping[str, str]
    shards: tuple[ManifestShard, ...]
    left_out: tuple[LeftOut, ...] = ()
    format: int = FORMAT


def describe_lines(input: str, lines: str) -> str:
    """Describe a part of the input: `lines 1-512 of in.jsonl`, or the whole file."""
    return f"lines {lines} of {input}" if lines else input


def is_sharded(path: Path) -> bool:
    """Tell whether a path is a complete folder of shards."""
    return (path / MANIFEST).is_file()


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest of a complete folder."""
    fields = asdict(manifest)
    if not manifest.left_out:
        del fields["left_out"]
    write_whole(folder / MANIFEST, [json.dumps(fields, indent=2, ensure_ascii=False) + "\n"])


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder. Raises `BadShard`."""
    path = folder / MANIFEST
    try:
        with open_file(path) as file:
            given: Any = json.loads(file.read())
        shards = tuple(ManifestShard(**shard) for shard in given.pop("shards"))
        left_out = tuple(LeftOut(**part) for part in given.pop("left_out", ()))
        manifest = Manifest(shards=shards, left_out=left_out, **given)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise BadShard(f"{path}:1: this is not a manifest of shards: {error}") from error
    if manifest.format != FORMAT:
        raise BadShard(f"{path}:1: the format is {manifest.format!r}, but this program reads {FORMAT}")
    check_manifest(path, manifest)
    return manifest


def check_manifest(path: Path, manifest: Manifest) -> None:
    """Refuse values of wrong types, and names that cannot be a file's in the manifest's folder."""
    signatures = manifest.signatures
    if not isinstance(signatures, dict) or not all(isinstance(text, str) for text in signatures.values()):
        raise BadShard(f"{path}:1: the signatures are not an object of texts")
    seen = set()
    for shard in manifest.shards:
        name = shard.file
        if not isinstance(name, str) or name in ("", ".", "..") or not {"/", "\\", "\0"}.isdisjoint(name):
            raise BadShard(f"{path}:1: the manifest names {name!r}, which cannot be a file of this folder")
        if name in seen:
            raise BadShard(f"{path}:1: the manifest names {name!r} twice")
        seen.add(name)
        if type(shard.rows) is not int or type(shard.documents) is not int:
            raise BadShard(f"{path}:1: the rows and documents of {name!r} are not whole numbers")
    if not all(isinstance(text, str) for part in manifest.left_out for text in astuple(part)):
        raise BadShard(f"{path}:1: an input that is left out has other values than texts")
