"""Tables (CSV, TSV, spreadsheets): a row per summary, columns `document_id, title, source, reference, system, summary`.

`title` and `source` may be left out, or `reference` where there is a source, and cells of theirs may be blank.
`system` and `summary` may both be blank in a row that only gives a document, `summary` alone if the system wrote
nothing. Instead of these two there may be a column `summary.<system>` for each system, blank if it wrote nothing.
Several references of a document are given in several rows. Human ratings may be given in columns `human.<aspect>`,
blank or such as N/A where there is none, or in rows with a column `aspect`. With a column `annotator` a summary has a
row for each person who rated it; its ratings are their means; instead there may be a column
`human.<aspect>@<annotator>` for each of them. Other columns are skipped and listed. In CSV, a cell loses the
apostrophe that keeps a spreadsheet from running it as a formula (`relevance.data.export`). TSV is read without
quotation marks, unless all of its texts are in them.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from relevance.data import reading
from relevance.data.importers.called import (
    ANNOTATOR,
    ASPECT,
    BY,
    HUMAN,
    NEEDED,
    OPTIONAL,
    REQUIRED,
    WIDE,
    find_missing,
    find_ratings,
)
from relevance.data.importers.given_ratings import Annotated, RatingValues, name_unnamed
from relevance.data.importers.mapping import NOTHING, Columns
from relevance.data.importers.opening import open_table
from relevance.data.importers.rows import TableRow
from relevance.data.reading import FileLine, Say
from relevance.data.records import Document, Summary

OF_ONE_SYSTEM = ("system", "summary")
OTHER_TEXT = ", with another text: name the systems apart, or leave one of the rows out"
SEVERAL = (
    "; if several people rated it, name the column that says who by --columns annotator=COLUMN, or leave COLUMN out if "
    "there is none"
)


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a text table or a spreadsheet whose columns have the expected names."""
    table = open_table(path, cells=True)
    check_columns(FileLine(path, 1), table.header, say)
    return gather(table.read([name for name in table.names if is_taken(name)], say), say)


