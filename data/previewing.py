"""A look at a file before it is imported."""

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from relevance.data.importers import JUDGED, read_documents, read_judgments, tell_format
from relevance.data.importers.mapping import Columns
from relevance.data.importers.pairwise import JudgedPairs
from relevance.data.importing import Reading
from relevance.data.one_line import cut
from relevance.data.reading import Say
from relevance.data.records import Document, Summary

ROWS = 5
LONGEST = 40
"""The most characters of a text that are shown."""


class FilePreview(NamedTuple):
    """The beginning of a file, as it would be imported."""

    rows: tuple[dict[str, str], ...]
    """The first judgments, or else summaries, at most `ROWS`, with their texts cut short."""
    columns: Columns | None
    """How the columns of a table are read; None if they have the usual names, or if the file is no table."""
    judgments: int = 0
    pairs: int = 0
    """The numbers of judgments, and of pairs of summaries that they are of."""


def preview_file(path: Path, reading: Reading, say: Say) -> FilePreview:
    """Read all of a file as an import would, and return its beginning. Raises `BadRecord` and `BadColumns`."""
    format, columns, clean = reading
    format = format or tell_format(path, columns, say)
    kept: list[Columns] = []
    if format in JUDGED:
        given = read_judgments(path, format, columns, say, kept.append)
        for note in given.notes:
            say(note)
        pairs = {(one.document_id, frozenset((one.left, one.right))) for one in given.judgments}
        counts = len(given.judgments), len(pairs)
        rows = list_judgments(given)
    else:
        counts = 0, 0
        rows = list_summaries(list(read_documents(path, format, say, columns, clean=clean, keep=kept.append)))
    shown = ({name: cut(text, LONGEST) for name, text in row.items()} for row in rows)
    return FilePreview(tuple(islice(shown, ROWS)), kept[0] if kept else None, *counts)


def list_judgments(given: JudgedPairs) -> Iterable[dict[str, str]]:
    """Yield the judgments of a file with their texts."""
    texts = {(one.document_id, one.system): one.text for _, written in given.records for one in written}
    for one in given.judgments:
        row = {"document": one.document_id}
        for side, system in (("left", one.left), ("right", one.right)):
            row |= {side: system, f"text on the {side}": texts[one.document_id, system]}
        question = {"question": one.question.name} if one.question.name else {}
        yield row | question | {"choice": one.choice, "annotator": one.annotator, "comment": one.comment or ""}


def list_summaries(records: Sequence[tuple[Document, list[Summary]]]) -> Iterable[dict[str, str]]:
    """Yield the summaries of a file with their documents and ratings."""
    for document, written in records:
        texts = {"document": document.id, "source": document.source_text, "reference": "".join(document.references[:1])}
        for one in written:
            ratings = ", ".join(f"{aspect} {value:g}" for aspect, value in one.human.items())
            yield texts | {"system": one.system, "summary": one.text, "ratings": ratings}
