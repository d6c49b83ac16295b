"""The attentive reader of Chen, Bolton and Manning 2016, known as the Stanford reader, and its checkpoints.

A bidirectional recurrent network reads the passage, another the question; a bilinear attention sums the passage's
states; a vector for each entity marker scores the sum (section 3.2). Entities are markers without meaning beyond their
text, so the reader answers from the text alone. `attentive_training` trains it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from relevance.data.files import sha256, write_bytes_whole
from relevance.data.one_line import first_line
from relevance.data.reading import FileLine, json_object
from relevance.metrics.apes.base import BLANK, PLACES, Answer, ReadingTask
from relevance.metrics.apes.readers.anonymous import Cloze, Token, cloze_from_task
from relevance.metrics.models.files import BadModel, ModelUnavailable, device, safe

if TYPE_CHECKING:
    import torch

METADATA = "attentive-reader"
"""The key of the settings, as JSON, in the metadata of a checkpoint; the only key, so that equal weights give equal
files."""

DROPOUT = 0.2
MAX_SIZE = 1 << 20
"""A number above any reasonable size or vocabulary."""

BATCH_TASKS = 32

# Numbers of tokens: these three, then the entity markers, then the words.
PADDING, UNKNOWN, BLANK_NUMBER, FIRST_ENTITY = 0, 1, 2, 3


@dataclass(frozen=True)
class Settings:
    """The hyperparameters of a reader."""

    hidden: int
    """The number of units of each recurrent network; each text has two (forward, backward)."""
    embedding: int
    """The width of the word vectors."""
    entities: int
    """The number of entity markers; further entities share the last one and cannot be told apart."""
    vocabulary: tuple[str, ...]
    """The known words."""

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The numbers of the words."""
        return {word: number for number, word in enumerate(self.vocabulary, FIRST_ENTITY + self.entities)}

    @property
    def tokens(self) -> int:
        """The number of tokens."""
        return FIRST_ENTITY + self.entities + len(self.vocabulary)

    def label(self, entity: int) -> int:
        """Return the marker of an entity."""
        return min(entity, self.entities - 1)

    def number(self, token: Token) -> int:
        """Return the number of a token."""
        if isinstance(token, int):
            return FIRST_ENTITY + self.label(token)
        return BLANK_NUMBER if token == BLANK else self.numbers.get(token, UNKNOWN)


class Batch(NamedTuple):
    """Clozes as tensors."""

    passages: torch.Tensor
    """Token numbers, shape (clozes, tokens), padded."""
    passage_lengths: torch.Tensor
    """Shape (clozes,)."""
    questions: torch.Tensor
    question_lengths: torch.Tensor
    present: torch.Tensor
    """True for the entities that the passage mentions, shape (clozes, entities)."""


def batch(clozes: Sequence[Cloze], settings: Settings, where: str | torch.device) -> Batch:
    """Make a batch on a device; each cloze has at least one token in its passage and in its question."""
    import torch

    def padded(rows: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        tensors = [torch.tensor(row) for row in rows]
        padded = torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True, padding_value=PADDING)
        return padded.to(where), torch.tensor([len(row) for row in rows], device=where)

    passages, passage_lengths = padded([[settings.number(token) for token in cloze.passage] for cloze in clozes])
    questions, question_lengths = padded([[settings.number(token) for token in cloze.question] for cloze in clozes])
    present = torch.zeros(len(clozes), settings.entities, dtype=torch.bool)
    for row, cloze in enumerate(clozes):
        present[row, [settings.label(token) for token in cloze.passage if isinstance(token, int)]] = True
    return Batch(passages, passage_lengths, questions, question_lengths, present.to(where))