def load_columns(path: Path, say: Say, columns: Columns, *, cells: bool) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a table with a mapping of its columns, as `read_rows` does."""
    return gather(read_rows(path, say, columns, cells=cells), say, columns)


def read_rows(
    path: Path, say: Say, columns: Columns, *, cells: bool, apart: Collection[str] = ()
) -> Iterator[TableRow]:
    """Yield the rows of a table by the roles of its columns; with `cells` it is a text table or a spreadsheet.

    Roles that stand `apart` are read by somebody else, too. Raises `BadRecord` and `BadColumns`.
    """
    table = open_table(path, columns, cells=cells)
    roles = {column: role for role, column in columns.find(table.names).items()}
    not_read = [f"{name} (not read)" if is_taken(name) else name for name in table.names]
    header = [roles.get(name, other) for name, other in zip(table.names, not_read, strict=True)]
    if columns.system and "summary" in header and "system" not in header:
        header.append("system")  # every row has it
    check_columns(FileLine(path, 1), [name for name in header if name not in apart], say, NEEDED)
    named = ((place, {roles[name]: row.get(name) for name in roles}) for place, row in table.read(roles, say))
    rows = (spread for place, row in named for spread in spread_references(place, row))
    return complete_rows(rows, columns.system or path.stem, columns)


def spread_references(place: FileLine, row: dict[str, Any]) -> Iterator[TableRow]:
    """Yield a row for each of its references; a summary beside another reference of its document gives that."""
    given = row.get("reference")
    if not isinstance(given, list):
        given = [reading.optional_text(place, given, "reference")]
    row["source"] = reading.optional_text(place, row.get("source"), "source")
    for reference in reading.given_texts(place, [value for value in given if value is not None], "reference") or (
        None,
    ):
        yield place, {**row, "reference": reference}


def complete_rows(rows: Iterable[TableRow], system: str, columns: Columns = NOTHING) -> Iterator[TableRow]:
    """Number the documents by their texts and name the system, if the table has no columns for them.

    Where `columns` say that none names the annotators, nobody in particular gave the ratings of each row.
    """
    unnamed = {ANNOTATOR: None} if columns.roles.get(ANNOTATOR) == "" else {}
    numbers: dict[str, str] = {}
    for place, row in rows:
        if "document_id" not in row:
            text = row.get("reference", "") if blank(row.get("source")) else row["source"]
            row["document_id"] = numbers.setdefault(text, str(len(numbers) + 1))
        if "summary" in row:
            row.setdefault("system", system)
        yield place, {**row, **unnamed}


def check_columns(place: FileLine, names: Sequence[str], say: Say, required: Sequence[str] = REQUIRED) -> None:
    """Refuse a table that lacks a column, has one twice or ratings without an aspect; list the skipped columns."""
    times = Counter(names)
    wide = [name for name in times if name.startswith(WIDE)]
    if wide and (other := [name for name in times if name in OF_ONE_SYSTEM or name.startswith(HUMAN)]):
        place.refuse(
            f"the columns {reading.quote_value(wide[0])} and {reading.quote_value(other[0])} do not go together: a "
            "table has a row for each summary, or a column for each system"
        )
    rated = [name for name in times if name.startswith(HUMAN)]
    by_one = [name for name in rated if BY in name]
    if by_one and (other := [name for name in times if name in {ANNOTATOR, ASPECT, *rated} - {*by_one}]):
        place.refuse(
            f"the columns {reading.quote_value(by_one[0])} and {reading.quote_value(other[0])} do not go together: a "
            "table has a row for each annotator, or a column for each"
        )
    if missing := find_missing(times, required):
        needed = [name for name in required if name not in OF_ONE_SYSTEM] if wide else required
        place.refuse(
            f"no column {', '.join(missing)}; needed are {', '.join(needed)} (source and title if any; beside a column "
            f"system, source can stand for reference); there are {list_names(names)}"
        )
    twice = next((name for name in names if name and times[name] > 1), None)
    if twice is not None:
        place.refuse(f"the column {reading.quote_value(twice)} stands twice in the header")
    for name in names:
        if name.startswith(HUMAN):
            for part in name.removeprefix(HUMAN).split(BY):
                reading.identifier(place, part, f"the aspect in the column {reading.quote_value(name)}")
    if other := [name for name in names if not is_taken(name)]:
        say(f"columns passed over: {list_names(other)}")
    if ratings := [*find_ratings(other).values()]:
        say(
            f"no ratings are read from {list_names(ratings)}, which {'holds' if len(ratings) == 1 else 'hold'} other "
            f"values than numbers: say that it is {HUMAN}ASPECT (by --columns, or on the page Data sets), and what "
            "number each value means"
        )


def list_names(names: Sequence[str]) -> str:
    """List the names of columns."""
    return reading.list_some([*map(reading.quote_value, names)])


def is_taken(name: str) -> bool:
    """Tell whether a column of this name is read."""
    return name in (*REQUIRED, *OPTIONAL, ANNOTATOR, ASPECT) or name.startswith((HUMAN, WIDE))


@dataclass
class PartialSummary:
    """A summary assembled from the rows read so far."""

    text: str
    human: dict[str, float] = field(default_factory=dict)
    """Ratings by nobody in particular."""
    annotators: dict[str, dict[str, float]] = field(default_factory=dict)
    places: dict[tuple[str, str | FileLine, str], FileLine] = field(default_factory=dict)
    """The row of each reference, annotator and aspect beside it."""


@dataclass
class PartialDocument:
    """A document assembled from the rows read so far."""

    title: str | None
    source: str
    references: dict[str, None] = field(default_factory=dict)
    summaries: dict[str, PartialSummary] = field(default_factory=dict)


@dataclass
class Gathered:
    """The documents of a table, as its rows are read."""

    values: RatingValues
    annotated: Annotated
    by_annotator: bool
    """True if annotators say something of a summary even without ratings."""
    documents: dict[str, PartialDocument] = field(default_factory=dict)


def gather(
    rows: Iterable[TableRow], say: Say, columns: Columns = NOTHING, *, annotated: Annotated | None = None
) -> Iterator[tuple[Document, list[Summary]]]:
    """Join the rows of each document, in the order of its first row; `columns` say what values of ratings mean.

    With `annotated`, which numbers the annotators, each row is what one of them said, even without ratings.
    """
    gathered = Gathered(RatingValues(columns), annotated or Annotated(), by_annotator=annotated is not None)
    for place, row in rows:
        for summary in spread_row(row):
            for by_one in spread_annotators(summary):
                add_row(place, by_one, gathered)
    gathered.values.check()
    for document_id, partial in gathered.documents.items():
        document = Document(document_id, partial.source, tuple(partial.references), partial.title)
        yield document, [to_summary(document_id, *summary, gathered.annotated) for summary in partial.summaries.items()]
    for sentence in (*gathered.values.describe(), *gathered.annotated.describe()):
        say(sentence)


def to_summary(document_id: str, system: str, partial: PartialSummary, annotated: Annotated) -> Summary:
    """Return a summary with the means of its annotators' ratings."""
    human = annotated.add(partial.annotators) if partial.annotators else partial.human
    return Summary(document_id, system, partial.text, human, annotators=partial.annotators)


