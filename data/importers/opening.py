"""Tables as a mapping says: over several files, with columns that are joined, with documents from another file."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from relevance.data import reading
from relevance.data.importers.mapping import (
    DOCUMENTS,
    NOTHING,
    TEXTS_OF_DOCUMENTS,
    BadColumns,
    Columns,
    find_column,
    split_joined,
)
from relevance.data.importers.rows import Table, TableRow, as_text, open_single
from relevance.data.importers.templates import find_files
from relevance.data.reading import FileLine, Say, quote_value, say_nothing
from relevance.data.records import BadRecord

Texts = Mapping[str, Any]
"""The texts of a document, by their columns."""
BETWEEN = "/"
"""The separator of joined values."""


def list_files(path: Path, columns: Columns | None) -> list[Path]:
    """Return the files of a table, those of the documents' texts last. Raises `BadRecord`."""
    columns = columns or NOTHING
    files = [file for file, _ in name_files(path, columns)]
    if columns.documents is not None:
        files += [file for file, _ in name_files(*find_documents(path, columns, columns.documents))]
    return [*dict.fromkeys(files)]


def find_documents(path: Path, columns: Columns, documents: Columns) -> tuple[Path, Columns]:
    """Return where the documents' texts are, and how they are read: in the folder of the rows, or in the same files."""
    if documents.files is None:
        return path, documents._replace(files=columns.files)
    return (path if path.is_dir() else path.parent), documents


def name_files(path: Path, columns: Columns) -> list[tuple[Path, dict[str, str]]]:
    """Return the files with the rows of a table, and what the names of their template stand for."""
    if columns.files is not None:
        return find_files(path, columns.files)
    if path.is_dir():
        raise BadRecord(f"{path}: it is a folder: say in the mapping which of its files have the rows, by files")
    return [(path, {})]


def open_table(path: Path, columns: Columns | None = None, *, cells: bool = False) -> Table:
    """Find out what columns a table has, as a mapping says how to read it, or without one if it is a plain file.

    `path` is a file, or a folder whose files the mapping names; with `cells` they are text tables or spreadsheets.
    Raises `BadRecord` and `BadColumns`.
    """
    columns = columns or NOTHING
    named = name_files(path, columns)
    if columns.files is None:
        table = open_single(path, columns, cells=cells)
    else:
        table = join_files([(file, open_single(file, columns, cells=cells), keys) for file, keys in named])
    table = join_columns(table, columns)
    return table if columns.documents is None else add_documents(table, path, columns, columns.documents)


def join_files(parts: Sequence[tuple[Path, Table, Mapping[str, str]]]) -> Table:
    """Return the rows of several files as one table, each with what its file's name says.

    A column that some file lacks is said, and has no value there.
    """
    keys = parts[0][2]
    for path, table, _ in parts:
        if both := [name for name in keys if name in table.names]:
            raise BadColumns(
                f"{path.name} has a column {quote_value(both[0])}: call {{{both[0]}}} something else in files"
            )
    names = tuple(dict.fromkeys((*keys, *(name for _, table, _ in parts for name in table.names))))

    def read(wanted: Collection[str] | None, say: Say) -> Iterator[TableRow]:
        for path, table, of_file in parts:
            taken = names if wanted is None else wanted
            lacking = [name for name in taken if name not in of_file and name in names and name not in table.names]
            if wanted is not None and lacking:
                say(f"{path.name} has no column {', '.join(map(quote_value, lacking))}")
            absent = dict.fromkeys(lacking)
            added = {name: value for name, value in of_file.items() if name in taken}
            for place, row in table.read([name for name in taken if name in table.names], say):
                yield place, {**absent, **row, **added}

    return Table(names, names, read, parts[0][1].delimiter)


def join_columns(table: Table, columns: Columns) -> Table:
    """Add the columns that are joined of others, which are no longer there unless a role has them, too."""
    told = columns.roles.values()
    joined = {name: parts for name in told if (parts := split_joined(name, table.names))}
    if not joined:
        return table
    gone = {part for parts in joined.values() for part in parts} - {*told}
    names = (*joined, *(name for name in table.names if name not in gone))

    def read(wanted: Collection[str] | None, say: Say) -> Iterator[TableRow]:
        taken = [*dict.fromkeys(names if wanted is None else wanted)]
        needed = [column for name in taken for column in joined.get(name, [name])]
        for place, row in table.read(needed, say):
            made = {name: join(row, parts) for name, parts in joined.items() if name in taken}
            yield place, {**made, **{name: value for name, value in row.items() if name in taken}}

    return table._replace(header=names, names=names, read=read)


def join(row: Mapping[str, Any], parts: Sequence[str]) -> str | None:
    """Return the values of some columns in one; None if one of them is missing."""
    values = [as_text(row.get(part)) for part in parts]
    return BETWEEN.join(values) if all(values) else None


def add_documents(table: Table, path: Path, columns: Columns, documents: Columns) -> Table:
    """Add the texts of documents to the rows about them. They are read when rows are."""
    key = find_column("document_id", columns.roles["document_id"], table.names)
    added = tuple(f"{DOCUMENTS}{role}" for role in TEXTS_OF_DOCUMENTS if role in documents.roles)
    names = (*table.names, *added)
    texts: Callable[[], Mapping[str, Texts]] = cache(lambda: read_texts(path, columns, documents))

    def read(wanted: Collection[str] | None, say: Say) -> Iterator[TableRow]:
        taken = names if wanted is None else wanted
        shown = [name for name in added if name in taken]
        columns: set[str] = set()
        for place, row in table.read([*dict.fromkeys((key, *(name for name in taken if name not in added)))], say):
            if shown:
                document = as_text(row.get(key))
                if document not in texts():
                    place.refuse(f"the document {quote_value(document)} is not among those of the mapping's documents")
                columns.add(document)
                row |= {name: texts()[document].get(name) for name in shown}
            yield place, row if key in taken else {name: value for name, value in row.items() if name != key}
        if shown and (others := len(texts().keys() - columns)):
            say(f"documents of which no row says anything, left out: {others:,}")

    return table._replace(header=names, names=names, read=read)


def read_texts(path: Path, columns: Columns, documents: Columns) -> Mapping[str, Texts]:
    """Read the texts of documents by their ids, with all references of each. Raises `BadRecord`."""
    table = open_table(*find_documents(path, columns, documents))
    roles = documents.find(table.names)
    texts: dict[str, dict[str, Any]] = {}
    places: dict[str, FileLine] = {}
    for place, row in table.read({*roles.values()}, say_nothing):
        document = reading.identifier(place, as_text(row.get(roles["document_id"])), "document_id")
        before = places.setdefault(document, place)
        known = texts.setdefault(document, {})
        for role in TEXTS_OF_DOCUMENTS:
            if role not in roles:
                continue
            name, value = f"{DOCUMENTS}{role}", row.get(roles[role])
            if role == "reference":
                given = value if isinstance(value, list) else [value]
                known.setdefault(name, []).extend(value for value in given if value is not None and value != "")
            elif known.setdefault(name, value) != value:
                place.refuse(f"the {role} of {quote_value(document)} is another one than in {before.beside(place)}")
    return texts
