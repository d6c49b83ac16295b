"""Guided summarization of TAC 2010 and 2011 as NIST gives it to participants, with the scores of AESOP where they are.

    ROUGE/models/D1001-A.M.100.A.B    what person B wrote of document set D1001-A, in A the assessors' letter
    ROUGE/peers/D1001-A.M.100.A.1     what system 1 wrote of it
    manual/manual.peer.A              what assessors say of the systems' summaries of the sets A
    manual/manual.model.A             and of people's
    aesop_allpeers_A                  what the metrics of the AESOP task say of both

Columns are those that SacreROUGE's setup of TAC 2010 takes; NIST describes them beside the files.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from data.importers.table import parse_rating
from data.reading import FileLine, Say, identifier, lines, quote_value
from data.records import BadRecord, Document, Summary
from data.sorting import natural_order

MODELS, PEERS = "ROUGE/models/*", "ROUGE/peers/*"
JUDGED, JUDGED_MODELS, AESOP = "manual.peer.?", "manual.model.?", "aesop_allpeers_?"
FILES = (JUDGED, MODELS, PEERS, AESOP)
"""All that is read in a folder; the first tells the format."""
PARTS = 5
"""Of the name of a summary's file, between dots: the document set, a letter, words, the assessor, who wrote it."""
RATED = {"pyramid": 2, "linguistic_quality": 8, "responsiveness": 9}
"""The column of each rating in `manual.peer`; the pyramid score is the modified one."""
COLUMNS = 10
HEADS = 2
"""Columns of AESOP before the scores: system and document set."""
MISSING = "NaN"

Key = tuple[str, str]
"""A document set and a system."""


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read the folder of a year: a document for each document set, without its articles, which NIST gives elsewhere.

    References are what people wrote. What assessors say of these is passed over: a reference that stands as a system
    judges no other. Scores of AESOP are called `aesop-1` and so on, as the metrics are numbered.
    """
    references = read_texts(path, MODELS)
    written = read_texts(path, PEERS)
    if not references or not written:
        raise BadRecord(f"{path}: summaries are to be in {MODELS} and {PEERS} below it")
    ratings = read_ratings(path, written)
    scores = read_scores(path, written, references)
    if people := sum(1 for file in found(path, JUDGED_MODELS) for _, line in lines(file) if line.strip()):
        say(f"summaries by people, of which what is said is passed over, as they are references: {people}")
    say("the document sets have no articles: annotators will see summaries only")
    for name in sorted(written):
        if name not in references:
            raise BadRecord(f"{path}: of {name} there are summaries in ROUGE/peers, and none in ROUGE/models")
        summaries = [
            Summary(name, system, text, ratings.get((name, system), {}), given=scores.get((name, system), ()))
            for system, text in sorted(written[name].items(), key=lambda one: natural_order(one[0]))
        ]
        texts = tuple(text for _, text in sorted(references[name].items()) if text.strip())
        yield Document(name, "", texts), summaries


def found(path: Path, pattern: str) -> list[Path]:
    """The files below a folder that are called so, sorted."""
    return sorted(file for file in path.rglob(pattern) if file.is_file())


def read_texts(path: Path, pattern: str) -> dict[str, dict[str, str]]:
    """By document set, what each wrote. Raises `BadRecord`."""
    texts: dict[str, dict[str, str]] = {}
    for file in found(path, pattern):
        place = FileLine(file, 1)
        parts = file.name.split(".")
        if len(parts) != PARTS:
            place.refuse(
                f"the name of a summary's file has {PARTS} parts, such as D1001-A.M.100.A.1, and not {len(parts)}"
            )
        name, who = identifier(place, parts[0], "the document set"), identifier(place, parts[-1], "the system's name")
        if who in texts.setdefault(name, {}):
            place.refuse(f"there is another summary of {name} by {who}; import one year and task at a time")
        texts[name][who] = "\n".join(line for _, line in lines(file)).strip()
    return texts


def read_ratings(path: Path, written: Mapping[str, Mapping[str, str]]) -> dict[Key, dict[str, float]]:
    """What assessors say of systems' summaries."""
    ratings: dict[Key, dict[str, float]] = {}
    files = found(path, JUDGED)
    if not files:
        raise BadRecord(f"{path}: there is no file {JUDGED} of ratings below it")
    for file in files:
        for place, line in lines(file):
            columns = line.split()
            if not columns:
                continue
            if len(columns) < COLUMNS:
                place.refuse(f"each line must have {COLUMNS} columns, and has {len(columns)}")
            key = columns[0], columns[1]
            if key[1] not in written.get(key[0], {}):
                place.refuse(f"there is no summary of {quote_value(key[0])} by {quote_value(key[1])}")
            if key in ratings:
                place.refuse(f"the summary of {quote_value(key[0])} by {quote_value(key[1])} is rated twice")
            ratings[key] = {aspect: parse_rating(place, columns[at], aspect) for aspect, at in RATED.items()}
    return ratings


def read_scores(
    path: Path, written: Mapping[str, Mapping[str, str]], references: Mapping[str, Mapping[str, str]]
) -> dict[Key, tuple[tuple[str, float], ...]]:
    """What the metrics of AESOP say of systems' summaries: lines of `s1 d1` and a number each, under a heading."""
    scores: dict[Key, tuple[tuple[str, float], ...]] = {}
    for file in found(path, AESOP):
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
                (f"aesop-{metric}", parse_rating(place, value, f"the score of metric {metric}"))
                for metric, value in enumerate(columns[HEADS:], 1)
                if value != MISSING
            )
    return scores


def number_sets(place: FileLine, written: Mapping[str, object], letter: str) -> dict[str, str]:
    """The document sets of a letter by the numbers that AESOP gives them: D1001-A and D1101-A are 1."""
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
