"""Test sets of mt-metrics-eval: a line for each segment in files of texts, a block of scores for each system.

    documents/PAIR.docs                   DOMAIN DOCUMENT, a line for each segment
    sources/PAIR.txt                      the segments
    references/PAIR.NAME.txt              a person's text for each
    system-outputs/PAIR/NAME.txt          a system's text for each
    human-scores/PAIR.NAME.LEVEL.score    SYSTEM NUMBER, or None for a missing rating
    metric-scores/PAIR/NAME-REF.LEVEL.score

PAIR is the pair of languages. Texts may also be in `.jsonl` files, as strings `source`, `target` and `hypothesis` of a
line's object. The format follows the package's README, 'File organization and naming convention', and its reader.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice
from math import isnan, nan
from pathlib import Path
from typing import NamedTuple

from relevance.data.importers.given_ratings import parse_number
from relevance.data.reading import (
    FileLine,
    Say,
    identifier,
    lines,
    quote_value,
    read_json_lines,
    require_field,
    summary_text,
    trim_name,
)
from relevance.data.records import BadRecord, Document, Summary
from relevance.data.sorting import natural_order

FOLDER, SUFFIX = "documents", ".docs"
DOCUMENTS = f"{FOLDER}/*{SUFFIX}"
TEXTS = (".txt", ".jsonl")
FILES = (
    DOCUMENTS,
    *(
        f"{folder}/*{ending}"
        for folder in ("sources", "references", "system-outputs/*")
        for ending in (".txt", ".jsonl")
    ),
    "human-scores/*.score",
    "metric-scores/*/*.score",
)
"""All files that are read in a folder."""
NO_TEXT = "[No translation supplied]"
"""The line of a segment for which a system or person wrote nothing."""
SEGMENT, WHOLE = "seg", "doc"
"""The levels of scores that belong to one summary: a line, or all lines of a document."""
ALL = "-all"
"""The end of the name of a metric that reads all references."""

Values = Mapping[str, Sequence[float]]
"""Scores by system, one for each document; NaN is None."""
Given = tuple[tuple[str, float], ...]


class Corpus(NamedTuple):
    """The files of one test set and pair."""

    source: Path
    references: tuple[Path, ...]
    systems: Mapping[str, Path]
    ids: tuple[str, ...]
    """The ids of the documents made of it."""
    sizes: tuple[int, ...]
    """The number of lines of each."""
    human: Mapping[str, Values]
    given: Mapping[str, Values]


class Texts:
    """The lines of a file of texts, read as many at a time as a document has."""

    def __init__(self, file: Path, field: str) -> None:
        """Open a file; `field` has the text if lines are objects of JSON."""
        self.place = FileLine(file, 1)
        self.lines = lines(file) if file.suffix == TEXTS[0] else read_field(file, field)

    def read(self, size: int) -> str | None:
        """Return the next lines as one text; None if none was written. Raises `BadRecord` if there are fewer."""
        numbered = list(islice(self.lines, size))
        if numbered:
            self.place = numbered[-1][0]
        if len(numbered) < size:
            self.place.refuse("the file ends here, but the list of documents has more lines")
        texts = [line for _, line in numbered if line != NO_TEXT]
        return "\n".join(texts) if texts else None

    def end(self) -> None:
        """Refuse a file with further lines. Raises `BadRecord`."""
        for place, _ in self.lines:
            place.refuse("the file has more lines than the list of documents")


def read_field(file: Path, field: str) -> Iterator[tuple[FileLine, str]]:
    """Yield the texts of a file of JSON lines."""
    for place, record in read_json_lines(file):
        yield place, summary_text(place, require_field(place, record, field), field)


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read the folder of a test set that has one pair, or the pair whose `.docs` file is named.

    A segment becomes a document, named DOCUMENT, or DOCUMENT:N if DOCUMENT has several; if people scored only whole
    documents, those become the documents. Scores of other levels, ratings of spans and references among the systems are
    skipped.
    """
    corpus = find_corpus(path, say)
    source, references = Texts(corpus.source, "source"), [Texts(file, "target") for file in corpus.references]
    systems = {name: Texts(file, "hypothesis") for name, file in corpus.systems.items()}
    for number, (document_id, size) in enumerate(zip(corpus.ids, corpus.sizes, strict=True)):
        chunk = source.read(size) or ""
        people = [text for reference in references if (text := reference.read(size)) and text.strip()]
        written = {system: file.read(size) for system, file in systems.items()}
        summaries = [
            Summary(
                document_id=document_id,
                system=system,
                text=text,
                human=dict(scores_at(corpus.human, system, number)),
                given=scores_at(corpus.given, system, number),
            )
            for system, text in written.items()
            if text is not None
        ]
        yield Document(document_id, chunk, tuple(people)), summaries
    for numbered_lines in (source, *references, *systems.values()):
        numbered_lines.end()


