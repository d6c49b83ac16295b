"""The MiniLM extractor: a head on sentence vectors of the embedded encoder, added to the linear extractor.

The encoder is not trained; the head is one transformer layer.

A sentence's vector is the mean of its token vectors in a lower hidden layer: upper ones keep the topic of a sentence
but lose its wording ("we propose"), by which summary sentences of papers are recognised. In the transformer layer,
sentences of one document attend to each other (as in the inter-sentence layers of PreSumm: Liu and Lapata 2019, section
3.2).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

    from relevance.metrics.models.encoder import Encoder

LAYER = 3
"""The hidden layer of the encoder, of 6, that is used; those above it are not computed."""

ENCODER_WIDTH = 384
WIDTH = 192
HEADS = 4
FEED_FORWARD = 384
DROPOUT = 0.3
PLACES = 32
"""Positions, from each end of a document, with a vector of their own."""

TOGETHER = 256
"""Sentences that attend to each other; longer documents are read in stretches, so that memory grows linearly."""

EPOCHS = 6
BATCH = 32
"""Documents in a batch of training."""
LEARNING_RATE = 5e-4
WEIGHT_DECAY = 0.05
WARM_UP = 0.1
"""The share of steps in which the learning rate rises."""
TEMPERATURE = 0.1
"""Soft labels are softmax(ROUGE-1 / temperature) over a document's sentences."""


NGRAM_FACTOR = 5.0
"""The factor of the linear extractor's score beside the heads' log-probabilities.

In a cross-validation on SciTLDR's training documents, factors from 5 to 10 gained .4 to .5 points of ROUGE-1 over 0.
"""


class Stretch(NamedTuple):
    """Sentences of one document that the head reads together."""

    vectors: torch.Tensor
    """(sentences, ENCODER_WIDTH)"""
    first: torch.Tensor
    """(sentences,), positions from the document's beginning"""
    last: torch.Tensor
    """(sentences,), positions from its end"""


@cache
def head_class() -> type[Any]:
    """Return the head's class, a `torch.nn.Module`; made here, as torch is loaded where it is used."""
    import torch
    from torch import nn

    class Head(nn.Module):
        """The network from vectors and positions of sentences to their scores."""

        def __init__(self) -> None:
            super().__init__()
            self.mean = nn.Buffer(torch.zeros(ENCODER_WIDTH))
            self.deviation = nn.Buffer(torch.ones(ENCODER_WIDTH))
            self.vectors = nn.Linear(ENCODER_WIDTH, WIDTH)
            self.first = nn.Embedding(PLACES, WIDTH)
            self.last = nn.Embedding(PLACES, WIDTH)
            for table in (self.first, self.last):
                nn.init.normal_(table.weight, std=0.02)
            self.layer = nn.TransformerEncoderLayer(
                WIDTH, HEADS, FEED_FORWARD, DROPOUT, "gelu", batch_first=True, norm_first=True
            )
            self.norm = nn.LayerNorm(WIDTH)
            self.score = nn.Linear(WIDTH, 1)
            self.dropout = nn.Dropout(DROPOUT)

        def forward(self, stretches: Sequence[Stretch]) -> torch.Tensor:
            """Compute scores, shape (stretches, sentences), very low for padding."""
            vectors, first, last = (
                nn.utils.rnn.pad_sequence(list(column), batch_first=True) for column in zip(*stretches, strict=True)
            )
            sizes = torch.tensor([len(stretch.first) for stretch in stretches])
            outside = torch.arange(vectors.shape[1])[None] >= sizes[:, None]
            states = self.vectors(self.dropout((vectors - self.mean) / self.deviation))
            states = states + self.first(first.clamp(max=PLACES - 1)) + self.last(last.clamp(max=PLACES - 1))
            states = self.layer(self.dropout(states), src_key_padding_mask=outside)
            scores: torch.Tensor = self.score(self.norm(states)).squeeze(-1)
            return scores.masked_fill(outside, -1e4)

    return Head


