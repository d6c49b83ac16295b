"""Runs over shards: missing shards are computed, in this process or elsewhere, and written here."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from data.files import sha256, write_bytes_whole
from data.records import BadRecord
from data.shards import (
    DOCUMENT,
    MANIFEST,
    BadShard,
    Manifest,
    ManifestShard,
    is_sharded,
    read_manifest,
    write_manifest,
)
from distributed.encoding import read_facts
from distributed.sources import Piece, Planner
from distributed.work import MadeShard, Work, facts_of, make_shard

PART = re.compile(r"part-(\d{5,})\.parquet")


class OtherRun(ValueError):
    """A folder has shards of another run."""


class Progress(NamedTuple):
    """The progress of a run."""

    done: int
    """The number of finished shards, including those of earlier runs."""
    total: int
    documents: int
    """The number of documents in the shards that were computed now."""


class Place(Protocol):
    """The interface of places where shards are made."""

    def map(self, function: Callable[[Any], Any], items: Sequence[Any], *, keeps: bool) -> Iterator[tuple[int, Any]]:
        """Yield a function's results as they come, each with its item's index; `keeps` if it loads something slowly."""


class Here:
    """The process that asks."""

    def map(self, function: Callable[[Any], Any], items: Sequence[Any], *, keeps: bool) -> Iterator[tuple[int, Any]]:
        """Yield the results in order."""
        return ((place, function(item)) for place, item in enumerate(items))


@dataclass(frozen=True)
class Maker:
    """A function from pieces to shards that can be sent to another process."""

    work: Work

    def __call__(self, piece: Piece) -> MadeShard:
        """Return the shard of a piece."""
        return make_shard(self.work, piece)


@dataclass(frozen=True)
class Outcome:
    """A finished run."""

    folder: Path
    manifest: Manifest
    computed: int
    """The number of shards that were computed now; the others existed."""


def run(
    work: Work,
    inputs: Sequence[str],
    folder: Path,
    planner: Planner,
    place: Place,
    progress: Callable[[Progress], None] = lambda done: None,
) -> Outcome:
    """Compute the shards of all inputs that a folder lacks, and write its manifest when all are there.

    Each shard is written whole as soon as it is made. Raises `OtherRun` if the folder has shards with other signatures,
    of other input or divided differently; `BadRecord` if the input is invalid, or two shards have the same document;
    `BadShard` if a shard was changed since: then no manifest is written.
    """
    planned = dict(place.map(planner, inputs, keeps=False))
    pieces = [piece for number in range(len(inputs)) for piece in planned[number]]
    folder.mkdir(parents=True, exist_ok=True)
    missing = missing_shards(work, pieces, folder)
    if missing:
        (folder / MANIFEST).unlink(missing_ok=True)  # a shard was deleted to be computed again
    done, documents = len(pieces) - len(missing), 0
    progress(Progress(done, len(pieces), documents))
    for number, made in place.map(Maker(work), [pieces[number] for number in missing], keeps=work.needs_model):
        write_bytes_whole(folder / name_of(missing[number]), [made.data])
        done, documents = done + 1, documents + made.documents
        progress(Progress(done, len(pieces), documents))
    if missing:
        missing_shards(work, pieces, folder)  # another run may have written into the folder meanwhile
    manifest = Manifest(work.kind, dict(work.signatures), tuple(described(folder, pieces)))
    if not missing and is_sharded(folder):
        refuse_altered(folder, manifest)
    write_manifest(folder, manifest)
    return Outcome(folder, manifest, len(missing))


def refuse_altered(folder: Path, manifest: Manifest) -> None:
    """Refuse shards that differ from those of the manifest. Raises `BadShard`."""
    for before, now in zip(read_manifest(folder).shards, manifest.shards, strict=False):
        if before.file == now.file and before.sha256 != now.sha256:
            raise BadShard(
                f"{folder / now.file}: this is not the file that the manifest was written for; delete it to have it "
                "computed again"
            )


def name_of(number: int) -> str:
    """Return the name of a shard's file."""
    return f"part-{number:05d}.parquet"


def find_shards(folder: Path) -> set[int]:
    """Return the numbers of the shards in a folder; none if there is no folder."""
    paths = folder.iterdir() if folder.is_dir() else ()
    return {int(match[1]) for path in paths if (match := PART.fullmatch(path.name))}


def missing_shards(work: Work, pieces: Sequence[Piece], folder: Path) -> list[int]:
    """Return the numbers of the shards that a folder lacks, and check all others. Raises `OtherRun`, `BadShard`."""
    there = find_shards(folder)
    if there and max(there) >= len(pieces):
        raise OtherRun(
            f"{folder / name_of(max(there))} is more than the {len(pieces)} shards of this input, which was divided "
            "differently or had more files; name another --output, or delete the folder"
        )
    for number in sorted(there):
        path = folder / name_of(number)
        found, wanted = read_facts(path), facts_of(work, pieces[number])
        if found.kind != wanted.kind or dict(found.signatures) != dict(wanted.signatures):
            other = {*found.signatures.values()} - {*wanted.signatures.values()}
            how = f"by {sorted(other)[0]}" if other else f"of other columns ({', '.join(found.signatures)})"
            raise OtherRun(f"{path} has {found.kind} {how}: name another --output, or ask for the same")
        if (found.input, found.lines) != (wanted.input, wanted.lines):
            raise OtherRun(
                f"{path} was made from {said(found.input, found.lines)}, and now would be from "
                f"{said(wanted.input, wanted.lines)}: name another --output, or the same input and --shard-documents"
            )
        if found.sha256 != wanted.sha256:
            raise OtherRun(f"{path} was made from {found.input} before it changed: name another --output")
    return [number for number in range(len(pieces)) if number not in there]


def said(input: str, lines: str) -> str:
    """Return a piece in words."""
    return f"lines {lines} of {input}" if lines else input


def described(folder: Path, pieces: Sequence[Piece]) -> Iterator[ManifestShard]:
    """Yield the manifest's entries of the shards. Raises `BadRecord` if two have the same document."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    seen: dict[str, int] = {}
    for number, piece in enumerate(pieces):
        path = folder / name_of(number)
        with pq.ParquetFile(path) as file:
            rows = file.metadata.num_rows
            column = DOCUMENT if DOCUMENT in file.schema_arrow.names else "document_id"
            documents = pc.unique(file.read([column])[column]).to_pylist()
        for document in documents:
            if (before := seen.setdefault(document, number)) != number:
                other = pieces[before]
                raise BadRecord(
                    f"the document {document!r} is in {said(other.input, other.lines)} and again in "
                    f"{said(piece.input, piece.lines)}: ids must differ, otherwise it is counted twice"
                )
        yield ManifestShard(path.name, sha256(path), len(documents), rows)
