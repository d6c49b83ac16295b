"""Importers: one file a format, each with `load(path, say) -> Iterator[(Document, list[Summary])]`.

Callers use `read_documents`: it guesses the format, and checks what no single line can show. Every error is a
`BadRecord` with file and line; a caller that stores records rolls back on it, so that a file is imported whole or not
at all.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from relevance.data.alike import AlikeNames
from relevance.data.foreign_marks import check_marks
from relevance.data.importers import (
    arxiv,
    arxiv_papers,
    choices,
    cnn_dailymail,
    flat,
    huggingface,
    human_feedback,
    interchange,
    lmarena,
    mt_metrics_eval,
    multi_xscience,
    newsroom,
    parquet_table,
    question,
    ranks,
    realsumm,
    sacrerouge,
    scisummnet,
    scitldr,
    summeval,
    table,
    tac,
    xsum,
)
from relevance.data.importers.called import describe_missing
from relevance.data.importers.choice_columns import fits as fits_choices
from relevance.data.importers.columns import complete_columns, guess_table
from relevance.data.importers.described import DESCRIPTIONS, recognize
from relevance.data.importers.mapping import BadColumns, Columns, Keep, keep_nothing
from relevance.data.importers.opening import list_files, open_table
from relevance.data.importers.pairwise import JudgedPairs, Read, read_judged
from relevance.data.importers.rank_columns import fits as fits_ranks
from relevance.data.importers.rows import Table, begins_with_object
from relevance.data.importers.spreading import is_whole_object
from relevance.data.own_references import OwnReferences
from relevance.data.plugins import Registry, check_callable, describe, held_apart
from relevance.data.reading import SPREADSHEETS, FileLine, Say, quote_value, read_json, say_nothing
from relevance.data.records import BadRecord, Document, Summary
from relevance.data.suspicious import SuspiciousSummaries

Records = Iterator[tuple[Document, list[Summary]]]

Importer = Callable[[Path, Say], Records]

OURS: dict[str, Importer] = {
    "interchange": interchange.load,
    "scitldr": scitldr.load,
    "summeval": summeval.load,
    "csv": table.load,
    "tsv": table.load,
    "spreadsheet": table.load,
    "parquet": parquet_table.load,
    "json": flat.load,
    "question": question.load,
    "cnn_dailymail": cnn_dailymail.load,
    "xsum": xsum.load,
    "scisummnet": scisummnet.load,
    "newsroom": newsroom.load,
    "arxiv": arxiv.load,
    "arxiv_papers": arxiv_papers.load,
    "multi_xscience": multi_xscience.load,
    "huggingface": huggingface.load,
    "realsumm": realsumm.load,
    "tac": tac.load,
    "sacrerouge": sacrerouge.load,
    "mt_metrics_eval": mt_metrics_eval.load,
    "lmarena": lmarena.load,
    "human_feedback": human_feedback.load,
    "choices": choices.load,
    "ranks": ranks.load,
    **{format: partial(choices.load, format=format) for format in DESCRIPTIONS},
}


def check_importer(name: str, loaded: object) -> Importer:
    """Return a package's importer; its errors become those of a file. Raises ValueError if it is not a function."""
    load = check_callable(name, loaded)

    def read(path: Path, say: Say) -> Records:
        try:
            with held_apart():
                records = iter(load(path, say))
            while record := read_next(records):
                yield from record
        except BadRecord:
            raise
        except Exception as error:  # whatever the code of others does
            raise BadRecord(f"{path.name}: the format {name} cannot read it: {describe(error)}") from error

    return read


def read_next(records: Iterator[tuple[Document, Iterable[Summary]]]) -> list[tuple[Document, list[Summary]]]:
    """Return the next of somebody else's records; none after the last one. Raises what their code raises."""
    with held_apart():  # only while a record is read: code that runs between two records is the caller's
        return [(document, list(summaries)) for document, summaries in islice(records, 1)]


