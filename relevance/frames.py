"""Data frames in long form, with a row for each summary, read completely or refused."""

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from relevance.data.cells import Cells
from relevance.data.cleaning import RULES
from relevance.data.foreign_marks import check_marks
from relevance.data.importers import read_documents
from relevance.data.reading import say_nothing, trim_name
from relevance.data.records import Document, Example, Summary, make_examples
from relevance.metrics.notices import find_notices

NEEDED = ("document", "system", "summary")
SIGNATURES = "signatures"
"""The name of a frame's attribute with the signature of each column of scores."""

CLEANED = "cleaned"
"""The name of a frame's attribute with the version of the rules by which its texts were cleaned, if they were."""


class BadFrame(ValueError):
    """A frame cannot be read: the message says which row or column is wrong, and what to do."""


def load(path: str | Path, format: str | None = None, *, clean: bool = False) -> pd.DataFrame:
    """Read a file or folder in any format of `relevance import` into a frame for `score`, a row for each summary.

    - `path`: the file or folder.
    - `format`: its format; by default it is guessed.
    - `clean`: remove the marks of other programs from texts, such as `<q>`, which the signatures of their scores say.

    Returns the columns `document`, `system`, `summary`, `references`, `source`, `title`, and each rating of any
    summary, NaN where it is missing. A data set's questions for APES are left out. What was guessed, left out, counted
    or changed is a warning. Raises `BadRecord`, with file and line, for a bad file, and `BadFrame` for a file without
    summaries.

    >>> from relevance.data.demo import FILE
    >>> frame = load(FILE)
    >>> len(frame), list(frame.columns[:4])
    (96, ['document', 'system', 'summary', 'references'])
    """
    rows = []
    notes: list[str] = []
    for document, summaries in read_documents(Path(path), format, notes.append, clean=clean):
        for summary in summaries:
            texts = {
                "document": document.id,
                "system": summary.system,
                "summary": summary.text,
                "references": list(document.references),
                "source": document.source if isinstance(document.source, str) else list(document.source),
                "title": document.title,
            }
            if taken := [aspect for aspect in summary.human if aspect in texts]:
                raise BadFrame(f"document {document.id!r}: the rating {taken[0]!r} has the name of a column of texts")
            rows.append({**texts, **summary.human})
    if not rows:
        raise BadFrame(f"{path} has documents, but no summaries; add some, for example by `relevance summarize`")
    warn_of_reading(notes)
    frame = pd.DataFrame(rows)
    if clean:
        frame.attrs[CLEANED] = RULES
    return frame


def warn_of_reading(notes: Iterable[str]) -> None:
    """Warn the caller of a function of what reading a file guessed, left out and counted, beside its format."""
    for sentence in notes:
        if not sentence.startswith("format: "):
            warnings.warn(sentence, stacklevel=3)


