"""REALSumm as published (Bhandari et al. 2020): statements of a reference that crowd workers find in each summary.

A row of `SCU_rating_results_{abs,ext}_systems/*.csv` is one worker's answer on one summary: `Input.eventId` (the
document), `Input.summaryId` (the system), `Input.summary_text`, up to 16 statements in `Input.statement_N` (the others
are BLANK), and `Answer.SNAnswer`, which is p if statement N is present in the summary and n if it is not.

The published scores (`scores_dicts/*.pkl`) are pickles, which run code when they are opened, so they are not opened. As
`WAYS_OUT` explains, they can be converted to JSON lines, which also have the references and the metrics' scores.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from relevance.data import reading
from relevance.data.importers.delimited import Layout, delimited_rows
from relevance.data.importers.interchange import unseen
from relevance.data.reading import FileLine, Say, say_nothing
from relevance.data.records import BadRecord, Document, Summary

FILES = "*SCU_rating_results_*/*.csv"
SCORES = ".pkl"
FIELDS = {"ref_summ", "system_summaries"}
RECALL = "litepyramid_recall"
"""The rating: the share of a document's statements that most workers find in the summary, in [0, 1]."""
DOCUMENT, SYSTEM, TEXT = "Input.eventId", "Input.summaryId", "Input.summary_text"
STATEMENTS = 16
COLUMNS = (
    *(DOCUMENT, SYSTEM, TEXT),
    *(f"Input.statement_{number}" for number in range(1, STATEMENTS + 1)),
    *(f"Answer.S{number}Answer" for number in range(1, STATEMENTS + 1)),
)
BLANK, PRESENT, ABSENT = "BLANK", "p", "n"
SENTENCE = re.compile(r"\s*<t>\s*(.*?)\s*</t>\s*", re.DOTALL)
"""A sentence in the files of scores."""
KIND = re.compile(r"SCU_rating_results_(.+)_systems")
WAYS_OUT = (
    "a pickle runs code when it is opened, so it is not; import the folder of SCU_rating_results_*, or, if you trust "
    "the file, have Python write it as JSON lines and import these: "
    'python -c "import json, pickle; [print(json.dumps(one, default=float)) for one in '
    "pickle.load(open('abs.pkl', 'rb')).values()]\" > abs.jsonl"
)


