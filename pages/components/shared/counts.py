"""Counts over all of a data set's summaries and scores."""

from data.store import Dataset, StoredSignature
from pages.background.computed import computed
from pages.background.unfinished import read_at_first
from pages.components.shared.stores import TextVersion, open_stores, version_of


def signatures_of(dataset: Dataset) -> tuple[StoredSignature, ...]:
    """The signatures under which a data set has scores, and how many; counted anew when scores or texts change."""
    tokens = read_at_first("scores and texts", lambda: open_stores().data.versions("scores", "texts"))
    return count_signatures(dataset.name, version_of(dataset), tokens)


@computed("Counting the scores", kept=64)
def count_signatures(dataset: str, version: TextVersion, tokens: tuple[str, ...]) -> tuple[StoredSignature, ...]:
    """The signatures under which a data set has scores; the tokens are those of all scores and texts."""
    return tuple(open_stores().data.signatures(dataset))


@computed("Looking for documents with one text", kept=64)
def count_single_texts(dataset: str, version: TextVersion) -> int:
    """How many documents have not two texts to compare."""
    return open_stores().data.count_single_texts(dataset)
