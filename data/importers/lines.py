"""One summary a line (`.hypo`, `.txt`): a system's outputs in the order of an imported data set's documents."""

from collections.abc import Sequence
from pathlib import Path

from relevance.data import reading
from relevance.data.records import BadRecord, Document, Summary


def load(path: Path, documents: Sequence[Document], system: str) -> list[Summary]:
    """Join a file to documents by line order; a blank line is an empty summary.

    Raises `BadRecord` for a wrong number of lines.
    """
    texts = read_summaries(path)
    if len(texts) != len(documents):
        raise BadRecord(
            f"{path.name}:{len(texts)}: the file has {len(texts)} lines, the data set {len(documents)} documents; "
            "they are joined by line order and must be as many"
        )
    return [Summary(d.id, system, text) for d, text in zip(documents, texts, strict=True)]


def read_summaries(path: Path) -> list[str]:
    """Read a file's lines as summaries, which may be empty."""
    return [reading.summary_text(place, line, "the summary") for place, line in reading.lines(path)]


def read_lines(path: Path, name: str) -> list[str]:
    """Read a file's lines as texts, none of them blank."""
    return [reading.text(place, line, f"the {name}") for place, line in reading.lines(path)]


def parallel(
    candidates: Path, references: Sequence[Path], sources: Path | None = None, titles: Path | None = None
) -> list[tuple[Document, list[Summary]]]:
    """Make documents from plain text files joined line by line, as `bert-score` and files2rouge take them.

    The system is named after the file of candidates, documents by their line. Raises `BadRecord` for a blank line in
    any file but that of candidates, and for different numbers of lines.
    """
    texts = read_summaries(candidates)
    columns = [read_lines(path, "reference") for path in references]
    source_lines = read_lines(sources, "source") if sources else [""] * len(texts)
    title_lines: list[str] | list[None] = read_lines(titles, "title") if titles else [None] * len(texts)
    others = [*references, *(path for path in (sources, titles) if path is not None)]
    counts = [*map(len, columns), *([len(source_lines)] if sources else []), *([len(title_lines)] if titles else [])]
    for path, count in zip(others, counts, strict=True):
        if count != len(texts):
            raise BadRecord(
                f"{path.name}:{min(count, len(texts)) + 1}: {path.name} has {count} lines, {candidates.name} "
                f"{len(texts)}; they belong together line by line and must be as many"
            )
    if not texts:
        raise BadRecord(f"{candidates.name}:1: the file is empty")
    return [
        (
            Document(str(number), source, tuple(column[number - 1] for column in columns), title),
            [Summary(str(number), candidates.stem, text)],
        )
        for number, (text, source, title) in enumerate(zip(texts, source_lines, title_lines, strict=True), 1)
    ]
