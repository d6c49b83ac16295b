"""The CNN / Daily Mail `.question` files (`data.importers.question`) as a corpus to train a reader on."""

import random
from pathlib import Path
from typing import NamedTuple

from data.importers.question import SUFFIX
from data.records import BadRecord

HELD_OUT = 0.1
"""Share of the questions that is held out where a folder names no validation questions."""


class Splits(NamedTuple):
    """The paths of a corpus, in an order that depends on nothing but their names (and a seed)."""

    training: list[Path]
    validation: list[Path]
    test: list[Path]
    """Possibly empty."""


def find_splits(folder: Path, seed: int) -> Splits:
    """Return the files below `folder/training`, `folder/validation` and `folder/test`, or all below `folder`.

    Without `training`, all are for training; without `validation`, a tenth is held out, picked by the seed.
    Raises `BadRecord` where too few files are found to train and validate on.
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
    """All `.question` files below a folder, sorted; none where there is no folder."""
    return sorted(folder.rglob(f"*{SUFFIX}"))
