"""Training an attentive reader on the CNN / Daily Mail `.question` files."""

from __future__ import annotations

import hashlib
import json
import os
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from operator import eq
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from relevance.data.importers.question import read_question
from relevance.data.reading import Say, say_nothing
from relevance.data.records import BadRecord
from relevance.metrics.apes.base import BLANK
from relevance.metrics.apes.question_files import Splits, find_splits
from relevance.metrics.apes.readers.anonymous import cloze_from_file
from relevance.metrics.apes.readers.attentive import AttentiveReader, Settings, batch, network_class
from relevance.metrics.apes.readers.resuming import Reached, load_state, resume_path, save_state
from relevance.metrics.models.files import device

if TYPE_CHECKING:
    from relevance.metrics.models.vectors import WordVectors

CLIPPED = 10.0
"""The largest norm of a gradient."""

SAY_EVERY = 30.0
"""The seconds between two messages on an epoch's progress."""


class Hyperparameters(NamedTuple):
    """The size of a reader and the length of its training; all are at least 1, except for the rate."""

    epochs: int = 30
    batch_size: int = 32
    hidden: int = 128
    """The number of states of each GRU direction."""
    embedding: int = 100
    vocabulary: int = 50_000
    """The number of words that have a vector."""
    learning_rate: float = 1e-3
    patience: int = 5
    """The number of epochs without improvement after which training ends."""


DEFAULTS = Hyperparameters()


class TrainingResult(NamedTuple):
    """The result of training."""

    output: Path
    """The checkpoint of the best epoch."""
    training: int
    """The number of questions that were trained on: those whose passage mentions the answer."""
    validation: int
    """The number of questions that the best epoch was chosen by."""
    epochs: int
    best_epoch: int
    """The number of the epoch that was kept, from 1."""
    accuracy: float
    """Its share of right answers to the validation questions, in [0, 1]; an answer that the passage does not mention is
    never right."""
    test_accuracy: float | None
    """Likewise for the test questions; None if there are none."""


class Survey(NamedTuple):
    """The result of the first pass over the training questions."""

    paths: list[Path]
    """The paths of the questions that can be answered."""
    words: Counter[str]
    entities: int
    """The largest number of entities of a question."""


def train(
    folder: Path,
    output: Path,
    sizes: Hyperparameters = DEFAULTS,
    *,
    vectors: WordVectors | None = None,
    seed: int = 0,
    resume: bool = False,
    say: Say = say_nothing,
) -> TrainingResult:
    """Train on `folder/training`, keep the epoch with the best result on `folder/validation`, measure on `folder/test`.

    See `find_splits` for other folders. Sizes, initial weights, dropout, clipping, batches of similar length and the
    choice by validation are section 4.1 of Chen et al. 2016; Adam replaces plain gradient descent, which needs a rate
    for each corpus. With `vectors` (the paper has GloVe) known words start from these, and their width replaces
    `embedding`.

    Training ends early after `patience` epochs without improvement. Each better epoch is written to `output` at once,
    so an interrupted training leaves its best, and with `resume` it goes on after its last epoch, from a file beside
    the output, to the same result. Questions are read from their files when needed, so memory grows only with their
    paths. On the processor, the result depends on the seed alone.

    Raises `BadRecord` for files that are not questions, OSError if the output cannot be written, ValueError for sizes
    below 1, `ModelUnavailable` for a device that is not there, `AnotherTraining` for a state to go on from that is of
    other questions or settings, or damaged.
    """
    import torch

    epochs, batch_size, hidden, embedding, vocabulary, learning_rate, patience = sizes
    if min(epochs, batch_size, hidden, embedding, vocabulary, patience) < 1:
        raise ValueError("epochs, patience and all sizes must be at least 1")
    if not output.parent.is_dir() or output.is_dir() or not os.access(output.parent, os.W_OK):
        raise OSError(f"{output} cannot be written: name a file in a folder that is there")
    splits = find_splits(folder, seed)
    questions = survey(splits.training, say)
    if not questions.paths:
        raise BadRecord(f"{folder}: no training question has its answer in its passage")
    words = sorted(questions.words, key=lambda word: (-questions.words[word], word))[:vocabulary]
    settings = Settings(hidden, vectors.dimension if vectors else embedding, questions.entities, tuple(words))
    shuffled = random.Random(seed)  # noqa: S311  no secret depends on it
    description, reached, where = describe_training(splits, sizes, settings, vectors, seed), Reached(), device()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = initialise_network(settings, vectors).to(where)
        reader = AttentiveReader(settings, lambda: network, output.stem)
        optimizer = torch.optim.Adam(network.parameters(), learning_rate)
        batches = by_size(questions.paths, batch_size)
        if resume and resume_path(output).is_file():
            reached = load_state(output, description, network, optimizer, shuffled)
            say(f"goes on after epoch {reached.epoch}")
        order = list(reached.batches or range(len(batches)))
        while reached.epoch < epochs and not is_over(reached, patience):
            epoch = reached.epoch + 1
            shuffled.shuffle(order)
            loss = run_epoch(network, settings, optimizer, [batches[place] for place in order], epoch, say)
            accuracy = evaluate(network, settings, splits.validation, batch_size)
            say(f"epoch {epoch} of {epochs}: loss {loss:.3f}, validation accuracy {accuracy:.4f}")
            reached = reached._replace(epoch=epoch, batches=tuple(order))
            if accuracy > reached.best:
                reached = reached._replace(best=accuracy, best_epoch=epoch)
                reader.save(output)
            save_state(output, description, reached, network, optimizer, shuffled)
    if is_over(reached, patience):
        say(f"no better epoch since {reached.best_epoch}: stopped")
    network = AttentiveReader.load(output).network
    test = evaluate(network, settings, splits.test, batch_size) if splits.test else None
    resume_path(output).unlink(missing_ok=True)
    counts = len(questions.paths), len(splits.validation), reached.epoch
    return TrainingResult(output, *counts, reached.best_epoch, reached.best, test)


