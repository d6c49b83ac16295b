"""Rows of any table: text tables, spreadsheets, Parquet, and JSON whose objects are rows, or hold them."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from relevance.data import reading
from relevance.data.importers import nested
from relevance.data.importers.delimited import TextRow, delimited_rows, find_layout
from relevance.data.importers.mapping import NOTHING, Columns
from relevance.data.importers.sheets import is_spreadsheet, sheet_rows
from relevance.data.importers.spreading import FileRow, flatten, read_json_objects, spread_rows
from relevance.data.importers.templates import parse_steps
from relevance.data.reading import FileLine, Say, quote_value, say_nothing
from relevance.data.records import BadRecord

TableRow = tuple[FileLine, dict[str, Any]]

TEXT_TABLES = (".csv", ".tsv")
"""The endings of text tables, whose header may begin like JSON."""

INSPECTED = 100
"""The number of rows by which columns are told: the fields of objects, and what names do not tell."""


class Table(NamedTuple):
    """A table that can be read more than once."""

    header: tuple[str, ...]
    """The names of its columns as they are, which may be blank or twice the same."""
    names: tuple[str, ...]
    """A name of its own for each column: where it has none, its place from 1."""
    read: Callable[[Collection[str] | None, Say], Iterator[TableRow]]
    """Yields the rows with the values of some columns, or of all; an absent field of an object is absent."""
    delimiter: str | None = None
    """The separator of the columns of a text table."""

    def head(self, count: int = INSPECTED) -> list[dict[str, Any]]:
        """Return the first rows with all columns."""
        return [row for _, row in islice(self.read(None, say_nothing), count)]


def open_single(path: Path, columns: Columns = NOTHING, *, cells: bool = False) -> Table:
    """Find out what columns a file has; with `cells` it is a text table or a spreadsheet. Raises `BadRecord`."""
    sheet = columns.sheet
    if sheet is not None and not is_spreadsheet(path):
        FileLine(path, 1).refuse(f"the file is not a spreadsheet, so it has no sheet {quote_value(sheet)}")
    if columns.rows is not None:
        return open_nested(path, columns.rows)
    if cells or path.suffix.lower() in TEXT_TABLES:
        return open_cells(path, sheet)
    if nested.is_parquet(path):
        header = tuple(nested.column_names(path))
        return Table(
            header, name_columns(header), lambda wanted, _: nested.read_rows(path, header if wanted is None else wanted)
        )
    if not is_spreadsheet(path) and begins_with_object(path):
        fields = (field for _, record in islice(json_rows(path), INSPECTED) for field in record)
        header = tuple(dict.fromkeys(fields))
        return Table(header, header, lambda wanted, _: json_rows(path, wanted))
    return open_cells(path, sheet)


def open_cells(path: Path, sheet: str | None) -> Table:
    """Find out what columns a text table or a spreadsheet has. Raises `BadRecord`."""
    layout = None if is_spreadsheet(path) else find_layout(path)

    def rows(say: Say) -> Iterator[TextRow]:
        return sheet_rows(path, sheet, say) if layout is None else delimited_rows(path, layout, say)

    place, cells = next(rows(say_nothing), (None, []))
    if place is None or cells == [""]:
        raise BadRecord(f"{path.name}:1: the file is empty")
    header = tuple(cells)
    names = name_columns(header)
    delimiter = None if layout is None else layout.delimiter
    return Table(header, names, lambda wanted, say: cell_rows(rows(say), names, wanted), delimiter)


def name_columns(header: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns; a blank one, or one that stands twice, is its place."""
    times = Counter(header)
    return tuple(name if name and times[name] == 1 else str(place) for place, name in enumerate(header, 1))


def cell_rows(rows: Iterator[TextRow], names: Sequence[str], wanted: Collection[str] | None) -> Iterator[TableRow]:
    """Yield the rows of a text table below its header. Raises `BadRecord` for one that is longer or shorter."""
    next(rows, None)
    wanted = set(names if wanted is None else wanted)
    columns = [(name, index) for index, name in enumerate(names) if name in wanted]
    for place, values in rows:
        if len(values) != len(names):
            place.refuse(f"{len(values)} fields where the header has {len(names)}")
        yield place, {name: values[index] for name, index in columns}


def begins_with_object(path: Path) -> bool:
    """Tell whether a file begins like JSON, a list or an object a line."""
    if reading.is_json_list(path):
        return True
    first = next((line for _, line in reading.lines(path) if line.strip()), "")
    return first.lstrip().startswith("{")


def json_rows(path: Path, wanted: Collection[str] | None = None) -> Iterator[TableRow]:
    """Yield the objects of a JSON file as rows (`flatten`), with all fields or those `wanted`."""
    wanted = None if wanted is None else set(wanted)
    for place, record in reading.read_json(path, nan=True):
        row = flatten(record)
        yield place, row if wanted is None else {name: value for name, value in row.items() if name in wanted}


def open_nested(path: Path, template: str) -> Table:
    """Find out what columns the rows have that lie within the objects of a JSON file. Raises `BadRecord`."""
    if nested.is_parquet(path) or is_spreadsheet(path) or not begins_with_object(path):
        FileLine(path, 1).refuse("rows of the mapping say where rows lie within JSON, and the file is not JSON")
    names = tuple(dict.fromkeys(name for _, row in islice(nested_rows(path, template), INSPECTED) for name in row))
    if not names:
        FileLine(path, 1).refuse(f"no row lies at {quote_value(template)}, as rows of the mapping say")
    return Table(names, names, lambda wanted, _: nested_rows(path, template, wanted))


def nested_rows(path: Path, template: str, wanted: Collection[str] | None = None) -> Iterator[TableRow]:
    """Yield the rows that lie within the objects of a JSON file, with all fields or those `wanted`."""
    steps, number = parse_steps(template), 0
    for place, record in read_json_objects(path):
        for keys, row in spread_rows(place, record, steps):
            number += 1
            taken = row if wanted is None else {name: value for name, value in row.items() if name in wanted}
            yield FileRow(path, number, keys), taken


def as_text(value: object) -> str:
    """Return a value as a text table has it, without white space around it.

    >>> as_text(4.0), as_text(" A "), as_text(None)
    ('4', 'A', '')
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None else reading.trim_name(str(value))
