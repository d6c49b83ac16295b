"""The three LSTM systems as training methods: `lstm`, `pointer` and `pointer-apes`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from relevance.data.records import Document
from relevance.metrics.base import check_option
from relevance.summarizers.methods.base import (
    Batch,
    Decoding,
    Method,
    Network,
    UnsuitableDocuments,
    UnsuitableModel,
    padded,
    setting,
    target_of,
)
from relevance.summarizers.methods.own_network import VOCABULARY, WHOLE, Input, Output, OwnNetwork
from relevance.summarizers.methods.weights import WEIGHTS, save_weights
from relevance.summarizers.pointer.entities import WantedEntities, mark_words
from relevance.summarizers.pointer.losses import REDUCTIONS, EntityWeight, loss
from relevance.summarizers.pointer.network import ENTITY, network_class
from relevance.summarizers.pointer.search import Terms, write
from relevance.summarizers.pointer.words import SPECIAL, Vocabulary, cut_words, make_vocabulary

if TYPE_CHECKING:
    import torch

FOUND_AT_ONCE = 64
"""Documents whose entities are looked for at once."""

ACCUMULATOR = 0.1
"""The initial value of Adagrad's sums (See et al. 2017, section 5)."""


@dataclass
class Lstm(OwnNetwork):
    """Seq2Seq with attention: an LSTM that learns to write the title of an abstract.

    Abstracts of more than `source_words` are not learned from, as in the paper. The paper has a deep LSTM, word
    embeddings and sampled texts of at most 30 words, and no sizes; here sizes and Adagrad are those of the
    pointer-generator, embeddings are learned, there is one layer, and a search writes. The vocabulary is that of the
    training documents. Source: Dobko et al. (2018). Raises ValueError for settings out of range.
    """

    name = "lstm"
    kind = "pointer"
    needs_model = False
    target = "title"
    inherits = ("vocabulary", "embedding", "width")
    copies: ClassVar[bool] = False
    """Whether words of the source can be copied."""
    omits_long: ClassVar[bool] = True
    """Whether documents with more than `source_words` are not learned from, instead of cut."""

    source_words: int = setting(600, "Words of the longest abstract that is learned from.")
    target_words: int = setting(30, "Words of a target that are learned.")
    vocabulary: int = setting(50_000, "Words that can be written without being copied, the most frequent ones.")
    embedding: int = setting(128, "Numbers of a word's vector.")
    width: int = setting(512, "Numbers of a state, of the reading LSTM in its two directions together.")

    def __post_init__(self) -> None:
        self.wanted = WantedEntities()
        for name in ("source_words", "target_words", "vocabulary", "embedding"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.width < 2 or self.width % 2:
            raise ValueError(f"width is that of two directions together, an even number from 2, not {self.width}")

    @property
    def entity_weight(self) -> EntityWeight | None:
        """The weight of the entities' loss; None without entity attention."""
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
        if without := [document for document in documents if not (document.title or "").strip()]:
            raise UnsuitableDocuments(
                f"{self.name} learns titles, which {len(without)} of {len(documents)} documents do not have; the first "
                f"is {without[0].id!r}"
            )
        return [replace(document, references=(document.title or "",), title=None) for document in documents]

    def learns_from(self, document: Document) -> bool:
        """Tell whether a document is not too long to be learned from, if it would not be cut."""
        return not self.omits_long or len(cut_words(document.source_text).words) <= self.source_words

    def remarks(
        self, documents: Sequence[Document], progress: Callable[[int, int], None] = lambda done, total: None
    ) -> list[str]:
        """Count the documents that are too long."""
        if not (long := sum(not self.learns_from(document) for document in documents)):
            return []
        return [
            f"{long} of {len(documents)} documents have more than {self.source_words} words and are not learned from "
            "(--source-words)"
        ]

    def start(self, folder: Path | None, documents: Sequence[Document]) -> Network:
        """Count words and initialise weights. No folder is given, as `go_on` is for those."""
        texts = (text for document in documents for text in (document.source_text, target_of(document)))
        vocabulary = make_vocabulary(texts, self.vocabulary)
        return Network(self.make(vocabulary), vocabulary)

    def start_files(self, folder: Path) -> list[Path]:
        """List weights and words of the folder to go on from."""
        return [folder / WEIGHTS, folder / VOCABULARY]

    def go_on(self, method: Method, network: Network) -> Network:
        """Take over words and weights; entity attention that the trained network lacks is initialised."""
        if not isinstance(method, Lstm):
            return super().go_on(method, network)
        for name in self.inherits:
            if (there := method.settings[name]) != (settings := self.settings[name]):
                raise UnsuitableModel(f"{name} is {there} in the folder to go on from, and cannot be {settings}")
        made = self.make(network.tokenizer)
        missing, surplus = made.load_state_dict(network.model.state_dict(), strict=False)
        if surplus or any(not name.startswith(ENTITY) for name in missing):
            raise UnsuitableModel(f"{self.name} has other layers than {method.name}, from which it cannot go on")
        return Network(made, network.tokenizer)

    def make(self, vocabulary: Vocabulary) -> Any:
        """Make a network with random weights."""
        return network_class()(
            len(vocabulary),
            embedding=self.embedding,
            width=self.width,
            copies=self.copies,
            entities=self.finds_entities,
        )

    def optimizer(self, model: Any, learning_rate: float, weight_decay: float) -> Any:
        """Return Adagrad (See et al. 2017, section 5)."""
        import torch

        return torch.optim.Adagrad(
            model.parameters(),
            lr=learning_rate,
            initial_accumulator_value=ACCUMULATOR,
            weight_decay=weight_decay,
        )

    def batch(self, network: Network, documents: Sequence[Document], *, labels: bool) -> Batch:
        """Make sources in the vocabulary's and in extended numbers, targets, and marks of the words asked for."""
        import torch

        vocabulary: Vocabulary = network.tokenizer
        sources = [vocabulary.read_source(document.source_text, self.source_words) for document in documents]
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
                for source, named in zip(sources, self.wanted.find(documents), strict=True)
            ]
            batch["asked"] = padded(marks).float()
        return batch

    def loss(self, model: Any, batch: Batch) -> torch.Tensor:
        """Compute the negative log-likelihood, with the entities' loss by its weight."""
        return loss(model, batch, self.entity_weight)

    # --- writing

    def outputs(
        self, network: Network, documents: Sequence[Document], decoding: Decoding, given: Input = WHOLE
    ) -> list[Output]:
        """Write a summary of each document, one after the other; sources are read whole unless `given` cuts them."""
        vocabulary: Vocabulary = network.tokenizer
        gold = self.wanted.find(documents) if given.gold_entities else [None] * len(documents)
        made = []
        for document, named in zip(documents, gold, strict=True):
            source = vocabulary.read_source(document.source_text, given.words)
            if not source.ids:
                made.append(Output("", source.cut))
                continue
            entities = None if named is None else mark_words(source.spans, named)
            written = write(network.model, source, decoding, self.terms, entities)
            text = vocabulary.write(written.numbers, source)
            made.append(Output(text, source.cut, written.cut, nothing_given=named == []))
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

    In the form of the baseline of Eyal et al. (2019): repeated attention is penalised in the search (Gehrmann et al.
    2018), and not in the loss. Source: See et al. (2017), section 5 for sizes and Adagrad; Eyal et al. (2019),
    appendix A, for the epochs and the search.
    """

    name = "pointer"
    for_writing = frozenset({"coverage"})
    target = "first reference"
    copies = True
    omits_long = False

    source_words: int = setting(400, "Words of a source that are learned from; sources are read whole to write.")
    target_words: int = setting(100, "Words of a target that are learned.")
    coverage: float = setting(0.5, "beta of the search: what attention that comes twice costs.")

    @property
    def terms(self) -> Terms:
        """The coverage term."""
        return Terms(self.coverage)


@dataclass
class ApesPointer(Pointer):
    """The pointer-generator optimised for APES: it also learns what the references' questions ask for.

    It goes on from a trained pointer-generator. The loss is delta BCE + (1 - delta) NLL, and the search checks that
    the text attended to what is asked for. delta, beta and gamma are those of the paper, which calls the first lambda
    where it gives its value. With the mean over a source's words instead of the sum, which the paper leaves open, that
    weight teaches next to nothing (`docs/training.md`). `losses`, `entities` and `network` say where the published code
    differs.
    Source: Eyal et al. (2019), section 5 and appendix A.
    """

    name = "pointer-apes"
    needs_model = True
    for_writing = frozenset({"coverage", "entities"})
    finds_entities = True

    entities: float = setting(0.5, "gamma of the search: what it costs not to attend to an entity that is asked for.")
    delta: float = setting(0.01, "delta, the share of the entities' loss, from 0 to 1.")
    entity_loss: str = setting(
        "sum", "What the entities' loss is over a source's words; the paper does not say.", choices=REDUCTIONS
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_option("entity_loss", self.entity_loss, REDUCTIONS)
        if not 0 <= self.delta <= 1:
            raise ValueError(f"delta is the share of a loss, from 0 to 1, not {self.delta}")

    @property
    def entity_weight(self) -> EntityWeight | None:
        """The weight of the entities' loss."""
        return EntityWeight(self.delta, self.entity_loss)

    @property
    def finder(self) -> str:
        """The finder of the entities that APES asks for. Raises `ModelUnavailable`."""
        return self.wanted.apes.finder.signature

    def start(self, folder: Path | None, documents: Sequence[Document]) -> Network:
        """Refuse to start from nothing. Raises `UnsuitableModel`."""
        raise UnsuitableModel(f"{self.name} goes on from a trained pointer-generator: name its folder with --from")

    def remarks(
        self, documents: Sequence[Document], progress: Callable[[int, int], None] = lambda done, total: None
    ) -> list[str]:
        """Find what is asked for, which training needs, and count the documents without it."""
        without = 0
        for start in range(0, len(documents), FOUND_AT_ONCE):
            progress(start, len(documents))
            without += sum(not named for named in self.wanted.find(documents[start : start + FOUND_AT_ONCE]))
        if not without:
            return []
        return [
            f"the references of {without} of {len(documents)} documents ask for no entity, so that entities are not "
            "learned from them"
        ]

    @property
    def terms(self) -> Terms:
        """The terms of coverage and entities."""
        return Terms(self.coverage, self.entities)
