"""Runs over shards: missing shards are computed, in this process or elsewhere, and written here."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from relevance.data.files import sha256, write_bytes_whole
from relevance.data.records import BadRecord
from relevance.data.shards import (
    DOCUMENT,
    MANIFEST,
    BadShard,
    LeftOut,
    Manifest,
    ManifestShard,
    describe_lines,
    is_sharded,
    read_manifest,
    write_manifest,
)
from relevance.distributed.encoding import read_facts
from relevance.distributed.sources import Piece, Planner, read_piece
from relevance.distributed.work import MadeShard, Work, facts_of, make_shard

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
        """Yield a function's results as they come, each with its item's index; `keeps` if it loads something slowly.

        The function should return what it refuses (`Attempt`), as an error that it raises can come as one of Ray's own.
        """


class Here:
    """The process that asks."""

    def map(self, function: Callable[[Any], Any], items: Sequence[Any], *, keeps: bool) -> Iterator[tuple[int, Any]]:
        """Yield the results in order."""
        return ((place, function(item)) for place, item in enumerate(items))


@dataclass(frozen=True)
class Refusal:
    """The reason why a part of the input has no result."""

    reason: str


@dataclass(frozen=True)
class Attempt:
    """A function that returns its refusals instead of raising them."""

    function: Callable[[Any], Any]

    def __call__(self, item: Any) -> Any:
        """Return the function's result, or a `Refusal`."""
        try:
            return self.function(item)
        except (ValueError, OSError) as error:
            return Refusal(str(error) or type(error).__name__)


def read_ids(piece: Piece) -> list[str]:
    """Read all documents of a piece and return their ids. Raises `BadRecord`, `ChangedInput`, OSError."""
    return [document.id for document, _ in read_piece(piece)]


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
    pieces: Sequence[Piece]
    """The input of the shards in the manifest."""


@dataclass(frozen=True)
class PreparedRun:
    """A run whose input was read: what is to be computed."""

    work: Work
    folder: Path
    pieces: Sequence[Piece]
    wanted: Sequence[int]
    """The numbers of the pieces to compute."""
    refusals: Mapping[int, str]
    """The reasons why pieces cannot be read, by their numbers; empty unless the run keeps going."""
    keep_going: bool


def run(
    work: Work,
    inputs: Sequence[str],
    folder: Path,
    planner: Planner,
    place: Place,
    progress: Callable[[Progress], None] = lambda now: None,
) -> Outcome:
    """Compute the shards of all inputs that a folder lacks (`prepare`, `compute`)."""
    return compute(prepare(work, inputs, folder, planner, place), place, progress)


def prepare(
    work: Work,
    inputs: Sequence[str],
    folder: Path,
    planner: Planner,
    place: Place,
    checking: Callable[[int, int], None] = lambda done, total: None,
    *,
    keep_going: bool = False,
) -> PreparedRun:
    """Read all input whose shards a folder lacks, before anything is computed.

    `checking` is called with the numbers of pieces that are read and to read. With `keep_going`, pieces that cannot be
    read are left out. Raises `OtherRun` if the folder has shards with other signatures, of other input or divided
    differently; `BadShard` for a damaged one; `BadRecord` if input is invalid or two shards have the same document.
    """
    pieces, refusals = divide(inputs, planner, place)
    missing = missing_shards(work, pieces, folder)
    if to_read := [number for number in missing if number not in refusals]:
        there = set(range(len(pieces))).difference(missing)
        documents = {number: read_shard_ids(folder / name_of(number))[0] for number in sorted(there)}
        refusals |= check(pieces, to_read, documents, place, checking)
    if refusals and (not keep_going or len(refusals) == len(pieces)):
        raise BadRecord(describe_refusals(refusals, keep_going=keep_going))
    wanted = [number for number in missing if number not in refusals]
    return PreparedRun(work, folder, pieces, wanted, refusals, keep_going)


def compute(prepared: PreparedRun, place: Place, progress: Callable[[Progress], None] = lambda now: None) -> Outcome:
    """Compute the shards of a prepared run, and write the folder's manifest when all are there.

    Each shard is written whole as soon as it is made. If the run keeps going, the manifest names what is left out.
    Raises `BadShard` if a shard was changed since, `BadRecord` if one cannot be computed, and OSError if one cannot be
    written: then no manifest is written.
    """
    work, folder, pieces, refusals = prepared.work, prepared.folder, prepared.pieces, dict(prepared.refusals)
    folder.mkdir(parents=True, exist_ok=True)
    if prepared.wanted:
        (folder / MANIFEST).unlink(missing_ok=True)  # a shard was deleted to be computed again
    done, total, documents = len(pieces) - len(refusals) - len(prepared.wanted), len(pieces) - len(refusals), 0
    before = done
    progress(Progress(done, total, documents))
    wanted = [pieces[number] for number in prepared.wanted]
    for place_of, made in place.map(Attempt(Maker(work)), wanted, keeps=work.needs_model):
        number = prepared.wanted[place_of]
        if isinstance(made, Refusal):
            if not prepared.keep_going:
                raise BadRecord(made.reason)
            refusals[number], total = made.reason, total - 1
        else:
            write_bytes_whole(folder / name_of(number), [made.data])
            done, documents = done + 1, documents + made.documents
        progress(Progress(done, total, documents))
    if not done:
        raise BadRecord(describe_refusals(refusals, keep_going=True))
    if prepared.wanted:
        missing_shards(work, pieces, folder)  # another run may have written into the folder meanwhile
    kept = {number: piece for number, piece in enumerate(pieces) if number not in refusals}
    left_out = tuple(
        LeftOut(pieces[number].input, pieces[number].lines, why) for number, why in sorted(refusals.items())
    )
    manifest = Manifest(work.kind, dict(work.signatures), tuple(described(folder, kept)), left_out)
    if not prepared.wanted and is_sharded(folder):
        refuse_altered(folder, manifest)
    write_manifest(folder, manifest)
    return Outcome(folder, manifest, done - before, [*kept.values()])


