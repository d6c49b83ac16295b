"""Weights in safetensors files: the same weights give the same bytes."""

from pathlib import Path
from typing import Any

WEIGHTS = "model.safetensors"
"""The file of a network's weights in its folder."""


def save_weights(model: Any, path: Path) -> None:
    """Write a network's weights; weights that layers share are written once, by their first name.

    `safetensors.torch.load_model` and transformers can read them. `save_model` of safetensors writes all names of
    shared weights, each time in another order.
    """
    from safetensors.torch import save_file

    written: dict[tuple[Any, ...], str] = {}
    weights = model.state_dict()
    for name, tensor in weights.items():
        written.setdefault((tensor.data_ptr(), tensor.shape, tensor.stride()) if tensor.numel() else (name,), name)
    save_file({name: weights[name].contiguous() for name in written.values()}, path, metadata={"format": "pt"})
