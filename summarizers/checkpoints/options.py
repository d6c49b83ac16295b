"""How a checkpoint writes: the options that people set, and what follows from them and the checkpoint's own."""

import copy
import math
from dataclasses import dataclass
from typing import Any

from metrics.base import check_option

DTYPES = ("float32", "bfloat16", "float16")

DEVICES = ("auto", "cpu", "cuda")

LONGEST = 128
"""Tokens of an output where neither the options nor the checkpoint say how long it may be."""

DOCUMENT = "{document}"
"""Where a prompt has the document."""


@dataclass(frozen=True)
class WritingOptions:
    """How a checkpoint writes. What is None is as the checkpoint itself says, in generation_config.json or config.json.

    Raises ValueError for what is out of range.
    """

    beams: int | None = None
    """Outputs that beam search follows at once; 1: the most probable next token."""
    max_tokens: int | None = None
    """Tokens of an output, at most; `LONGEST` where the checkpoint does not say."""
    min_tokens: int | None = None
    """Tokens of an output, at least."""
    length_penalty: float | None = None
    """Power of the length by which the log-probability of a beam is divided: above 0 prefers longer outputs."""
    no_repeat: int | None = None
    """Length of the n-grams of tokens that an output has only once; 0: no limit."""
    repetition_penalty: float | None = None
    """What scores of tokens that were there are divided by; 1: nothing."""
    temperature: float | None = None
    """Draws each token at this temperature. None: the most probable output, whatever the checkpoint says."""
    top_p: float | None = None
    """Draws among the most probable tokens that have this probability together."""
    seed: int = 0
    """Seed of what is drawn."""
    prompt: str | None = None
    """The input, with `{document}` in it; None: the document alone, or what language models are asked by default."""
    source_tokens: int | None = None
    """Tokens of an input, at most; None: as many as the model takes."""
    batch_tokens: int = 4096
    """Tokens of the inputs that are read at once, padding included."""
    dtype: str = "float32"
    device: str = "auto"
    """`auto`: CUDA where there is one, or what RELEVANCE_DEVICE says."""

    def __post_init__(self) -> None:
        check_option("dtype", self.dtype, DTYPES)
        check_option("device", self.device, DEVICES)
        for name, lowest in LOWEST.items():
            value = getattr(self, name)
            if value is not None and value < lowest:
                raise ValueError(f"{name} must be at least {lowest}, not {value}")
        for name in ("repetition_penalty", "temperature", "top_p"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"{name} must be a number above 0, not {value}")
        if self.length_penalty is not None and not math.isfinite(self.length_penalty):
            raise ValueError(f"length_penalty must be a number, not {self.length_penalty}")
        if self.top_p is not None and self.top_p > 1:
            raise ValueError(f"top_p is a probability, not {self.top_p}")
        if self.top_p is not None and self.temperature is None:
            raise ValueError("top_p goes with a temperature: without one nothing is drawn")
        if self.prompt is not None and self.prompt.count(DOCUMENT) != 1:
            raise ValueError(f"a prompt has {DOCUMENT} in it once, where the document is to stand")


LOWEST = {"beams": 1, "max_tokens": 1, "min_tokens": 0, "no_repeat": 0, "source_tokens": 1, "batch_tokens": 1}
"""The least value of options that count."""

NOT_OURS = {
    # what would give several outputs, or other things beside them
    **dict.fromkeys(("num_return_sequences", "return_dict_in_generate", "output_scores", "output_logits")),
    **dict.fromkeys(("output_attentions", "output_hidden_states")),
    # what would end it otherwise than by its last token or the limit, or needs a second model
    **dict.fromkeys(("max_time", "stop_strings", "prompt_lookup_num_tokens", "assistant_early_exit")),
    "cache_implementation": None,
}
"""What a checkpoint may say of generation that does not hold here."""


def generation_config(own: Any, options: WritingOptions, *, encoder_decoder: bool) -> Any:
    """What transformers generates by: a checkpoint's own `GenerationConfig` with the options in it.

    Lengths become those of the output alone. A checkpoint's `max_length` and `min_length` count the token that an
    encoder-decoder begins with, too; of a language model they count the input, say nothing of the output, and are left
    out. Raises ValueError for a least length above the greatest.
    """
    config = copy.deepcopy(own)
    longest, shortest = config.max_new_tokens, config.min_new_tokens
    if encoder_decoder:
        longest = longest or (config.max_length and config.max_length - 1)
        shortest = shortest or (config.min_length and config.min_length - 1)
    longest = options.max_tokens or longest or LONGEST
    shortest = (shortest or 0) if options.min_tokens is None else options.min_tokens
    if options.min_tokens is None and options.max_tokens is not None:
        shortest = min(shortest, longest)
    if shortest > longest:
        raise ValueError(f"min_tokens {shortest} is more than max_tokens {longest}")

    def first(*values: Any) -> Any:
        return next(value for value in values if value is not None)

    drawn = options.temperature is not None
    values = {
        **NOT_OURS,
        "max_length": None,
        "min_length": None,
        "max_new_tokens": longest,
        "min_new_tokens": shortest,
        "num_beams": first(options.beams, config.num_beams, 1),
        "length_penalty": first(options.length_penalty, config.length_penalty, 1.0),
        "no_repeat_ngram_size": first(options.no_repeat, config.no_repeat_ngram_size, 0),
        "repetition_penalty": first(options.repetition_penalty, config.repetition_penalty, 1.0),
        "do_sample": drawn,
        "temperature": options.temperature if drawn else None,
        "top_p": first(options.top_p, config.top_p, 1.0) if drawn else None,
        "top_k": first(config.top_k, 0) if drawn else None,  # transformers would take 50
    }
    for name, value in values.items():
        setattr(config, name, value)
    return config


def generation_settings(config: Any, options: WritingOptions) -> dict[str, object]:
    """What signatures say of a generation config that `generation_config` has made."""
    settings: dict[str, object] = {
        "tokens": f"{config.min_new_tokens}-{config.max_new_tokens}",
        "beams": config.num_beams,
        "length_penalty": config.length_penalty,
        "no_repeat": config.no_repeat_ngram_size,
        "repetition_penalty": config.repetition_penalty,
    }
    if config.do_sample:
        drawn = {"temperature": config.temperature, "top_p": config.top_p, "top_k": config.top_k}
        settings |= drawn | {"seed": options.seed}
    return settings
