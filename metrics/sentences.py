"""Where the sentences of a text are."""

from __future__ import annotations

import re
from functools import lru_cache

from metrics.text import CACHED_TEXTS, Span

# White space before a full stop, closing quote or bracket that stands alone, as tokenisers leave it: `end . '' He`.
LOOSE = re.compile(r"""[^\S\n]+(?=(?:[.!?…]+|''|["'”’)\]])(?:\s|$))""")


@lru_cache(CACHED_TEXTS)
def sentence_spans(text: str) -> tuple[Span, ...]:
    """The spans of the sentences of an English text, ordinary or tokenised, without the white space between them.

    A paragraph ends a sentence, a single line break does not. What simplemma's rules for English do not know stays
    wrong: `et al. 2019` and `Fig. 3` are cut, `in the U.S. He left` and `He was 27. He left` are not.
    """
    from simplemma.sentences import split_sentences

    # simplemma takes a full stop after a space for none: it alone cuts the 100 tokenised articles of SummEval into
    # 153 sentences, this way into 1,375. It therefore reads the text closed up; it only ever drops white space, so the
    # other characters are counted off to find its sentences in the original.
    places = [place for place, character in enumerate(text) if not character.isspace()]
    spans, start = [], 0
    for closed_up in split_sentences(LOOSE.sub("", text), lang="en"):
        end = start + sum(not character.isspace() for character in closed_up)
        spans.append((places[start], places[end - 1] + 1))
        start = end
    return tuple(spans)
