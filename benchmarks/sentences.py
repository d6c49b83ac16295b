"""Sentences found in texts that came split: precision, recall and F1 of their boundaries, cased and lower-cased.

    python -m benchmarks.sentences [folder]

SciTLDR's abstracts are published as sentences. A tenth of them are not cut at sentences but at the lines of a page:
those with a sentence that ends without a mark, before the last, are left out of the first figure and in the last one.
SummEval's articles are published as tokens, in which a mark that ends a sentence stands alone; a mark that a lower-case
word follows ends none. They are taken as they stand and with their tokens put together as people write. What is split
are the sentences joined by a space; a boundary is right where it lies between the same two characters.
"""

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from relevance.data.importers import read_documents
from relevance.summarizers.sentences import sentences_of, split_sentences

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"

Texts = list[list[str]]
"""Texts as the sentences that they were published in."""

MARKS = re.compile("[.!?]+")
CLOSING = {"'", "''", '"', "”", "’", ")", "]"}
ENDS = re.compile(r"""[.!?…][\s"'”’»)\]]*$""")


class Boundaries(NamedTuple):
    """How many boundaries were right, found and there."""

    right: int = 0
    predicted: int = 0
    there: int = 0

    @property
    def f1(self) -> float:
        """F1 of the boundaries, in [0, 1]."""
        return 2 * self.right / max(1, self.predicted + self.there)


def boundaries(sentences: Iterable[str]) -> set[int]:
    """Between which characters sentences meet, white space not counted."""
    ends, place = [0], 0
    for sentence in sentences:
        place += len("".join(sentence.split()))
        ends.append(place)
    return set(ends[1:-1])


def measure(texts: Texts, ends: Callable[[str], Sequence[str]] = split_sentences) -> Boundaries:
    """Split texts anew, and count the boundaries over all of them."""
    right = predicted = there = 0
    for text in texts:
        theirs, ours = boundaries(text), boundaries(ends(" ".join(text)))
        right, predicted, there = right + len(ours & theirs), predicted + len(ours), there + len(theirs)
    return Boundaries(right, predicted, there)


def abstracts(folder: Path) -> Texts:
    """The abstracts of SciTLDR's dev and test files as published."""
    files = [folder / "scitldr" / f"{part}.jsonl" for part in ("dev", "test")]
    return [sentences_of(document) for file in files for document, _ in read_documents(file, "scitldr")]


def whole(texts: Texts) -> Texts:
    """Those of which every sentence but the last ends with a mark."""
    return [text for text in texts if all(ENDS.search(sentence) for sentence in text[:-1])]


def articles(folder: Path) -> Texts:
    """The articles of SummEval, split by their tokens."""
    return [by_tokens(str(document.source)) for document, _ in read_documents(folder / "summeval.jsonl", "interchange")]


def by_tokens(text: str) -> list[str]:
    """The sentences of a tokenised text with capitals."""
    tokens = text.split()
    sentences, start = [], 0
    for place, (token, following) in enumerate(zip(tokens, [*tokens[1:], ""], strict=True)):
        marks = next(filter(lambda before: before not in CLOSING, reversed(tokens[start : place + 1])), "")
        is_end = MARKS.fullmatch(marks) or (marks.endswith((".", "!", "?")) and token == "’")
        if is_end and following not in CLOSING and not MARKS.fullmatch(following):
            if following.lstrip("'\"`“‘([")[:1].islower():
                continue
            sentences.append(" ".join(tokens[start : place + 1]))
            start = place + 1
    return [*sentences, " ".join(tokens[start:])] if start < len(tokens) else sentences


def put_together(sentence: str) -> str:
    """A tokenised sentence as people write."""
    sentence = re.sub(r" (n't|'(?:s|re|ve|ll|d|m)\b)", r"\1", sentence)
    sentence = re.sub(r" ([.,;:!?…)\]”’]|''|'(?=\s|$))", r"\1", sentence)
    return re.sub(r"([(\[“‘]|``) ", r"\1", sentence).replace("``", '"').replace("''", '"')


def collections(folder: Path) -> dict[str, Texts]:
    """All texts by what they are."""
    split_by_lines, tokenised = abstracts(folder), articles(folder)
    return {
        "SciTLDR, abstracts of sentences": whole(split_by_lines),
        "SummEval, tokenised": tokenised,
        "SummEval, put together": [[put_together(sentence) for sentence in text] for text in tokenised],
        "SciTLDR, all abstracts": split_by_lines,
    }


def main() -> None:
    """Measure and print."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    print(f"{'':32}{'texts':>6}{'ends':>7}   {'cased: P, R, F1':24}lower-cased: P, R, F1")
    for name, texts in collections(folder).items():
        lowered = [[sentence.lower() for sentence in text] for text in texts]
        figures = "   ".join(
            f"{counts.right / counts.predicted:6.4f} {counts.right / counts.there:6.4f} {counts.f1:6.4f}"
            for counts in (measure(texts), measure(lowered))
        )
        print(f"{name:32}{len(texts):6}{measure(texts).there:7}   {figures}")


if __name__ == "__main__":
    main()
