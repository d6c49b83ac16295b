"""The Python interface for notebooks: scores, agreement, correlations and evidence over pandas frames."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from relevance.choices import load_choices
    from relevance.explaining import Explanation, explain
    from relevance.frames import BadFrame, load
    from relevance.ratings import load_ratings
    from relevance.scores import agreement, correlate, score

__all__ = [
    "BadFrame",
    "Explanation",
    "agreement",
    "correlate",
    "explain",
    "load",
    "load_choices",
    "load_ratings",
    "score",
]

PLACES = {
    "BadFrame": "frames",
    "Explanation": "explaining",
    "agreement": "scores",
    "correlate": "scores",
    "explain": "explaining",
    "load": "frames",
    "load_choices": "choices",
    "load_ratings": "ratings",
    "score": "scores",
}
"""The module of each name, imported when the name is first used: the command and the pages need none of them."""


def __getattr__(name: str) -> Any:
    """Import a name of the interface."""
    if name not in PLACES:
        raise AttributeError(f"module 'relevance' has no attribute {name!r}")
    return getattr(import_module(f"relevance.{PLACES[name]}"), name)


def __dir__() -> list[str]:
    """List the interface's names, also those that were not used yet."""
    return sorted({*globals(), *__all__})
