"""An open checkpoint: its tokenizer, its network, and the texts that it writes."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from relevance.metrics.models.encoder import UNLIMITED, make_batches
from relevance.summarizers.checkpoints.files import CheckpointFiles
from relevance.summarizers.checkpoints.loading import load_network, load_tokenizer, open_model
from relevance.summarizers.checkpoints.model import Model
from relevance.summarizers.checkpoints.options import WritingOptions, generation_config, generation_settings
from relevance.summarizers.checkpoints.sources import Source, make_prompt


class TooLittleMemory(ValueError):
    """A batch does not fit into the memory of the device."""


class Output(NamedTuple):
    """The output of a model."""

    text: str
    cut: bool
    """Whether the length limit ended it, and not the model."""
    tokens: int
    """The number of tokens, including the one that ends it."""


@dataclass(eq=False)
class Checkpoint:
    """A model with its tokenizer and writing options; its network is loaded when it writes.

    Raises ValueError for options that the model does not support.
    """

    model: Model
    tokenizer: Any
    options: WritingOptions

    def __post_init__(self) -> None:
        both = self.model.encoder_decoder
        self.generation = generation_config(self.model.generation, self.options, encoder_decoder=both)
        complete_tokens(self.generation, self.tokenizer, self.model.text_config.vocab_size)
        self.prompt = make_prompt(self.tokenizer, self.options.prompt, encoder_decoder=both)
        self.limit = input_limit(self)

    @property
    def settings(self) -> dict[str, object]:
        """The settings in signatures: files, prompt, lengths, generation, precision, and whatever moves last digits."""
        return {
            **self.model.files.settings,
            "prompt": self.prompt.signature,
            "source": self.limit,
            **generation_settings(self.generation, self.options),
            "dtype": self.model.dtype,
            "device": self.model.device.partition(":")[0],
            "batch": self.options.batch_tokens,
        }

    def read(self, document: str) -> Source:
        """Read a document as far as the model can. Raises ValueError if the prompt leaves no room for it."""
        return self.prompt.read(document, self.limit)

    def batches(self, documents: Iterable[str]) -> Iterator[list[int]]:
        """Divide documents, by position, into batches of at most `batch_tokens` tokens, the longest documents first.

        The batches do not depend on the order of the documents: a hash decides between equally long ones. Tokens are
        not kept; those of 50,000 long documents would fill gigabytes.
        """
        inputs = (self.read(document).ids for document in documents)
        read = [(len(ids), hashlib.sha256(repr(ids).encode()).digest()[:8]) for ids in inputs]
        order = sorted(range(len(read)), key=lambda place: (-read[place][0], read[place][1], place))
        return make_batches(order, [length for length, _ in read], self.options.batch_tokens)

    def write(self, sources: Sequence[Source]) -> list[Output]:
        """Write one text per source, all sources in one batch.

        Sampling depends on the seed and the sources alone, not on earlier texts. Raises `TooLittleMemory`.
        """
        import torch

        network = load_network(self.model)
        inputs = self.pad([source.ids for source in sources])
        with (
            torch.inference_mode(),
            torch.random.fork_rng(enabled=self.generation.do_sample),
            self.model.method.steer(network, self.tokenizer, sources, inputs) as more,
        ):
            if self.generation.do_sample:
                torch.manual_seed(seed_of(self.options.seed, sources))
            # The library takes settings that are None here from the network's own config.
            network.generation_config = self.generation
            try:
                written = network.generate(**inputs, generation_config=self.generation, **more)
            except torch.OutOfMemoryError as error:
                raise TooLittleMemory(
                    f"the memory of {self.model.device} is too small for {len(sources)} inputs of together "
                    f"{inputs['input_ids'].numel()} tokens: set fewer batch_tokens, or fewer beams"
                ) from error
        start = 1 if self.model.encoder_decoder else inputs["input_ids"].shape[1]
        return [self.output(row) for row in written[:, start:].tolist()]

    def pad(self, rows: Sequence[Sequence[int]]) -> dict[str, Any]:
        """Make token numbers and mask of a batch, shape (texts, tokens); language models are padded on the left."""
        import torch

        size = max(map(len, rows))

        def padded(row: Sequence[int], value: int) -> list[int]:
            gap = [value] * (size - len(row))
            return [*row, *gap] if self.model.encoder_decoder else [*gap, *row]

        ids = [padded(row, self.generation.pad_token_id) for row in rows]
        mask = [padded([1] * len(row), 0) for row in rows]
        device = self.model.device
        return {"input_ids": torch.tensor(ids, device=device), "attention_mask": torch.tensor(mask, device=device)}

    def output(self, row: Sequence[int]) -> Output:
        """Decode a row of token numbers.

        For a network that is forced to end at the limit, as BART is, an output that ends there counts as cut.
        """
        ends = as_set(self.generation.eos_token_id)
        size = next((place for place, token in enumerate(row, 1) if token in ends), None)
        forced = bool(as_set(self.generation.forced_eos_token_id)) and size == self.generation.max_new_tokens
        text = self.tokenizer.decode(row[:size], skip_special_tokens=True)
        # No database accepts NUL, which models over bytes may write.
        return Output(text.replace("\0", "").strip(), size is None or forced, len(row) if size is None else size)


def open_checkpoint(files: CheckpointFiles, options: WritingOptions) -> Checkpoint:
    """Open a checkpoint. Raises what `open_model` does, and ValueError for options that the model does not support."""
    device = None if options.device == "auto" else options.device
    return Checkpoint(open_model(files, options.dtype, device), load_tokenizer(files), options)


def complete_tokens(generation: Any, tokenizer: Any, vocabulary: int) -> None:
    """Take the end and padding tokens from the tokenizer if the checkpoint does not name them.

    Padding is masked, but the network must know the token: tokenizers may have got theirs later.
    """
    if generation.eos_token_id is None:
        generation.eos_token_id = tokenizer.eos_token_id
    padding = (generation.pad_token_id, tokenizer.pad_token_id, *sorted(as_set(generation.eos_token_id)), 0)
    generation.pad_token_id = next(token for token in padding if token is not None and 0 <= token < vocabulary)


POSITIONS = ("max_position_embeddings", "n_positions", "max_encoder_position_embeddings")
"""The names of a network's limit of tokens in configs."""