@cache
def network_class() -> Any:
    """Return the network's class, defined on first use because torch takes seconds to load."""
    import torch
    from torch import nn

    class Encoder(nn.Module):
        """Recurrent networks in both directions.

        Each runs over padded tokens, the second over texts reversed within their lengths. Packed sequences would give
        the same, but on the processor their gradient takes time that grows with the square of a text's length.
        """

        def __init__(self, settings: Settings) -> None:
            super().__init__()
            self.onward = nn.GRU(settings.embedding, settings.hidden, batch_first=True)
            self.back = nn.GRU(settings.embedding, settings.hidden, batch_first=True)

        def forward(self, embedded: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            """Return the states (texts, tokens, width), and the last ones of both directions (texts, width)."""
            places = torch.arange(embedded.shape[1], device=embedded.device)
            turned = (lengths[:, None] - 1 - places).where(places < lengths[:, None], places)[:, :, None]
            onward, _ = self.onward(embedded)
            back, _ = self.back(embedded.take_along_dim(turned, 1))
            back = back.take_along_dim(turned, 1)
            last = onward.take_along_dim(lengths[:, None, None] - 1, 1)[:, 0]
            return torch.cat([onward, back], -1), torch.cat([last, back[:, 0]], -1)

    class Network(nn.Module):
        def __init__(self, settings: Settings) -> None:
            super().__init__()
            width = 2 * settings.hidden
            self.embedding = nn.Embedding(settings.tokens, settings.embedding, padding_idx=PADDING)
            self.passage = Encoder(settings)
            self.question = Encoder(settings)
            self.attention = nn.Linear(width, width, bias=False)
            self.output = nn.Linear(width, settings.entities, bias=False)
            self.dropout = nn.Dropout(DROPOUT)

        def forward(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
            """Return log-probabilities (clozes, entities), -inf if absent, and the attention (clozes, tokens)."""
            states, _ = self.passage(self.embedded(batch.passages), batch.passage_lengths)
            _, question = self.question(self.embedded(batch.questions), batch.question_lengths)
            scores = torch.einsum("btw,bw->bt", states, self.attention(question))
            attention = scores.masked_fill(batch.passages == PADDING, -torch.inf).softmax(-1)
            summed = torch.einsum("bt,btw->bw", attention, states)
            return self.output(summed).masked_fill(~batch.present, -torch.inf).log_softmax(-1), attention

        def embedded(self, tokens: torch.Tensor) -> torch.Tensor:
            vectors: torch.Tensor = self.dropout(self.embedding(tokens))
            return vectors

    return Network


class AttentiveReader:
    """A reader with a trained network; `load` reads a checkpoint's settings, the first `read` its weights.

    A candidate's score is the log-probability of its marker among those of all candidates; the answer is read from its
    mention with the most attention. Other entities in a question are plain words, as nothing marks them.
    """

    def __init__(self, settings: Settings, network: Callable[[], Any], name: str) -> None:
        self.settings = settings
        self.make_network = network
        self.name = name

    @property
    def signature(self) -> str:
        """`attentive-reader:<name>@<first eight digits of the checkpoint's SHA-256>`."""
        return f"attentive-reader:{self.name}"

    @cached_property
    def network(self) -> Any:
        """The network, loaded on first use."""
        return self.make_network()

    @classmethod
    def load(cls, path: Path | str) -> AttentiveReader:
        """Return a reader from a checkpoint: a safetensors file, never unpickled. Raises `ModelUnavailable`."""
        path = Path(path)
        if not path.is_file():
            raise ModelUnavailable(f"there is no file {path}; train a reader, or name the file that training wrote")
        settings, digest = read_settings(path), sha256(path)
        return cls(settings, lambda: read_network(path, settings, digest), f"{safe(path.stem)}@{digest[:8]}")

    def save(self, path: Path) -> None:
        """Write a checkpoint, whole or not at all. Raises OSError."""
        import safetensors.torch

        settings = {name: getattr(self.settings, name) for name in ("hidden", "embedding", "entities", "vocabulary")}
        weights = {name: weight.detach().cpu().contiguous() for name, weight in self.network.state_dict().items()}
        written = safetensors.torch.save(weights, metadata={METADATA: json.dumps(settings)})
        write_bytes_whole(path, [written])

    def read(self, tasks: Sequence[ReadingTask]) -> list[Answer]:
        """Answer a batch, in order. Raises `ModelUnavailable` if the weights cannot be loaded."""
        import torch

        clozes = list(map(cloze_from_task, tasks))
        order = sorted(range(len(tasks)), key=lambda index: len(clozes[index][0].passage))
        answers: dict[int, Answer] = {}
        for start in range(0, len(order), BATCH_TASKS):
            chosen = order[start : start + BATCH_TASKS]
            network = self.network.eval()
            where = next(network.parameters()).device
            with torch.inference_mode():
                outputs = network(batch([clozes[index][0] for index in chosen], self.settings, where))
            probabilities, attention = (output.tolist() for output in outputs)
            for row, index in enumerate(chosen):
                answers[index] = self.answer(tasks[index], *clozes[index], probabilities[row], attention[row])
        return [answers[index] for index in range(len(tasks))]

    def answer(
        self,
        task: ReadingTask,
        cloze: Cloze,
        mentions: Sequence[Sequence[int]],
        probabilities: Sequence[float],
        attention: Sequence[float],
    ) -> Answer:
        """Return the network's answer to a task; `mentions` are tokens of the passage."""
        entities = [cloze.passage[tokens[0]] for tokens in mentions]
        scores = tuple(
            round(probabilities[self.settings.label(entity)], PLACES) for entity in entities if isinstance(entity, int)
        )
        chosen = scores.index(max(scores))
        seen = [attention[token] for token in mentions[chosen]]
        return Answer(chosen, scores, task.candidates[chosen].mentions[seen.index(max(seen))])


def read_settings(path: Path) -> Settings:
    """Return the settings in a checkpoint, without its weights. Raises `ModelUnavailable`."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            metadata = json_object(FileLine(path, 1), (file.metadata() or {})[METADATA])
        settings = Settings(
            metadata["hidden"], metadata["embedding"], metadata["entities"], tuple(metadata["vocabulary"])
        )
        sizes = (settings.hidden, settings.embedding, settings.entities)
        if not all(type(size) is int and 0 < size <= MAX_SIZE for size in sizes):
            raise ValueError("hidden, embedding and entities must be positive numbers")
        if not all(isinstance(word, str) for word in settings.vocabulary):
            raise ValueError("the vocabulary must be a list of words")
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadModel(f"{path} is not an attentive reader in safetensors: {first_line(error)}") from error
    return settings


def read_network(path: Path, settings: Settings, digest: str) -> Any:
    """Return the network with a checkpoint's weights, on the device of `RELEVANCE_DEVICE`.

    Raises `ModelUnavailable` if the weights do not fit the settings, or the file no longer has this SHA-256.
    """
    import safetensors.torch
    import torch

    written = path.read_bytes()
    if hashlib.sha256(written).hexdigest() != digest:
        raise ModelUnavailable(f"{path} has changed since it was first read; start again")
    weights = {name: weight.float() for name, weight in safetensors.torch.load(written).items()}
    with torch.device("meta"):  # settings that do not fit the weights take no memory
        network = network_class()(settings)
    try:
        network.load_state_dict(weights, assign=True)
    except RuntimeError as error:
        raise BadModel(f"the weights in {path} do not fit its settings: {error}") from error
    if not all(bool(weight.isfinite().all()) for weight in weights.values()):
        raise BadModel(f"there are weights in {path} that are not finite: its training failed")
    return network.eval().to(device())
