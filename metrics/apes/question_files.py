"""`.question` files (`relevance.data.importers.question`) as a training corpus for readers: found, and written."""

import hashlib
import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from relevance.data.importers.question import SUFFIX, QuestionFile
from relevance.data.one_line import in_one_line
from relevance.data.records import PLACEHOLDER, BadRecord, Document, Summary, make_examples
from relevance.metrics.apes.coreference import NamedEntity, find_names
from relevance.metrics.apes.metric import Apes
from relevance.metrics.apes.questions import Quiz

AT_ONCE = 32
"""Documents whose entities are found at once."""

HELD_OUT = 0.1
"""The share of the questions that is held out if a folder has no validation questions."""


class Splits(NamedTuple):
    """The paths of a corpus, in an order that depends only on their names (and a seed)."""

    training: list[Path]
    validation: list[Path]
    test: list[Path]
    """The test files, if there are any."""


def find_splits(folder: Path, seed: int) -> Splits:
    """Return the files below `folder/training`, `folder/validation` and `folder/test`, or all below `folder`.

    Without `training`, all others are for training; without `validation`, a tenth is held out, drawn by the seed.
    Raises `BadRecord` if there are too few files to train and validate on.
    """
    training, validation, test = (list_question_files(folder / name) for name in ("training", "validation", "test"))
    if not training:
        others = {*validation, *test}
        training = [path for path in list_question_files(folder) if path not in others]
    if not validation:
        random.Random(seed).shuffle(training)  # noqa: S311  no secret depends on it
        held_out = max(1, round(HELD_OUT * len(training)))
        training, validation = sorted(training[held_out:]), sorted(training[:held_out])
    if not training or not validation:
        raise BadRecord(f"{folder}: there are too few .question files in it to train on some and validate on others")
    return Splits(training, validation, test)


def list_question_files(folder: Path) -> list[Path]:
    """Return all `.question` files below a folder, sorted; none if there is no folder."""
    return sorted(folder.rglob(f"*{SUFFIX}"))


class WrittenQuestions(NamedTuple):
    """Counts of the question files written for a corpus."""

    questions: int
    documents: int
    """The documents with a question."""
    unasked: int
    """The documents without a source, or whose references mention no entity."""
    unanswerable: int
    """The questions whose answer the source does not mention: training leaves them out."""


def write_question_files(documents: Iterable[Document], folder: Path) -> WrittenQuestions:
    """Write the questions that APES asks about documents into a new folder, a file a question.

    A file's name begins with the SHA-1 of its document's id, which it has as address. Entities are numbered as in the
    document's quiz, and named below the answer; mentions are replaced where APES finds them. The questions are
    those of all references, one for each entity of a sentence, as those of Hermann et al. 2015. Raises OSError, and
    `ModelUnavailable` for a finder of entities that is not there.
    """
    metric = Apes(ask="entities")
    folder.mkdir()
    questions = written = unasked = unanswerable = 0
    documents = iter(documents)
    while part := list(islice(documents, AT_ONCE)):
        examples = [make_examples(document, [Summary(document.id, "questions", "")])[0] for document in part]
        for document, quiz in zip(part, metric.quizzes(examples), strict=True):
            name = hashlib.sha1(document.id.encode(), usedforsecurity=False).hexdigest()
            files = list(make_question_files(document, quiz))
            for number, file in enumerate(files):
                (folder / f"{name}-{number:03d}{SUFFIX}").write_text(format_question(file), encoding="utf-8")
            questions += len(files)
            written += bool(files)
            unasked += not files
            unanswerable += sum(file.answer not in file.passage.split() for file in files)
    return WrittenQuestions(questions, written, unasked, unanswerable)


def make_question_files(document: Document, quiz: Quiz) -> Iterator[QuestionFile]:
    """Make a file for each question of a document's quiz; none of a document without a source."""
    if not (passage := mark_entities(document.source_text, quiz.entities)):
        return
    names = {f"@entity{number}": in_one_line(entity.name) for number, entity in enumerate(quiz.entities)}
    address = in_one_line(document.id)
    for question, entity in quiz.questions:
        parts = (mark_entities(part, quiz.entities) for part in question.text.split(PLACEHOLDER))
        asked_text = f" {PLACEHOLDER} ".join(parts).strip()
        yield QuestionFile(passage, asked_text, f"@entity{entity}", address, names)


def mark_entities(text: str, entities: Sequence[NamedEntity]) -> str:
    """Replace what names entities in a text by @entityN, in one line; marks that the text has itself are broken."""
    names = sorted((span, number) for number, spans in find_names(text, entities).items() for span in spans)
    pieces, end = [], 0
    for (start, stop), number in names:
        pieces += [broken_marks(text[end:start]), f"@entity{number}"]
        end = stop
    return " ".join(" ".join([*pieces, broken_marks(text[end:])]).split())


def broken_marks(text: str) -> str:
    """Return a text in which nothing looks like a mark of these files."""
    return text.replace("@entity", "@ entity").replace(PLACEHOLDER, f"@ {PLACEHOLDER[1:]}")


def format_question(file: QuestionFile) -> str:
    """Write a file as text: `relevance.data.importers.question.read_question` reads the same."""
    names = "".join(f"{mark}:{name}\n" for mark, name in file.names.items())
    return f"{file.address}\n\n{file.passage}\n\n{file.question}\n\n{file.answer}\n\n{names}"