def divide(inputs: Sequence[str], planner: Planner, place: Place) -> tuple[list[Piece], dict[int, str]]:
    """Return the pieces of all inputs, and by their numbers why some cannot be read.

    A file that cannot be divided is one piece.
    """
    planned = dict(place.map(Attempt(planner), inputs, keeps=False))
    pieces: list[Piece] = []
    refusals: dict[int, str] = {}
    for number, name in enumerate(inputs):
        piece = planned[number]
        if isinstance(piece, Refusal):
            refusals[len(pieces)] = piece.reason
            piece = [Piece(name, name, "", "", 0, 0, "", 1)]
        pieces += piece
    return pieces, refusals


def check(
    pieces: Sequence[Piece],
    numbers: Sequence[int],
    known: Mapping[int, Sequence[str]],
    place: Place,
    checking: Callable[[int, int], None],
) -> dict[int, str]:
    """Read some pieces; return by their numbers why they cannot be read, or have a document of another piece.

    `known` has the documents of the shards that exist. Of two pieces with the same document, the later one is named.
    """
    ids: dict[int, list[str]] = {}
    refusals: dict[int, str] = {}
    checking(0, len(numbers))
    outcomes = place.map(Attempt(read_ids), [pieces[number] for number in numbers], keeps=False)
    for done, (place_of, read) in enumerate(outcomes, 1):
        if isinstance(read, Refusal):
            refusals[numbers[place_of]] = read.reason
        else:
            ids[numbers[place_of]] = read
        checking(done, len(numbers))
    seen = {document: number for number, documents in known.items() for document in documents}
    for number in sorted(ids):
        twice = next((document for document in ids[number] if document in seen), None)
        if twice is not None:
            refusals[number] = describe_double(twice, pieces[seen[twice]], pieces[number])
        else:
            seen.update(dict.fromkeys(ids[number], number))
    return refusals


def describe_refusals(refusals: Mapping[int, str], *, keep_going: bool) -> str:
    """Describe why input cannot be read: the first reason, and how many there are."""
    first = refusals[min(refusals)]
    if len(refusals) == 1:
        return first
    others = f"{first} (and {len(refusals) - 1} more of the input's parts cannot be read"
    return f"{others})" if keep_going else f"{others}; --keep-going names them and computes the others)"


def describe_double(document: str, earlier: Piece, later: Piece) -> str:
    """Describe a document that is in two pieces."""
    return (
        f"the document {document!r} is in {describe_lines(earlier.input, earlier.lines)} and again in "
        f"{describe_lines(later.input, later.lines)}: ids must differ, otherwise it is counted twice"
    )


def refuse_altered(folder: Path, manifest: Manifest) -> None:
    """Refuse shards that differ from those of the manifest. Raises `BadShard`."""
    before = {shard.file: shard.sha256 for shard in read_manifest(folder).shards}
    for now in manifest.shards:
        if before.get(now.file, now.sha256) != now.sha256:
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
        facts, wanted = read_facts(path), facts_of(work, pieces[number])
        if facts.kind != wanted.kind or dict(facts.signatures) != dict(wanted.signatures):
            other = {*facts.signatures.values()} - {*wanted.signatures.values()}
            how = f"by {sorted(other)[0]}" if other else f"of other columns ({', '.join(facts.signatures)})"
            raise OtherRun(f"{path} has {facts.kind} {how}: name another --output, or ask for the same")
        if (facts.input, facts.lines) != (wanted.input, wanted.lines):
            raise OtherRun(
                f"{path} was made from {describe_lines(facts.input, facts.lines)}, and now would be from "
                f"{describe_lines(wanted.input, wanted.lines)}: name another --output, or the same input and "
                "--shard-documents"
            )
        if facts.sha256 != wanted.sha256:
            raise OtherRun(f"{path} was made from {facts.input} before it changed: name another --output")
    return [number for number in range(len(pieces)) if number not in there]


def read_shard_ids(path: Path) -> tuple[list[str], int]:
    """Return the ids of a shard's documents, and the number of its rows."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        column = DOCUMENT if DOCUMENT in file.schema_arrow.names else "document_id"
        return pc.unique(file.read([column])[column]).to_pylist(), file.metadata.num_rows


def described(folder: Path, pieces: Mapping[int, Piece]) -> Iterator[ManifestShard]:
    """Yield the manifest's entries of shards, by number. Raises `BadRecord` if two have the same document."""
    seen: dict[str, int] = {}
    for number, piece in pieces.items():
        path = folder / name_of(number)
        documents, rows = read_shard_ids(path)
        for document in documents:
            if (before := seen.setdefault(document, number)) != number:
                raise BadRecord(describe_double(document, pieces[before], piece))
        yield ManifestShard(path.name, sha256(path), len(documents), rows)