IMPORTERS = Registry(OURS, "relevance.importers", check_importer)
"""All formats by name: ours, and those that installed packages bring."""
COMPARED: dict[str, Read] = {
    "lmarena": lmarena.read,
    "human_feedback": human_feedback.read,
    "choices": choices.read,
    **{format: partial(choices.read, format=format) for format in DESCRIPTIONS},
}
"""The formats whose records are comparisons of two texts."""
FOLDERS = {
    "question": (f"*{question.SUFFIX}",),
    "cnn_dailymail": (f"*{cnn_dailymail.SUFFIX}",),
    "xsum": (f"*{xsum.SUFFIX}",),
    "scisummnet": (f"{scisummnet.XML}/*.xml", f"*{scisummnet.SUMMARY}"),
    "arxiv_papers": (arxiv_papers.TABLE, f"*{arxiv_papers.SUFFIX}"),
    "huggingface": (f"*{huggingface.SUFFIX}",),
    "realsumm": (realsumm.FILES,),
    "tac": tac.FILES,
    "sacrerouge": (f"*{sacrerouge.SUFFIX}",),
    "mt_metrics_eval": mt_metrics_eval.FILES,
}
"""The formats that may be folders, with patterns of the files that are read in them."""
TOLD_BY = FOLDERS | {
    "arxiv_papers": (arxiv_papers.TABLE,),
    "tac": (tac.JUDGED,),
    "sacrerouge": sacrerouge.TOLD_BY,
    "mt_metrics_eval": (mt_metrics_eval.DOCUMENTS,),
}
"""The files by which a folder is recognized, by format."""
RANKS = "ranks"
"""The tables of ranks, and of the best and the worst."""
JUDGED = (*COMPARED, RANKS)
"""The formats with judgments of pairs, which make a study."""
TABLES: dict[str, str | None] = {"csv": ",", "tsv": "\t", "spreadsheet": None}
"""The tables whose columns are guessed, with what usually separates them in text tables."""
OF_CHOICES = ("choices", *DESCRIPTIONS)
"""The tables whose rows are choices, people's own and those of other programs."""
MAPPED = (*TABLES, "parquet", "json", *OF_CHOICES, RANKS)
"""The formats whose columns may be said."""

LINES = "lines"
"""The format that adds a system to a data set: a summary a line (`relevance.data.importers.lines`)."""

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    question.SUFFIX: "question",
    cnn_dailymail.SUFFIX: "cnn_dailymail",
    xsum.SUFFIX: "xsum",
    huggingface.SUFFIX: "huggingface",
    realsumm.SCORES: "realsumm",
    mt_metrics_eval.SUFFIX: "mt_metrics_eval",
    ".hypo": LINES,
    ".txt": LINES,
} | dict.fromkeys(SPREADSHEETS, "spreadsheet")

RECOGNIZED: tuple[tuple[str, set[str]], ...] = (
    ("summeval", {"decoded", "model_id"}),
    ("scitldr", {"target", "source"}),
    ("human_feedback", human_feedback.FIELDS),
    ("sacrerouge", sacrerouge.INSTANCE),
    ("sacrerouge", sacrerouge.METRICS),
    ("interchange", {"references"}),
    ("interchange", {"summaries"}),
    ("multi_xscience", multi_xscience.FIELDS),
    ("arxiv", arxiv.FIELDS),
    ("newsroom", newsroom.FIELDS),
    ("realsumm", realsumm.FIELDS),
    ("lmarena", lmarena.FIELDS | {"conversation_a"}),
    *((format, set(description.fields)) for format, description in DESCRIPTIONS.items()),
)
"""The formats of JSON, with fields of their records; the first whose fields all occur is taken."""

OF_DOCUMENTS = {"interchange", "scitldr", "newsroom"}
"""The formats with an object for each document, which an object with a summary beside its reference is not."""


def guess_format(path: Path, columns: Columns | None = None) -> str:
    """Return the format of a file by its ending or, for tables and JSON, by its fields; or by `columns` that are said.

    A folder is recognized by its files. Raises `BadRecord` if the format cannot be told.
    """
    if columns is not None:
        return guess_told(path, columns)
    if path.is_dir():
        return guess_folder(path)
    guessed = SUFFIXES.get(path.suffix.lower())
    if guessed in MAPPED:
        return guess_table_format(path, guessed)
    return guess_json(path) if guessed is None else guessed


