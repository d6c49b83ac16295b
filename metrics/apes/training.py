"""Training of the embedded entity finder on files of named entities: `train_tagger` writes the head's weights."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from relevance.data.reading import FileLine, lines, quote_value
from relevance.metrics.apes.entities import Entity, LabelledText
from relevance.metrics.apes.entity_tagger import (
    FOLLOWED,
    FORMAT,
    LAYERS,
    SOURCES,
    TAGS,
    WordFeatures,
    allowed_transitions,
    collate,
    describe,
    head_class,
    split_words,
)
from relevance.metrics.apes.entity_tagger import word_vectors as vectors_of
from relevance.metrics.apes.sports import Names, collect_names, write_sports
from relevance.metrics.models.threads import one_thread

if TYPE_CHECKING:
    import torch

    from relevance.metrics.models.encoder import Encoder

KINDS = {
    "PER": "PER person politician scientist writer researcher musicalartist",
    "ORG": "ORG organisation politicalparty university band magazine academicjournal corporation group",
    "LOC": "LOC location country astronomicalobject",
    "MISC": "MISC misc event election award book poem album song conference product programlang creative-work",
    "O": "theory discipline field task algorithm metrics chemicalcompound chemicalelement protein enzyme musicgenre "
    "musicalinstrument literarygenre",
}
"""The files' labels by ours, by the rules of CoNLL 2003; O for those that are not names by these."""
MAPPING = {theirs: ours for ours, names in KINDS.items() for theirs in names.split()}

INCOMPLETE = ("wnut17", "btc")
"""The sources that leave out some or all of MISC: there, O only means that a word is not a PER, ORG or LOC."""

HELD_OUT = ("crossner_politics_test", "crossner_science_test", "wikigold")
"""The files for the final measurement: all of the first two, and the last fifth of wikigold."""

LEARNING_RATE = 2e-3
WEIGHT_DECAY = 0.01
BATCH_WORDS = 1000
AVERAGING = 0.999
EPOCHS = 8
LOWER, UPPER = 0.12, 0.04
"""The shares of the sentences that are read in lower case and in capitals, drawn anew in every epoch."""
JOINED = (1, 1, 1, 2, 3)
"""The numbers of consecutive sentences of a text, all equally likely."""
JOINED_WORDS = 110
"""The maximum number of words of a text of several sentences."""
SPORTS = 0.06
"""The words of invented sport (`relevance.metrics.apes.sports`) for each word of the files."""
TWEETS = 3
"""The step with which tweets of btc are taken: all of them would be nearly half of the words."""


class BadTrainingFile(ValueError):
    """A file of named entities cannot be read; the message names file and line."""


class TrainingSample(NamedTuple):
    """A text ready for the head."""

    vectors: torch.Tensor
    """The vectors of `vectors_of`, float16."""
    readings: tuple[WordFeatures, WordFeatures, WordFeatures]
    """Its words as they are, in lower case and in capitals."""
    tags: torch.Tensor
    """True for each tag that may be right, shape (words, tags)."""
    source: int


# --- reading ------------------------------------------------------------------------------------------------


def read_sentences(file: Path, mapping: Mapping[str, str] = MAPPING) -> list[LabelledText]:
    """Read a file of two columns, word and BIO or IO label; words are joined by single spaces.

    `mapping` gives our label for each of the file's; -DOCSTART- is left out. Raises `BadTrainingFile`, `BadRecord`.
    """
    sentences: list[LabelledText] = []
    words: list[str] = []
    entities: list[Entity] = []
    previous, place = "O", 0
    for where, line in chain(lines(file), [(FileLine(file, 0), "")]):
        columns = line.split()
        if len(columns) < 2:
            if words:
                kept = [entity._replace(label=mapping[entity.label]) for entity in entities]
                sentences.append(LabelledText(" ".join(words), tuple(e for e in kept if e.label != "O")))
            words, entities, previous, place = [], [], "O", 0
            continue
        word, tag = columns[0], columns[-1]
        if word == "-DOCSTART-":
            continue
        label = tag[2:]
        if tag != "O" and (tag[:2] not in ("B-", "I-") or label not in mapping):
            raise BadTrainingFile(f"{file}:{where.line}: the label {quote_value(tag)} is not one that the tagger knows")
        if tag[0] == "I" and previous == label:
            entities[-1] = entities[-1]._replace(end=place + len(word))
        elif tag != "O":
            entities.append(Entity(place, place + len(word), label))
        previous = label
        words.append(word)
        place += len(word) + 1
    return sentences


