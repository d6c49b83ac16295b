"""Safe file access: only ordinary files are opened, and files are written atomically."""

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterable
from io import BufferedReader
from pathlib import Path

from relevance.data.records import BadRecord

DESCRIPTORS = Path("/dev/fd")


def open_file(path: Path) -> BufferedReader:
    """Open an ordinary file for reading. Raises OSError, `BadRecord` for pipes and devices, which may never end."""

    def at_once(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))  # otherwise opening a pipe waits for a writer

    file = open(path, "rb", opener=at_once)  # noqa: SIM115  the caller closes it
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise BadRecord(f"{path} is not an ordinary file but a pipe or device: save what comes from it in a file first")
    return file


def write_whole(path: Path, lines: Iterable[str]) -> None:
    """Write UTF-8 text atomically, as `write_bytes_whole` writes bytes. Raises OSError."""
    write_bytes_whole(path, (line.encode() for line in lines))


def write_bytes_whole(path: Path, parts: Iterable[bytes]) -> None:
    """Write bytes beside `path` and move them into place when all of them are written.

    A link stays, and its target is written. Devices, pipes and open descriptors such as `/dev/stdout` cannot be
    replaced and are written to, after what is there already. Raises OSError.
    """
    if not is_replaced(path):
        number = descriptor(path)
        sys.stdout.flush()
        with open(path if number is None else os.dup(number), "wb") as file:
            file.writelines(parts)
        return
    path = path.resolve()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(parts)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def is_replaced(path: Path) -> bool:
    """Tell whether writing replaces the file at `path`, instead of adding to its target."""
    return descriptor(path) is None and (path.is_file() or not path.exists())


def descriptor(path: Path) -> int | None:
    """Return the open descriptor that a path names, such as 1 for `/dev/stdout` and for links to it; otherwise None."""
    for _ in range(40):  # Linux follows as many links
        if path.name.isdecimal() and DESCRIPTORS.exists() and path.parent.resolve() == DESCRIPTORS.resolve():
            return int(path.name)
        if not path.is_symlink():
            return None
        path = path.parent / path.readlink()
    return None


def sha256(path: Path) -> str:
    """Compute the SHA-256 of a file, in hexadecimal. Raises OSError, and `BadRecord` if it is not an ordinary file."""
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