def is_over(reached: Reached, patience: int) -> bool:
    """Tell whether as many epochs as the patience allows brought nothing better."""
    return reached.epoch - reached.best_epoch >= patience and reached.best_epoch > 0


def describe_training(
    splits: Splits, sizes: Hyperparameters, settings: Settings, vectors: WordVectors | None, seed: int
) -> str:
    """Return the SHA-256 of all that the result depends on, without the number of epochs, which may be raised."""
    files = [[path.name, path.stat().st_size] for path in (*splits.training, *splits.validation)]
    whole = [files, sizes._replace(epochs=0), asdict(settings), vectors and vectors.signature, seed]
    return hashlib.sha256(json.dumps(whole).encode()).hexdigest()


def survey(paths: Sequence[Path], say: Say) -> Survey:
    """Read all questions once: count their words and entities, and leave out those that cannot be answered."""
    answerable, words, entities = [], Counter[str](), 0
    for path in paths:
        cloze, answer = cloze_from_file(read_question(path))
        if answer is None:
            continue
        answerable.append(path)
        tokens = [*cloze.passage, *cloze.question]
        words.update(token for token in tokens if isinstance(token, str))
        entities = max(entities, 1 + max(token for token in tokens if isinstance(token, int)))
    words.pop(BLANK, None)
    left = len(paths) - len(answerable)
    without = f"; {left} whose answer the passage does not mention are left out" if left else ""
    say(f"{len(answerable)} questions, {len(words)} words, at most {entities} entities{without}")
    return Survey(answerable, words, entities)


def by_size(paths: Sequence[Path], size: int) -> list[list[Path]]:
    """Return batches of files of similar size, for little padding, as the paper sorts by length."""
    ordered = sorted(paths, key=lambda path: (path.stat().st_size, path))
    return [ordered[start : start + size] for start in range(0, len(ordered), size)]


def initialise_network(settings: Settings, vectors: WordVectors | None) -> Any:
    """Return a network with random weights; words that have a vector start from it.

    Weights are normal with standard deviation 0.1 in the recurrent parts, and small uniform ones elsewhere.
    """
    import torch
    from torch import nn

    network = network_class()(settings)
    for name, weight in network.named_parameters():
        if name.startswith(("passage", "question")):
            nn.init.normal_(weight, std=0.1)
        else:
            nn.init.uniform_(weight, -0.01, 0.01)
    if vectors is not None:
        values, known = vectors.vectors(settings.vocabulary)
        words = network.embedding.weight.data[-len(settings.vocabulary) :]
        words[torch.from_numpy(known)] = torch.from_numpy(values[known])
    return network


def run_epoch(
    network: Any, settings: Settings, optimizer: Any, batches: Sequence[Sequence[Path]], epoch: int, say: Say
) -> float:
    """Train on each batch once; return the mean loss of a question."""
    from torch import nn

    total, questions, told_at = 0.0, 0, time.monotonic()
    where = next(network.parameters()).device
    network.train()
    for done, paths in enumerate(batches):
        if time.monotonic() - told_at > SAY_EVERY:
            told_at = time.monotonic()
            say(f"epoch {epoch}: {done} of {len(batches)} batches, loss {total / questions:.3f}")
        clozes, answers = zip(*(cloze_from_file(read_question(path)) for path in paths), strict=True)
        probabilities, _ = network(batch(clozes, settings, where))
        loss = -probabilities[range(len(answers)), list(answers)].mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), CLIPPED)
        optimizer.step()
        total += loss.item() * len(paths)
        questions += len(paths)
    return total / questions


def evaluate(network: Any, settings: Settings, paths: Sequence[Path], batch_size: int) -> float:
    """Return the share of questions that a network answers correctly."""
    import torch

    right, where = 0, next(network.parameters()).device
    network.eval()
    for batched in by_size(paths, batch_size):
        clozes, answers = zip(*(cloze_from_file(read_question(path)) for path in batched), strict=True)
        with torch.inference_mode():
            probabilities, _ = network(batch(clozes, settings, where))
        right += sum(map(eq, probabilities.argmax(-1).tolist(), answers))
    return right / len(paths)