def tell_format(path: Path, columns: Columns | None, say: Say) -> str:
    """Guess the format of a file, and say it. Raises `BadRecord`."""
    format = guess_format(path, columns)
    say(f"format: {format} (guessed)")
    return format


def guess_told(path: Path, columns: Columns) -> str:
    """Return the format of a table about whose columns something was said."""
    names = open_table(path, columns).names
    if columns.of_ranks:
        return RANKS
    if not columns.of_summaries and (format := recognize(names)):
        return format
    told = columns.find(names)
    if columns.of_choices or (not columns.of_summaries and fits_choices(set(names) - set(told.values()))):
        return "choices"
    first = list_files(path, columns)[0]
    ending = SUFFIXES.get(first.suffix.lower())
    return ending if ending in MAPPED else "json" if begins_with_object(first) else "csv"


def guess_table_format(path: Path, ending: str) -> str:
    """Return the format of a table by its columns; `ending` is what its ending says."""
    if ending == "csv" and realsumm.is_ratings(path):
        return "realsumm"
    try:
        table = open_table(path)
        if ending == "parquet" and set(table.names) >= lmarena.FIELDS | {"conversation_a"}:
            return "lmarena"
        known = recognize(table.names)
        return known or tell_judged(table) or ending
    except BadRecord:
        return ending  # its importer reports the damage


def guess_json(path: Path) -> str:
    """Return the format of a JSON file by the fields of its first object. Raises `BadRecord` if it cannot be told."""
    if is_whole_object(path):
        FileLine(path, 1).refuse(
            "the file is one JSON object in several lines: write a list of objects, or each in a line of its own",
            "; or say where rows lie within it, by rows in a mapping (import --columns FILE)",
        )
    for place, record in read_json(path, nan=True):
        known = next((format for format, fields in RECOGNIZED if fields <= record.keys()), None)
        if known is not None and known not in OF_DOCUMENTS:
            return known
        if row := tell_json(path) or ("json" if flat.fits(record) else known):
            return row
        place.refuse(
            "the format cannot be told from the fields "
            f"{', '.join(map(quote_value, list(record)[:8])) or '(none)'}: to be read as a table, the objects lack "
            f"{describe_missing(record) or 'nothing, but they are nested'}",
            "; say which field is what by --columns, or where the rows lie by a mapping's rows, or name a --format",
        )
    raise BadRecord(f"{path.name}:1: the file is empty")


def tell_json(path: Path) -> str | None:
    """Return the format of a JSON file whose objects are judgments; an error is told when they are read."""
    try:
        return tell_judged(open_table(path))
    except BadRecord:
        return None


def tell_judged(table: Table) -> str | None:
    """Return the format of a table of choices or ranks; None for another."""
    rows = table.head()
    if fits_ranks(table.names, rows):
        return RANKS
    return "choices" if fits_choices(table.names, rows) else None


def guess_folder(path: Path) -> str:
    """Return the format of a folder by its files. Raises `BadRecord` if none or several formats match."""
    matching = [format for format, patterns in TOLD_BY.items() if any(any(path.rglob(pattern)) for pattern in patterns)]
    if not matching:
        known = ", ".join(pattern for patterns in TOLD_BY.values() for pattern in patterns)
        raise BadRecord(f"{path}: there is no file in it that an importer reads ({known})")
    if len(matching) > 1:
        raise BadRecord(f"{path}: its files are of the formats {' and '.join(matching)}", ": name one with --format")
    return matching[0]


