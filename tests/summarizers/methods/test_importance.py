import math

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from relevance.summarizers.methods.importance import count_importance

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


def test_weights_are_those_of_scikit_learn() -> None:
    import torch

    trained, source = ["1 2 2 5", "3 1 4", "4 4 5 1", "2"], "2 4 4 1 2 2"
    peer = TfidfVectorizer(token_pattern=r"\d").fit(trained).transform([source]).toarray()[0]
    importance = count_importance([map(int, text.split()) for text in trained], 6)
    ids = torch.tensor([[int(token) for token in source.split()]])
    assert np.allclose(importance.vocabulary(ids, torch.zeros_like(ids))[0, 1:].numpy(), peer, atol=1e-6)
