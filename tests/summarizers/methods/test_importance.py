import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from relevance.summarizers.methods.base import Decoding
from relevance.summarizers.methods.importance import count_importance
from relevance.summarizers.methods.registry import METHODS
from tests.summarizers.checkpoints import DOCUMENTS

pytestmark = pytest.mark.model  # loads torch


def test_weights_by_hand() -> None:
    import torch

    # three documents: token 1 stands in all, 2 in one, 3 in two, 0 in none
    importance = count_importance([[1, 2, 2], [1, 3], [3, 1]], 4)
    assert importance.idf.tolist() == pytest.approx([math.log(4) + 1, 1, math.log(2) + 1, math.log(4 / 3) + 1])
    # the source 0-special, 1, 2, 2: 1 * 1 and 2 * 1.693147; the length is sqrt(1 + 11.466988) = 3.530862
    ids, special = torch.tensor([[0, 1, 2, 2]]), torch.tensor([[1, 0, 0, 0]])
    assert importance.tokens(ids, special)[0].tolist() == pytest.approx([0, 0.283217, 0.959056, 0.959056], abs=1e-6)
    assert importance.vocabulary(ids, special)[0].tolist() == pytest.approx([0, 0.283217, 0.959056, 0], abs=1e-6)


def test_a_source_without_text_weighs_nothing() -> None:
    import torch

    importance = count_importance([[1]], 2)
    assert importance.tokens(torch.tensor([[0, 0]]), torch.tensor([[1, 1]])).tolist() == [[0, 0]]


@pytest.mark.parametrize("scale", [0.0, 1.0, 7.5])
def test_the_scale_is_the_length_of_a_source(scale: float) -> None:
    import torch

    importance = count_importance([[1, 2, 2], [1, 3], [3, 1]], 4)
    scaled = importance._replace(scale=scale)
    ids, special = torch.tensor([[0, 1, 2, 2], [3, 3, 1, 0]]), torch.tensor([[1, 0, 0, 0], [0, 0, 0, 1]])
    assert scaled.vocabulary(ids, special).norm(dim=1).tolist() == pytest.approx([scale, scale])
    assert torch.equal(scaled.tokens(ids, special), scale * importance.tokens(ids, special))


WEIGHTED = ("rwenc", "rwgen", "tdmtl", "tdsum")


@pytest.mark.parametrize("name", WEIGHTED)
def test_every_method_with_weights_uses_its_scale_and_finds_it_again(name: str, bart: Path, tmp_path: Path) -> None:
    given = "vocabulary" if name == "rwgen" else "importance"
    settings: dict[str, Any] = {"rwenc": {"layers": (1,)}}.get(name, {})
    usual, method = METHODS[name](**settings), METHODS[name](**settings, scale=4.0)
    network, scaled = usual.start(bart, DOCUMENTS), method.start(bart, DOCUMENTS)
    weights = usual.batch(network, DOCUMENTS, labels=False)[given]
    assert weights.sum() > 0
    assert method.batch(scaled, DOCUMENTS, labels=False)[given].tolist() == (4 * weights).tolist()
    method.save(scaled, tmp_path, Decoding())
    again = METHODS[name](**method.settings)
    assert again.batch(again.load(tmp_path), DOCUMENTS, labels=False)[given].tolist() == (4 * weights).tolist()


@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize("scale", [-1.0, math.nan, math.inf])
def test_a_scale_that_is_none_is_refused(name: str, scale: float) -> None:
    with pytest.raises(ValueError, match="the scale of the tf-idf must be 0 or more"):
        METHODS[name](scale=scale)
    if name != "rwenc":
        with pytest.raises(ValueError, match="the share of"):
            METHODS[name](share=2.0)


def test_weights_are_those_of_scikit_learn() -> None:
    import torch

    trained, source = ["1 2 2 5", "3 1 4", "4 4 5 1", "2"], "2 4 4 1 2 2"
    peer = TfidfVectorizer(token_pattern=r"\d").fit(trained).transform([source]).toarray()[0]
    importance = count_importance([map(int, text.split()) for text in trained], 6)
    ids = torch.tensor([[int(token) for token in source.split()]])
    assert np.allclose(importance.vocabulary(ids, torch.zeros_like(ids))[0, 1:].numpy(), peer, atol=1e-6)
