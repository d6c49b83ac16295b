"""Reading of bundles from zip files that anybody may have made: the whole is checked before any of it is used.

A file is accepted only under a name that bundles have, and written into a folder of our own. Nothing in it is run.
"""

import hashlib
import re
import stat
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from relevance.bundles.contents import FIXED, MANIFEST
from relevance.bundles.records import Fields, digest, flag, read_fields, record, whole, words
from relevance.data.files import open_file
from relevance.data.reading import FileLine, parse_json_value, quote_value, read_json_lines
from relevance.data.records import BadRecord

FORMAT = 1
"""The format of bundles that this version writes, and the only one that it reads."""

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every file of a bundle: the earliest in a zip file."""

PROTOCOL = re.compile(r"protocols/[1-9][0-9]{0,3}\.toml")

MOST_FILES = 2000
MOST_BYTES = 2**30
"""The most bytes of a bundle's files together, unpacked."""
MOST_LIST = 2**20
"""The most bytes of the list of a zip file's members, and of the manifest."""
MOST_TIMES = 100
"""The highest compression ratio of a file; texts and numbers reach 30."""
SMALL = 2**20
"""The most bytes of a file without a limit on compression."""
CHUNK = 2**18

END = struct.Struct("<4s4H2LH")
"""The record at the end of a zip file."""

ENTRY: Fields = {"sha256": digest, "bytes": whole}


class BadBundle(BadRecord):
    """A file is not a bundle, or not as it was written."""


@dataclass(frozen=True)
class Bundle:
    """A bundle whose files are unpacked in a folder, and match the hashes in the manifest."""

    folder: Path
    sha256: str
    """The SHA-256 of the manifest, and so of everything: it identifies the bundle."""
    study: str
    texts: bool
    """True if it has the texts of the data set, and not only their hashes."""
    files: Mapping[str, str]
    """The SHA-256 of each file except the manifest."""

    def records(self, name: str, fields: Fields) -> Iterator[tuple[FileLine, dict[str, Any]]]:
        """Yield the records of a file, checked line by line. Raises `BadRecord`."""
        for place, value in read_json_lines(self.folder / name):
            yield place, read_fields(place, value, fields)

    def value(self, name: str) -> tuple[FileLine, Any]:
        """Read the single value of a JSON file. Raises `BadRecord`."""
        place = FileLine(self.folder / name, 1)
        return place, parse_json_value(place, self.text(name))

    def text(self, name: str) -> str:
        """Read the text of a file. Raises `BadBundle`."""
        try:
            return (self.folder / name).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise BadBundle(f"{name}: not UTF-8") from error

    @property
    def protocols(self) -> list[str]:
        """The files of the versions of the protocol, in their order."""
        return sorted((name for name in self.files if PROTOCOL.fullmatch(name)), key=lambda name: (len(name), name))


def unpack(file: Path, folder: Path) -> Bundle:
    """Check a bundle and unpack it into an empty folder. Raises `BadBundle`, OSError."""
    with open_file(file) as opened:
        check_end(file, opened)
        try:
            with ZipFile(opened) as archive:
                members = check_members(file, archive, opened)
                return unpack_members(file, archive, members, folder)
        except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, struct.error) as error:
            raise BadBundle(f"{file.name} is damaged: {error}") from error


def check_end(file: Path, opened: BufferedReader) -> None:
    """Check the number of a zip file's members before their list is read. Raises `BadBundle`."""
    size = opened.seek(0, 2)
    if size < END.size:
        raise BadBundle(f"{file.name} is not a bundle: it is not a zip file")
    opened.seek(size - END.size)
    mark, disk, of_list, here, members, length, offset, comment = END.unpack(opened.read(END.size))
    if mark != b"PK\5\6" or comment:
        raise BadBundle(f"{file.name} is not a bundle, or its end is missing")
    if disk or of_list or here != members or offset + length + END.size != size:
        raise BadBundle(f"{file.name} is damaged: its list of files is not where it should be")
    if members > MOST_FILES or length > MOST_LIST:
        raise BadBundle(f"{file.name} is not a bundle: it lists {members:,} files")
    opened.seek(0)


