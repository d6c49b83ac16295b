"""The options of checkpoints: what is refused, and what holds where options and checkpoint both say something."""

import math
from typing import Any

import pytest
import transformers

from relevance.summarizers.checkpoints.options import WritingOptions, generation_config, generation_settings

pytestmark = pytest.mark.model


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beams": 0}, "beams must be at least 1, not 0"),
        ({"max_tokens": 0}, "max_tokens must be at least 1, not 0"),
        ({"min_tokens": -1}, "min_tokens must be at least 0, not -1"),
        ({"no_repeat": -1}, "no_repeat must be at least 0"),
        ({"source_tokens": 0}, "source_tokens must be at least 1"),
        ({"batch_tokens": 0}, "batch_tokens must be at least 1"),
        ({"repetition_penalty": 0.0}, "repetition_penalty must be a number above 0"),
        ({"repetition_penalty": math.nan}, "repetition_penalty must be a number above 0, not nan"),
        ({"temperature": 0.0}, "temperature must be a number above 0"),
        ({"temperature": math.inf}, "temperature must be a number above 0, not inf"),
        ({"length_penalty": math.nan}, "length_penalty must be a number, not nan"),
        ({"temperature": 1.0, "top_p": 1.5}, "top_p is a probability, not 1.5"),
        ({"top_p": 0.5}, "top_p goes with a temperature"),
        ({"prompt": "Summarize:"}, "a prompt has {document} in it once"),
        ({"prompt": "{document} {document}"}, "a prompt has {document} in it once"),
        ({"dtype": "int8"}, "dtype"),
        ({"device": "tpu"}, "device"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WritingOptions(**options)


def resolved(own: dict[str, Any], *, encoder_decoder: bool = True, **options: Any) -> Any:
    config = transformers.GenerationConfig(**own)
    return generation_config(config, WritingOptions(**options), encoder_decoder=encoder_decoder)


# As facebook/bart-large-cnn says.
BART = {
    "num_beams": 4,
    "max_length": 142,
    "min_length": 56,
    "length_penalty": 2.0,
    "no_repeat_ngram_size": 3,
    "early_stopping": True,
}


def test_a_checkpoint_writes_as_it_says() -> None:
    result = resolved(BART)
    assert (result.num_beams, result.length_penalty, result.no_repeat_ngram_size) == (4, 2.0, 3)
    assert (result.max_new_tokens, result.min_new_tokens) == (141, 55)  # the lengths count the token that begins
    assert (result.max_length, result.min_length, result.early_stopping) == (None, None, True)
    assert generation_settings(result, WritingOptions()) == {
        "tokens": "55-141",
        "beams": 4,
        "length_penalty": 2.0,
        "no_repeat": 3,
        "repetition_penalty": 1.0,
    }


def test_options_go_before_what_a_checkpoint_says() -> None:
    result = resolved(
        BART, beams=1, max_tokens=30, min_tokens=0, length_penalty=0.0, no_repeat=0, repetition_penalty=1.5
    )
    assert generation_settings(result, WritingOptions()) == {
        "tokens": "0-30",
        "beams": 1,
        "length_penalty": 0.0,
        "no_repeat": 0,
        "repetition_penalty": 1.5,
    }


def test_a_checkpoint_that_says_nothing() -> None:
    result = resolved({})
    assert (result.min_new_tokens, result.max_new_tokens, result.num_beams) == (0, 128, 1)


def test_lengths() -> None:
    assert resolved({"max_new_tokens": 20, "max_length": 500}).max_new_tokens == 20
    assert resolved({"max_length": 20}, encoder_decoder=False).max_new_tokens == 128  # there it counts the input
    result = resolved(BART, max_tokens=30)  # shorter than the checkpoint's least length, which gives way
    assert (result.min_new_tokens, result.max_new_tokens) == (30, 30)
    with pytest.raises(ValueError, match="min_tokens 31 is more than max_tokens 30"):
        resolved(BART, max_tokens=30, min_tokens=31)


def test_nothing_is_drawn_unless_asked() -> None:
    own = {"do_sample": True, "temperature": 0.6, "top_p": 0.9, "top_k": 40}
    result = resolved(own)
    assert (result.do_sample, result.temperature, result.top_p, result.top_k) == (False, None, None, None)
    result = resolved(own, temperature=1.2, seed=7)
    assert (result.do_sample, result.temperature, result.top_p, result.top_k) == (True, 1.2, 0.9, 40)
    drawn = {"temperature": 1.2, "top_p": 0.9, "top_k": 40, "seed": 7}
    assert drawn.items() <= generation_settings(result, WritingOptions(temperature=1.2, seed=7)).items()
    result = resolved({}, temperature=1.0, top_p=0.5)
    assert (result.top_p, result.top_k) == (0.5, 0)  # not the 50 of the library


def test_what_would_give_other_things_than_one_text_does_not_hold() -> None:
    own = {"num_return_sequences": 3, "return_dict_in_generate": True, "output_scores": True, "max_time": 1.0}
    result = resolved({**own, "stop_strings": ["."], "num_beams": 3})
    assert not any(getattr(result, name) for name in [*own, "stop_strings"])
