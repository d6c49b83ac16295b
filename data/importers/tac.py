"""Guided summarization of TAC 2010 and 2011 as NIST gives it to participants, with the scores of AESOP, if any.

    ROUGE/models/D1001-A.M.100.A.B    the summary of document set D1001-A by person B, under assessor A
    ROUGE/peers/D1001-A.M.100.A.1     its summary by system 1
    manual/manual.peer.A              assessors' ratings of the systems' summaries of the sets A
    manual/manual.model.A             and of the human ones
    aesop_allpeers_A                  scores of both by the metrics of the AESOP task

Columns are those that SacreROUGE's setup of TAC 2010 reads; NIST describes them beside the files.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from relevance.data.importers.given_ratings import parse_number
from relevance.data.reading import FileLine, Say, identifier, lines, quote_value
from relevance.data.records import BadRecord, Document, Summary
from relevance.data.sorting import natural_order

MODELS, PEERS = "ROUGE/models/*", "ROUGE/peers/*"
JUDGED, JUDGED_MODELS, AESOP = "manual.peer.?", "manual.model.?", "aesop_allpeers_?"
FILES = (JUDGED, MODELS, PEERS, AESOP)
"""All files that are read in a folder; the first tells the format."""
PARTS = 5
"""The number of parts of a summary file's name, between dots: document set, letter, words, assessor, writer."""
RATED = {"pyramid": 2, "linguistic_quality": 8, "responsiveness": 9}
"""The column of each rating in `manual.peer`; the pyramid score is the modified one."""
COLUMNS = 10
HEADS = 2
"""The number of AESOP's columns before the scores: system and document set."""
MISSING = "NaN"

Key = tuple[str, str]
"""A document set and a system."""


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read the folder of a year: a document for each document set, without its articles, which NIST gives elsewhere.

    References are the human summaries. Assessors' ratings of these are skipped, as a human summary imported as a system
    could not be a reference. Scores of AESOP are named `aesop-1` and so on, by the metrics' numbers.
    """
    references = read_texts(path, MODELS)
    written = read_texts(path, PEERS)
    if not references or not written:
        raise BadRecord(f"{path}: there must be summaries in {MODELS} and {PEERS} below it")
    ratings = read_ratings(path, written)
    scores = read_scores(path, written, references)
    if people := sum(1 for file in find_files(path, JUDGED_MODELS) for _, line in lines(file) if line.strip()):
        say(f"human summaries whose ratings and scores are skipped, as they are references: {people}")
    say("the document sets have no articles: annotators will see summaries only")
    for name in sorted(written):
        if name not in references:
            raise BadRecord(f"{path}: {name} has summaries in ROUGE/peers, but none in ROUGE/models")
        summaries = [
            Summary(name, system, text, ratings.get((name, system), {}), given=scores.get((name, system), ()))
            for system, text in sorted(written[name].items(), key=lambda item: natural_order(item[0]))
        ]
        texts = tuple(text for _, text in sorted(references[name].items()) if text.strip())
        yield Document(name, "", texts), summaries


def find_files(path: Path, pattern: str) -> list[Path]:
    """List the files below a folder that match, sorted."""
    return sorted(file for file in path.rglob(pattern) if file.is_file())


def read_texts(path: Path, pattern: str) -> dict[str, dict[str, str]]:
    """Read summaries, by document set and writer. Raises `BadRecord`."""
    texts: dict[str, dict[str, str]] = {}
    for file in find_files(path, pattern):
        place = FileLine(file, 1)
        parts = file.name.split(".")
        if len(parts) != PARTS:
            place.refuse(
                f"the name of a summary's file must have {PARTS} parts, as D1001-A.M.100.A.1 has, not {len(parts)}"
            )
        name, who = identifier(place, parts[0], "the document set"), identifier(place, parts[-1], "the system's name")
        if who in texts.setdefault(name, {}):
            place.refuse(f"there is another summary of {name} by {who}; import one year and task at a time")
        texts[name][who] = "\n".join(line for _, line in lines(file)).strip()
    return texts


def read_ratings(path: Path, written: Mapping[str, Mapping[str, str]]) -> dict[Key, dict[str, float]]:
    """Read assessors' ratings of systems' summaries. Raises `BadRecord`."""
    ratings: dict[Key, dict[str, float]] = {}
    files = find_files(path, JUDGED)
    if not files:
        raise BadRecord(f"{path}: there is no file {JUDGED} of ratings below it")
    for file in files:
        for place, line in lines(file):
            columns = line.split()
            if not columns:
                continue
            if len(columns) < COLUMNS:
                place.refuse(f"each line must have {COLUMNS} columns, but this one has {len(columns)}")
            key = columns[0], columns[1]
            if key[1] not in written.get(key[0], {}):
                place.refuse(f"there is no summary of {quote_value(key[0])} by {quote_value(key[1])}")
            if key in ratings:
                place.refuse(f"the summary of {quote_value(key[0])} by {quote_value(key[1])} is rated twice")
            ratings[key] = {aspect: parse_number(place, columns[at], aspect) for aspect, at in RATED.items()}
    return ratings


def read_scores(
    path: Path, written: Mapping[str, Mapping[str, str]], references: Mapping[str, Mapping[str, str]]
) -> dict[Key, tuple[tuple[str, float], ...]]:
    """Read AESOP's scores of systems' summaries: lines of `s1 d1` and a number for each metric, after a heading.

    Raises `BadRecord`.
    """
    scores: dict[Key, tuple[tuple[str, float], ...]] = {}
    for file in find_files(path, AESOP):
        names = number_sets(FileLine(file, 1), written, file.name[-1])
        width = 0
        for place, line in lines(file):
            columns = line.split()
            if place.line == 1:
                width = len(columns)
            if place.line == 1 or not columns:
                continue
            if len(columns) != width or width < HEADS:
                place.refuse(f"{len(columns)} columns where the heading has {width}, with system and topic")
            system, number = columns[0].removeprefix("s"), columns[1].removeprefix("d")
            name = names.get(number.lstrip("0"))
            if name is None:
                place.refuse(f"there are no summaries of the document set {quote_value(columns[1])}")
            if system not in written[name] and system not in references.get(name, {}):
                place.refuse(f"there is no summary of {quote_value(name)} by {quote_value(system)}")
            if (name, system) in scores:
                place.refuse(f"the summary of {quote_value(name)} by {quote_value(system)} is scored twice")
            scores[name, system] = tuple(
                (f"aesop-{metric}", parse_number(place, value, f"the score of metric {metric}"))
                for metric, value in enumerate(columns[HEADS:], 1)
                if value != MISSING
            )
    return scores


def number_sets(place: FileLine, written: Mapping[str, object], letter: str) -> dict[str, str]:
    """Map the numbers that AESOP gives to the document sets of a letter: D1001-A and D1101-A are 1."""
    names: dict[str, str] = {}
    for name in written:
        topic, _, of_letter = name.rpartition("-")
        digits = "".join(filter(str.isdecimal, topic))
        if of_letter != letter or not digits.isascii() or not digits:
            continue
        number = str(int(digits[-2:]))
        if number in names:
            place.refuse(f"{names[number]} and {name} are both number {number}; import one year at a time")
        names[number] = name
    return names