def input_limit(checkpoint: Checkpoint) -> int:
    """Compute the most tokens of an input, by the options, the network and its tokenizer.

    A language model's output must fit as well. Raises ValueError if the output alone does not fit.
    """
    both, longest = checkpoint.model.encoder_decoder, checkpoint.generation.max_new_tokens
    config = checkpoint.model.text_config
    limits = [getattr(config, name, None) for name in POSITIONS]
    positions = min((size for size in limits if isinstance(size, int) and size > 0), default=UNLIMITED)
    most = (getattr(config, "max_decoder_position_embeddings", None) or positions) if both else positions - 1
    if longest > most:
        raise ValueError(
            f"{checkpoint.model.files.path} can write at most {most} tokens, not {longest}: set max_tokens"
        )
    room = positions if both else positions - longest
    return int(min(room, checkpoint.tokenizer.model_max_length, checkpoint.options.source_tokens or UNLIMITED))


def as_set(tokens: int | Sequence[int] | None) -> set[int]:
    """Return a config's token numbers, of which there may be none, one or several, as a set."""
    if tokens is None:
        return set()
    return {tokens} if isinstance(tokens, int) else set(tokens)


def seed_of(seed: int, sources: Sequence[Source]) -> int:
    """Make the seed of a batch."""
    told = repr((seed, [source.ids for source in sources]))
    return int.from_bytes(hashlib.sha256(told.encode()).digest()[:4])
