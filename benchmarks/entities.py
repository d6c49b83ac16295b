"""The embedded entity finder on the text held out from its training: span F1 and texts a second.

    python -m benchmarks.entities [folder] [finder]

Words are joined by single spaces and the finder gets that text. A span counts when its first and last character are
right, typed when its label (PER, ORG, LOC, MISC) is right too. Labels of the files are mapped as in training. The last
lines show the same text in lower case, and with the labels that training maps to no name counted as MISC.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from relevance.metrics.apes.entities import Entity, Finder, LabelledText
from relevance.metrics.apes.entity_finders import finder
from relevance.metrics.apes.training import MAPPING, read_held_out

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "ner"


class Counts(NamedTuple):
    """How many spans were right, found and there."""

    typed: int = 0
    untyped: int = 0
    predicted: int = 0
    there: int = 0

    def __add__(self, other: tuple[int, ...]) -> Counts:  # type: ignore[override]
        return Counts(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def f1(self) -> tuple[float, float]:
        """Typed and untyped F1, in [0, 1]."""
        both = max(1, self.predicted + self.there)
        return 2 * self.typed / both, 2 * self.untyped / both


def compare(entities: Iterable[Entity], there: Iterable[Entity]) -> Counts:
    """Count the spans of one text."""
    ours, gold = set(entities), set(there)
    spans = {entity[:2] for entity in ours} & {entity[:2] for entity in gold}
    return Counts(len(ours & gold), len(spans), len(ours), len(gold))


def measure(tested: Finder, sentences: Sequence[LabelledText], *, lower: bool = False) -> Counts:
    """Count the spans of many texts."""
    texts = [sentence.text for sentence in sentences]
    if lower:  # letters that become two would move everything behind them
        texts = ["".join(c.lower() if len(c.lower()) == 1 else c for c in text) for text in texts]
    pairs = zip(tested.find(texts), sentences, strict=True)
    return sum((compare(entities, sentence.entities) for entities, sentence in pairs), Counts())


def main() -> None:
    """Measure and print."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    tested = finder(sys.argv[2] if len(sys.argv) > 2 else "embedded")
    tested.find(["Loading is not finding."])
    files = read_held_out(folder)
    print(f"{tested.signature}\n{'span F1':36} typed  untyped  entities  texts/s")
    for lower in (False, True):
        total = Counts()
        for name, sentences in files.items():
            start = time.perf_counter()
            counts = measure(tested, sentences, lower=lower)
            total += counts
            show(name + ", lower case" * lower, counts, f"{len(sentences) / (time.perf_counter() - start):7.0f}")
        show("together" + ", lower case" * lower, total)
    as_misc = {theirs: "MISC" if ours == "O" else ours for theirs, ours in MAPPING.items()}
    every = [sentence for sentences in read_held_out(folder, as_misc).values() for sentence in sentences]
    show("together, all labels", measure(tested, every))


def show(name: str, counts: Counts, speed: str = "") -> None:
    """Print a line."""
    print(f"{name:36} {counts.f1[0]:.3f}  {counts.f1[1]:.3f}  {counts.there:7}  {speed}")


if __name__ == "__main__":
    main()
