"""Corpora that are folders of files, where the name of a file is the id of its document."""

from collections.abc import Iterator
from pathlib import Path

from relevance.data.reading import FileLine, identifier
from relevance.data.records import BadRecord


def files_of(path: Path, suffix: str) -> Iterator[tuple[str, Path]]:
    """Yield the file, or all files of an ending below a folder, sorted, each with the id that its name is.

    Raises `BadRecord` if a folder has none, or two of the same name.
    """
    if not path.is_dir():
        yield identifier(FileLine(path, 1), path.stem, "the file's name"), path
        return
    seen: dict[str, Path] = {}
    for file in sorted(path.rglob(f"*{suffix}")):
        name = identifier(FileLine(file, 1), file.stem, "the file's name")
        if name in seen:
            raise BadRecord(f"{file}: a file of this name is in {seen[name].parent}, too; import one folder at a time")
        seen[name] = file
        yield name, file
    if not seen:
        raise BadRecord(f"{path}: there are no {suffix} files in it")
