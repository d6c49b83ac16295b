"""An additional attention over guidance in each layer of BART's decoder, between self-attention and the source's.

Each decoder layer's `self_attn_layer_norm` becomes one that also attends. Its own weights keep their names, so that a
plain BART can be loaded into it, and everything after it in the layer, cached or not, stays transformers' code.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


class Guide:
    """The guidance that the decoder's layers attend to: set for a batch, shared by all layers."""

    def __init__(self) -> None:
        self.states: torch.Tensor | None = None
        """(documents, tokens, width)"""
        self.mask: torch.Tensor | None = None
        """(documents, tokens), 1 for each token and 0 for padding"""
        self.kept: Any = None
        """The cache of the layers' keys and values, which do not change while a summary is written."""

    def add(self, states: torch.Tensor) -> None:
        """Add to the states that are attended to."""
        if self.states is not None:
            self.states = self.states + states


@cache
def guided_norm_class() -> Any:
    """Return the class of a layer norm that attends to guidance; made here, as torch is loaded where it is used."""
    import torch
    from torch import nn
    from transformers.models.bart.modeling_bart import BartAttention

    class GuidedNorm(nn.LayerNorm):
        """LN'(x + attention(x, guidance)) with x = LN(input), where LN is the norm that it replaces."""

        def __init__(self, config: Any, layer: int, guide: Guide) -> None:
            super().__init__(config.d_model)
            self.guide = guide
            self.dropout = config.dropout
            self.guide_attention = BartAttention(
                config.d_model,
                config.decoder_attention_heads,
                dropout=config.attention_dropout,
                config=config,
                layer_idx=layer,
            )
            self.guide_norm = nn.LayerNorm(config.d_model)

        def forward(self, hidden: torch.Tensor) -> torch.Tensor:
            """Compute it; input and output are (documents * beams, tokens, width)."""
            hidden = super().forward(hidden)
            states, mask = self.guide.states, self.guide.mask
            if states is None or mask is None:
                raise RuntimeError("the decoder has no guidance")
            beams = len(hidden) // len(states)
            states, mask = states.repeat_interleave(beams, 0), mask.repeat_interleave(beams, 0)
            away = (1 - mask[:, None, None].to(hidden.dtype)) * torch.finfo(hidden.dtype).min
            attended, _ = self.guide_attention(
                hidden, key_value_states=states, attention_mask=away, past_key_values=self.guide.kept
            )
            attended = nn.functional.dropout(attended, p=self.dropout, training=self.training)
            result: torch.Tensor = self.guide_norm(hidden + attended)
            return result

    return GuidedNorm


def add_guidance(model: Any) -> None:
    """Let each layer of BART's decoder attend to guidance, too.

    New weights are initialised as BART's layers are: they are not pretrained.
    """
    guide = Guide()
    for place, layer in enumerate(model.get_decoder().layers):
        norm = guided_norm_class()(model.config, place, guide)
        norm.apply(model._init_weights)
        norm.load_state_dict(layer.self_attn_layer_norm.state_dict(), strict=False)
        layer.self_attn_layer_norm = norm.to(layer.fc1.weight)  # same device and type
    model.train(model.training)


def guide_of(model: Any) -> Guide:
    """Return the guide of a model's decoder."""
    guide: Guide = model.get_decoder().layers[0].self_attn_layer_norm.guide
    return guide


@contextmanager
def guided(model: Any, states: torch.Tensor, mask: torch.Tensor) -> Iterator[None]:
    """Guide a model's decoder by states (documents, tokens, width) with a mask (documents, tokens) in the block.

    Summaries of the same documents, in order, may have several beams each. Without gradients, keys and values of the
    guidance are computed once.
    """
    import torch
    from transformers import DynamicCache, EncoderDecoderCache

    guide = guide_of(model)
    guide.states, guide.mask = states, mask
    if not torch.is_grad_enabled():
        guide.kept = EncoderDecoderCache(DynamicCache(), DynamicCache())
    try:
        yield
    finally:
        guide.states = guide.mask = guide.kept = None
