"""The writing options of checkpoints, and the generation config from them and the checkpoint's own."""

import copy
import math
from dataclasses import dataclass
from typing import Any

from relevance.metrics.base import check_option

DTYPES = ("float32", "bfloat16", "float16")

DEVICES = ("auto", "cpu", "cuda")

LONGEST = 128
"""The most tokens of an output if neither the options nor the checkpoint set a limit."""

DOCUMENT = "{document}"
"""The place of the document in a prompt."""


@dataclass(frozen=True)
class WritingOptions:
    """The writing options of a checkpoint; None means the checkpoint's own, in generation_config.json or config.json.

    Raises ValueError for values out of range.
    """

    beams: int | None = None
    """The width of beam search; 1: always the most probable next token."""
    max_tokens: int | None = None
    """The most tokens of an output; `LONGEST` if the checkpoint does not set a limit either."""
    min_tokens: int | None = None
    """The fewest tokens of an output."""
    length_penalty: float | None = None
    """The power of the length by which the log-probability of a beam is divided: above 0 prefers longer outputs."""
    no_repeat: int | None = None
    """The length of the n-grams of tokens that an output must not repeat; 0: no limit."""
    repetition_penalty: float | None = None
    """The divisor of scores of tokens that occurred before; 1: no penalty."""
    temperature: float | None = None
    """The temperature at which tokens are sampled; None: the most probable output, whatever the checkpoint says."""
    top_p: float | None = None
    """Samples among the most probable tokens with this total probability."""
    seed: int = 0
    """The seed of sampling."""
    prompt: str | None = None
    """The input, with `{document}` in it; None: the document alone, or the default prompt of language models."""
    source_tokens: int | None = None
    """The most tokens of an input; None: as many as the model takes, for a language model's summaries 512."""
    sentences: int | None = None
    """The most sentences of an output that are kept; 0: all; None: 1 for a language model, otherwise all."""
    gold_entities: bool = False
    """Whether a `pointer-apes` is given the positions of the entities that the references ask for."""
    batch_tokens: int = 4096
    """The most tokens of a batch of inputs, including padding."""
    dtype: str = "float32"
    device: str = "auto"
    """`auto`: CUDA if available, or the device in RELEVANCE_DEVICE."""

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


LOWEST = {
    "beams": 1,
    "max_tokens": 1,
    "min_tokens": 0,
    "no_repeat": 0,
    "source_tokens": 1,
    "sentences": 0,
    "batch_tokens": 1,
}
"""The smallest values of whole-number options."""

NOT_OURS = {
    # settings that would give several outputs, or more than texts
    **dict.fromkeys(("num_return_sequences", "return_dict_in_generate", "output_scores", "output_logits")),
    **dict.fromkeys(("output_attentions", "output_hidden_states")),
    # settings that would end an output by anything but its last token or the limit, or need a second model
    **dict.fromkeys(("max_time", "stop_strings", "prompt_lookup_num_tokens", "assistant_early_exit")),
    "cache_implementation": None,
}
"""Generation settings of checkpoints that are ignored."""


def generation_config(own: Any, options: WritingOptions, *, encoder_decoder: bool) -> Any:
    """Make the config for transformers' `generate`: a checkpoint's own `GenerationConfig` with the options in it.

    Lengths become those of the output alone. A checkpoint's `max_length` and `min_length` include the first token of an
    encoder-decoder; for a language model they include the input, tell nothing about the output, and are ignored. Raises
    ValueError for a minimum length above the maximum.
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
    """Return the settings of a generation config of `generation_config` for signatures."""
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
