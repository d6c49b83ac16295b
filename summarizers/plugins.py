"""Systems of others, which installed packages bring: held to the contract of summarizers."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from relevance.data.plugins import describe, held_apart
from relevance.data.records import Document, Summary
from relevance.data.signatures import Signature
from relevance.summarizers.base import Summarizer

Make = Callable[..., Summarizer]
"""A function that makes a summarizer, from those of `length`, `language` and `seed` that it has as parameters."""


@dataclass(frozen=True)
class Checked:
    """A summarizer of somebody else, which is held to the contract; summaries are of the name that it is asked by."""

    summarizer: Summarizer
    name: str

    def __post_init__(self) -> None:
        """Raise ValueError for a signature that does not say the version."""
        if not Signature.parse(self.signature).version:
            raise ValueError(f"it has the signature {self.signature!r}, which must end with |version: and its version")

    @property
    def signature(self) -> str:
        """The summarizer's signature."""
        return self.summarizer.signature

    def summarize(self, documents: Sequence[Document]) -> list[Summary]:
        """Write summaries; what the summarizer prints goes to standard error. Raises what it raises, and ValueError."""
        with held_apart():
            summaries = list(self.summarizer.summarize(documents))
        if wrong := [type(summary).__name__ for summary in summaries if not isinstance(summary, Summary)]:
            raise ValueError(f"{self.name} gave a {wrong[0]}, which is not a relevance.data.records.Summary")
        ids = iter(document.id for document in documents)
        if not all(summary.document_id in ids for summary in summaries):  # each once, in their order
            raise ValueError(f"{self.name} must give at most one summary for each document, in their order")
        return [replace(summary, system=self.name) for summary in summaries]


def make_checked(name: str, make: Make, options: Mapping[str, object]) -> Summarizer:
    """Make a summarizer of somebody else. Raises ValueError for a length, language or seed that it does not take."""
    try:
        taken = inspect.signature(make).parameters
        if unknown := [option for option in options if option not in taken]:
            raise ValueError(f"it takes no {' and no '.join(unknown)}")
        with held_apart():
            return Checked(make(**options), name)
    except Exception as error:  # whatever the code of others does
        raise ValueError(f"the system {name} cannot be made: {describe(error)}") from error
