"""PreSumm's extractive classifier: BERT with two layers over sentences, which chooses those of a summary."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from relevance.data.one_line import first_line
from relevance.data.records import Document
from relevance.metrics.models.encoder import quiet
from relevance.metrics.models.files import BadModel
from relevance.metrics.text import Reading, rouge_words
from relevance.summarizers.base import best_first
from relevance.summarizers.checkpoints.files import find_safetensors
from relevance.summarizers.methods.base import (
    Batch,
    Decoding,
    Network,
    UnsuitableModel,
    padded,
    setting,
    target_of,
)
from relevance.summarizers.methods.own_network import WHOLE, Input, Output, OwnNetwork
from relevance.summarizers.methods.weights import WEIGHTS, save_weights
from relevance.summarizers.oracles.problem import Problem
from relevance.summarizers.sentences import sentences_of

if TYPE_CHECKING:
    import torch

LAYERS = 2
HEADS = 8
INNER = 2048
DROPOUT = 0.1
"""The settings of the layers over sentences (section 3.2 and the published code)."""

NO_LABEL = -1.0
"""The label of padding."""

TOKENS = 512
"""The most tokens of a source that are read, the number of BERT's positions."""


class SentenceTokens(NamedTuple):
    """A document as the encoder's input: each sentence between [CLS] and [SEP]."""

    ids: tuple[int, ...]
    segments: tuple[int, ...]
    """0 for the tokens of the first sentence, 1 for those of the second, 0 for the third, and so on."""
    places: tuple[int, ...]
    """The position of the [CLS] of each sentence that is read."""
    cut: bool
    """Whether sentences, or the end of the last one, are not read."""


@dataclass
class PreSumm(OwnNetwork):
    """BERT with two layers over the vectors of sentences, which learns the sentences of a summary.

    A sentence's vector is that of the [CLS] before it, the layers see sines of its position, and a sigmoid gives its
    probability. The labels are the sentences that greedily raise ROUGE-1 + ROUGE-2 of the first reference. A summary
    has the most probable sentences, without those that share a trigram with an earlier one (trigram blocking), in the
    order of the document; the published code leaves them in the order of probability. Text beyond the encoder's limit
    is not read. The layers normalise after their residual connections, as in the paper's equations; the published code
    does so before.
    Source: Liu and Lapata (2019), Text summarization with pretrained encoders, section 3.2. Raises ValueError for fewer
    than one sentence.
    """

    name = "presumm"
    kind = "presumm"
    searches = False
    at_once = 16

    sentences: int = setting(3, "Sentences of a summary, and of what is learned.")

    def __post_init__(self) -> None:
        if self.sentences < 1:
            raise ValueError(f"a summary has at least 1 sentence, not {self.sentences}")

    # --- training

    def start_files(self, folder: Path) -> list[Path]:
        """List the weights of a checkpoint."""
        return find_safetensors(folder)

    def start(self, folder: Path | None, documents: Sequence[Document]) -> Network:
        """Open an encoder's folder, such as BERT's, and initialise the layers. Raises `UnsuitableModel`."""
        if folder is None:
            raise UnsuitableModel("presumm starts from an encoder such as BERT: name its folder with --model")
        return open_encoder(folder, weights=True)

    def batch(self, network: Network, documents: Sequence[Document], *, labels: bool) -> Batch:
        """Make token numbers, mask and segments (documents, tokens), positions and labels (documents, sentences)."""
        import torch

        limit = source_limit(network)
        read = [cut_tokens(network.tokenizer, sentences_of(document), limit) for document in documents]
        batch = {
            "input_ids": padded([text.ids for text in read], network.tokenizer.pad_token_id or 0),
            "attention_mask": padded([[1] * len(text.ids) for text in read]),
            "segments": padded([text.segments for text in read]),
            "places": padded([text.places for text in read]),
            "sentences": padded([[1] * len(text.places) for text in read]),
        }
        if labels:
            marked = [
                mark_sentences(sentences_of(document), target_of(document), self.sentences)[: len(text.places)]
                for document, text in zip(documents, read, strict=True)
            ]
            batch["labels"] = padded(marked, NO_LABEL).to(torch.float32)
        return batch

    def loss(self, model: Any, batch: Batch) -> torch.Tensor:
        """Compute the mean binary cross-entropy of the batch's sentences."""
        import torch

        there = batch["sentences"] == 1
        return torch.nn.functional.binary_cross_entropy_with_logits(model(batch)[there], batch["labels"][there])

    # --- writing

    def outputs(
        self, network: Network, documents: Sequence[Document], decoding: Decoding, given: Input = WHOLE
    ) -> list[Output]:
        """Extract a summary of each document, all in one batch; `decoding` and `given` do not apply to extracts."""
        import torch

        made = [Output("", source_cut=False)] * len(documents)
        places = [place for place, document in enumerate(documents) if sentences_of(document)]
        if not places:
            return made
        device = next(network.model.parameters()).device
        with_text = [documents[place] for place in places]
        batch = {name: value.to(device) for name, value in self.batch(network, with_text, labels=False).items()}
        with torch.inference_mode():
            scores = network.model(batch).tolist()
        limit = source_limit(network)
        for place, row in zip(places, scores, strict=True):
            sentences = sentences_of(documents[place])
            read = cut_tokens(network.tokenizer, sentences, limit)
            made[place] = Output(" ".join(choose(sentences, row[: len(read.places)], self.sentences)), read.cut)
        return made

    # --- files

    def save(self, network: Network, folder: Path, decoding: Decoding) -> None:
        """Write the encoder's config, its tokenizer, and all weights in one file."""
        network.model.encoder.config.save_pretrained(folder)
        network.tokenizer.save_pretrained(folder)
        save_weights(network.model, folder / WEIGHTS)

    def load(self, folder: Path) -> Network:
        """Load such a folder."""
        from safetensors.torch import load_model

        network = open_encoder(folder, weights=False)
        load_model(network.model, str(folder / WEIGHTS))
        network.model.eval()
        return network


