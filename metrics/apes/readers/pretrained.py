"""The common parts of readers with a Hugging Face model: its files, its windows on a summary, its batches."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from relevance.data.one_line import first_line
from relevance.metrics.apes.base import PLACES, Answer, ReadingTask
from relevance.metrics.models.encoder import make_batches, quiet
from relevance.metrics.models.files import BadModel, device, find_model
from relevance.metrics.text import Span

WINDOW = 384
"""The most tokens that a model sees at once: question answering models are trained on so many, and it saves memory."""

OVERLAP = 128
"""The most tokens that two windows on a summary share."""

BATCH_TOKENS = 1024
"""The tokens that go through a model at once: a masked language model returns a number for each token and each piece of
its vocabulary, 200 MB for 50,000 pieces."""

UNSEEN = -1e4
"""The score of a candidate that the model's tokens leave out, far below any other."""


class Window(NamedTuple):
    """A stretch of a summary with a question, as the model sees them."""

    inputs: dict[str, list[int]]
    """`input_ids`, `attention_mask` and the like, unpadded."""
    summary: dict[int, Span]
    """The spans of the summary's tokens in the summary, by their index in the window."""
    question: dict[int, Span]
    """The spans of the question's tokens in the question, likewise."""


class TokenRange(NamedTuple):
    """The place of a mention in a window."""

    window: int
    first: int
    last: int
    """The first and last token of the mention in that window."""


class Pretrained:
    """A model with its tokenizer: found when made, loaded on first use.

    `name` is a folder, or a name on the Hugging Face hub, which is looked for on this machine only; `head` is the class
    of `transformers` that loads it. Raises `ModelUnavailable`.
    """

    def __init__(self, name: str, head: str) -> None:
        self.head = head
        self.model = find_model(name)

    @cached_property
    def tokenizer(self) -> Any:
        """The fast tokenizer. Raises `ModelUnavailable`."""
        import transformers

        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(
                self.model.folder, local_files_only=True, trust_remote_code=False
            )
        except Exception as error:  # a dozen kinds, all of which mean that these are not a tokenizer's files
            raise self.refused(f"has no tokenizer that can be loaded: {first_line(error)}") from error
        if not tokenizer.is_fast:
            raise self.refused("has no fast tokenizer, so its tokens' places in a summary are not known")
        if tokenizer.pad_token is None:
            raise self.refused("has a tokenizer without padding: it is not a model of this kind")
        return tokenizer

    @cached_property
    def network(self) -> Any:
        """The network, in float32, on the device of `RELEVANCE_DEVICE`. Raises `ModelUnavailable`."""
        import torch
        import transformers

        quiet(transformers)
        try:
            network, report = getattr(transformers, self.head).from_pretrained(
                self.model.folder,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                dtype=torch.float32,
                output_loading_info=True,
            )
        except Exception as error:  # as above
            raise self.refused(f"cannot be loaded: {first_line(error)}") from error
        if report["missing_keys"]:  # transformers fills these with random numbers
            missing = ", ".join(sorted(report["missing_keys"])[:3])
            raise self.refused(f"was not trained for this: its weights lack {missing}; it takes an {self.head}")
        return network.eval().to(device())

    def refused(self, problem: str) -> BadModel:
        """Return an error about a problem with this model."""
        return BadModel(f"the model {self.model.folder} {problem}")

    @cached_property
    def limit(self) -> int:
        """The maximum number of tokens of a window."""
        # RoBERTa and its relatives count positions from 2, so that two of them are never used.
        positions = (getattr(self.network.config, "max_position_embeddings", None) or WINDOW + 2) - 2
        return int(min(WINDOW, positions, self.tokenizer.model_max_length))

    @cached_property
    def inputs(self) -> list[str]:
        """The tokenizer's outputs that the network takes: DistilBERT with BERT's tokenizer takes no segments."""
        taken = inspect.signature(self.network.forward).parameters
        return [name for name in self.tokenizer.model_input_names if name in taken]

    def windows(self, summary: str, question: str, *, first: bool) -> list[Window]:
        """Return a question with each stretch of the summary that fits beside it.

        With `first` the question comes before the summary. The windows overlap, so that each mention is whole in one of
        them.
        """
        room = self.limit - len(self.tokenizer(question, add_special_tokens=False, verbose=False)["input_ids"])
        encoded = self.tokenizer(
            *((question, summary) if first else (summary, question)),
            truncation="only_second" if first else "only_first",
            max_length=self.limit,
            stride=min(OVERLAP, room // 3),
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            verbose=False,
        )
        windows = []
        for index, spans in enumerate(encoded["offset_mapping"]):
            sides = encoded.sequence_ids(index)
            texts = [{token: span for token, span in enumerate(spans) if sides[token] == side} for side in (0, 1)]
            inputs = {name: encoded[name][index] for name in self.inputs}
            windows.append(Window(inputs, texts[first], texts[not first]))
        return windows

    def shortened(self, question: str, spot: Span) -> tuple[str, Span]:
        """Return a question cut to half a window around a span in it, and that span in the result."""
        spans = self.tokenizer(question, add_special_tokens=False, return_offsets_mapping=True, verbose=False)[
            "offset_mapping"
        ]
        excess = len(spans) - self.limit // 2
        if excess <= 0:
            return question, spot
        before = sum(end <= spot[0] for _, end in spans)
        start = min(max(0, before - self.limit // 4), excess)
        begin, end = spans[start][0], spans[start + self.limit // 2 - 1][1]
        return question[begin:end], (max(spot[0] - begin, 0), min(spot[1], end) - begin)

    def forward(self, rows: Sequence[Mapping[str, list[int]]]) -> Iterator[tuple[list[int], Any]]:
        """Run the network over rows of inputs in batches of similar length; yield the rows' indices and the output."""
        import torch

        lengths = [len(row["input_ids"]) for row in rows]
        order = sorted(range(len(rows)), key=lambda index: -lengths[index])
        for batch in make_batches(order, lengths, BATCH_TOKENS):
            inputs = self.tokenizer.pad([rows[index] for index in batch], padding_side="right", return_tensors="pt")
            with torch.inference_mode():
                output = self.network(**inputs.to(self.network.device))
            yield batch, output


def overlapping(tokens: Mapping[int, Span], span: Span) -> list[int]:
    """Return the tokens that share a character with a span."""
    return [index for index, (start, end) in tokens.items() if max(start, span[0]) < min(end, span[1])]


def locate_mention(windows: Sequence[Window], mention: Span) -> list[TokenRange]:
    """Return the windows that show most of a mention, all of it if possible; none if no token is part of it."""
    seen = [overlapping(window.summary, mention) for window in windows]
    most = max(map(len, seen))
    return [
        TokenRange(index, tokens[0], tokens[-1]) for index, tokens in enumerate(seen) if tokens and len(tokens) == most
    ]


def choose_best(task: ReadingTask, scores: Sequence[Sequence[float]]) -> Answer:
    """Return the candidate with the highest score of a mention, the first of equal ones."""
    rounded = [[round(score, PLACES) for score in values] for values in scores]
    best = [max(values) for values in rounded]
    chosen = best.index(max(best))
    mention = rounded[chosen].index(best[chosen])
    return Answer(chosen, tuple(best), task.candidates[chosen].mentions[mention])
