"""A checkpoint that answers messages, as a language model at an address does."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from relevance.llm.client import CallFailed, CallsRefused, Completion, Message, Settings
from relevance.metrics.models.encoder import whole_characters
from relevance.summarizers.checkpoints.checkpoint import Checkpoint, open_checkpoint
from relevance.summarizers.checkpoints.files import CheckpointFiles
from relevance.summarizers.checkpoints.loading import load_network
from relevance.summarizers.checkpoints.options import WritingOptions
from relevance.summarizers.checkpoints.sources import PLACES, Source, chat_tokens


class CheckpointClient:
    """An `relevance.llm.client.Client` for a language model in a local folder or file, of the kind `causal` or `gguf`.

    It answers one call at a time. A model without a chat template reads the contents of the messages, with an empty
    line between them. Raises what `CheckpointFiles` and `open_checkpoint` do.
    """

    def __init__(self, kind: str, path: Path, *, dtype: str = "float32", device: str = "auto") -> None:
        files = CheckpointFiles(kind, path)
        # Each call sets the length of its answer; every model can write one token.
        self.checkpoint = open_checkpoint(files, WritingOptions(max_tokens=1, dtype=dtype, device=device))
        if self.checkpoint.model.encoder_decoder:
            raise CallsRefused(f"{path} is an encoder-decoder, which cannot be asked: take a language model")
        self.model = files.name
        self.lock = Lock()

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """The model's files, precision and kind of device."""
        model = self.checkpoint.model
        return {**model.files.settings, "dtype": model.dtype, "device": model.device.partition(":")[0]}

    @property
    def tokens(self) -> CheckpointTokens:
        """The model's own tokenizer."""
        return CheckpointTokens(self.checkpoint)

    def complete(
        self, messages: Sequence[Message], settings: Settings, schema: Mapping[str, Any] | None = None
    ) -> Completion:
        """Answer messages; no schema binds the answer.

        Raises `CallFailed` if the messages do not fit, `CallsRefused` for unsupported settings.

        Sampling depends on the seed and the messages; the default seed is 0. With a temperature of 0 or none, the
        likeliest token is taken each time.
        """
        options = replace(
            self.checkpoint.options,
            max_tokens=settings.max_tokens,
            temperature=settings.temperature or None,
            top_p=settings.top_p if settings.temperature else None,
            seed=settings.seed or 0,
        )
        try:
            checkpoint = replace(self.checkpoint, options=options)
        except ValueError as error:
            raise CallsRefused(str(error)) from error
        ids = self.read(messages)
        if len(ids) > checkpoint.limit:
            raise CallFailed(
                f"the messages have {len(ids)} tokens, and the model reads {checkpoint.limit} beside an answer of "
                f"{settings.max_tokens}"
            )
        with self.lock:
            load_network(checkpoint.model)
            started = time.monotonic()
            (output,) = checkpoint.write([Source("", tuple(ids), cut=False)])
            seconds = time.monotonic() - started
        return Completion(output.text, self.model, "length" if output.cut else "stop", len(ids), output.tokens, seconds)

    def read(self, messages: Sequence[Message]) -> list[int]:
        """Return the tokens of messages."""
        tokenizer = self.checkpoint.tokenizer
        cleaned = [message._replace(content=whole_characters(message.content)) for message in messages]
        if tokenizer.chat_template is not None:
            return chat_tokens(tokenizer, [message._asdict() for message in cleaned])
        return list(tokenizer("\n\n".join(message.content for message in cleaned), verbose=False).input_ids)


class CheckpointTokens:
    """An `relevance.llm.client.TokenCounter` that uses a checkpoint's tokenizer."""

    name = "tokenizer"

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.tokenizer = checkpoint.tokenizer

    def count(self, text: str) -> int:
        """Count the tokens of a text."""
        return len(self.ends(text))

    def cut(self, text: str, most: int) -> str:
        """Cut a text to at most `most` tokens; a text without more is unchanged."""
        while len(ends := self.ends(text)) > most:
            text = text[: ends[most - 1]] if most else ""
        return text

    def ends(self, text: str) -> list[int]:
        """Return the position where each token of a text ends."""
        return [end for _, end in self.tokenizer(whole_characters(text), **PLACES).offset_mapping]
