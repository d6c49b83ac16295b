"""Sentence segmentation."""

import re
from functools import lru_cache
from typing import NamedTuple

from relevance.metrics.composing import compose
from relevance.metrics.text import CACHED_TEXTS, Span

# Where a sentence may end: at a paragraph, or at marks with the closing quotes and brackets behind them, each of which
# tokenizers may have put a space before (`end . '' He`). A run of marks is tried from its first one only.
MAY_END = re.compile(
    r"""(?<![.!?…։؟۔।॥])(?P<marks>[.!?…։؟۔।॥]++(?:[^\S\n]+[.!?…]++(?=\s|$))*)"""
    r"""(?P<closing>(?:[^\S\n]*["'”’»)\]])*)(?P<space>\s+|$)|(?P<paragraph>\n\s*\n\s*)"""
)
# Chinese and Japanese have marks of their own; a sentence ends behind them without a space, quotes included.
WIDE_END = re.compile(r"[。｡！？][。｡！？…]*[”’」』）】》\"']*\s*")
PARAGRAPH = re.compile(r"\n\s*\n")
OPENS = "\"'“‘«([`"
CLOSES = "\"'”’»)]"
AFTER_MARKS = re.compile(r"[,;:]|[.!?](?![.!?])")
"""The characters after marks that show that the sentence did not end there."""
WORD = re.compile(r"\b\w\.|\w+")  # an initial with its full stop, so that it is not a word
LETTERS = re.compile(r"[^\W\d_](?:\.[^\W\d_]{1,2})*")  # j, u.s, i.i.d

WINDOW = 40
"""The number of characters before and after marks that are looked at."""

ALWAYS_INSIDE = frozenset(
    """
    adm approx attn brig ca capt cdr cf cmdr col cpl dr e.g eg eq eqn eqs esp ex fig figs gen gov hon i.e ie lt maj
    messrs mr mrs mt op pp pres prof ref refs rep reps resp rev sec sect sen sens sgt supt tab tbsp thm tsp viz vs
    w.r.t wrt
    """.split()  # noqa: SIM905
)
"""Abbreviations that a sentence does not end with: titles, and words that point to what follows."""

GERMAN_INSIDE = frozenset("bspw bzw ca d.h evtl ggf inkl nr o.ä sog u.a vgl z.b zzgl".split())  # noqa: SIM905
"""German abbreviations that are not English words, and that a sentence does not end with."""

GERMAN_MONTHS = frozenset("januar februar märz mai juni juli oktober dezember".split())  # noqa: SIM905
"""German months that have another name in English: a number with a full stop before them is a day."""

BEFORE_NUMBERS = frozenset(
    "apr art aug ch dec feb fri jan jul jun mon no nos nov oct p sat sep sept sun thu tue vol vols wed".split()  # noqa: SIM905
)
"""Abbreviations in front of a number; elsewhere they are words, or end a sentence."""

MAY_END_ONE = frozenset(
    "al ave blvd bros co corp dept est etc ft inc jr ltd ms ph.d rd sr st univ".split()  # noqa: SIM905
)
"""Abbreviations that occur inside sentences as well as at their ends, as do those with full stops inside (`u.s.`)."""

BEGIN = frozenset(
    "he her his however i it its my our she the their there these they this those we you your".split()  # noqa: SIM905
)
"""Words that seldom follow an abbreviation in its own sentence."""

BEGIN_WITH_CAPITAL = BEGIN | frozenset(
    """
    a after although an and as at because before both but by during each finally first for from here how if in many
    moreover most no not on once one only over several since so some such that then thus to under until what when where
    whether which while who why with yet
    """.split()  # noqa: SIM905
)
"""Words that are not names: with a capital they begin a sentence."""

SAID = {"added", "asked", "asks", "cried", "replied", "said", "say", "says", "shouted", "told", "wondered", "wrote"}
"""The verbs of speech: a sentence goes on if one of them follows a question in quotes."""


class Junction(NamedTuple):
    """A place where a sentence may end."""

    end: int
    """The end of the sentence, with the closing quotes and brackets."""
    resume: int
    """The start of the next one."""
    kind: str
    """`paragraph`, `stop`, `question` (or exclamation), `ellipsis`, `abbreviation` (or initial), or `inside`."""
    closing: bool
    """True if quotes or brackets close here."""
    following: tuple[str, ...]
    """The next words, at most four; none if something else than a word follows."""


