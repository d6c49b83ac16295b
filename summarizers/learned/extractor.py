"""Systems that are trained extractors: the two of this package, and those in users' folders."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from relevance.data.records import Document
from relevance.data.signatures import signature
from relevance.metrics.models.files import embedded_model, safe
from relevance.summarizers.base import LENGTH_NAME, VERSION, Extractive, SummaryLength, best_first, read_length
from relevance.summarizers.learned import linear, minilm
from relevance.summarizers.learned.folder import (
    KINDS,
    LINEAR,
    MINILM,
    hash_weights,
    read_about,
    read_heads,
    read_ngrams,
    read_training_documents,
)
from relevance.summarizers.training_documents import TrainingDocuments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from relevance.metrics.models.encoder import Encoder

WEIGHTS = Path(__file__).parent / "weights"
"""The folders of the extractors that come with this package."""

PREFIX = "extractor:"
"""The prefix of the name of a system that is an extractor in a folder."""


class LearnedExtractor(Extractive):
    """The sentences with the highest scores of a trained extractor.

    It was trained to find the sentence closest to a summary of one sentence, so the default length is one sentence;
    nothing keeps two sentences with the same content out of a longer summary. A document's summary depends on that
    document alone. Raises `ModelUnavailable` for a folder without an extractor.
    """

    usual: ClassVar[SummaryLength] = SummaryLength(1)

    def __init__(self, folder: Path, length: SummaryLength | int | None = None, *, system: str | None = None) -> None:
        super().__init__(length)
        self.folder = folder.absolute()  # the processes that summarize have another working folder
        self.kind = str(read_about(folder)["kind"])
        self.digest = hash_weights(folder, self.kind)
        self.system = system or safe(folder.resolve().name)
        self.apart = self.kind == MINILM

    @property
    def signature(self) -> str:
        """Everything that its output depends on."""
        model = {"model": embedded_model().signature, "layer": minilm.LAYER} if self.kind == MINILM else {}
        return signature(f"tldr-{self.kind}", VERSION, **self.length.option, weights=self.digest[:8], **model)

    @property
    def training_documents(self) -> TrainingDocuments:
        """The documents that it was trained on. Raises `BadModel`."""
        return read_training_documents(self.folder)

    def order(self, sentences: Sequence[str], document: Document) -> list[int]:
        """Sort by score."""
        return best_first(self.score(sentences))

    def score(self, sentences: Sequence[str]) -> list[float]:
        """Score each sentence of a document, at least one."""
        ngrams = linear.score_sentences(read_ngrams(self.folder, self.digest), sentences)
        if self.kind == LINEAR:
            return ngrams
        vectors = minilm.encode_sentences(sentences, sentence_encoder())
        return minilm.add_ngrams(minilm.score_vectors(read_heads(self.folder, self.digest), vectors), ngrams)


@cache
def sentence_encoder() -> Encoder:
    """Return the embedded encoder of all extractors: that of metrics would compute layers that they do not use."""
    from relevance.metrics.models.encoder import Encoder

    return Encoder()


def shipped(kind: str, length: SummaryLength | int | None = None) -> LearnedExtractor:
    """Make an extractor that comes with this package, named `tldr-linear` or `tldr-minilm`."""
    return LearnedExtractor(WEIGHTS / kind, length, system=f"tldr-{kind}")


SHIPPED = {f"tldr-{kind}": kind for kind in KINDS}


def is_extractor(name: str) -> bool:
    """Tell whether the name of a system is that of an extractor in a folder, such as `extractor:models/mine-2`."""
    return name.startswith(PREFIX)


def extractor(name: str, *, system: str | None = None) -> LearnedExtractor:
    """Make a system from a name such as `extractor:models/mine`, or `extractor:models/mine-2` for two sentences.

    Its name is `system`, by default that of its folder. If there is a folder `mine-2`, it is used. Raises
    `ModelUnavailable`.
    """
    path = name.removeprefix(PREFIX)
    length = re.fullmatch(rf"(.+)-({LENGTH_NAME})", path)
    if length and not Path(path).exists():
        return LearnedExtractor(Path(length[1]), read_length(length[2]), system=system)
    return LearnedExtractor(Path(path), system=system)
