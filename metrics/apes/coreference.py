"""Coreference by name: mentions of the same entity, and the places where a text names it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

import regex

from relevance.metrics.keywords.overlap import STOP_WORDS
from relevance.metrics.lemmas import WORD
from relevance.metrics.text import CACHED_TEXTS, Span, Tokens, find_tokens

Words = tuple[str, ...]

NAME_WORD = regex.compile(rf"(?:\p{{L}}\.){{2,}}|{WORD.pattern}")
HOMOGRAPHS = frozenset(("us", "may", "will", "it", "who"))
"""Names that have another meaning in lower case."""
BREAK = regex.compile(r"[.!?…,;:()\n]")
LOWER_CASE = regex.compile(r"\b\p{Ll}[\p{Ll}\p{M}]*\b")

PERSON = "person"
HONORIFICS = frozenset(("mr", "mrs", "ms", "miss", "dr", "sir", "dame", "lord", "lady", "prof", "professor"))
"""Words before a person's name that are not part of it."""
UNSHORTENED = ("place", "group")
"""The types whose names are not shortened: New England is not England."""


class NamedEntity(NamedTuple):
    """An entity of a document."""

    name: str
    """Its longest name, as first written."""
    type: str
    names: frozenset[Words]
    """The lower-cased words of each of its names."""
    aliases: frozenset[Words]
    """Words that may be a name of it, unless two entities could have them."""
    homographs: frozenset[Words]
    """Names and aliases that mean something else in lower case: the US is not "us"."""


@lru_cache(CACHED_TEXTS // 8)  # texts may be whole sources
def name_words(text: str) -> Tokens:
    """Return a text's lower-cased words without a possessive `'s`, and their spans."""
    tokens = find_tokens(NAME_WORD, text)
    words, spans = [], []
    for word, (start, end) in zip(*tokens, strict=True):
        bare = word[:-2] if word.endswith(("'s", "’s")) else word
        words.append(bare.replace(".", ""))  # U.S. is US
        spans.append((start, end - len(word) + len(bare)))
    return Tokens(tuple(words), tuple(spans))


def group(
    mentions: Iterable[tuple[str, str]], common: Set[str] = frozenset()
) -> tuple[list[NamedEntity], dict[tuple[str, str], int]]:
    """Group mentions (name, type) that mean one entity; return the entities, and the entity of each mention.

    Longer names go first. Equal names are one entity, whatever type each was found with. A shorter name of the same
    type joins the only entity that it is a part of: the first or last words of its name (`Bolton` of `Bolton
    Wanderers`), or its initials; places and groups are not shortened. A name that could be a part of two is an entity
    of its own. `common` are words that are not names by themselves.
    """
    counts = Counter(mentions)
    names: list[list[tuple[str, str]]] = []
    owners: dict[tuple[str, str], int] = {}
    exact: dict[Words, int] = {}
    parts: dict[tuple[Words, str], set[int]] = defaultdict(set)
    for mention in sorted(counts, key=lambda m: (-len(name_without_titles(m[0])), -counts[m])):
        text, type = mention
        words = name_without_titles(text)
        if not words or (all(word in STOP_WORDS for word in words) and not text.isupper()):  # the WHO is one
            continue
        known = exact.get(words)
        possible = {known} if known is not None else parts.get((words, type), set())
        if len(possible) == 1:
            (owner,) = possible
            names[owner].append(mention)
        else:
            owner = len(names)
            names.append([mention])
            for part in parts_of(words) if type not in UNSHORTENED else ():
                parts[part, type].add(owner)
        exact.setdefault(words, owner)
        owners[mention] = owner
    return [make_entity(own, common) for own in names], owners


def make_entity(mentions: Sequence[tuple[str, str]], common: Set[str]) -> NamedEntity:
    """Return the entity of mentions, given the longest first.

    The last name is an alias of a person; so is, for a person, organisation or facility, the first or last word of the
    name that is not a common word: `Bolton`, but not `Bank`.
    """
    name, type = mentions[0]
    names = frozenset(name_without_titles(text) for text, _ in mentions)
    ends = {(place, words[place]) for words in names for place in (0, -1) if len(words[place]) > 2}
    aliases = {
        (word,)
        for place, word in ends
        if word not in STOP_WORDS and (word not in common or (type == PERSON and place == -1))
    }
    if type in UNSHORTENED:
        aliases = set()
    homographs = frozenset((word,) for word, *more in names | aliases if not more and word in HOMOGRAPHS | common)
    return NamedEntity(name, type, names, frozenset(aliases), homographs)


def name_without_titles(name: str) -> Words:
    """Return the lower-cased words of a name without titles such as "Mr"."""
    words = name_words(name).words
    while len(words) > 1 and words[0] in HONORIFICS:
        words = words[1:]
    return words


def parts_of(words: Words) -> set[Words]:
    """Return the short forms of a name: leading words, trailing words, initials."""
    parts = {words[:size] for size in range(1, len(words))} | {words[-size:] for size in range(1, len(words))}
    initials = "".join(word[0] for word in words if word not in STOP_WORDS)
    return parts | {(initials,)} if len(initials) > 2 else parts


def common_words(texts: Iterable[str]) -> frozenset[str]:
    """Return the words that texts have in lower case."""
    return frozenset(word for text in texts for word in LOWER_CASE.findall(normalize("NFC", text)))


def find_names(text: str, entities: Sequence[NamedEntity]) -> dict[int, tuple[Span, ...]]:
    """Find where a text names entities, by their index; longer names win, and ambiguous names are left out."""
    owners = owners_of(entities)
    longest = max(map(len, owners), default=0)
    words, spans = name_words(text)
    mentions: dict[int, list[Span]] = defaultdict(list)
    start = 0
    while start < len(words):
        for size in range(min(longest, len(words) - start), 0, -1):
            owner = owners.get(words[start : start + size])
            if (
                owner is not None
                and means_name(text, words[start : start + size], spans[start], entities[owner])
                and together(text, words[start : start + size], spans[start : start + size])
            ):
                mentions[owner].append((spans[start][0], spans[start + size - 1][1]))
                start += size
                break
        else:
            start += 1
    return {owner: tuple(places) for owner, places in sorted(mentions.items())}


def means_name(text: str, words: Words, first: Span, entity: NamedEntity) -> bool:
    """Tell whether the words name the entity here and are not a common word in lower case."""
    return words not in entity.homographs or not text[first[0] : first[1]].islower()


def together(text: str, words: Words, spans: Sequence[Span]) -> bool:
    """Tell whether words are together one name: no sentence end and no comma is between them."""
    for word, (_, end), (start, _) in zip(words, spans, spans[1:], strict=False):
        between = text[end:start]
        # a full stop may belong to an abbreviation: St. Louis, J. Smith, U.S.
        if BREAK.search(between) and not (between.startswith(".") and len(word) <= 3):
            return False
    return True


def owners_of(entities: Sequence[NamedEntity]) -> Mapping[Words, int]:
    """Return the entity of each unambiguous name or alias; names take precedence over aliases."""
    means: dict[Words, set[int]] = defaultdict(set)
    for index, entity in enumerate(entities):
        for alias in entity.aliases:
            means[alias].add(index)
    sure = {alias: next(iter(owners)) for alias, owners in means.items() if len(owners) == 1}
    return sure | {name: index for index, entity in enumerate(entities) for name in entity.names}
