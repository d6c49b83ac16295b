"""A look at a file before it is imported, for the command `import --preview` and the page Data sets."""

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from relevance.data.foreign_marks import check_marks
from relevance.data.importers import JUDGED, read_documents, read_judgments, tell_format
from relevance.data.importers.mapping import Columns
from relevance.data.importers.pairwise import GivenJudgment
from relevance.data.importing import Reading
from relevance.data.one_line import cut
from relevance.data.reading import Say
from relevance.data.records import Document, Summary

ROWS = 5
LONGEST = 40
"""The most characters of a text that are shown."""


class FilePreview(NamedTuple):
    """The data set and study that a file would be imported as."""

    rows: tuple[dict[str, str], ...]
    """The first judgments, or else summaries, at most `ROWS`, with their texts cut short."""
    columns: Columns | None
    """How the columns of a table are read; None if they have the usual names, or if the file is not a table."""
    documents: int
    summaries: int
    systems: tuple[str, ...]
    aspects: tuple[str, ...]
    """The aspects that summaries are rated on."""
    has_texts: bool
    """False if all summaries are empty, so that no metric can score them."""
    single: int
    """Documents with fewer than two texts, counting references and the title."""
    judgments: int = 0
    pairs: int = 0
    """The numbers of judgments, and of pairs of summaries that they are of."""
    annotators: int = 0
    questions: tuple[str, ...] = ()
    """The names of the questions, each of which becomes a study of its own; a single one may have the name ""."""


def preview_file(path: Path, reading: Reading, say: Say) -> FilePreview:
    """Read all of a file as an import would, and describe it. Raises `BadRecord` and `BadColumns`."""
    format, columns, clean = reading
    format = format or tell_format(path, columns, say)
    kept: list[Columns] = []
    judgments: Sequence[GivenJudgment] = ()
    if format in JUDGED:
        given = read_judgments(path, format, columns, say, kept.append)
        for note in given.notes:
            say(note)
        judgments = given.judgments
        records = list(check_marks(given.records, say, clean=clean))
    else:
        records = list(read_documents(path, format, say, columns, clean=clean, keep=kept.append))
    summaries = [summary for _, written in records for summary in written]
    rows = list_judgments(judgments, summaries) if format in JUDGED else list_summaries(records)
    return FilePreview(
        tuple(islice(({name: cut(text, LONGEST) for name, text in row.items()} for row in rows), ROWS)),
        kept[0] if kept else None,
        len(records),
        len(summaries),
        tuple(dict.fromkeys(summary.system for summary in summaries)),
        tuple(dict.fromkeys(aspect for summary in summaries for aspect in summary.human)),
        not all(summary.is_empty for summary in summaries),
        sum(len(document.references) + (document.title is not None) < 2 for document, _ in records),
        len(judgments),
        len({(judgment.document_id, frozenset((judgment.left, judgment.right))) for judgment in judgments}),
        len({judgment.annotator for judgment in judgments}),
        tuple(dict.fromkeys(judgment.question.name for judgment in judgments)),
    )


def list_judgments(judgments: Iterable[GivenJudgment], summaries: Iterable[Summary]) -> Iterable[dict[str, str]]:
    """Yield the judgments of a file with their texts."""
    texts = {(summary.document_id, summary.system): summary.text for summary in summaries}
    for judgment in judgments:
        row = {"document": judgment.document_id}
        for side, system in (("left", judgment.left), ("right", judgment.right)):
            row |= {side: system, f"text on the {side}": texts[judgment.document_id, system]}
        question = {"question": judgment.question.name} if judgment.question.name else {}
        yield (
            row
            | question
            | {"choice": judgment.choice, "annotator": judgment.annotator, "comment": judgment.comment or ""}
        )


def list_summaries(records: Sequence[tuple[Document, list[Summary]]]) -> Iterable[dict[str, str]]:
    """Yield the summaries of a file with their documents and ratings; a document without any makes a row, too."""
    for document, written in records:
        texts = {"document": document.id, "source": document.source_text, "reference": "".join(document.references[:1])}
        for summary in written or [Summary(document.id, "", "")]:
            ratings = ", ".join(f"{aspect} {value:g}" for aspect, value in summary.human.items())
            yield texts | {"system": summary.system, "summary": summary.text, "ratings": ratings}
