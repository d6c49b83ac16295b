"""The ratings of each annotator as frames: read from files, and set against columns of scores."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from relevance.data.cells import Cells, collect_ratings
from relevance.data.importers import read_documents
from relevance.data.importers.mapping import Columns
from relevance.data.preferences import Preferences, pairs_by_annotator
from relevance.data.reading import trim_name
from relevance.frames import BadFrame, is_missing, read_numbers, require, warn_of_reading

KEYS = ("document", "system", "annotator")


def load_ratings(
    path: str | Path,
    format: str | None = None,
    *,
    columns: dict[str, str] | None = None,
    values: dict[str, str] | None = None,
) -> pd.DataFrame:
    """Read the ratings of each annotator in a file of `relevance import` into a frame for `agreement`.

    - `path`: the file; `load` reads the summaries of the same file, with the means.
    - `format`: its format; by default it is guessed.
    - `columns`: what the columns of a table are, as `--columns` says it.
    - `values`: which numbers the values of ratings mean, as `--values` says it.

    Returns a row for each annotator's ratings of a summary: `document`, `system`, `annotator` (numbered), and a column
    for each aspect, NaN where they gave none. What was guessed and counted is a warning. Raises `BadRecord`, with file
    and line, `BadColumns`, and `BadFrame` for a file that does not say who rated what.

    >>> from tempfile import mkdtemp
    >>> file = Path(mkdtemp()) / "ratings.csv"
    >>> columns = "document,system,summary,annotator,relevance"
    >>> _ = file.write_text(chr(10).join([columns, "It rained all week.,A,It rained.,Zoe,4"]))
    >>> load_ratings(file)[["system", "annotator", "relevance"]].values.tolist()
    [['A', 'annotator 1', 4.0]]
    """
    told = None if columns is None and values is None else Columns(columns or {}, values or {})
    notes: list[str] = []
    rows = [
        {"document": document.id, "system": summary.system, "annotator": name, **ratings}
        for document, summaries in read_documents(Path(path), format, notes.append, told)
        for summary in summaries
        for name, ratings in summary.annotators.items()
    ]
    if not rows:
        raise BadFrame(f"{path} has no ratings of single annotators; name the column that says who by `columns`")
    warn_of_reading(notes)
    return pd.DataFrame(rows)


def read_rated(ratings: pd.DataFrame, human: str, cells: Cells) -> Preferences:
    """Read a frame of each annotator's ratings, in the column `human`, of the summaries of some cells.

    Each pair of summaries that an annotator rated is an entry. Rows without a rating are left out. Raises `BadFrame`
    for a summary that is not among the cells, and for two ratings of one by the same annotator.
    """
    require(ratings, (*KEYS, human))
    places = {key: place for place, key in enumerate(zip(cells.documents, cells.systems, strict=True))}
    given: list[dict[str, dict[str, float]]] = [{} for _ in places]
    columns = (ratings[name].tolist() for name in KEYS)
    for row, (*names, value) in enumerate(zip(*columns, read_numbers(ratings, human).tolist(), strict=True)):
        if any(is_missing(name) or not trim_name(str(name)) for name in names):
            raise BadFrame(f"row {row} of ratings has no document, system or annotator; name all three")
        document, system, annotator = (trim_name(str(name)) for name in names)
        if (document, system) not in places:
            raise BadFrame(f"row {row} of ratings: the frame has no summary of document {document!r} by {system!r}")
        if np.isnan(value):
            continue
        of_summary = given[places[document, system]]
        if annotator in of_summary:
            raise BadFrame(f"row {row} of ratings: {annotator!r} rates document {document!r} by {system!r} twice")
        of_summary[annotator] = {human: value}
    if not any(given):
        raise BadFrame(f"column {human!r} of ratings has no ratings")
    return pairs_by_annotator(replace(cells, single=collect_ratings(given)), human)
