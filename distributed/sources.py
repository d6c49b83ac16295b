"""The input of a run over shards: files on this machine or anywhere that fsspec can open, divided into pieces.

JSON lines with a document per line are divided by a number of documents, at the bytes where lines end, and Parquet
tables by rows; any other file is one piece, as its documents cannot be separated without reading all of it. The
division depends on the bytes alone.
"""

import glob
import hashlib
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from relevance.data.distribution import how_to_install
from relevance.data.files import open_file
from relevance.data.foreign_marks import check_marks
from relevance.data.importers import IMPORTERS, guess_format, read_documents
from relevance.data.importers.parquet import MIB
from relevance.data.importers.parquet_table import load_part
from relevance.data.reading import MAX_LINE_BYTES, say_nothing
from relevance.data.records import BadRecord, Document, Summary
from relevance.distributed import rows

CHUNK = MIB
"""The bytes of a Parquet file that are read at once."""

PER_SHARD = 512
"""The documents of a shard: a few seconds with eight systems and three ROUGE metrics, the loss if a worker dies.

It is a multiple of `relevance.metrics.scoring.DOCUMENTS`, so that batches are the same as in a file that is scored
whole."""

DOCUMENT_A_LINE = {"interchange", "scitldr"}
"""The formats with a document per line."""

Records = list[tuple[Document, list[Summary]]]


class NoInput(ValueError):
    """No file matches the name."""


class ChangedInput(ValueError):
    """A file changed since the run began."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The input of one shard: a file, or some lines of it."""

    input: str
    """The file's name as given."""
    path: str
    """The same for any process: an absolute path, or an address."""
    format: str
    sha256: str
    """The SHA-256 of the whole file."""
    start: int
    end: int
    """The end of its bytes in the file, which begin at `start`."""
    piece_sha256: str
    first: int
    """Its first line, from 1."""
    lines: str = ""
    """Its lines or rows, such as `1-512`; empty for a whole file."""
    footer: int = 0
    """For rows of a Parquet file: the start of the footer, which is read with the piece."""
    clean: bool = False
    """True if its texts lose the marks of other programs when they are read."""

    @property
    def rows(self) -> range | None:
        """Its rows in a Parquet file, from 0; None for bytes that are a file of their own."""
        if not self.footer:
            return None
        first, last = map(int, self.lines.split("-"))
        return range(first - 1, last)


def is_remote(name: str) -> bool:
    """Tell whether a name is an address that fsspec opens, such as `s3://bucket/file.jsonl`."""
    return re.match(r"[a-z][a-z0-9+.-]*://", name) is not None


def is_pattern(name: str) -> bool:
    """Tell whether a name is a pattern for files, and not a file's own name."""
    return glob.has_magic(name) and not Path(name).exists()


