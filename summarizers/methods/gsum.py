"""GSum: BART guided by keywords of the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relevance.data.records import Document
from relevance.metrics.base import check_option
from relevance.metrics.keywords.extractors import extract
from relevance.metrics.keywords.overlap import compared_texts, overlap_keywords
from relevance.summarizers.methods.base import Batch, Network, setting
from relevance.summarizers.methods.guidance import add_guidance, guided
from relevance.summarizers.methods.plain import IGNORED, Seq2SeqMethod, source_limit

if TYPE_CHECKING:
    import torch

GUIDANCE = SOURCE, OVERLAP = "source", "overlap"
"""Where the keywords come from."""

SEPARATOR = ", "
"""The separator of keywords in a guidance, which is one text."""


@dataclass
class GSum(Seq2SeqMethod):
    """BART with two encoders, of the source and of keywords, and a decoder that attends to both.

    The encoders share all layers except the top one, as in the published code; the keywords' top layer starts as a copy
    of BART's. The decoder attends to itself, to the keywords and to the source, in this order. The loss is
    cross-entropy with smoothed labels.

    With `overlap` guidance, the keywords are those that references and title share, as ROUGE-K's are, in training and
    at test time: this is the row of Takeshita et al. (2024), whose system reads the references of what it summarizes.
    With `source` guidance, which is ours, they are those of the source, as far as it is read, by tf-idf with sentences
    as documents (`relevance.metrics.keywords.extractors`), so that no reference can leak. Dou et al. predict keywords
    at test time only and train with those of the source that are also in the reference.
    Source: Dou et al. (2021), GSum, and its published code. Raises ValueError for fewer than one keyword, for a
    smoothing outside [0, 1] and for unknown guidance.
    """

    name = "gsum"
    model_types = ("bart",)

    guidance: str = setting(
        SOURCE,
        "Keywords of the source, or those that references and title share, which it then reads.",
        choices=GUIDANCE,
    )
    keywords: int = setting(10, "Keywords of the source that guide a summary, at most.")
    smoothing: float = setting(0.1, "The share of a label that all tokens have together, from 0 to 1.")

    def __post_init__(self) -> None:
        check_option("guidance", self.guidance, GUIDANCE)
        if self.keywords < 1:
            raise ValueError(f"gsum is guided by at least 1 keyword, not {self.keywords}")
        if not 0 <= self.smoothing <= 1:
            raise ValueError(f"the smoothing of labels must be from 0 to 1, not {self.smoothing}")

    @property
    def reads_references(self) -> bool:
        """Whether overlap keywords guide it."""
        return self.guidance == OVERLAP

    def gives_nothing(self, document: Document) -> bool:
        """Tell whether it is guided by overlap keywords, and there are none."""
        return self.reads_references and not overlap_of(document)

    def alter(self, model: Any) -> None:
        """Add the guidance's top layer, and attention to it in each layer of the decoder."""
        encoder = model.get_encoder()
        encoder.guidance_layer = deepcopy(encoder.layers[-1])
        add_guidance(model)

    def inputs(self, network: Network, documents: Sequence[Document], read: Any, *, labels: bool) -> Batch:
        """Make the keywords' token numbers and mask, each (documents, tokens)."""
        ends = read["offset_mapping"][..., 1].amax(1).tolist()  # of the text that is read
        made = network.tokenizer(
            [self.guide(document, end) for document, end in zip(documents, ends, strict=True)],
            padding=True,
            truncation=True,
            max_length=source_limit(network),
            return_tensors="pt",
        )
        return {"guidance_ids": made["input_ids"], "guidance_mask": made["attention_mask"]}

    def guide(self, document: Document, end: int) -> str:
        """Return the text that guides the summary of a document, whose source is read up to `end`."""
        if self.reads_references:
            return SEPARATOR.join(overlap_of(document))
        return predict_guidance(document.source_text[:end], self.keywords)

    @contextmanager
    def given(self, model: Any, batch: Batch) -> Iterator[None]:
        """Encode the guidance and pass it to the decoder."""
        states = encode_guidance(model, batch["guidance_ids"], batch["guidance_mask"])
        with guided(model, states, batch["guidance_mask"]):
            yield

    def loss(self, model: Any, batch: Batch) -> torch.Tensor:
        """Compute the mean cross-entropy of the reference's tokens with smoothed labels."""
        import torch

        logits = self.run(model, batch).logits
        return torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), batch["labels"].flatten(), ignore_index=IGNORED, label_smoothing=self.smoothing
        )


def overlap_of(document: Document) -> list[str]:
    """Return the keywords that two or more of a document's references and title share, as ROUGE-K has them."""
    return [str(keyword) for keyword in overlap_keywords(compared_texts(document.references, document.title, "always"))]


def predict_guidance(source: str, keywords: int) -> str:
    """Extract the keywords of a source by tf-idf, the best first, from the source alone."""
    return SEPARATOR.join(map(str, extract(f"tfidf:{keywords}", [source])))


def encode_guidance(model: Any, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Compute the guidance's states, (documents, tokens, width), from token numbers and mask, (documents, tokens)."""
    encoder = model.get_encoder()
    with own_top(encoder):
        states: torch.Tensor = encoder(input_ids=ids, attention_mask=mask).last_hidden_state
    return states


@contextmanager
def own_top(encoder: Any) -> Iterator[None]:
    """Give the encoder the guidance's top layer in the block: all others are shared, and nothing is stored twice."""
    top = encoder.layers[-1]
    encoder.layers[-1] = encoder.guidance_layer
    try:
        yield
    finally:
        encoder.layers[-1] = top