def require(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    """Refuse a frame that lacks columns. Raises `BadFrame`."""
    if missing := [column for column in columns if column not in frame.columns]:
        has = ", ".join(map(str, frame.columns)) or "none"
        raise BadFrame(f"the frame has no column {', '.join(missing)}; it has {has}. Rename or add the column")


def read_keys(frame: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the document and system of each row, without white space around them.

    Raises `BadFrame` for a repeated pair or a missing name.
    """
    require(frame, ("document", "system"))
    keys: dict[tuple[str, str], int] = {}
    for row, (document, system) in enumerate(zip(frame["document"], frame["system"], strict=True)):
        if any(is_missing(name) or not trim_name(str(name)) for name in (document, system)):
            raise BadFrame(f"row {row} has no document or no system; name both")
        key = trim_name(str(document)), trim_name(str(system))
        if key in keys:
            raise BadFrame(
                f"rows {keys[key]} and {row} are both document {key[0]!r} by system {key[1]!r}; keep one of them"
            )
        keys[key] = row
    return list(keys)


def has_references(frame: pd.DataFrame) -> bool:
    """Tell whether some document of a frame has a reference, or none has a source either. Raises `BadFrame`."""
    if "source" not in frame.columns:
        return True
    return any(_references(value, row) for row, value in enumerate(frame.get("references", ())))


def read_examples(frame: pd.DataFrame, signatures: Iterable[str] = (), *, clean: bool = False) -> list[Example]:
    """Make the examples that metrics score, in the order of the rows; with `clean`, of texts without marks.

    The rows of a document must have the same references, source and title. A reference or title that is itself a
    candidate is withheld, as in `relevance.data.records.make_examples`. Warnings say that, and whatever else makes
    scores by the metrics of these signatures doubtful. Raises `BadFrame`.
    """
    require(frame, NEEDED if "source" in frame.columns else (*NEEDED, "references"))
    keys = read_keys(frame)
    documents: dict[str, Document] = {}
    summaries: dict[str, list[Summary]] = {}
    for row, ((name, system), values) in enumerate(zip(keys, frame.to_dict("records"), strict=True)):
        document = Document(
            name,
            _source(values.get("source"), row),
            _references(values.get("references"), row),
            _text(values.get("title"), row, "title"),
        )
        if documents.setdefault(name, document) != document:
            raise BadFrame(f"row {row}: document {name!r} has other references, source or title than in a row before")
        summary = _text(values["summary"], row, "summary") or ""
        summaries.setdefault(name, []).append(Summary(name, system, summary))
    records = list(
        check_marks(((document, summaries[name]) for name, document in documents.items()), say_nothing, clean=clean)
    )
    for notice in find_notices(records, signatures).values():
        for sentence in notice:
            warnings.warn(sentence, stacklevel=3)
    by_key = {
        (example.document_id, example.system): example
        for document, written in records
        for example in make_examples(document, written)
    }
    return [by_key[key] for key in keys]


def read_cells(frame: pd.DataFrame, human: str | None, metrics: Sequence[str] | None) -> tuple[Cells, dict[str, str]]:
    """Read the sorted columns of scores and, if `human` names one, of ratings; also return the columns by signature.

    `metrics` are the columns of scores, by default those that `score` made. Raises `BadFrame`.
    """
    made: dict[str, str] = frame.attrs.get(SIGNATURES, {})
    names = [name for name in made if name in frame.columns] if metrics is None else list(dict.fromkeys(metrics))
    if not names:
        raise BadFrame("the frame has no scores; make them by `relevance.score`, or name their columns in `metrics`")
    require(frame, names if human is None else (human, *names))
    keys = read_keys(frame)
    labels = {made.get(name, name): name for name in names}
    cells = Cells(
        documents=tuple(document for document, _ in keys),
        systems=tuple(system for _, system in keys),
        ratings={} if human is None else {human: read_numbers(frame, human)},
        scores={signature: read_numbers(frame, name) for signature, name in labels.items()},
    )
    if human is not None and np.isnan(cells.ratings[human]).all():
        raise BadFrame(f"column {human!r} has no ratings")
    return cells.in_order(), labels


def read_numbers(frame: pd.DataFrame, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return a column of a frame as numbers, shape (n,); what is missing is NaN. Raises `BadFrame`."""
    try:
        numbers = pd.to_numeric(frame[name]).to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError) as error:
        raise BadFrame(f"column {name!r} holds something that is not a number: {error}") from None
    if np.isinf(numbers).any():
        raise BadFrame(f"column {name!r} is infinite in row {int(np.flatnonzero(np.isinf(numbers))[0])}")
    return numbers


def is_missing(value: object) -> bool:
    """Tell whether a value of a frame says that there is none."""
    return value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value))


def _text(value: object, row: int, column: str) -> str | None:
    if is_missing(value):
        return None
    if not isinstance(value, str):
        raise BadFrame(f"row {row}: {column} must be a text, not {type(value).__name__}")
    return value


def _source(value: object, row: int) -> str | tuple[str, ...]:
    if isinstance(value, (list, tuple, np.ndarray)):
        if not all(isinstance(sentence, str) for sentence in value):
            raise BadFrame(f"row {row}: source must be a text or a list of sentences")
        return tuple(map(str, value))
    return _text(value, row, "source") or ""


def _references(value: object, row: int) -> tuple[str, ...]:
    if is_missing(value):
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, (list, tuple, np.ndarray)) and all(isinstance(text, str) for text in value):
        return tuple(map(str, value))
    raise BadFrame(f"row {row}: references must be a text or a list of texts")
