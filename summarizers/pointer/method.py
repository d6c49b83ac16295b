"""The three LSTM systems as training methods: `lstm`, `pointer` and `pointer-apes`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from relevance.data.records import Document
from relevance.summarizers.methods.base import (
    Batch,
    Decoding,
    Network,
    UnsuitableDocuments,
    UnsuitableModel,
    padded,
    setting,
    target_of,
)
from relevance.summarizers.methods.own_network import VOCABULARY, Output, OwnNetwork
from relevance.summarizers.methods.weights import WEIGHTS, save_weights
from relevance.summarizers.pointer.entities import AskedEntities, mark_words
from relevance.summarizers.pointer.losses import loss
from relevance.summarizers.pointer.network import network_class
from relevance.summarizers.pointer.search import Terms, write
from relevance.summarizers.pointer.words import SPECIAL, Source, Vocabulary, make_vocabulary

if TYPE_CHECKING:
    import torch

ACCUMULATOR = 0.1
"""The initial value of Adagrad's sums (See et al. 2017, section 5)."""


@dataclass
class Lstm(OwnNetwork):
    """Seq2Seq with attention: an LSTM that learns to write the title of an abstract.

    The paper only says that its system reads at most 600 words and writes at most 30; everything else here is that of
    the pointer-generator, including Adagrad and sizes. The vocabulary is that of the training documents.
    Source: Dobko et al. (2018). Raises ValueError for settings out of range.
    """

    name = "lstm"
    kind = "pointer"
    needs_model = False
    target = "title"
    copies: ClassVar[bool] = False
    """Whether words of the source can be copied."""
    finds_entities: ClassVar[bool] = False
    """Whether there is entity attention."""

    source_words: int = setting(600, "Words of a source that are read.")
    target_words: int = setting(30, "Words of a target that are learned.")
    vocabulary: int = setting(50_000, "Words that can be written without being copied, the most frequent ones.")
    embedding: int = setting(128, "Numbers of a word's vector.")
    width: int = setting(512, "Numbers of a state, of the reading LSTM in its two directions together.")

    def __post_init__(self) -> None:
        self.asked = AskedEntities()
        for name in ("source_words", "target_words", "vocabulary", "embedding"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.width < 2 or self.width % 2:
            raise ValueError(f"width is that of two directions together, an even number from 2, not {self.width}")

    @property
    def share(self) -> float | None:
        """Delta, the share of the entities' loss; None without entity attention."""
        return None

    @property
    def terms(self) -> Terms:
        """The terms of the search besides the probability."""
        return Terms()

    # --- training

    def documents(self, documents: Sequence[Document]) -> list[Document]:
        """Return the documents, with their title as reference if it is the target. Raises `UnsuitableDocuments`."""
        if self.target != "title":
            return list(documents)
        if without := [one for one in documents if not (one.title or "").strip()]:
            raise UnsuitableDocuments(
                f"{self.name} learns titles, which {len(without)} of {len(documents)} documents do not have; the first "
                f"is {without[0].id!r}"
            )
        return [replace(one, references=(one.title or "",), title=None) for one in documents]

    def start(self, folder: Path | None, documents: Sequence[Document]) -> Network:
        """Count words and initialise weights. Raises `UnsuitableModel` if a checkpoint is named."""
        if folder is not None:
            raise UnsuitableModel(f"{self.name} starts from nothing: leave out --model")
        texts = (text for one in documents for text in (one.source_text, target_of(one)))
        vocabulary = make_vocabulary(texts, self.vocabulary)
        return Network(self.make(vocabulary), vocabulary)

    def make(self, vocabulary: Vocabulary) -> Any:
        """Make a network with random weights."""
        return network_class()(
            len(vocabulary),
            embedding=self.embedding,
            width=self.width,
            copies=self.copies,
            entities=self.finds_entities,
        )

    def optimizer(self, model: Any, learning_rate: float) -> Any:
        """Return Adagrad (See et al. 2017, section 5)."""
        import torch

        return torch.optim.Adagrad(model.parameters(), lr=learning_rate, initial_accumulator_value=ACCUMULATOR)

    def batch(self, network: Network, documents: Sequence[Document], *, labels: bool) -> Batch:
        """Make sources in the vocabulary's and in extended numbers, targets, and marks of the words asked for."""
        import torch

        vocabulary: Vocabulary = network.tokenizer
        sources = [self.read(vocabulary, document) for document in documents]
        batch = {
            "ids": padded([source.ids for source in sources]),
            "extended": padded([source.extended for source in sources]),
            "lengths": torch.tensor([len(source.ids) for source in sources]),
        }
        if labels:
            targets = [
                vocabulary.read_target(target_of(document), source, self.target_words)
                for document, source in zip(documents, sources, strict=True)
            ]
            batch["targets"] = padded(targets)
        if labels and self.finds_entities:
            marks = [
                mark_words(source.spans, named)
                for source, named in zip(sources, self.asked.find(documents), strict=True)
            ]
            batch["asked"] = padded(marks).float()
        return batch

    def read(self, vocabulary: Vocabulary, document: Document) -> Source:
        """Read the source of a document."""
        return vocabulary.read_source(document.source_text, self.source_words)

    def loss(self, model: Any, batch: Batch) -> torch.Tensor:
        """Compute the negative log-likelihood, with the entities' loss by its share."""
        return loss(model, batch, self.share)

    # --- writing

    def outputs(self, network: Network, documents: Sequence[Document], decoding: Decoding) -> list[Output]:
        """Write a summary of each document, one after the other."""
        vocabulary: Vocabulary = network.tokenizer
        made = []
        for source in (self.read(vocabulary, document) for document in documents):
            if source.ids:
                written = write(network.model, source, decoding, self.terms)
                made.append(Output(vocabulary.write(written.numbers, source), source.cut, written.cut))
            else:
                made.append(Output("", source.cut))
        return made

    # --- files

    def save(self, network: Network, folder: Path, decoding: Decoding) -> None:
        """Write weights and words; the decoding is in `method.json`."""
        words = network.tokenizer.words[len(SPECIAL) :]
        (folder / VOCABULARY).write_text(json.dumps(words, ensure_ascii=False), encoding="utf-8")
        save_weights(network.model, folder / WEIGHTS)

    def load(self, folder: Path) -> Network:
        """Read weights and words."""
        from safetensors.torch import load_model

        vocabulary = Vocabulary(json.loads((folder / VOCABULARY).read_text(encoding="utf-8")))
        model = self.make(vocabulary)
        load_model(model, str(folder / WEIGHTS))
        return Network(model.eval(), vocabulary)


@dataclass
class Pointer(Lstm):
    """The pointer-generator: an LSTM with attention that can copy words of the source.

    In the form that the system for APES is based on: repeated attention is penalised in the search (Gehrmann et al.
    2018), and not in the loss. Source: See et al. (2017), section 5 for sizes and Adagrad.
    """

    name = "pointer"
    for_writing = frozenset({"coverage"})
    target = "first reference"
    copies = True

    source_words: int = setting(400, "Words of a source that are read.")
    target_words: int = setting(100, "Words of a target that are learned.")
    coverage: float = setting(0.5, "beta of the search: what attention that comes twice costs.")

    @property
    def terms(self) -> Terms:
        """The coverage term."""
        return Terms(self.coverage)


@dataclass
class ApesPointer(Pointer):
    """The pointer-generator optimised for APES: it also learns what the references' questions ask for.

    The loss is delta BCE + (1 - delta) NLL, and the search checks that the text attended to what is asked for, with
    beta = gamma = .5. delta is ours: we know of no published value. `losses`, `entities` and `network` say where the
    published code differs.
    Source: Eyal et al. (2019).
    """

    name = "pointer-apes"
    for_writing = frozenset({"coverage", "entities"})
    finds_entities = True

    entities: float = setting(0.5, "gamma of the search: what it costs not to attend to an entity that is asked for.")
    delta: float = setting(0.5, "delta, the share of the entities' loss, from 0 to 1.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.delta <= 1:
            raise ValueError(f"delta is the share of a loss, from 0 to 1, not {self.delta}")

    @property
    def share(self) -> float | None:
        """Delta, the share of the entities' loss."""
        return self.delta

    @property
    def terms(self) -> Terms:
        """The terms of coverage and entities."""
        return Terms(self.coverage, self.entities)