@dataclass(slots=True)
class Rated:
    """The rows of one summary."""

    place: FileLine
    """The first of them."""
    text: str
    statements: tuple[str, ...]
    """All 16, including blank ones."""
    present: list[int] = field(default_factory=lambda: [0] * STATEMENTS)
    """The number of workers who find each."""
    workers: int = 0

    @property
    def recall(self) -> float:
        """The share of statements found by more than half of the workers; one found by exactly half is absent.

        LitePyramids' scripts count so, and it gives the published recall of each of the 2,093 summaries in the release
        whose texts are in both its ratings and its scores (except BART, whose two outputs differ).
        """
        stated = [count for count, text in zip(self.present, self.statements, strict=True) if text != BLANK]
        return sum(2 * count > self.workers for count in stated) / len(stated)


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a file of ratings, all below a folder, or JSON lines of the published scores.

    Ratings have neither articles nor references. A system in two folders, as BART is, is named `bart_out (abs)`.
    """
    if path.suffix.lower() == SCORES:
        raise BadRecord(f"{path.name}:1: {WAYS_OUT}")
    if path.is_file() and any(line.startswith("{") for _, line in islice(reading.lines(path), 1)):
        yield from load_scores(path)
        return
    ratings = read_ratings(path)
    kinds: dict[str, set[str]] = {}
    for kind, _, system in ratings:
        kinds.setdefault(system, set()).add(kind)
    documents: dict[str, list[Summary]] = {}
    for (kind, document_id, system), rated in ratings.items():
        name = system if len(kinds[system]) == 1 else f"{system} ({kind})"
        documents.setdefault(document_id, []).append(Summary(document_id, name, rated.text, {RECALL: rated.recall}))
    if twice := sorted(system for system, of in kinds.items() if len(of) > 1):
        say(f"systems in several folders are named after these: {', '.join(twice)}")
    say("the ratings have no articles and no references: metrics that need them have no scores")
    for document_id, summaries in documents.items():
        yield Document(document_id, "", ()), summaries


def is_ratings(file: Path) -> bool:
    """Tell whether a text table is one of ratings."""
    return any(line.startswith(f"{DOCUMENT},{SYSTEM},") for _, line in islice(reading.lines(file), 1))


def read_ratings(path: Path) -> dict[tuple[str, str, str], Rated]:
    """Read workers' answers, by the folder's kind, the document and the system. Raises `BadRecord`."""
    ratings: dict[tuple[str, str, str], Rated] = {}
    for file in [path] if path.is_file() else sorted(path.rglob(FILES)):
        kind = named[1] if (named := KIND.fullmatch(file.parent.name)) else file.parent.name
        for place, row in read_rows(file):
            document_id = reading.identifier(place, row[DOCUMENT], DOCUMENT)
            system = reading.identifier(place, row[SYSTEM], SYSTEM)
            text = reading.summary_text(place, row[TEXT], TEXT)
            statements = tuple(row[f"Input.statement_{number}"] for number in range(1, STATEMENTS + 1))
            if all(statement == BLANK for statement in statements):
                place.refuse("all statements are BLANK")
            rated = ratings.setdefault((kind, document_id, system), Rated(place, text, statements))
            if (rated.place.path, rated.text, rated.statements) != (file, text, statements):
                place.refuse(
                    f"the summary or its statements differ from those of {rated.place}, which are of the same document "
                    "and system"
                )
            rated.workers += 1
            for number in range(STATEMENTS):
                answer = row[f"Answer.S{number + 1}Answer"]
                if answer not in (PRESENT, ABSENT):
                    place.refuse(f"Answer.S{number + 1}Answer must be p or n, not {reading.quote_value(answer)}")
                rated.present[number] += answer == PRESENT
    if not ratings:
        raise BadRecord(f"{path.name}:1: there are no ratings in it; they are in files {FILES}")
    return ratings


def read_rows(file: Path) -> Iterator[tuple[FileLine, dict[str, str]]]:
    """Yield the rows of a file, each with the line that it starts in."""
    rows = delimited_rows(file, Layout(",", quoted=True), say_nothing)
    first = next(rows, None)
    if first is None:
        raise BadRecord(f"{file.name}:1: the file is empty")
    place, header = first
    if missing := [name for name in COLUMNS if header.count(name) != 1]:
        place.refuse(f"there must be one column {missing[0]}")
    for place, values in rows:
        if len(values) != len(header):
            place.refuse(f"{len(values)} fields where the header has {len(header)}")
        yield place, dict(zip(header, values, strict=True))


def load_scores(path: Path) -> Iterator[tuple[Document, list[Summary]]]:
    """Read the published scores as JSON lines: one for each document, with its reference and all summaries."""
    seen: dict[str, FileLine] = {}
    for place, record in reading.read_json_lines(path):
        document_id = unseen(place, reading.require_field(place, record, "doc_id"), seen)
        reference = untag(reading.text(place, reading.require_field(place, record, "ref_summ"), "ref_summ"))
        written = reading.require_field(place, record, "system_summaries")
        if not isinstance(written, dict) or not all(isinstance(item, dict) for item in written.values()):
            place.refuse("system_summaries must be an object of objects")
        summaries: list[Summary] = []
        for name, value in written.items():
            system = reading.identifier(place, name.removesuffix(".txt"), "the system's name")
            if any(summary.system == system for summary in summaries):
                place.refuse(f"the system {reading.quote_value(system)} stands twice")
            text = untag(reading.summary_text(place, reading.require_field(place, value, "system_summary"), "summary"))
            scores = reading.ratings(place, value.get("scores"), "scores")
            human = {RECALL: scores.pop(RECALL)} if RECALL in scores else {}
            summaries.append(Summary(document_id, system, text, human, given=tuple(scores.items())))
        yield Document(document_id, "", (reading.text(place, reference, "ref_summ"),)), summaries


def untag(text: str) -> str:
    """Return a text without the marks of its sentences, which become a line each."""
    sentences = SENTENCE.findall(text)
    return "\n".join(sentences) if sentences and not SENTENCE.sub("", text) else text
