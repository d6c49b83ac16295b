"""Folders of Hugging Face `datasets`: Arrow files, as written by `save_to_disk` or found in its cache.

Columns are recognized by the usual names in summarization data sets: see `PAIRS`.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from relevance.data.files import open_file
from relevance.data.importers.interchange import unseen
from relevance.data.one_line import message
from relevance.data.reading import FileLine, Say, optional_text, parse_texts, quote_value, text
from relevance.data.records import BadRecord, Document, Summary

PAIRS = (
    ("document", "summary"),
    ("article", "highlights"),
    ("article", "abstract"),
    ("text", "summary"),
    ("dialogue", "summary"),
    ("source", "target"),
)
"""Names of the columns of documents and of their references: the first pair that exists is taken."""
IDS = ("id", "paper_id", "guid", "url")
NAMED = 10
"""The most columns that an error lists."""
SUFFIX = ".arrow"
ROWS = 64
"""The number of rows read at once from a batch, which may be large, as a file is mapped."""


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read the Arrow files of a folder, in the order of their names; the line in errors is the row's number.

    A data set of several splits is refused: name the folder of one. Documents without an id are numbered from 1.
    """
    seen: dict[str, FileLine] = {}
    number = 0
    for file in arrow_files(path):
        for row_number, row in enumerate(read_rows(file), 1):
            number += 1
            place = FileLine(file, row_number)
            names = choose_columns(place, list(row))
            given = next((row[name] for name in IDS if row.get(name) is not None), number)
            source, target = (row[name] for name in names)
            document = Document(
                id=unseen(place, given, seen),
                source=read_source(place, source, names[0]),
                references=parse_texts(place, target, names[1])
                if isinstance(target, list)
                else (text(place, target, names[1]),),
                title=optional_text(place, row.get("title"), "title"),
            )
            yield document, []


def arrow_files(path: Path) -> list[Path]:
    """List the Arrow files of one split. Raises `BadRecord`."""
    if not path.is_dir():
        return [path]
    if paths := sorted(path.glob(f"*{SUFFIX}")):
        return paths
    splits = sorted({file.parent.name for file in path.glob(f"*/*{SUFFIX}")})
    if splits:
        raise BadRecord(f"{path}: this has the splits {', '.join(splits)}: name the folder of one, {path / splits[0]}")
    raise BadRecord(f"{path}: there are no {SUFFIX} files in it")


def read_rows(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of an Arrow file, stream or not, with the columns that are used. Raises `BadRecord`."""
    import pyarrow as pa

    try:
        with open_file(file), pa.memory_map(str(file)) as mapped:
            for batch in read_batches(mapped, file):
                batch.validate(full=True)  # offsets of a damaged file may point anywhere
                for start in range(0, batch.num_rows, ROWS):
                    yield from batch.slice(start, ROWS).to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, BadRecord):
            raise
        raise BadRecord(f"{file.name}:1: this is not an Arrow file: {message(str(error))}") from error


def read_batches(mapped: Any, path: Path) -> Iterator[Any]:
    """Yield the record batches of a file or of a stream; columns that are not used are not unpacked."""
    import pyarrow as pa

    def options(schema: Any) -> Any:
        taken = {*choose_columns(FileLine(path, 1), schema.names), *IDS, "title"}
        fields = [number for number, name in enumerate(schema.names) if name in taken]
        if len({schema.names[number] for number in fields}) < len(fields):
            FileLine(path, 1).refuse(f"two columns have the same name: {list_columns(schema.names)}; rename one")
        return pa.ipc.IpcReadOptions(included_fields=fields)

    try:
        schema = pa.ipc.open_stream(mapped).schema
    except pa.ArrowInvalid:
        mapped.seek(0)
        schema = pa.ipc.open_file(mapped).schema
        file = pa.ipc.open_file(mapped, options=options(schema))
        for place in range(file.num_record_batches):
            yield file.get_batch(place)
        return
    mapped.seek(0)
    yield from pa.ipc.open_stream(mapped, options=options(schema))


def choose_columns(place: FileLine, columns: Sequence[str]) -> tuple[str, str]:
    """Return the columns of the document and of its references. Raises `BadRecord`."""
    pair = next((names for names in PAIRS if {*columns} >= {*names}), None)
    if pair is None:
        known = ", ".join(" and ".join(names) for names in PAIRS)
        place.refuse(f"the columns {list_columns(columns)} have none of the known pairs: {known}; rename them")
    return pair


def list_columns(columns: Sequence[str]) -> str:
    """Return the names of the first columns, for an error."""
    return ", ".join(map(quote_value, columns[:NAMED])) + (", ..." if len(columns) > NAMED else "")


def read_source(place: FileLine, value: object, name: str) -> str | tuple[str, ...]:
    """Read a text or a list of sentences."""
    return parse_texts(place, value, name) if isinstance(value, list) else text(place, value, name)
