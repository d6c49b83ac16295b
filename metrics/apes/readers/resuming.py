"""The state from which an interrupted training of a reader continues: a safetensors file, written after each epoch.

It has the weights, the optimizer's state and that of the random numbers as tensors, and the rest as JSON: nothing in it
is pickled.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, NamedTuple

from relevance.data.files import write_bytes_whole
from relevance.data.one_line import first_line

SUFFIX = ".resume"


class AnotherTraining(ValueError):
    """The state is that of a training with other files or settings, or is damaged."""


class Reached(NamedTuple):
    """The state of a training after an epoch."""

    epoch: int = 0
    best: float = -1.0
    best_epoch: int = 0
    batches: tuple[int, ...] = ()
    """The order of the batches, which the next epoch shuffles."""


def resume_path(output: Path) -> Path:
    """Return the file of the state of a training."""
    return output.with_name(f"{output.name}{SUFFIX}")


def save_state(
    output: Path, description: str, reached: Reached, network: Any, optimizer: Any, shuffled: random.Random
) -> None:
    """Write the state, whole or not at all. `description` stands for all that the result depends on. Raises OSError."""
    import safetensors.torch
    import torch

    tensors = {f"network.{name}": weight.cpu().contiguous() for name, weight in network.state_dict().items()}
    for place, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{place}.{name}": value.cpu().contiguous() for name, value in state.items()}
    tensors["random"] = torch.get_rng_state()
    if torch.cuda.is_available():
        tensors["random.cuda"] = torch.cuda.get_rng_state()
    metadata = {"asked": description, "reached": json.dumps(reached), "shuffled": json.dumps(shuffled.getstate())}
    write_bytes_whole(resume_path(output), [safetensors.torch.save(tensors, metadata=metadata)])


def load_state(output: Path, description: str, network: Any, optimizer: Any, shuffled: random.Random) -> Reached:
    """Restore the state, and return what was reached. Raises `AnotherTraining`."""
    import torch
    from safetensors import safe_open

    path = resume_path(output)
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata()
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  it is not a mapping
        if metadata["asked"] != description:
            raise AnotherTraining(
                f"{path} is of a training with other questions or settings: go on with what it was begun with, or "
                "remove it"
            )
        reached = Reached(*json.loads(metadata["reached"]))
        version, numbers, gauss = json.loads(metadata["shuffled"])
        shuffled.setstate((version, tuple(numbers), gauss))
        network.load_state_dict(parts_of(tensors, "network."))
        states: dict[int, dict[str, Any]] = {}
        for name, value in parts_of(tensors, "optimizer.").items():
            place, _, kind = name.partition(".")
            states.setdefault(int(place), {})[kind] = value
        optimizer.load_state_dict({**optimizer.state_dict(), "state": states})
        torch.set_rng_state(tensors["random"])
        if "random.cuda" in tensors and torch.cuda.is_available():
            torch.cuda.set_rng_state(tensors["random.cuda"])
    except AnotherTraining:
        raise
    except Exception as error:  # libraries raise a dozen kinds
        raise AnotherTraining(f"{path} cannot be read, so remove it and train again: {first_line(error)}") from error
    return reached._replace(batches=tuple(reached.batches))


def parts_of(tensors: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Return the tensors whose names begin with a prefix, without it."""
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
