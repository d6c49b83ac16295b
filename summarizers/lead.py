"""Lead: the first sentences of the source, the baseline that is hard to beat on news."""

from __future__ import annotations

from collections.abc import Sequence

from summarizers.base import Extractive


class Lead(Extractive):
    """The first `sentences` sentences of the source."""

    system = "lead"

    def select(self, sentences: Sequence[str]) -> Sequence[str]:
        """Take the first ones."""
        return sentences[: self.sentences]