def find_corpus(path: Path, say: Say) -> Corpus:
    """Find the files of a folder, or of a pair's `.docs` file, and read the scores in them. Raises `BadRecord`."""
    docs = find_documents(path)
    root, pair = docs.parent.parent, docs.stem
    human = score_files(root / "human-scores", f"{pair}.")
    metrics = score_files(root / "metric-scores" / pair, "")
    level = WHOLE if WHOLE in human and SEGMENT not in human else SEGMENT
    ids, sizes = read_documents(docs, level)
    references = text_files(root / "references", f"{pair}.")
    outputs = text_files(root / "system-outputs" / pair, "")
    source = text_files(root / "sources", pair).get("")
    if source is None:
        raise BadRecord(f"{path}: there is no file sources/{pair}.txt in it")
    systems = {name: file for name, file in outputs.items() if name not in references}
    ratings = {name: read_scores(file, outputs, len(ids)) for name, file in human.get(level, {}).items()}
    given = {
        name.removesuffix(ALL): read_scores(file, outputs, len(ids), of_people=False)
        for name, file in metrics.get(level, {}).items()
    }
    for what, of in (("ratings", human), ("metrics' scores", metrics)):
        if passed := {other: len(files) for other, files in of.items() if other != level}:
            counts = ", ".join(f"{count} of level {other}" for other, count in passed.items())
            say(f"files of {what} that are not of single summaries are skipped: {counts}")
    if spans := len(find_files(root / "human-scores", f"{pair}.*.rating")):
        say(f"files of ratings that mark spans are skipped: {spans}")
    if people := sorted(outputs.keys() - systems.keys()):
        say(f"references among the systems are not imported as systems: {', '.join(people)}")
    return Corpus(source, tuple(references.values()), systems, ids, sizes, ratings, given)


def find_documents(path: Path) -> Path:
    """Find the `.docs` file of a folder. Raises `BadRecord` if there is none, or several."""
    if path.is_file():
        if path.parent.name != FOLDER:
            raise BadRecord(f"{path.name}:1: name the test set's folder, or a file in its folder {FOLDER}")
        return path
    files = sorted(path.rglob(DOCUMENTS))
    if not files:
        raise BadRecord(f"{path}: there is no {DOCUMENTS} in it")
    if len(files) > 1:
        raise BadRecord(
            f"{path}: there are {len(files)} test sets in it, such as {files[0].relative_to(path)} and "
            f"{files[1].relative_to(path)}; name the .docs file of one"
        )
    return files[0]


def find_files(folder: Path, pattern: str) -> list[Path]:
    """List the files of a folder that match, in the natural order of their names: ref2 before ref10."""
    return sorted((file for file in folder.glob(pattern) if file.is_file()), key=lambda file: natural_order(file.name))


def text_files(folder: Path, prefix: str) -> dict[str, Path]:
    """Find the files of texts with a prefix in a folder, by the rest of their names. Raises `BadRecord`."""
    files: dict[str, Path] = {}
    for file in find_files(folder, f"{prefix}*"):
        name = file.stem.removeprefix(prefix)
        if file.suffix not in TEXTS:
            continue
        if name in files:
            FileLine(file, 1).refuse(f"there is {files[name].name}, too")
        files[name if name == "" else identifier(FileLine(file, 1), name, "the name of its texts")] = file
    return files


def score_files(folder: Path, prefix: str) -> dict[str, dict[str, Path]]:
    """Find the files of scores in a folder, by their level and name."""
    files: dict[str, dict[str, Path]] = {}
    for file in find_files(folder, f"{prefix}*.*.score"):
        name, _, level = file.name.removeprefix(prefix).removesuffix(".score").rpartition(".")
        files.setdefault(level, {})[identifier(FileLine(file, 1), name, "the name of its scores")] = file
    return files


def read_documents(docs: Path, level: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the ids of the documents and the number of lines of each. Raises `BadRecord`."""
    seen: dict[str, int] = {}
    ids: list[str] = []
    sizes: list[int] = []
    for name, block in groupby(read_names(docs), key=lambda line: line[1]):
        places = [place for place, _ in block]
        numbered = [name] if level == WHOLE or len(places) == 1 else [f"{name}:{n}" for n in range(1, len(places) + 1)]
        for place, document_id in zip(places, numbered, strict=False):
            if document_id in seen:
                place.refuse(
                    f"the document {quote_value(document_id)} stands in line {seen[document_id]} already; the lines "
                    "of a document follow one another"
                )
            seen[identifier(place, document_id, "the document's name")] = place.line
        ids += numbered
        sizes += [len(places) // len(numbered)] * len(numbered)
    return tuple(ids), tuple(sizes)


def read_names(docs: Path) -> Iterator[tuple[FileLine, str]]:
    """Yield the name of each line's document."""
    for place, line in lines(docs):
        fields = line.split()
        if len(fields) != 2:
            place.refuse(f"each line must be DOMAIN DOCUMENT, not {quote_value(line)}")
        yield place, trim_name(fields[1])


def read_scores(file: Path, systems: Mapping[str, Path], count: int, *, of_people: bool = True) -> Values:
    """Read a file of scores, by system one for each document; only ratings may be None. Raises `BadRecord`."""
    scores: dict[str, array[float]] = {}
    place = FileLine(file, 1)
    for place, line in lines(file):
        fields = line.split()
        if len(fields) != 2:
            place.refuse(f"each line must be SYSTEM SCORE, not {quote_value(line)}")
        system = trim_name(fields[0])
        if system not in systems:
            place.refuse(f"there is no output of a system {quote_value(system)}")
        missing = fields[1] == "None" and of_people
        value = nan if missing else parse_number(place, fields[1], "the score")
        scores.setdefault(system, array("d")).append(value)
        if len(scores[system]) > count:
            place.refuse(f"{quote_value(system)} has more scores than there are documents, {count}")
    for system, values in scores.items():
        if len(values) < count:
            place.refuse(f"{quote_value(system)} has {len(values)} scores, but there are {count} documents")
    return scores


def scores_at(scores: Mapping[str, Values], system: str, number: int) -> Given:
    """Return the scores of one summary, by name."""
    return tuple(
        (name, of[system][number]) for name, of in scores.items() if system in of and not isnan(of[system][number])
    )
