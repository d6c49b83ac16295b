"""People's choices between two summaries as frames: read from files, and set against columns of scores."""

import warnings
from pathlib import Path
from typing import NoReturn

import numpy as np
import pandas as pd

from relevance.data.cells import Cells
from relevance.data.importers import JUDGED, read_judgments, tell_format
from relevance.data.importers.mapping import SKIP, Columns
from relevance.data.importers.meanings import Meanings, side_of
from relevance.data.importers.pairwise import LEFT, RIGHT
from relevance.data.importers.rows import as_text
from relevance.data.preferences import Preferences, prefer_cells
from relevance.data.reading import FileLine, trim_name
from relevance.frames import BadFrame, is_missing, require

NEEDED = ("document", "left", "right", "choice")


class RowOfChoices(FileLine):
    """A row of a frame of choices, for error messages."""

    def __init__(self, row: int) -> None:
        super().__init__(Path("choices"), row)

    def __str__(self) -> str:
        return f"row {self.line} of choices"

    def refuse(self, problem: str, by_option: str = "") -> NoReturn:
        """Raise `BadFrame` for this row, to which options of the command line are of no help."""
        raise BadFrame(f"{self}: {problem}")


def load_choices(
    path: str | Path,
    format: str | None = None,
    *,
    columns: dict[str, str] | None = None,
    values: dict[str, str] | None = None,
) -> pd.DataFrame:
    """Read the choices of a file in any format of judgments of `relevance import` into a frame for `agreement`.

    - `path`: the file; `load` reads the summaries of the same file, under the same names.
    - `format`: its format; by default it is guessed.
    - `columns`: what the columns of a table are, as `--columns` says it.
    - `values`: what values of a choice mean, as `--values` says it.

    Returns a row for each judgment: `document`, the systems `left` and `right`, `choice` (`left`, `right` or `tie`),
    `annotator` (numbered), `time`, `comment` and `question`. What was guessed, left out and counted is a warning.
    Raises `BadRecord`, with file and line, `BadColumns`, and `BadFrame` for a file without choices.

    >>> from tempfile import mkdtemp
    >>> file = Path(mkdtemp()) / "choices.csv"
    >>> columns = "id,system_a,summary_a,system_b,summary_b,choice,annotator"
    >>> _ = file.write_text(chr(10).join([columns, "d,A,The flood rose.,B,It rained.,a,Zoe"]))
    >>> load_choices(file)[["document", "left", "right", "choice", "annotator"]].values.tolist()
    [['d', 'A', 'B', 'left', 'annotator 1']]
    """
    path = Path(path)
    told = None if columns is None and values is None else Columns(columns or {}, values or {})
    notes: list[str] = []
    format = format or tell_format(path, told, notes.append)
    if format not in JUDGED:
        raise BadFrame(f"{path.name}: a file of {format} has no choices between two summaries")
    judged = read_judgments(path, format, told, notes.append)
    for sentence in (*notes, *judged.notes):
        warnings.warn(sentence, stacklevel=2)
    rows = [
        {
            "document": judgment.document_id,
            "left": judgment.left,
            "right": judgment.right,
            "choice": judgment.choice,
            "annotator": judgment.annotator,
            "time": judgment.decided_at,
            "comment": judgment.comment,
            "question": judgment.question.name,
        }
        for judgment in judged.judgments
    ]
    return pd.DataFrame(rows)


def read_preferences(choices: pd.DataFrame, cells: Cells) -> Preferences:
    """Read a frame of choices between the summaries of some cells.

    `choice` says `left`, `right` or `tie`, in words that `relevance import` knows or as the name of the chosen system;
    without a column `annotator` all choices are by one person. Raises `BadFrame`.
    """
    require(choices, NEEDED)
    places = {key: place for place, key in enumerate(zip(cells.documents, cells.systems, strict=True))}
    meanings = Meanings({}, (LEFT, RIGHT))
    pairs: dict[tuple[int, int], int] = {}
    entries: list[tuple[int, float]] = []
    annotators: list[str | None] = []
    for row, values in enumerate(choices.to_dict("records")):
        place = RowOfChoices(row)
        document, left, right = (name_of(place, values[column], column) for column in NEEDED[:3])
        missing = [system for system in (left, right) if (document, system) not in places]
        if missing:
            place.refuse(f"the frame has no summary of document {document!r} by {missing[0]!r}")
        if left == right:
            place.refuse(f"the system {left!r} is compared with itself")
        choice = None if is_missing(values["choice"]) else values["choice"]
        system = side_of(as_text(choice), (left, right))
        meaning = system or meanings.find(place, choice, ("", ""), ("", ""))
        if not meaning:
            place.refuse(f"the choice {choice!r} is none; say left, right, tie or the name of the chosen system")
        if meaning == SKIP:
            continue
        key = places[document, left], places[document, right]
        sign = {LEFT: 1.0, RIGHT: -1.0}.get(meaning, 0.0)
        if key[::-1] in pairs:
            key, sign = key[::-1], -sign
        entries.append((pairs.setdefault(key, len(pairs)), sign))
        annotators.append("" if is_missing(values.get("annotator")) else str(values["annotator"]))
    if not entries:
        raise BadFrame("the frame of choices has no choices")
    first, second = np.array(list(pairs), dtype=np.intp).T
    pair, signs = np.array(entries, dtype=np.float64).T
    return prefer_cells(cells, first, second, pair.astype(np.intp), signs, annotators)


def name_of(place: RowOfChoices, value: object, column: str) -> str:
    """Return the name of a document or a system. Raises `BadFrame`."""
    if is_missing(value) or not (name := trim_name(str(value))):
        place.refuse(f"{column} is empty")
    return name
