"""The sentences of a document, in its own words and spacing."""

from __future__ import annotations

import re

from data.records import Document

# White space before a full stop, closing quote or bracket that stands alone, as tokenisers leave it: `end . '' He`.
LOOSE = re.compile(r"""[^\S\n]+(?=(?:[.!?…]+|''|["'”’)\]])(?:\s|$))""")


def sentences_of(document: Document) -> list[str]:
    """The sentences of a document's source, stripped, without blank ones: those given, else those found by `split`."""
    if isinstance(document.source, str):
        return split(document.source)
    return [sentence for given in document.source if (sentence := given.strip())]


def split(text: str) -> list[str]:
    """Split English text, ordinary or tokenised, into sentences that stand verbatim in it.

    A paragraph ends a sentence, a single line break does not. What simplemma's rules for English do not know stays
    wrong: `et al. 2019` and `Fig. 3` are cut, `in the U.S. He left` and `He was 27. He left` are not.
    """
    from simplemma.sentences import split_sentences

    # simplemma takes a full stop after a space for none: it alone cuts the 100 tokenised articles of SummEval into
    # 153 sentences, this way into 1,375. It therefore reads the text closed up; it only ever drops white space, so the
    # other characters are counted off to find its sentences in the original.
    places = [place for place, character in enumerate(text) if not character.isspace()]
    sentences, start = [], 0
    for closed_up in split_sentences(LOOSE.sub("", text), lang="en"):
        end = start + sum(not character.isspace() for character in closed_up)
        sentences.append(text[places[start] : places[end - 1] + 1])
        start = end
    return sentences