@lru_cache(CACHED_TEXTS)
def sentence_spans(text: str) -> tuple[Span, ...]:
    """Return the spans of the sentences of a text, ordinary or tokenised, without the white space between them.

    The rules are those of English, with the marks of other scripts and the commonest abbreviations of German.

    A paragraph ends a sentence, a single line break does not. In a text whose sentences begin with capitals, a full
    stop before a lower-case letter does not end one; in a text in lower case it does, except after abbreviations,
    initials and ellipses. After an abbreviation that may end a sentence, a new one begins only with words such as `he`
    or `the`: `in the U.S. He left` is cut, `in the U.S. Officials left` is not.
    """
    composed = compose(text)
    return tuple(composed.span(*span) for span in find_sentences(composed.text))


def find_sentences(text: str) -> list[Span]:
    """Return the spans of `sentence_spans` for a composed text."""
    junctions = [junction(text, match) for match in MAY_END.finditer(text)]
    lower = in_lower_case(text, junctions)
    spans, start = [], 0
    places = [(j.end, j.resume) for j in junctions if ends(j, lower)]
    if not text.isascii():
        places = sorted({*places, *((match.end(), match.end()) for match in WIDE_END.finditer(text))})
    for end, resume in [*places, (len(text), len(text))]:
        sentence = text[start:end]
        if sentence.strip():
            spans.append((end - len(sentence.lstrip()), start + len(sentence.rstrip())))
        start = resume
    return spans


def in_lower_case(text: str, junctions: list[Junction]) -> bool:
    """Tell whether more sentences begin with a lower-case letter than with another one."""
    first = [words[0][0] for _, _, kind, _, words in junctions if kind == "stop" and words]
    if begins := WORD.search(text):
        first.append(begins.group()[0])
    lower = sum(letter.islower() for letter in first)
    return lower > sum(letter.isalpha() for letter in first) - lower


def ends(place: Junction, lower: bool) -> bool:
    """Tell whether a sentence ends at a junction; `lower` is the result of `in_lower_case` for the text."""
    if not place.following:
        return place.kind not in ("inside", "abbreviation")
    word = place.following[0]
    small = word[0].islower()
    return {
        "paragraph": True,
        "stop": lower or not small,
        "question": not (place.closing and (SAID.intersection(place.following) if lower else small)),
        "ellipsis": not (lower or small),
        "abbreviation": (lower or not small) and word.lower() in (BEGIN if small else BEGIN_WITH_CAPITAL),
        "inside": False,
    }[place.kind]


def junction(text: str, match: re.Match[str]) -> Junction:
    """Return the junction at a match of `MAY_END`."""
    resume = match.end()
    if match["paragraph"] or match["space"].count("\n") > 1:
        return Junction(
            match.start("paragraph") if match["paragraph"] else match.end("closing"), resume, "paragraph", False, ()
        )
    after = text[resume : resume + WINDOW].lstrip(OPENS + " ")
    following = tuple(WORD.findall(after)[:4]) if WORD.match(after) else ()
    kind = "inside" if AFTER_MARKS.match(after) else kind_of(text, match, following)
    return Junction(match.end("closing"), resume, kind, bool(match["closing"]), following)


def kind_of(text: str, match: re.Match[str], following: tuple[str, ...]) -> str:
    """Classify the punctuation at a possible sentence end by the word before it."""
    marks = "".join(match["marks"].split())
    start = match.start()
    before = PARAGRAPH.split(text[max(0, start - WINDOW) : start])[-1].rstrip()
    closed = before.rstrip(CLOSES + " ")
    words = closed.split()
    word = words[-1].lstrip(OPENS) if words else ""
    if not word:  # the marks open a text, or stand in brackets for what was left out
        return "inside"
    if any(mark not in ".…" for mark in marks):
        return "question"
    if marks not in (".", "...."):  # four are an ellipsis and a full stop
        return "ellipsis"
    return "stop" if closed != before else kind_of_stop(word, before, ")" in match["closing"], following)


def kind_of_stop(word: str, before: str, bracket: bool, following: tuple[str, ...]) -> str:
    """Classify a full stop by the word before it."""
    known = word.lower()
    if known in BEFORE_NUMBERS and following:
        return "inside" if following[0][0].isdigit() else "stop"
    if known in ALWAYS_INSIDE or known in GERMAN_INSIDE:
        return "inside"
    if word.isdigit() and following and following[0].lower() in GERMAN_MONTHS:
        return "inside"
    if known in MAY_END_ONE or LETTERS.fullmatch(word):
        return "inside" if bracket else "abbreviation"
    return "inside" if word.isdigit() and is_item(before) else "stop"


def is_item(before: str) -> bool:
    """Tell whether the number at the end numbers an item (`1. One. 2. Two.`): it opens the text or a sentence."""
    *_, last, _ = ["", "", *before.split()]
    return not last or (last[-1] in ".!?" and last[:-1].lower() not in BEFORE_NUMBERS | ALWAYS_INSIDE)
