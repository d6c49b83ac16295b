"""TDSum: BART with a decoder that attends to the tf-idf of the source's tokens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from relevance.metrics.base import check_option
from relevance.summarizers.methods.base import Batch, setting
from relevance.summarizers.methods.guidance import add_guidance, guide_of, guided
from relevance.summarizers.methods.tdmtl import TDMTL

if TYPE_CHECKING:
    import torch

KEYS = ("tfidf", "tfidf+encoder states")
"""The keys that the decoder attends to: the paper's, and our variant."""


@dataclass
class TDSum(TDMTL):
    """BART whose decoder also attends to the tf-idf of the source's tokens, with the loss of TDMTL.

    Two linear layers make a vector from each tf-idf. The decoder attends to itself, to these vectors and to the source,
    in this order. The paper gives neither the order nor the function between the two layers: here it is BART's
    activation, as without one they would be one layer.

    Read literally, the vectors do not depend on the token: all tokens with the same tf-idf are alike. With `keys`
    `tfidf+encoder states`, our variant, the encoder's states are added to them.
    Source: Takeshita et al. (2024), ROUGE-K, section 5. Raises ValueError for a share outside [0, 1], and for unknown
    keys.
    """

    name = "tdsum"
    model_types = ("bart",)

    keys: str = setting(KEYS[0], "What the decoder attends to; the second is ours.", choices=KEYS)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_option("keys", self.keys, KEYS)

    def alter(self, model: Any) -> None:
        """Add TDMTL's head, the two layers, and attention to them in each layer of the decoder."""
        super().alter(model)
        layers = importance_layers_class()(model.config)
        layers.apply(model._init_weights)
        encoder = model.get_encoder()
        encoder.importance_layers = layers.to(model.get_input_embeddings().weight)
        add_guidance(model)
        if self.keys == KEYS[1]:
            guide = guide_of(model)
            encoder.register_forward_hook(lambda _, given, output: guide.add(output.last_hidden_state))

    @contextmanager
    def given(self, model: Any, batch: Batch) -> Iterator[None]:
        """Pass the tf-idf to the decoder."""
        layers = model.get_encoder().importance_layers
        vectors = layers(batch["importance"].to(layers.inner.weight.dtype))
        with guided(model, vectors, batch["attention_mask"]):
            yield


@cache
def importance_layers_class() -> Any:
    """Return the class of the two layers; made here, as torch is loaded where it is used."""
    from torch import nn
    from transformers.activations import ACT2FN

    class ImportanceLayers(nn.Module):
        """The layers from tf-idf (documents, tokens) to vectors (documents, tokens, width)."""

        def __init__(self, config: Any) -> None:
            super().__init__()
            self.inner = nn.Linear(1, config.d_model)
            self.activation = ACT2FN[config.activation_function]
            self.outer = nn.Linear(config.d_model, config.d_model)

        def forward(self, importance: torch.Tensor) -> torch.Tensor:
            """Compute one vector per token."""
            made: torch.Tensor = self.outer(self.activation(self.inner(importance[..., None])))
            return made

    return ImportanceLayers