def open_encoder(folder: Path, *, weights: bool) -> Network:
    """Make the network from an encoder's folder, with its weights or with random ones.

    Raises `BadModel` for a folder without an encoder, `UnsafeCheckpoint` for one that could only be loaded by running
    code from it, `UnsuitableModel` for an encoder without [CLS] and [SEP].
    """
    import transformers

    find_safetensors(folder)
    quiet(transformers)
    local = {"local_files_only": True, "trust_remote_code": False}
    try:
        config = transformers.AutoConfig.from_pretrained(folder, **local)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **local)
        if weights:
            encoder = transformers.AutoModel.from_pretrained(folder, use_safetensors=True, dtype="float32", **local)
        else:
            encoder = transformers.AutoModel.from_config(config)  # type: ignore[no-untyped-call]
    except Exception as error:  # libraries raise a dozen kinds
        raise BadModel(f"{folder} holds no encoder with its tokenizer: {first_line(error)}") from error
    if config.is_encoder_decoder or tokenizer.cls_token_id is None or tokenizer.sep_token_id is None:
        raise UnsuitableModel(
            f"presumm needs an encoder that knows [CLS] and [SEP], such as BERT, and this model is {config.model_type}"
        )
    if config.hidden_size % HEADS:
        raise UnsuitableModel(f"presumm needs a width that {HEADS} heads can share, not {config.hidden_size}")
    return Network(classifier_class()(encoder), tokenizer)


def source_limit(network: Network) -> int:
    """Return the most tokens of a source that are read."""
    config = network.model.encoder.config
    positions = getattr(config, "max_position_embeddings", TOKENS)
    return int(min(positions, network.tokenizer.model_max_length, TOKENS))