def read_documents(
    path: Path,
    format: str | None = None,
    say: Say = say_nothing,
    columns: Columns | None = None,
    *,
    clean: bool = False,
    keep: Keep = keep_nothing,
) -> Records:
    """Yield the documents of a file with their summaries, checked across the whole file.

    `columns` say what the columns of a table are; without them they are guessed. With `clean`, texts lose the marks of
    other programs (`relevance.data.cleaning`), which are only counted and said otherwise. `keep` gets the columns as
    they are read.

    Raises `BadRecord` at the first error, possibly after some records were yielded, and `BadColumns`.
    """
    format = format or tell_format(path, columns, say)
    if format == LINES:
        raise BadRecord(
            f"{path.name}: a file of lines holds summaries only: import its documents first and then the file under "
            "the same --name, or score it as plain text with -c and -r"
        )
    if format not in IMPORTERS:
        why = IMPORTERS.tell_why(format)
        raise BadRecord(f"unknown format {format!r}{why}; known are {', '.join([*IMPORTERS, LINES])}")
    documents = count = unreferenced = sources = 0
    read = find_reader(format, columns, keep)(path, say)
    own, alike, suspicious = OwnReferences(), AlikeNames(), SuspiciousSummaries()
    for document, summaries in check_marks(read, say, clean=clean):
        documents += 1
        own.add(document, summaries)
        alike.add(document, summaries)
        suspicious.add(document, summaries)
        unreferenced += not document.references
        sources += bool(document.source_text.strip())
        count += sum(summary.is_empty for summary in summaries)
        yield document, summaries
    if not documents:
        raise BadRecord(f"{path.name}:1: the file holds no documents")
    if count:
        say(empty_summaries(count))
    if unreferenced == documents and sources:
        say("no document has a reference: metrics set summaries against the sources")
    elif 0 < unreferenced < documents:
        lacking = f"{unreferenced:,} of {documents:,} documents {'has' if unreferenced == 1 else 'have'} no reference"
        say(f"{lacking}: metrics that need one have no scores there")
    for sentence in (*own.describe(), *alike.describe(), *suspicious.describe()):
        say(sentence)


def find_reader(format: str, columns: Columns | None, keep: Keep) -> Callable[[Path, Say], Records]:
    """Return the function that reads a format with the columns that somebody said, or with those that are guessed.

    Raises `BadColumns` for a format that has no columns.
    """
    if columns is not None and format not in MAPPED:
        raise BadColumns(
            f"--columns goes with a table, and a file of {format} is not one; tables are {', '.join(MAPPED)}"
        )
    if format in OF_CHOICES:
        return partial(choices.load, columns=columns, keep=keep, format=format)
    if format == RANKS:
        return partial(ranks.load, columns=columns, keep=keep)
    if columns is None and format not in (*TABLES, "parquet"):
        return IMPORTERS[format]
    return partial(load_table, format=format, columns=columns, keep=keep)


def read_judgments(
    path: Path, format: str, columns: Columns | None, say: Say, keep: Keep = keep_nothing
) -> JudgedPairs:
    """Read the judgments of pairs in a file, whose columns somebody may have said. Raises `BadRecord`, `BadColumns`."""
    if format == RANKS:
        return ranks.read_ranks(path, say, columns, keep)
    return read_judged(find_comparisons(format, columns, keep), path, say)


def find_comparisons(format: str, columns: Columns | None, keep: Keep) -> Read:
    """Return the function that reads the comparisons of a format. Raises `BadColumns` where it has no columns."""
    if format in OF_CHOICES:
        return partial(choices.read, columns=columns, keep=keep, format=format)
    if columns is not None:
        raise BadColumns(f"a file of {format} has its own columns; leave out --columns")
    return COMPARED[format]


def load_table(path: Path, say: Say, format: str, columns: Columns | None, keep: Keep) -> Records:
    """Read a table by what somebody said of its columns and by what is guessed where they have not the usual names."""
    cells = format in TABLES
    if columns is None:
        read_as = guess_table(path, TABLES.get(format), say, cells=cells)
    else:
        read_as = complete_columns(path, columns, say, cells=cells)
    if read_as is None:
        return IMPORTERS[format](path, say)
    keep(read_as)
    return table.load_columns(path, say, read_as, cells=cells)


def empty_summaries(count: int) -> str:
    """Return the message about empty summaries."""
    kept = "1 summary is empty: it is kept" if count == 1 else f"{count} summaries are empty: they are kept"
    return f"{kept} without scores, and no study asks about {'it' if count == 1 else 'them'}"
