"""A test set of mt-metrics-eval: a document a segment, so that each text is one line.

The languages are called `und`, undetermined (ISO 639), as a data set does not name them, and the domain `all`.
References are called `ref1` and so on, and metrics are said to read all of them. An import gives the systems in the
order of their names.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from data.exporters.refusal import CannotBeHeld, refuse
from data.files import write_whole
from data.importers.mt_metrics_eval import ALL, NO_TEXT, SEGMENT, SUFFIX
from data.reading import Say, quote_value
from data.records import Document, Summary

PAIR = "und-und"
DOMAIN = "all"
OWN_NAME = re.compile(r"ref[0-9]+")
"""What references are called."""
LONGEST = 200
"""Bytes of a name: a file's may have 255."""
BREAKS = re.compile(r"[\r\n]+")
MARK = "\ufeff"
"""The byte order mark, which may be the first character of a text, too."""

Record = tuple[Document, list[Summary]]


def save(records: Sequence[Record], path: Path, say: Say) -> None:
    """Write a folder; line ends in texts become spaces, which are counted."""
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
        outputs = (in_line(one[system].text) if system in one else NO_TEXT for one in written)
        write_lines(path / "system-outputs" / PAIR / f"{system}.txt", outputs)
    save_ratings(written, systems, path / "human-scores")
    if left_out := save_given(written, systems, path / "metric-scores" / PAIR):
        say(f"metrics that lack scores, of which none may be missing, are not written: {', '.join(left_out)}")
    if breaks := sum(has_breaks(document, summaries) for document, summaries in records):
        say(f"documents with line ends in their texts, which became spaces: {breaks}")


def write_lines(file: Path, lines: Iterable[str]) -> None:
    """Write a file of a line a segment."""
    write_whole(file, marked(f"{line}\n" for line in lines))


def marked(lines: Iterable[str]) -> Iterator[str]:
    """Lines behind a byte order mark if the first begins with one, of which a reader takes away the first."""
    for number, line in enumerate(lines):
        yield f"{MARK}{line}" if number == 0 and line.startswith(MARK) else line


def in_line(text: str) -> str:
    """A text as one line. Raises `CannotBeHeld` for the one that stands for texts that are not there."""
    if text == NO_TEXT:
        raise CannotBeHeld(
            f"mt_metrics_eval cannot hold the text {quote_value(text)}, which stands there for one that was not written"
        )
    return BREAKS.sub(" ", text)


def has_breaks(document: Document, summaries: Iterable[Summary]) -> bool:
    """Whether a text of a document has line ends."""
    texts = (document.source_text, *document.references, *(summary.text for summary in summaries))
    return any(BREAKS.search(text) for text in texts)


def check_name(name: str, *, in_lines: bool = False) -> None:
    """Refuse what no file may be called; a system's name also stands in lines. Raises `CannotBeHeld`."""
    if "/" in name or name.startswith(".") or len(name.encode()) > LONGEST:
        raise CannotBeHeld(f"mt_metrics_eval cannot hold {quote_value(name)}, by which no file can be called there")
    if in_lines and (name.split() != [name] or OWN_NAME.fullmatch(name)):
        raise CannotBeHeld(
            f"mt_metrics_eval cannot hold the system {quote_value(name)}: it has white space, or a reference's name"
        )


def save_ratings(written: Sequence[Mapping[str, Summary]], systems: Sequence[str], folder: Path) -> None:
    """Write what people say: a file an aspect, with None where they do not."""
    for aspect in dict.fromkeys(aspect for one in written for summary in one.values() for aspect in summary.human):
        check_name(aspect)
        ratings = {
            system: [one[system].human.get(aspect) if system in one else None for one in written] for system in systems
        }
        rated = {system: values for system, values in ratings.items() if any(value is not None for value in values)}
        write_blocks(folder / f"{PAIR}.{aspect}.{SEGMENT}.score", rated)


def rating_of(summary: Summary | None, aspect: str) -> float | None:
    """What people say of a summary, if it is there."""
    return None if summary is None else summary.human.get(aspect)


def save_given(written: Sequence[Mapping[str, Summary]], systems: Sequence[str], folder: Path) -> list[str]:
    """Write what metrics say, a file a metric; those that lack a score are returned and not written."""
    given = [{system: dict(summary.given) for system, summary in one.items()} for one in written]
    left_out = []
    for metric in dict.fromkeys(metric for one in given for scores in one.values() for metric in scores):
        check_name(metric)
        scores = {system: [one.get(system, {}).get(metric) for one in given] for system in systems}
        if any(value is None for values in scores.values() for value in values):
            left_out.append(metric)
        else:
            write_blocks(folder / f"{metric}{ALL}.{SEGMENT}.score", scores)
    return left_out


def write_blocks(file: Path, scores: Mapping[str, Sequence[float | None]]) -> None:
    """Write scores, those of a system together."""
    write_lines(file, (f"{system}\t{value}" for system, values in scores.items() for value in values))
