"""The reading comprehension questions of CNN / Daily Mail (Hermann et al. 2015): one `.question` file a question.

A file has the address, passage, question, answer and names of the entities, each after a blank line; in the texts
@entityN replaces an entity, and @placeholder the one that is asked for.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from relevance.data.reading import FileLine, Say, lines, text
from relevance.data.records import PLACEHOLDER, BadRecord, ClozeQuestion, Document, Summary

SUFFIX = ".question"
MARKER = re.compile(r"@entity(\d{1,9})(?!\d)")
NAME = re.compile(r"(@entity\d{1,9}):(.*)")
HEAD = ("the address", None, "the passage", None, "the question", None, "the answer", None)
"""The contents of a file's first lines, None for a blank one; below them are the entities' names, one a line."""
LINES = {what: number for number, what in enumerate(HEAD, 1) if what}


class QuestionFile(NamedTuple):
    """A passage and a question about it, both with @entityN for every entity and the question with a `PLACEHOLDER`."""

    passage: str
    question: str
    answer: str
    """`@entityN`; the passage need not contain it."""
    address: str = ""
    names: Mapping[str, str] = {}
    """The names of the entities by `@entityN`; empty if the file has none."""


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a file or all below a folder: a document for each address, with its questions and no summaries.

    Names replace the entities' numbers. A document's id is the SHA-1 of its address, as in the names of this corpus's
    stories; its reference consists of the sentences that its questions were made from, with their blanks filled, in the
    order of the files' names.
    """
    documents: dict[str, tuple[str, list[ClozeQuestion]]] = {}
    for file in question_files(path):
        parts = read_question(file)
        passage = fill_names(file, parts, "the passage")
        kept, questions = documents.setdefault(parts.address, (passage, []))
        if kept != passage:
            say(f"{file.name}: its passage is not used, as it differs from another file's with the same address")
        first, blank, rest = fill_names(file, parts, "the question").partition(PLACEHOLDER)
        rest = rest.replace(PLACEHOLDER, "")  # a question has one blank
        questions.append(ClozeQuestion(f"{first}{blank}{rest}", fill_names(file, parts, "the answer")))
    for address, (passage, questions) in documents.items():
        told = dict.fromkeys(question.replace(PLACEHOLDER, answer) for question, answer in questions)
        digest = hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()
        yield Document(digest, passage, ("\n\n".join(told),), questions=tuple(questions)), []


def question_files(path: Path) -> list[Path]:
    """List the file, or all `.question` files below a folder, sorted. Raises `BadRecord` if it has none."""
    if not path.is_dir():
        return [path]
    if paths := sorted(path.rglob(f"*{SUFFIX}")):
        return paths
    raise BadRecord(f"{path}: there are no {SUFFIX} files in it")


def fill_names(file: Path, parts: QuestionFile, what: str) -> str:
    """Return one text of a file with names for its entities. Raises `BadRecord` for an entity without a name."""
    place = FileLine(file, LINES[what])

    def name(marker: re.Match[str]) -> str:
        if not parts.names.get(marker.group()):
            place.refuse(f"{marker.group()} has no name: a line {marker.group()}:Name is missing below the answer")
        return parts.names[marker.group()]

    texts = {"the passage": parts.passage, "the question": parts.question, "the answer": parts.answer}
    return text(place, MARKER.sub(name, texts[what]), what)


def read_question(path: Path) -> QuestionFile:
    """Read a file: address, passage, question, answer, names, each after a blank line.

    Raises `BadRecord`, with file and line, for anything else.
    """
    texts: list[str] = []
    names: dict[str, str] = {}
    place = FileLine(path, 1)
    for place, line in lines(path):
        if place.line > len(HEAD):
            if line.strip() and not (name := NAME.match(line)):
                place.refuse("the lines after the answer name entities: @entity0:Name")
            elif line.strip() and name:
                names[name[1]] = name[2].strip()
            continue
        what = HEAD[place.line - 1]
        if what is None and line.strip():
            place.refuse(f"this line must be blank, between {HEAD[place.line - 2]} and what follows it")
        if what is not None and not line.strip():
            place.refuse(f"{what} is missing")
        texts.append(line.strip())
    if len(texts) < 7:  # the names, and the blank line before them, may be missing
        place.refuse("the file ends early: address, passage, question and answer stand on lines 1, 3, 5 and 7")
    address, _, passage, _, question, _, answer = texts[:7]
    if PLACEHOLDER not in question:
        FileLine(path, 5).refuse(f"the question has no {PLACEHOLDER}")
    if not MARKER.fullmatch(answer):
        FileLine(path, 7).refuse("the answer must be @entityN")
    return QuestionFile(passage, question, answer, address, names)
