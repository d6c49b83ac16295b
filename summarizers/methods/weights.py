"""Weights in a file of safetensors: the same weights are the same bytes."""

from pathlib import Path
from typing import Any

WEIGHTS = "model.safetensors"
"""The file of a network's weights in its folder."""


def save_weights(model: Any, path: Path) -> None:
    """Write a network's weights, those that layers share once, by their first name.

    `safetensors.torch.load_model` reads them, and so does transformers. `save_model` of safetensors notes all names of
    what is shared, each time in another order.
    """
    from safetensors.torch import save_file

    written: dict[tuple[Any, ...], str] = {}
    weights = model.state_dict()
    for name, tensor in weights.items():
        written.setdefault((tensor.data_ptr(), tensor.shape, tensor.stride()) if tensor.numel() else (name,), name)
    save_file({name: weights[name].contiguous() for name in written.values()}, path, metadata={"format": "pt"})