def spread_row(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Split a row with the summaries of several systems into one row for each; all blank, it only gives a document."""
    wide = [name for name in row if name.startswith(WIDE)]
    if not wide:
        return [row]
    shared = {name: value for name, value in row.items() if name not in wide}
    if all(blank(row[name]) for name in wide):
        return [{**shared, "system": None, "summary": None}]
    return [{**shared, "system": name.removeprefix(WIDE), "summary": row[name]} for name in wide]


def spread_annotators(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Split a row with a column of ratings for each annotator into one row for each of them."""
    rated = [name for name in row if name.startswith(HUMAN) and BY in name]
    if not rated:
        return [row]
    shared = {name: value for name, value in row.items() if name not in rated}
    people: dict[str, dict[str, Any]] = {}
    for name in rated:
        aspect, _, who = name.partition(BY)
        people.setdefault(who, {})[aspect] = row[name]
    return [{**shared, ANNOTATOR: who, **ratings} for who, ratings in people.items()]


def add_row(place: FileLine, row: dict[str, Any], gathered: Gathered) -> None:
    """Add a row to its document."""
    document_id = reading.identifier(place, row["document_id"], "document_id")
    title = reading.optional_text(place, row.get("title"), "title")
    source = reading.optional_text(place, row.get("source"), "source") or ""
    reference = reading.optional_text(place, row.get("reference"), "reference")
    partial = gathered.documents.setdefault(document_id, PartialDocument(title, source))
    for name, value, known in (("title", title, partial.title), ("source", source, partial.source)):
        if value != known:
            place.refuse(f"the {name} of {reading.quote_value(document_id)} differs from an earlier row's")
    if reference is not None:
        partial.references[reference] = None
    system, text = (None if blank(row[name]) else row[name] for name in ("system", "summary"))
    if system is None and text is None:
        return
    system = reading.identifier(place, system, "system")
    text = reading.summary_text(place, "" if text is None else text, "summary")
    summary = partial.summaries.setdefault(system, PartialSummary(text))
    first = next(iter(summary.places.values()), place)

    def refuse_twice(rated: str = "", by_option: str = "") -> NoReturn:
        named = f"the system {reading.quote_value(system)} stands twice for {reading.quote_value(document_id)}"
        place.refuse(f"{named}, in {first.beside(place)}, too{rated}", by_option)

    if summary.text != text:
        refuse_twice(OTHER_TEXT)
    if not gathered.by_annotator and not any(name.startswith(HUMAN) for name in row):
        row = {name: value for name, value in row.items() if name not in (ANNOTATOR, ASPECT)}
    who = find_annotator(place, row)
    if any(by == who and position is place for (_, by, _), position in summary.places.items()):
        return  # a row with several references
    earlier = summary.places.setdefault((reference or "", who, str(row.get(ASPECT, ""))), place)
    ratings = read_ratings(place, row, gathered.values)
    if ANNOTATOR in row:
        named = None if isinstance(who, FileLine) else who
        same = add_annotated(ratings, named, summary, gathered.annotated)
        if earlier is not place or not same:
            refuse_twice(f", both rated by {reading.quote_value(who)}")
        return
    before = {aspect: summary.human.get(aspect) for aspect in ratings} if ASPECT in row else summary.human
    if first is place or (ASPECT in row and set(before.values()) <= {None}):
        summary.human |= ratings
    elif earlier is not place or before != ratings:
        # the same summary beside another reference gives a reference; anything else twice is a mistake
        refuse_twice(by_option=SEVERAL if ratings else "")  # without ratings there is nobody who gave them


def find_annotator(place: FileLine, row: Mapping[str, Any]) -> str | FileLine:
    """Return what tells whose ratings a row has: a name, the row where none is given, "" if they are nobody's."""
    if ANNOTATOR not in row:
        return ""
    return place if blank(row[ANNOTATOR]) else reading.identifier(place, row[ANNOTATOR], ANNOTATOR)


def read_ratings(place: FileLine, row: Mapping[str, Any], values: RatingValues) -> dict[str, float]:
    """Read the ratings of a row, by aspect; those that are missing are left out. Raises `BadRecord`."""
    ratings = {}
    for name, value in row.items():
        if not name.startswith(HUMAN):
            continue
        aspect = reading.identifier(place, row[ASPECT], ASPECT) if ASPECT in row else name.removeprefix(HUMAN)
        if (rating := values.read(place, value, aspect, name)) is not None:
            ratings[aspect] = rating
    return ratings


def add_annotated(ratings: Mapping[str, float], who: str | None, summary: PartialSummary, annotated: Annotated) -> bool:
    """Add an annotator's ratings of a summary; return False if they gave others, such as beside another reference."""
    if who is not None:
        given = summary.annotators.setdefault(annotated.name(who), {}) if ratings else {}
        return all(given.setdefault(aspect, rating) == rating for aspect, rating in ratings.items())
    for aspect, rating in ratings.items():
        number = sum(aspect in annotator for annotator in summary.annotators.values()) + 1
        summary.annotators.setdefault(name_unnamed(number), {})[aspect] = rating
        annotated.unnamed += 1
    return True


def blank(value: object) -> bool:
    """Tell whether a cell is empty."""
    return value is None or (isinstance(value, str) and not value.strip())
