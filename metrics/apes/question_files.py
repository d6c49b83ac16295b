"""The CNN / Daily Mail reading comprehension files of Hermann et al. 2015: one `.question` file a question."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import NamedTuple

from data.reading import Place, lines
from data.records import BadRecord
from metrics.apes.base import BLANK

MARKER = re.compile(r"@entity(\d{1,9})")
NAME = re.compile(r"@entity\d{1,9}:")
HEAD = ("the address", None, "the passage", None, "the question", None, "the answer", None)
"""What the lines of a file are, None being a blank one; below them stand the entities' names, one a line."""

HELD_OUT = 0.1
"""Share of the questions that is held out where a folder names no validation questions."""


class QuestionFile(NamedTuple):
    """A passage and a question about it, both with @entityN for every entity and the question with a `BLANK`."""

    passage: str
    question: str
    answer: str
    """`@entityN`; the passage need not contain it."""


class Splits(NamedTuple):
    """The paths of a corpus, in an order that depends on nothing but their names (and a seed)."""

    training: list[Path]
    validation: list[Path]
    test: list[Path]
    """Possibly empty."""


def read_question(path: Path) -> QuestionFile:
    """Read a file: address, passage, question, answer, names, each after a blank line.

    Raises `BadRecord`, with file and line, for what is anything else.
    """
    found: list[str] = []
    place = Place(path, 1)
    for place, line in lines(path):
        if place.line > len(HEAD):
            if line.strip() and not NAME.match(line):
                place.refuse("the lines after the answer name entities: @entity0:Name")
            continue
        what = HEAD[place.line - 1]
        if what is None and line.strip():
            place.refuse(f"this line must be blank, between {HEAD[place.line - 2]} and what follows it")
        if what is not None and not line.strip():
            place.refuse(f"{what} is missing")
        found.append(line.strip())
    if len(found) < 7:  # the names, and the blank line before them, may be missing
        place.refuse("the file ends early: address, passage, question and answer stand on lines 1, 3, 5 and 7")
    passage, question, answer = found[2], found[4], found[6]
    if BLANK not in question:
        Place(path, 5).refuse(f"the question has no {BLANK}")
    if not MARKER.fullmatch(answer):
        Place(path, 7).refuse("the answer must be @entityN")
    return QuestionFile(passage, question, answer)


def find_splits(folder: Path, seed: int) -> Splits:
    """The files below `folder/training`, `folder/validation` and `folder/test`, or all below `folder`.

    Without `training`, all are for training; without `validation`, a tenth is held out, picked by the seed.
    Raises `BadRecord` where too few files are found to train and validate on.
    """
    training, validation, test = (find(folder / name) for name in ("training", "validation", "test"))
    if not training:
        others = {*validation, *test}
        training = [path for path in find(folder) if path not in others]
    if not validation:
        random.Random(seed).shuffle(training)  # noqa: S311  no secret depends on it
        held_out = max(1, round(HELD_OUT * len(training)))
        training, validation = sorted(training[held_out:]), sorted(training[:held_out])
    if not training or not validation:
        raise BadRecord(f"{folder}: there are too few .question files in it to train on some and validate on others")
    return Splits(training, validation, test)


def find(folder: Path) -> list[Path]:
    """All `.question` files below a folder, sorted; none where there is no folder."""
    return sorted(folder.rglob("*.question"))
