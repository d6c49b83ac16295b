"""Importers: one file a format, each with `load(path, say) -> Iterator[(Document, list[Summary])]`.

Callers use `read_documents`: it guesses the format, and checks what no single line can show. Every error is a
`BadRecord` with file and line; a caller that stores records rolls back on it, so that a file is imported whole or not
at all.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from relevance.data.alike import AlikeNames
from relevance.data.importers import (
    arxiv,
    arxiv_papers,
    cnn_dailymail,
    flat,
    huggingface,
    human_feedback,
    interchange,
    lmarena,
    mt_metrics_eval,
    multi_xscience,
    newsroom,
    parquet,
    question,
    realsumm,
    sacrerouge,
    scisummnet,
    scitldr,
    summeval,
    table,
    tac,
    xsum,
)
from relevance.data.importers.columns import describe_missing, guess_table
from relevance.data.importers.nested import column_names
from relevance.data.importers.pairwise import Read
from relevance.data.importers.table import TableColumns
from relevance.data.marks import check_marks
from relevance.data.own_references import OwnReferences
from relevance.data.reading import Say, quote_value, read_json, say_nothing
from relevance.data.records import BadRecord, Document, Summary

Records = Iterator[tuple[Document, list[Summary]]]

IMPORTERS: dict[str, Callable[[Path, Say], Records]] = {
    "interchange": interchange.load,
    "scitldr": scitldr.load,
    "summeval": summeval.load,
    "csv": table.load_csv,
    "tsv": table.load_tsv,
    "parquet": parquet.load,
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
}
COMPARED: dict[str, Read] = {"lmarena": lmarena.read, "human_feedback": human_feedback.read}
"""The formats with judgments of pairs, which make a study."""
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
DELIMITED = {"csv": ",", "tsv": "\t"}
"""The text tables, with the separator of their columns."""

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
}

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
    ("lmarena", lmarena.FIELDS),
)
"""The formats of JSON, with fields of their records; the first whose fields all occur is taken."""

OF_DOCUMENTS = {"interchange", "scitldr", "newsroom"}
"""The formats with an object for each document, which an object with a summary beside its reference is not."""


def guess_format(path: Path) -> str:
    """Return the format of a file by its ending or, for JSON and Parquet, by its fields.

    A folder is recognized by its files. Raises `BadRecord` if the format cannot be told.
    """
    if path.is_dir():
        return guess_folder(path)
    if path.suffix.lower() == ".csv" and realsumm.is_ratings(path):
        return "realsumm"
    guessed = SUFFIXES.get(path.suffix.lower())
    if guessed == "parquet" and has_battles(path):
        return "lmarena"
    if guessed is not None:
        return guessed
    for place, record in read_json(path, nan=True):
        for format, fields in RECOGNIZED:
            if fields <= record.keys():
                return "json" if format in OF_DOCUMENTS and flat.fits(record) else format
        if flat.fits(record):
            return "json"
        place.refuse(
            "the format cannot be told from the fields "
            f"{', '.join(map(quote_value, list(record)[:8])) or '(none)'}: to be read as a table, the objects lack "
            f"{describe_missing(record) or 'nothing, but they are nested'}; rename fields, or name a format by --format"
        )
    raise BadRecord(f"{path.name}:1: the file is empty")


def has_battles(path: Path) -> bool:
    """Tell whether a Parquet file has LMArena's columns; for a damaged file False, as its importer reports it."""
    try:
        return set(column_names(path)) >= lmarena.FIELDS
    except BadRecord:
        return False


def guess_folder(path: Path) -> str:
    """Return the format of a folder by its files. Raises `BadRecord` if none or several formats match."""
    matching = [format for format, patterns in TOLD_BY.items() if any(any(path.rglob(pattern)) for pattern in patterns)]
    if not matching:
        known = ", ".join(pattern for patterns in TOLD_BY.values() for pattern in patterns)
        raise BadRecord(f"{path}: there is no file in it that an importer reads ({known})")
    if len(matching) > 1:
        raise BadRecord(f"{path}: its files are of the formats {' and '.join(matching)}: name one with --format")
    return matching[0]


def read_documents(
    path: Path,
    format: str | None = None,
    say: Say = say_nothing,
    columns: TableColumns | None = None,
    *,
    clean: bool = False,
) -> Records:
    """Yield the documents of a file with their summaries, checked across the whole file.

    `columns` map the columns of a text table with other names; without them they are guessed. With `clean`, texts lose
    the marks of other programs (`relevance.data.cleaning`), which are only counted and said otherwise.

    Raises `BadRecord` at the first error, possibly after some records were yielded.
    """
    if format is None:
        format = guess_format(path)
        say(f"format: {format} (guessed)")
    if format == LINES:
        raise BadRecord(
            f"{path.name}: a file of lines holds summaries only: import its documents first and then the file under "
            "the same --name, or score it as plain text with -c and -r"
        )
    if format not in IMPORTERS:
        raise BadRecord(f"unknown format {format!r}; known are {', '.join([*IMPORTERS, LINES])}")
    documents = count = unreferenced = 0
    if columns is None and format in DELIMITED:
        columns = guess_table(path, DELIMITED[format], say)
    read = IMPORTERS[format](path, say) if columns is None else table.load_columns(path, columns, say)
    own = OwnReferences()
    alike = AlikeNames()
    for document, summaries in check_marks(read, say, clean=clean):
        documents += 1
        own.add(document, summaries)
        alike.add(document, summaries)
        unreferenced += not document.references
        count += sum(summary.is_empty for summary in summaries)
        yield document, summaries
    if not documents:
        raise BadRecord(f"{path.name}:1: the file holds no documents")
    if count:
        say(empty_summaries(count))
    if 0 < unreferenced < documents:
        lacking = f"{unreferenced:,} of {documents:,} documents {'has' if unreferenced == 1 else 'have'} no reference"
        say(f"{lacking}: metrics that need one have no scores there")
    for sentence in (*own.describe(), *alike.describe()):
        say(sentence)


def empty_summaries(count: int) -> str:
    """Return the message about empty summaries."""
    kept = "1 summary is empty: it is kept" if count == 1 else f"{count} summaries are empty: they are kept"
    return f"{kept} without scores, and no study asks about {'it' if count == 1 else 'them'}"
