"""RwEnc: the encoder's attention is drawn to important tokens."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from relevance.summarizers.methods.base import Batch, UnsuitableModel, setting
from relevance.summarizers.methods.weighted import Weighted


@dataclass
class RwEnc(Weighted):
    """Draw the attention of some encoder layers of BART to important tokens.

    There, attention is softmax(QK' / sqrt(d) + T) V, where T_ij is the tf-idf of token j. The paper does not give the
    index of T; by row it would cancel in the softmax. T is used in training and writing. Layers are counted from 0; the
    paper's are for the twelve of BART-large.
    Source: Takeshita et al. (2024), ROUGE-K, section 5.
    """

    name = "rwenc"
    model_types = ("bart",)

    layers: tuple[int, ...] = setting((0, 4, 8), "Encoder layers, from 0, whose attention is reweighted.")

    def check(self, model: Any) -> None:
        """Refuse models without these layers, or with attention that takes no additive mask."""
        super().check(model)
        there = len(model.get_encoder().layers)
        if absent := [layer for layer in self.layers if not 0 <= layer < there]:
            raise UnsuitableModel(
                f"rwenc reweights encoder layer {absent[0]}, and this model has the layers 0 to {there - 1}: name "
                "others with --layers"
            )
        if model.config._attn_implementation not in {"eager", "sdpa"}:
            raise UnsuitableModel(
                f"rwenc needs attention of the kind eager or sdpa, not {model.config._attn_implementation}"
            )

    def alter(self, model: Any) -> None:
        """Make these layers add T to their attention mask."""
        for layer in self.layers:
            model.get_encoder().layers[layer].register_forward_pre_hook(add_weights, with_kwargs=True)

    @contextmanager
    def given(self, model: Any, batch: Batch) -> Iterator[None]:
        """Pass T to the layers."""
        layers = [model.get_encoder().layers[layer] for layer in self.layers]
        for layer in layers:
            layer.token_weights = batch["importance"]
        try:
            yield
        finally:
            for layer in layers:
                del layer.token_weights


def add_weights(layer: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], Any]:
    """Add T to the attention mask of an encoder layer, which is its second argument.

    The mask is None if nothing is masked; with sdpa attention, it is true for tokens that count; with eager attention,
    it is additive.
    """
    import torch

    states, mask, *others = arguments
    weights: torch.Tensor = layer.token_weights[:, None, None, :].to(states.dtype)
    if mask is None:
        mask = torch.zeros_like(weights)
    elif mask.dtype == torch.bool:
        mask = torch.zeros_like(mask, dtype=states.dtype).masked_fill(~mask, torch.finfo(states.dtype).min)
    return (states, mask + weights, *others), named