def read_held_out(folder: Path, mapping: Mapping[str, str] = MAPPING) -> dict[str, list[LabelledText]]:
    """Read the sentences that are held out of training: two test files and the last fifth of wikigold, if present."""
    files = {}
    for name in HELD_OUT:
        if (file := folder / f"{name}.txt").exists():
            sentences = read_sentences(file, mapping)
            files[name] = sentences[len(sentences) * 4 // 5 :] if name == "wikigold" else sentences
    return files


def training_files(folder: Path, mapping: Mapping[str, str] = MAPPING) -> dict[str, list[LabelledText]]:
    """Return the sentences of every file of a folder without those of `read_held_out`. Raises as `read_sentences`.

    `mapping` is as there. A few sentences of crossner are in two of its domains: if held out in one, they are left out
    of the other.
    """
    files = {}
    held = {sentence.text for sentences in read_held_out(folder).values() for sentence in sentences}
    for file in sorted(folder.glob("*.txt")):
        if file.stem in HELD_OUT and file.stem != "wikigold":
            continue
        sentences = read_sentences(file, mapping)
        if file.stem == "wikigold":
            sentences = sentences[: len(sentences) * 4 // 5]
        sentences = [sentence for sentence in sentences if sentence.text not in held]
        files[file.stem] = sentences[::TWEETS] if file.stem == "btc" else sentences
    if not files:
        raise BadTrainingFile(f"{folder} has no .txt files of named entities")
    return files


def names_in(folder: Path) -> Names:
    """Collect the names of a folder's training files from Wikipedia; tweets have many in other spellings."""
    files = training_files(folder, {label: label for label in MAPPING})
    return collect_names(
        text for name, texts in files.items() if SOURCES[source_of(name)] not in INCOMPLETE for text in texts
    )


def join_sentences(sentences: Sequence[LabelledText], chance: random.Random) -> Iterator[LabelledText]:
    """Yield texts of one or a few sentences, like those that the finder reads later."""
    place = 0
    while place < len(sentences):
        text, entities = sentences[place]
        for following in sentences[place + 1 : place + chance.choice(JOINED)]:
            if len(text.split()) + len(following.text.split()) > JOINED_WORDS:
                break
            place += 1
            offset = len(text) + 1
            text += f" {following.text}"
            entities += tuple(Entity(start + offset, end + offset, label) for start, end, label in following.entities)
        place += 1
        yield LabelledText(text, entities)


def possible_tags(spans: Sequence[tuple[int, int]], entities: Sequence[Entity], source: int) -> torch.Tensor:
    """Return which tags may be right for each word, a bool tensor of shape (words, tags)."""
    import torch

    tags = ["O"] * len(spans)
    for start, end, label in entities:
        inside = [word for word, (first, last) in enumerate(spans) if first < end and last > start]
        for place, word in enumerate(inside):
            tags[word] = f"{'I' if place else 'B'}-{label}"
    possible = torch.tensor([[tag == other for other in TAGS] for tag in tags])
    if SOURCES[source] in INCOMPLETE:
        unmarked = torch.tensor([tag == "O" for tag in tags])
        possible |= unmarked[:, None] & torch.tensor([tag.endswith("MISC") for tag in TAGS])
    return possible


def prepare(texts: Sequence[LabelledText], source: int, encoder: Encoder) -> Iterator[TrainingSample]:
    """Encode texts, a few hundred at a time, and yield them without those that have no words or would be cut."""
    import torch

    for start in range(0, len(texts), 256):
        part = texts[start : start + 256]
        for (text, entities), encoded in zip(part, encoder.encode([each.text for each in part], LAYERS), strict=True):
            spans = split_words(text)
            if not spans or encoded.truncated:
                continue
            readings = [text, *(other if len(other) == len(text) else text for other in (text.lower(), text.upper()))]
            original, lower, upper = (describe(reading, spans) for reading in readings)
            yield TrainingSample(
                vectors_of(encoded, spans).to(torch.float16),
                (original, lower, upper),
                possible_tags(spans, entities, source),
                source,
            )


# --- training -----------------------------------------------------------------------------------------------


def train_tagger(
    folder: Path,
    output: Path,
    *,
    seed: int = 0,
    epochs: int = EPOCHS,
    encoder: Encoder | None = None,
    say: Callable[[str], None] = lambda message: None,
) -> None:
    """Train a head on all files of a folder but the held-out ones, and write its weights as float16.

    Invented sport is added (`SPORTS`). The same seed gives the same weights on the same machine. Needs about 10 kB of
    memory per word. Raises `BadTrainingFile`, OSError, `ModelUnavailable`.
    """
    from relevance.metrics.models.encoder import Encoder as New

    encoder = encoder or New()
    chance = random.Random(seed)  # noqa: S311  no secret
    files = training_files(folder)
    with one_thread():
        samples = list(prepare_files(files, chance, encoder, say))
        words = round(SPORTS * sum(len(sample.tags) for sample in samples))
        invented = list(write_sports(names_in(folder), words, chance))
        say(f"{words} words of invented sport" if invented else "no names for invented sport")
        followed = [source for source, share in enumerate(FOLLOWED) if share]
        for place, source in enumerate(followed):
            samples += prepare(invented[place :: len(followed)], source, encoder)
        head = fit(samples, seed=seed, epochs=epochs, say=say)
    write_head(head, output, trained_on=[*files, "invented sport"], seed=seed, epochs=epochs, encoder=encoder.signature)


def prepare_files(
    files: Mapping[str, Sequence[LabelledText]], chance: random.Random, encoder: Encoder, say: Callable[[str], None]
) -> Iterator[TrainingSample]:
    """Prepare the sentences of files, by their names, in texts of one or a few."""
    for name, sentences in files.items():
        source = source_of(name)
        yield from prepare(
            sentences if SOURCES[source] in INCOMPLETE else list(join_sentences(sentences, chance)), source, encoder
        )
        say(f"{name}: {len(sentences)} sentences")


def source_of(name: str) -> int:
    """Return the index in `SOURCES` of a file's source, from the start of its name. Raises `BadTrainingFile`."""
    for number, source in enumerate(SOURCES):
        if name.startswith(source):
            return number
    raise BadTrainingFile(
        f"{name} is not from any of {', '.join(SOURCES)}: the conventions of its labels are not known"
    )


def fit(samples: Sequence[TrainingSample], *, seed: int, epochs: int, say: Callable[[str], None]) -> Any:
    """Train a head; return it with the moving average of its weights."""
    import torch

    chance = random.Random(seed)  # noqa: S311  no secret
    with torch.random.fork_rng():  # the caller's random numbers stay as they are
        torch.manual_seed(seed)
        head = head_class()()
        average = {name: value.clone() for name, value in head.state_dict().items()}
        optimizer = torch.optim.AdamW(head.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
        plan = [batch for _ in range(epochs) for batch in shuffle_batches(samples, chance)]
        warm_up = max(1, min(100, len(plan) // 10))
        total = 0.0
        for step, batch in enumerate(plan, 1):
            cosine = 0.51 + 0.49 * math.cos(math.pi * step / len(plan))
            for group in optimizer.param_groups:
                group["lr"] = LEARNING_RATE * min(1, step / warm_up) * cosine
            loss = loss_of(head, batch, [draw_reading(chance) for _ in batch])
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(head.parameters(), 1.0)
            optimizer.step()
            kept = min(AVERAGING, (1 + step) / (10 + step))
            for name, value in head.state_dict().items():
                average[name].lerp_(value, 1 - kept)
            total += loss.item()
            if step % 200 == 0 or step == len(plan):
                say(f"step {step} of {len(plan)}: loss {total / (step % 200 or 200):.4f} a word")
                total = 0.0
    head.load_state_dict(average)
    return head.eval()


def shuffle_batches(samples: Sequence[TrainingSample], chance: random.Random) -> list[list[TrainingSample]]:
    """Return batches of similar length, in random order."""
    sizes = [len(sample.tags) for sample in samples]
    batches: list[list[TrainingSample]] = [[]]
    words = 0
    for index in sorted(range(len(samples)), key=lambda index: sizes[index] + 6 * chance.random()):
        if words >= BATCH_WORDS:
            batches.append([])
            words = 0
        batches[-1].append(samples[index])
        words += sizes[index]
    chance.shuffle(batches)
    return batches


def draw_reading(chance: random.Random) -> int:
    """Draw the reading of a text to train on: as it is, in lower case or in capitals."""
    drawn = chance.random()
    return 1 if drawn < LOWER else 2 if drawn < LOWER + UPPER else 0


def loss_of(head: Any, samples: Sequence[TrainingSample], chosen: Sequence[int]) -> torch.Tensor:
    """Return the negative log-likelihood per word of the tags that may be right, under the conditional random field."""
    import torch

    batch = collate(
        [(sample.vectors, sample.readings[number]) for sample, number in zip(samples, chosen, strict=True)],
        torch.eye(len(SOURCES))[[sample.source for sample in samples]].tolist(),
    )
    scores = head(batch)
    possible = torch.nn.utils.rnn.pad_sequence([sample.tags for sample in samples], batch_first=True)
    every = log_sum(scores, batch.sizes, head.transitions)
    right = log_sum(scores.masked_fill(~possible, -1e4), batch.sizes, head.transitions)
    return (every - right).sum() / batch.sizes.sum()


def log_sum(scores: torch.Tensor, sizes: torch.Tensor, transitions: torch.Tensor) -> torch.Tensor:
    """Return the log of the summed weights of all tag sequences (the forward algorithm), shape (texts,)."""
    import torch

    steps = transitions + allowed_transitions()[:-1]
    inside = torch.arange(scores.shape[1])[None] < sizes[:, None]
    total = scores[:, 0] + allowed_transitions()[-1]
    for place in range(1, scores.shape[1]):
        longer = torch.logsumexp(total[:, :, None] + steps, 1) + scores[:, place]
        total = torch.where(inside[:, place, None], longer, total)
    return torch.logsumexp(total, 1)


def write_head(head: Any, output: Path, **settings: object) -> None:
    """Write a head's weights as float16, with its format and settings."""
    import torch
    from safetensors.torch import save_file

    about = {"format": FORMAT, "tags": TAGS, "layers": LAYERS, "licence": "MIT", **settings}
    weights = {name: value.to(torch.float16).contiguous() for name, value in head.state_dict().items()}
    # one entry: the library writes several in random order, and equal weights should give equal files
    save_file(weights, output, metadata={"about": json.dumps(about)})
