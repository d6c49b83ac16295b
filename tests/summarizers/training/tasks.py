"""Small training tasks."""

from pathlib import Path
from typing import Any

from relevance.data.records import Document
from relevance.summarizers.methods.base import Decoding
from relevance.summarizers.methods.published import Training
from relevance.summarizers.methods.registry import METHODS
from relevance.summarizers.training.task import Task
from tests.summarizers.checkpoints import DOCUMENTS, SUMMARIES, TEXTS

TWELVE = (
    *DOCUMENTS,
    *(
        Document(
            f"e{place}",
            f"{TEXTS[place].split('. ')[1]}. {TEXTS[(place + 1) % 6]}",
            (f"{SUMMARIES[(place + 3) % 6][:-1]} and {SUMMARIES[(place + 1) % 6].lower()}",),
        )
        for place in range(6)
    ),
)
"""Twelve documents whose summaries cannot be copied from them."""


def small_task(model: Path, method: str = "plain", seed: int = 0, **changes: Any) -> Task:
    """Three epochs of three updates, each of two documents one after the other, with dropout."""
    training = Training(learning_rate=1e-3, batch=1, accumulation=2, epochs=3, patience=3)
    options: dict[str, Any] = {"rwenc": {"layers": (1,)}}.get(method, {})
    settings = changes.pop("settings", {})
    return Task(
        **{
            "method": METHODS[method](**options | settings),
            "model": model,
            "documents": tuple(DOCUMENTS),
            "dev": tuple(DOCUMENTS[:2]),
            "training": training,
            "decoding": Decoding(max_new_tokens=8),
            "seed": seed,
            **changes,
        }
    )