def encode_sentences(sentences: Sequence[str], encoder: Encoder) -> torch.Tensor:
    """Encode each sentence as the mean of its tokens' vectors, including special ones: (sentences, ENCODER_WIDTH).

    A sentence that is longer than the encoder's limit is cut.
    """
    import torch

    vectors = []
    for start in range(0, len(sentences), TOGETHER):
        for encoded in encoder.encode(sentences[start : start + TOGETHER], [LAYER]):
            vectors.append(encoded.vectors[LAYER].mean(0))
        encoder.forget()  # 30 times as much as the means, and not needed again
    return torch.stack(vectors)


def stretches_of(vectors: torch.Tensor) -> list[Stretch]:
    """Divide the sentences of a document into stretches of `TOGETHER`."""
    import torch

    first = torch.arange(len(vectors))
    parts = (torch.split(each, TOGETHER) for each in (vectors, first, first.flip(0)))
    return [Stretch(*part) for part in zip(*parts, strict=True)]


def score_vectors(heads: Sequence[Any], vectors: torch.Tensor) -> list[float]:
    """Score each sentence of a document: the mean over heads of its log-probability of being the best."""
    import torch

    with torch.inference_mode():
        return [
            score
            for stretch in stretches_of(vectors)
            for score in torch.stack([head([stretch])[0].log_softmax(0) for head in heads]).mean(0).tolist()
        ]


def add_ngrams(heads: Sequence[float], ngrams: Sequence[float]) -> list[float]:
    """Add the linear extractor's score of each sentence, `NGRAM_FACTOR` times, to the score of the heads."""
    return [head + NGRAM_FACTOR * ngram for head, ngram in zip(heads, ngrams, strict=True)]


def rounded(head: Any) -> Any:
    """Round a head's weights to float16, as in its file."""
    import torch

    head.load_state_dict({name: numbers.to(torch.float16) for name, numbers in head.state_dict().items()})
    return head


# --- training -------------------------------------------------------------------------------------------------


def fit(
    documents: Sequence[torch.Tensor],
    rouge: Sequence[NDArray[np.float64]],
    seed: int,
    *,
    epochs: int = EPOCHS,
    say: Callable[[str], None] = lambda message: None,
) -> Any:
    """Train a head on documents of at least one sentence vector each; return it ready to score.

    The loss is the cross-entropy between the softmax of the scores and that of ROUGE-1 / `TEMPERATURE`, over the
    sentences of a document (listwise, as in ListNet: Cao et al. 2007, section 4.2). Weights are rounded to float16. The
    same seed gives the same weights on the same machine in one thread.
    """
    import torch

    stretches = [stretch for vectors in documents for stretch in stretches_of(vectors)]
    labels = [
        torch.softmax(torch.tensor(part, dtype=torch.float32) / TEMPERATURE, 0)
        for values in rouge
        for part in np.split(values, range(TOGETHER, len(values), TOGETHER))
    ]
    every = torch.cat(list(documents))
    with torch.random.fork_rng():  # the caller's random numbers stay as they are
        torch.manual_seed(seed)
        head = head_class()()
        head.mean.copy_(every.mean(0))
        head.deviation.copy_(every.std(0, correction=0).clamp(min=1e-6))
        optimizer = torch.optim.AdamW(head.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
        steps = epochs * math.ceil(len(stretches) / BATCH)
        step = 0
        for epoch in range(1, epochs + 1):
            total = 0.0
            for batch in torch.split(torch.randperm(len(stretches)), BATCH):
                step += 1
                for group in optimizer.param_groups:
                    group["lr"] = learning_rate(step / steps)
                scores = head([stretches[place] for place in batch])
                wanted = torch.nn.utils.rnn.pad_sequence([labels[place] for place in batch], batch_first=True)
                loss = -(wanted * torch.log_softmax(scores, 1)).sum(1).mean()
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(head.parameters(), 1.0)
                optimizer.step()
                total += loss.item() * len(batch)
            say(f"seed {seed}, epoch {epoch} of {epochs}: loss {total / len(stretches):.4f} a document")
    return rounded(head.eval())


def learning_rate(share: float) -> float:
    """Compute the learning rate after a share of the steps: linear warm-up, then half a cosine down."""
    return LEARNING_RATE * min(1, share / WARM_UP) * (1 + math.cos(math.pi * share)) / 2
