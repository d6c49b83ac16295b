"""A test set of mt-metrics-eval: a segment for each document, so that each text is one line.

The languages are named `und`, undetermined (ISO 639), as a data set does not name them, and the domain `all`.
References are named `ref1` and so on, and metrics are marked as reading all of them. An import returns the systems in
the order of their names.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from relevance.data.exporters.refusal import CannotBeHeld, refuse
from relevance.data.files import write_whole
from relevance.data.importers.mt_metrics_eval import ALL, NO_TEXT, SEGMENT, SUFFIX
from relevance.data.reading import Say, quote_value
from relevance.data.records import Document, Summary

PAIR = "und-und"
DOMAIN = "all"
OWN_NAME = re.compile(r"ref[0-9]+")
"""The names of references."""
LONGEST = 200
"""The most bytes of a name: a file's may have 255."""
BREAKS = re.compile(r"[\r\n]+")
MARK = "\ufeff"
"""The byte order mark, which may also be the first character of a text."""

Record = tuple[Document, list[Summary]]


def save(records: Sequence[Record], path: Path, say: Say) -> None:
    """Write a folder; line ends in texts become spaces, and the documents with any are counted."""
    for name in (
        "documents",
        "sources",
        "references",
        f"system-outputs/{PAIR}",
        "human-scores",
        f"metric-scores/{PAIR}",
    ):
        (path / name).mkdir(parents=True)
    for document, _ in records:
        if document.id.split() != [document.id]:
            refuse("mt_metrics_eval", document.id, "there is white space in its id")
    write_lines(path / "documents" / f"{PAIR}{SUFFIX}", (f"{DOMAIN} {document.id}" for document, _ in records))
    write_lines(path / "sources" / f"{PAIR}.txt", (in_line(document.source_text) for document, _ in records))
    for number in range(max((len(document.references) for document, _ in records), default=0)):
        people = (document.references for document, _ in records)
        texts = (in_line(texts[number]) if number < len(texts) else NO_TEXT for texts in people)
        write_lines(path / "references" / f"{PAIR}.ref{number + 1}.txt", texts)
    written = [{summary.system: summary for summary in summaries} for _, summaries in records]
    systems = list(dict.fromkeys(system for of_document in written for system in of_document))
    for system in systems:
        check_name(system, in_lines=True)
        outputs = (in_line(summaries[system].text) if system in summaries else NO_TEXT for summaries in written)
        write_lines(path / "system-outputs" / PAIR / f"{system}.txt", outputs)
    save_ratings(written, systems, path / "human-scores")
    if left_out := save_given(written, systems, path / "metric-scores" / PAIR):
        say(f"metrics that lack scores, of which none may be missing, are not written: {', '.join(left_out)}")
    if breaks := sum(has_breaks(document, summaries) for document, summaries in records):
        say(f"documents with line ends in their texts, which became spaces: {breaks}")


def write_lines(file: Path, lines: Iterable[str]) -> None:
    """Write a file with a line for each segment."""
    write_whole(file, marked(f"{line}\n" for line in lines))


def marked(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines after a byte order mark if the first begins with one, as a reader strips one mark."""
    for number, line in enumerate(lines):
        yield f"{MARK}{line}" if number == 0 and line.startswith(MARK) else line


def in_line(text: str) -> str:
    """Return a text as one line. Raises `CannotBeHeld` for the text that marks missing ones."""
    if text == NO_TEXT:
        raise CannotBeHeld(
            f"mt_metrics_eval cannot hold the text {quote_value(text)}, by which it marks texts that were not written"
        )
    return BREAKS.sub(" ", text)


def has_breaks(document: Document, summaries: Iterable[Summary]) -> bool:
    """Tell whether a text of a document has line ends."""
    texts = (document.source_text, *document.references, *(summary.text for summary in summaries))
    return any(BREAKS.search(text) for text in texts)


def check_name(name: str, *, in_lines: bool = False) -> None:
    """Refuse names that no file can have; a system's name also appears in lines. Raises `CannotBeHeld`."""
    if "/" in name or name.startswith(".") or len(name.encode()) > LONGEST:
        raise CannotBeHeld(f"mt_metrics_eval cannot hold the name {quote_value(name)}, which no file can have there")
    if in_lines and (name.split() != [name] or OWN_NAME.fullmatch(name)):
        raise CannotBeHeld(
            f"mt_metrics_eval cannot hold the system {quote_value(name)}: it has white space, or a reference's name"
        )


def save_ratings(written: Sequence[Mapping[str, Summary]], systems: Sequence[str], folder: Path) -> None:
    """Write human ratings: a file for each aspect, with None for missing ones."""
    for aspect in dict.fromkeys(
        aspect for summaries in written for summary in summaries.values() for aspect in summary.human
    ):
        check_name(aspect)
        ratings = {
            system: [summaries[system].human.get(aspect) if system in summaries else None for summaries in written]
            for system in systems
        }
        rated = {system: values for system, values in ratings.items() if any(value is not None for value in values)}
        write_blocks(folder / f"{PAIR}.{aspect}.{SEGMENT}.score", rated)


def save_given(written: Sequence[Mapping[str, Summary]], systems: Sequence[str], folder: Path) -> list[str]:
    """Write scores of metrics, a file for each; return the metrics that lack a score, which are not written."""
    given = [{system: dict(summary.given) for system, summary in summaries.items()} for summaries in written]
    left_out = []
    for metric in dict.fromkeys(
        metric for scores_of_document in given for scores in scores_of_document.values() for metric in scores
    ):
        check_name(metric)
        scores = {system: [scores.get(system, {}).get(metric) for scores in given] for system in systems}
        if any(value is None for values in scores.values() for value in values):
            left_out.append(metric)
        else:
            write_blocks(folder / f"{metric}{ALL}.{SEGMENT}.score", scores)
    return left_out


def write_blocks(file: Path, scores: Mapping[str, Sequence[float | None]]) -> None:
    """Write scores, those of each system together."""
    write_lines(file, (f"{system}\t{value}" for system, values in scores.items() for value in values))
