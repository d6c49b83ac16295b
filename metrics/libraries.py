"""Metrics that libraries compute: which there are, and what each needs."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec

from relevance.data.distribution import how_to_install
from relevance.metrics.kind import MetricKind
from relevance.metrics.meteor import METEOR, wordnet_version
from relevance.metrics.sacre import BLEU, CHRF, TER

LIBRARIES: dict[str, Sequence[MetricKind]] = {"sacrebleu": (BLEU, CHRF, TER), "nltk": (METEOR,)}
"""The metrics of each library, which is imported when one is used."""

OF_LIBRARIES = {kind.name: kind for kinds in LIBRARIES.values() for kind in kinds}
"""The metrics of libraries, by name."""


def find_libraries() -> Iterator[tuple[str, str, Callable[[], MetricKind]]]:
    """Yield the name of each metric that a library can compute here, the library, and a function that returns it."""
    for library, kinds in LIBRARIES.items():
        if not what_lacks(library):
            for kind in kinds:
                yield kind.name, f"{library} {version(library)}", partial(OF_LIBRARIES.__getitem__, kind.name)


def find_lacking() -> dict[str, str]:
    """Return what each metric of a library needs that is not at hand, and how to get it, by name."""
    lacking = {library: what_lacks(library) for library in LIBRARIES}
    return {kind.name: lack for library, lack in lacking.items() if lack for kind in LIBRARIES[library]}


def what_lacks(library: str) -> str:
    """Say what a library's metrics need that is not at hand; empty if nothing."""
    if find_spec(library) is None:
        return f"{library}: {how_to_install(library)}"
    if library == "nltk" and wordnet_version() is None:
        return "WordNet: python -m nltk.downloader wordnet"
    return ""