@cache
def classifier_class() -> Any:
    """Return the network's class; made here, as torch is loaded where it is used."""
    from torch import nn

    class Classifier(nn.Module):
        """An encoder of transformers, the layers over its sentences, and a score for each."""

        def __init__(self, encoder: Any) -> None:
            super().__init__()
            self.encoder = encoder
            width = encoder.config.hidden_size
            layer = nn.TransformerEncoderLayer(width, HEADS, INNER, DROPOUT, activation="gelu", batch_first=True)
            self.layers = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
            self.score = nn.Linear(width, 1)

        def forward(self, batch: Batch) -> torch.Tensor:
            """Compute the sentences' scores before the sigmoid: (documents, sentences)."""
            segments = {"token_type_ids": batch["segments"]} if self.has_segments else {}
            encoded = self.encoder(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], **segments)
            states = encoded.last_hidden_state
            places = batch["places"][..., None].expand(-1, -1, states.shape[-1])
            vectors = states.gather(1, places) + place_vectors(places.shape[1], states.shape[-1]).to(states)
            seen = self.layers(vectors, src_key_padding_mask=batch["sentences"] == 0)
            scores: torch.Tensor = self.score(seen)[..., 0]
            return scores

        @property
        def has_segments(self) -> bool:
            """Whether the encoder has two kinds of segments."""
            return getattr(self.encoder.config, "type_vocab_size", 0) > 1

    return Classifier


def place_vectors(count: int, width: int) -> torch.Tensor:
    """Compute sines and cosines of positions (Vaswani et al. 2017, section 3.5): (positions, width)."""
    import torch

    waves = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000) / width))
    angles = torch.arange(count)[:, None] * waves
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


def cut_tokens(tokenizer: Any, sentences: Sequence[str], limit: int) -> SentenceTokens:
    """Tokenize sentences, each between [CLS] and [SEP], as many as fit; a cut sentence ends with [SEP], too."""
    ids: list[int] = []
    segments: list[int] = []
    places: list[int] = []
    for number, sentence in enumerate(sentences):
        if len(ids) + 3 > limit:  # no room for one token of it
            return SentenceTokens(tuple(ids), tuple(segments), tuple(places), cut=True)
        places.append(len(ids))
        tokens = tokenizer(sentence, add_special_tokens=False, verbose=False).input_ids
        kept = tokens[: limit - len(ids) - 2]
        ids += [tokenizer.cls_token_id, *kept, tokenizer.sep_token_id]
        segments += [number % 2] * (len(kept) + 2)
        if len(kept) < len(tokens):
            return SentenceTokens(tuple(ids), tuple(segments), tuple(places), cut=True)
    return SentenceTokens(tuple(ids), tuple(segments), tuple(places), cut=False)


def mark_sentences(sentences: Sequence[str], reference: str, most: int) -> list[float]:
    """Return 1 for each sentence of the greedy extract for ROUGE-1 + ROUGE-2 F1, otherwise 0.

    Sentences are added while one raises the sum, at most `most`, the earlier of equal ones first. An n-gram counts
    once, and within sentences, as in the published code; words are stemmed here, as everywhere in ROUGE.
    """
    problems = [Problem(sentences, reference, n, "set") for n in (1, 2)]
    chosen: list[int] = []
    reached = 0.0
    while len(chosen) < most:
        gains = {
            place: sum(problem.f1([*chosen, place]) for problem in problems)
            for place in range(len(sentences))
            if place not in chosen
        }
        best = max(gains, key=lambda place: (round(gains[place], 9), -place), default=None)
        if best is None or gains[best] <= reached + 1e-9:
            break
        chosen.append(best)
        reached = gains[best]
    return [float(place in chosen) for place in range(len(sentences))]


def choose(sentences: Sequence[str], scores: Sequence[float], most: int) -> list[str]:
    """Choose the sentences with the highest scores, without trigrams of earlier ones, in the document's order."""
    chosen: list[int] = []
    used: set[tuple[str, ...]] = set()
    for place in best_first(scores):
        words = rouge_words(sentences[place], Reading("unicode"))
        trigrams = set(zip(words, words[1:], words[2:], strict=False))
        if len(chosen) < most and not trigrams & used:
            chosen.append(place)
            used |= trigrams
    return [sentences[place] for place in sorted(chosen)]
