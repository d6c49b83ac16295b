"""Each method's loss against a case of three tokens computed by hand."""

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from relevance.data.records import Document
from relevance.summarizers.methods.base import Batch
from relevance.summarizers.methods.mtl import MTL, keyword_spans
from relevance.summarizers.methods.plain import Plain
from relevance.summarizers.methods.registry import METHODS
from relevance.summarizers.methods.tdmtl import TDMTL
from tests.summarizers.checkpoints import DOCUMENTS

pytestmark = pytest.mark.model


class Fixed:
    """Stands for a model: three source tokens with known states, cross-entropy 2, and a head that reads the states."""

    def __init__(self, states: list[float]) -> None:
        import torch

        self.states = torch.tensor([[[state] for state in states]])

    def __call__(self, **_: Any) -> Any:
        import torch

        return SimpleNamespace(loss=torch.tensor(2.0), encoder_last_hidden_state=self.states)

    def token_head(self, states: Any) -> Any:
        return states


def batch_of(**more: list[float]) -> Batch:
    import torch

    ids = torch.tensor([[5, 6, 7]])
    return {
        "input_ids": ids,
        "attention_mask": torch.ones_like(ids),
        "labels": ids,
        **{name: torch.tensor([values]) for name, values in more.items()},
    }


def test_cross_entropy_of_three_tokens_alike(bart: Path) -> None:
    import torch

    network = Plain().start(bart, DOCUMENTS)
    for weights in network.model.parameters():
        torch.nn.init.zeros_(weights)
    batch = batch_of()
    # all logits are 0: each of the three labels has the probability 1 / vocabulary
    assert Plain().loss(network.model, batch).item() == pytest.approx(math.log(network.model.config.vocab_size))
    batch["labels"] = torch.tensor([[5, -100, -100]])
    assert Plain().loss(network.model, batch).item() == pytest.approx(math.log(network.model.config.vocab_size))


def test_tdmtl_by_hand() -> None:
    # squared errors (.5 - .1)^2 = .16 and (0 - .6)^2 = .36; the third token is special: their mean is .26
    # .8 * 2 + .2 * .26 = 1.652
    batch = batch_of(importance=[0.1, 0.6, 0.9], text=[1.0, 1.0, 0.0])
    assert TDMTL(share=0.2).loss(Fixed([0.5, 0.0, 5.0]), batch).item() == pytest.approx(1.652)


def test_mtl_by_hand() -> None:
    # -ln sigmoid(0) = ln 2 = .693147 for the keyword, -ln(1 - sigmoid(ln 3)) = -ln(1/4) = 1.386294 for the other:
    # their mean is 1.039721; .7 * 2 + .3 * 1.039721 = 1.711916
    batch = batch_of(keywords=[1.0, 0.0, 1.0], text=[1.0, 1.0, 0.0])
    assert MTL(share=0.3).loss(Fixed([0.0, math.log(3), 9.0]), batch).item() == pytest.approx(1.711916)


def test_documents_without_keywords_have_no_labels() -> None:
    # nothing counts: the second loss is 0, and not that of zeros as labels
    batch = batch_of(keywords=[0.0, 0.0, 0.0], text=[0.0, 0.0, 0.0])
    assert MTL(share=0.3).loss(Fixed([3.0, 3.0, 3.0]), batch).item() == pytest.approx(0.7 * 2)
    assert keyword_spans(Document("d", "A bridge.", ("A bridge.",))) is None


def test_keywords_are_found_in_the_source(bart: Path) -> None:
    document = Document("d", "The old bridge is closed.", ("A bridge closes.",), title="The bridge")
    assert keyword_spans(document) == [(8, 14)]
    method = MTL()
    network = method.start(bart, [document])
    other = Document("e", "Nothing is shared, and this is longer.", ("One.",))
    batch = method.batch(network, [document, other], labels=True)
    read = network.tokenizer([document.source_text])
    ids = batch["input_ids"][0]
    marked = [network.tokenizer.decode(token) for token in ids[batch["keywords"][0] == 1]]
    assert "".join(marked).strip() == "bridge"
    assert batch["text"][0].sum() == len(read["input_ids"][0]) - 2  # all but <s>, </s> and padding
    assert batch["text"][1].sum() == 0
    assert set(method.batch(network, [document], labels=False)) == {"input_ids", "attention_mask"}


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
@pytest.mark.parametrize("name", ["mtl", "tdmtl", "rwgen"])
def test_a_share_is_a_share(name: str, share: float) -> None:
    with pytest.raises(ValueError, match="must be from 0 to 1"):
        METHODS[name](share=share)