def check_members(file: Path, archive: ZipFile, opened: BufferedReader) -> dict[str, ZipInfo]:
    """Check every member's name, kind and size as the zip file states them. Raises `BadBundle`."""
    members: dict[str, ZipInfo] = {}
    total = end = 0
    for info in archive.infolist():
        shown = f"{file.name}: the member {quote_value(info.filename)}"
        if info.filename not in {*FIXED, MANIFEST} and not PROTOCOL.fullmatch(info.filename):
            raise BadBundle(f"{shown} is not a file of a bundle")
        if info.filename in members:
            raise BadBundle(f"{shown} stands twice")
        if info.flag_bits & 0x1:
            raise BadBundle(f"{shown} is encrypted")
        if info.external_attr != (stat.S_IFREG | 0o644) << 16:
            raise BadBundle(f"{shown} is a link, or not an ordinary file")
        total += info.file_size
        if total > MOST_BYTES or info.file_size > max(SMALL, MOST_TIMES * info.compress_size):
            raise BadBundle(f"{shown} is too large: {info.file_size:,} bytes unpacked, {info.compress_size:,} packed")
        if (info.compress_type, info.date_time, info.comment) != (ZIP_DEFLATED, EPOCH, b"") or info.volume:
            raise BadBundle(f"{shown} was packed by another program; a bundle is passed on as it was written")
        opened.seek(end)
        head = info.FileHeader(zip64=False)
        if info.header_offset != end or opened.read(len(head)) != head:
            raise BadBundle(f"{shown} is damaged, or was packed by another program")
        end += len(head) + info.compress_size
        members[info.filename] = info
    if end != archive.start_dir:
        raise BadBundle(f"{file.name} is damaged: there is something between its files and their list")
    lacking = [name for name in (MANIFEST, *FIXED) if name not in members]
    if lacking:
        raise BadBundle(f"{file.name} is not a bundle: it has no {lacking[0]}")
    return members


def unpack_members(file: Path, archive: ZipFile, members: Mapping[str, ZipInfo], folder: Path) -> Bundle:
    """Write the members into a folder, and check them against the manifest. Raises `BadBundle`."""
    manifest = members[MANIFEST]
    if manifest.file_size > MOST_LIST:
        raise BadBundle(f"{file.name}: {MANIFEST} is too large")
    written = archive.read(manifest)
    place = FileLine(Path(MANIFEST), 1)
    try:
        value = parse_json_value(place, written.decode())
    except UnicodeDecodeError as error:
        raise BadBundle(f"{MANIFEST}: not UTF-8") from error
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise BadBundle(f"{MANIFEST}: not a bundle of format {FORMAT}; it may be of a newer version of relevance")
    entries = {name: record(ENTRY) for name in members if name != MANIFEST}
    fields: Fields = {"format": whole, "study": words, "texts": flag, "files": record(entries)}
    manifest_fields = read_fields(place, value, fields)
    for name, entry in manifest_fields["files"].items():
        unpack_member(archive, members[name], folder / name, entry)
    (folder / MANIFEST).write_bytes(written)
    return Bundle(
        folder=folder,
        sha256=hashlib.sha256(written).hexdigest(),
        study=manifest_fields["study"],
        texts=manifest_fields["texts"],
        files={name: entry["sha256"] for name, entry in manifest_fields["files"].items()},
    )


def unpack_member(archive: ZipFile, info: ZipInfo, target: Path, entry: Mapping[str, Any]) -> None:
    """Write one member, and check its size and hash against the manifest. Raises `BadBundle`."""
    other = f"{info.filename}: this is not the file that the manifest names"
    if info.file_size != entry["bytes"]:
        raise BadBundle(f"{other}: it has {info.file_size:,} bytes, not {entry['bytes']:,}")
    target.parent.mkdir(exist_ok=True)
    hashed, left = hashlib.sha256(), info.file_size
    with archive.open(info) as packed, target.open("xb") as file:
        while part := packed.read(CHUNK):
            left -= len(part)
            if left < 0:
                break
            hashed.update(part)
            file.write(part)
    if left or hashed.hexdigest() != entry["sha256"]:
        raise BadBundle(f"{other}: its SHA-256 differs")
