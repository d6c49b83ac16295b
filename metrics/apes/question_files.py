"""The CNN / Daily Mail `.question` files (`relevance.data.importers.question`) as a training corpus for readers."""

import random
from pathlib import Path
from typing import NamedTuple

from relevance.data.importers.question import SUFFIX
from relevance.data.records import BadRecord

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
