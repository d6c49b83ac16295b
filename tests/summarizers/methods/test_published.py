"""The table of published hyper-parameters, against what the papers say."""

from typing import Any

import pytest

from relevance.summarizers.methods.published import PUBLISHED
from relevance.summarizers.methods.registry import METHODS

BART_GRID = {
    "learning_rate": (1e-5, 2e-5, 3e-5),
    "accumulation": (4, 8),
    "num_beams": (2, 3),
    "repetition_penalty": (0.8, 1.0),
}


def test_each_method_has_its_row() -> None:
    assert list(PUBLISHED) == list(METHODS)


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("plain", {}),
        ("rwenc", {}),
        ("rwgen", {"share": (0.3, 0.5)}),
        ("mtl", {"share": (0.1, 0.2, 0.3)}),
        ("tdmtl", {"share": (0.1, 0.2, 0.3)}),
        ("tdsum", {"share": (0.1, 0.2, 0.3)}),
    ],
)
def test_rouge_k_paper(name: str, own: dict[str, Any]) -> None:
    training, decoding, grid = PUBLISHED[name].training, PUBLISHED[name].decoding, PUBLISHED[name].grid
    assert dict(grid) == BART_GRID | own
    assert (training.batch, training.accumulation, training.epochs, training.updates) == (1, 8, 5, None)
    assert (training.weight_decay, training.clip, training.scheduler, training.warmup) == (0.01, 0.1, "constant", 0)
    assert (decoding.max_new_tokens, decoding.no_repeat_ngram_size) == (64, 3)


@pytest.mark.parametrize("name", METHODS)
def test_a_default_is_one_of_the_grid(name: str) -> None:
    published = PUBLISHED[name]
    defaults = {**vars(published.training), **vars(published.decoding), **METHODS[name]().settings}
    for setting, values in published.grid.items():
        assert defaults[setting] in values