def filesystem(name: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it. Raises `NoInput` if a library for it is missing."""
    try:
        import fsspec

        system, path = fsspec.core.url_to_fs(name)
    except (ImportError, ValueError) as error:
        raise NoInput(
            f"{name} cannot be opened: {error}; {how_to_install('ray')} brings fsspec, and s3fs, gcsfs and others "
            "open their places"
        ) from error
    return system, path


def find_inputs(name: str) -> list[str]:
    """Return the files that match a name or pattern, sorted. Raises `NoInput`."""
    if is_remote(name):
        system, path = filesystem(name)
        if glob.has_magic(path):
            files = [system.unstrip_protocol(file) for file in system.glob(path)]
        else:
            files = [name] if system.isfile(path) else []
    elif is_pattern(name):
        files = [path for path in glob.glob(name, recursive=True) if Path(path).is_file()]
    else:
        files = [name] if Path(name).is_file() else []
    if not files:
        folder = not is_remote(name) and Path(name).is_dir()
        more = f"; name the files of a folder: '{name.rstrip('/')}/*.parquet'" if folder else ""
        raise NoInput(f"there is no file {name}{more}")
    return sorted(files)


@contextmanager
def local_copy(path: str, start: int = 0, end: int | None = None) -> Iterator[Path]:
    """Yield a file on this machine with bytes `start` to `end` of a file, and with its name."""
    if not is_remote(path) and start == 0 and end is None:
        yield Path(path)
        return
    with tempfile.TemporaryDirectory(prefix="relevance-") as folder:
        copy = Path(folder) / path.rsplit("/", 1)[-1]
        if is_remote(path):
            system, inside = filesystem(path)
            if end is None:
                system.get_file(inside, str(copy))
            else:
                copy.write_bytes(system.cat_file(inside, start=start, end=end))
        else:
            with open_file(Path(path)) as file, open(copy, "wb") as written:
                file.seek(start)
                if end is None:
                    shutil.copyfileobj(file, written)
                else:
                    written.write(file.read(end - start))
        yield copy


@dataclass(frozen=True, slots=True)
class Planner:
    """A function that divides files into pieces and can be sent to another process."""

    format: str | None
    """The format of all files; None to guess each file's."""
    per_shard: int
    clean: bool = False
    """True to clean all texts (`relevance.data.cleaning`)."""

    def __call__(self, name: str) -> list[Piece]:
        """Return the pieces of a file, in order. Raises `BadRecord`, OSError."""
        return [replace(piece, clean=self.clean) for piece in self.divide(name)]

    def divide(self, name: str) -> list[Piece]:
        """Divide a file into pieces whose texts stay as they are."""
        path = name if is_remote(name) else str(Path(name).absolute())
        with local_copy(path) as copy:
            format = self.format or guess_format(copy)
            if format not in IMPORTERS:
                raise BadRecord(f"{name}: the format {format!r} has no documents, and cannot be divided into shards")
            if format not in DOCUMENT_A_LINE:
                with open_file(copy) as file:
                    sha256 = hashlib.file_digest(file, "sha256").hexdigest()
                if format == "parquet" and len(pieces := divided_rows(name, path, sha256, copy, self.per_shard)) > 1:
                    return pieces
                return [Piece(name, path, format, sha256, 0, copy.stat().st_size, sha256, 1)]
            return list(divided(name, path, format, copy, self.per_shard))


def divided(name: str, path: str, format: str, copy: Path, per_shard: int) -> Iterator[Piece]:
    """Yield the pieces of JSON lines, each with `per_shard` lines that are not blank."""
    whole, part = hashlib.sha256(), hashlib.sha256()
    bounds: list[tuple[int, int, int, int, str]] = []  # first and last byte, first and last line, hash
    start = place = count = 0
    first, number = 1, 0
    with open_file(copy) as file:
        while line := file.readline(MAX_LINE_BYTES + 6):  # and room for a BOM, CR, LF and one byte over the limit
            number += 1
            if len(line) > MAX_LINE_BYTES + 5:
                raise BadRecord(f"{copy.name}:{number}: the line is over 32 MiB")
            if count == per_shard and line.strip():
                bounds.append((start, place, first, number - 1, part.hexdigest()))
                start, first, count, part = place, number, 0, hashlib.sha256()
            count += bool(line.strip())
            place += len(line)
            whole.update(line)
            part.update(line)
    bounds.append((start, place, first, number, part.hexdigest()))
    for begin, end, first, last, sha256 in bounds:
        yield Piece(name, path, format, whole.hexdigest(), begin, end, sha256, first, f"{first}-{last}")


def divided_rows(name: str, path: str, sha256: str, copy: Path, per_shard: int) -> list[Piece]:
    """Return the pieces of a Parquet table, each with at least `per_shard` documents; none if it has only one."""
    parts, groups, footer = rows.divide(copy, per_shard)
    if len(parts) < 2:
        return []
    pieces = []
    hashed: tuple[tuple[int, int], str] = (0, 0), ""
    for part in parts:
        span = rows.bytes_of(copy, groups, part, footer)
        if hashed[0] != span:  # pieces of one row group follow each other
            hashed = span, hash_part(copy, *span, footer)
        lines = f"{part.start + 1}-{part.stop}"
        pieces.append(Piece(name, path, "parquet", sha256, *span, hashed[1], part.start + 1, lines, footer))
    return pieces


def hash_part(path: Path, start: int, end: int, footer: int) -> str:
    """Return the SHA-256 of some bytes of a Parquet file and of its footer."""
    digest = hashlib.sha256()
    with open_file(path) as file:
        for chunk in chunks(file, start, end):
            digest.update(chunk)
        for chunk in chunks(file, footer, None):
            digest.update(chunk)
    return digest.hexdigest()


def chunks(file: Any, start: int, end: int | None) -> Iterator[bytes]:
    """Yield the bytes of a file from `start` to `end`, a MiB at a time."""
    file.seek(start)
    while data := file.read(CHUNK if end is None else min(CHUNK, end - file.tell())):
        yield data


@contextmanager
def row_groups(piece: Piece) -> Iterator[Path]:
    """Yield a Parquet file on this machine with the row groups of a piece: the file itself, or a copy with gaps."""
    if not is_remote(piece.path):
        yield Path(piece.path)
        return
    system, inside = filesystem(piece.path)
    with tempfile.TemporaryDirectory(prefix="relevance-") as folder:
        copy = Path(folder) / piece.path.rsplit("/", 1)[-1]
        with system.open(inside, "rb") as file, open(copy, "wb") as written:
            for start, end in ((piece.start, piece.end), (piece.footer, None)):
                written.seek(start)
                written.writelines(chunks(file, start, end))
        yield copy


def read_rows(piece: Piece, wanted: range) -> Records:
    """Return the documents of some rows. Raises `BadRecord` with the row in the file, `ChangedInput`, OSError."""
    with row_groups(piece) as copy:
        if hash_part(copy, piece.start, piece.end, piece.footer) != piece.piece_sha256:
            raise ChangedInput(f"{piece.input} was changed during the run: start again with an empty folder")
        return list(check_marks(load_part(copy, wanted), say_nothing, clean=piece.clean))


def read_piece(piece: Piece) -> Records:
    """Return the documents of a piece. Raises `BadRecord` with the file's line, `ChangedInput`, OSError."""
    if piece.rows is not None:
        return read_rows(piece, piece.rows)
    with local_copy(piece.path, piece.start, piece.end) as copy:
        with open_file(copy) as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != piece.piece_sha256:
            raise ChangedInput(f"{piece.input} was changed during the run: start again with an empty folder")
        try:
            return list(read_documents(copy, piece.format, clean=piece.clean))
        except BadRecord as error:
            raise BadRecord(in_whole_file(str(error), copy.name, piece)) from error


def in_whole_file(message: str, name: str, piece: Piece) -> str:
    """Return an error in a piece with the line number in its whole file."""

    def line(match: re.Match[str]) -> str:
        return f"{match[1]}{int(match[2]) + piece.first - 1}"

    message = re.sub(rf"\A({re.escape(name)}:)(\d+)", line, message)
    return re.sub(r"( already stands in line )(\d+)\Z", line, message)


def all_records(
    inputs: Sequence[str], format: str | None, *, clean: bool = False
) -> Iterator[tuple[Document, list[Summary]]]:
    """Yield the documents of all files, one file after the other.

    Raises `BadRecord` for an invalid file, and for two files with the same document.
    """
    seen: dict[str, str] = {}
    for name in inputs:
        for document, summaries in records_of_file(name, format, clean=clean):
            if document.id in seen:
                raise BadRecord(
                    f"the document {document.id!r} is in {seen[document.id]} and again in {name}: ids must differ"
                )
            seen[document.id] = name
            yield document, summaries


def records_of_file(name: str, format: str | None, *, clean: bool) -> Iterator[tuple[Document, list[Summary]]]:
    """Yield the documents of a file, of a Parquet table part by part. Raises `BadRecord`."""
    with local_copy(name) as copy:
        parts = rows.divide(copy, PER_SHARD)[0] if (format or guess_format(copy)) == "parquet" else []
        if len(parts) < 2:
            yield from read_documents(copy, format, clean=clean)
        for part in parts if len(parts) > 1 else ():
            yield from check_marks(load_part(copy, part), say_nothing, clean=clean)
