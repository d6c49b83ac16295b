"""Lemmas of English words in their sentence, for keywords.

A word's lemma follows from the dictionary of `lemminflect`, which comes from the SPECIALIST Lexicon; a word that is not
listed there loses the ending of a plural, so that *GANs* and *GAN* are one keyword. Whether a word such as *training*
is a verb or stands for itself is told by its part of speech (`relevance.metrics.tagging`).
"""

import csv
import gzip
import importlib.util
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

import regex

from relevance.metrics.tagging import find_tags

DICTIONARY = "lemminflect"
RULES = "2"
"""The version of the rules and the tagger, for signatures: what changes a lemma is a new one."""

IRREGULAR = {
    **{"data": "datum", "axes": "axis", "leaves": "leaf", "dynamics": "dynamic"},
    **{"better": "well", "best": "good", "us": "we", "cannot": "can", "n't": "not"},
    "embedding": "embedding",  # a noun that the tagger takes for a verb nearly everywhere
    **{f"'{end}": end for end in ("s", "ve", "re", "ll", "d", "m")},
}
"""Lemmas that the dictionary does not list, or not first."""

COMMON_VERBS = {"be", "have", "do", "use"}
"""Verbs whose forms are theirs wherever they stand."""

WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’\-‐‑][\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*")
"""A word, with hyphens and apostrophes in it."""
TOKEN = regex.compile(
    rf"\p{{N}}+(?:[.,]\p{{N}}+)+(?!\p{{L}})|{WORD.pattern}(?:[_^]{WORD.pattern})*|[^\s\p{{L}}\p{{N}}]"
)
"""A number such as 4.0, a word, also with an index such as x_1, or a mark."""
CONTRACTION = regex.compile(r"n['’]t$|['’](?:s|ve|re|ll|d|m)$")
"""The end of a word that is a word of its own."""
VERB_FORM = regex.compile(r"..+(?:ing|ed)")
SIBILANT_PLURAL = regex.compile(r".+(?:s|x|z|ch|sh)es")
NO_PLURAL = regex.compile(r".*(?:ss|[aeiouy].*[ui]s|yes)|.s")
"""Words in *-s* that are not plurals; *gpus*, which has no vowel before its *u*, is one."""
SHORTEST_END = 5
"""The fewest letters of a listed word by which a longer one is inflected."""


@cache
def dictionary() -> Mapping[str, Mapping[str, str]]:
    """Return the lemmas of listed words by the kind of word: noun, verb, adj, adv or aux.

    The file is read without importing its package, which would load spaCy.
    """
    spec = importlib.util.find_spec(DICTIONARY)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{DICTIONARY} is not installed: pip install {DICTIONARY}")
    listed: dict[str, dict[str, str]] = {}
    with gzip.open(Path(spec.origin).parent / "resources" / "lemma_lu.csv.gz", "rt", encoding="utf-8") as file:
        for word, kind, spellings in csv.reader(file):
            listed.setdefault(word, {})[kind] = spellings.partition("/")[0]
    return listed


def read_lemmas(text: str) -> list[tuple[str, int, int]]:
    """Return the lemma of each word and mark of an English text in lower case, with its start and end in the text.

    The end of a contraction is a word of its own, without its apostrophe.

    >>> [lemma for lemma, _, _ in read_lemmas("training a gan with cnns")]
    ['train', 'a', 'gan', 'with', 'cnn']
    >>> [lemma for lemma, _, _ in read_lemmas("the gans' training isn't stable")]
    ['the', 'gan', "'", 'training', 'be', 'not', 'stable']
    """
    spans = list(find_spans(text))
    words = [text[start:end].replace("’", "'") for start, end in spans]
    spaces = [end < start for (_, end), (start, _) in pairwise((*spans, (len(text), 0)))]
    tags = find_tags(words, spaces)
    return [(lemma_of(word, tag), *span) for word, tag, span in zip(words, tags, spans, strict=True)]


def find_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the words and marks of a text, those of a contraction apart."""
    for match in TOKEN.finditer(text):
        start, end = match.span()
        if (contracted := CONTRACTION.search(match.group())) and contracted.start():
            yield start, start + contracted.start()
            start += contracted.start()
        yield start, end


def lemma_of(word: str, tag: str) -> str:
    """Return the lemma of a word by its part of speech."""
    return (verb_of(word) if tag.startswith("VB") else None) or lemma(word)


@lru_cache(1 << 18)
def lemma(word: str) -> str:
    """Return the lemma of a word that is not a verb's form here: of plurals the singular, otherwise mostly itself."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if (listed := dictionary().get(word)) is not None:
        return listed_lemma(word, listed)
    head, hyphen, last = word.rpartition("-")
    if hyphen:
        return f"{head}-{lemma(last)}" if last.endswith("s") else word
    return word if is_name(word) else singular(word)


def listed_lemma(word: str, listed: Mapping[str, str]) -> str:
    """Return the lemma of a word that the dictionary lists, as a noun rather than another kind of word."""
    verbs = [listed[kind] for kind in ("aux", "verb") if kind in listed]
    if common := COMMON_VERBS.intersection(verbs):
        return common.pop()
    kinds = ("noun", *(["verb"] if word.endswith("s") else []), "adj", "adv")
    return next((listed[kind] for kind in kinds if kind in listed), word)


def singular(word: str) -> str:
    """Return a word that is not in the dictionary without the ending of a plural.

    The end of the word may be listed: *timeseries* ends in *series*, and *hypernetworks* in *networks*.
    """
    if not word.endswith("s"):
        return word
    for start in range(2, len(word) - SHORTEST_END + 1):
        if word[start:] in dictionary():
            return word[:start] + lemma(word[start:])
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if SIBILANT_PLURAL.fullmatch(word):
        return word[:-2]
    return word if NO_PLURAL.fullmatch(word) else word[:-1]


@lru_cache(1 << 16)
def is_name(word: str) -> bool:
    """Tell whether simplemma knows a word as one that stands for itself, such as *texas*."""
    import simplemma

    return simplemma.is_known(word, lang="en") and simplemma.lemmatize(word, lang="en").lower() == word


@lru_cache(1 << 18)
def verb_of(word: str) -> str | None:
    """Return the verb of which a word may be a form, if that is another word."""
    if word in IRREGULAR:
        return None
    listed = dictionary().get(word)
    if listed is not None:
        verb = listed.get("verb", word)
        return verb if verb not in (word, *COMMON_VERBS) else None
    head, hyphen, last = word.rpartition("-")
    if hyphen:
        verb_at_end = verb_of(last)
        return f"{head}-{verb_at_end}" if verb_at_end else None
    return guess_verb(word) if VERB_FORM.fullmatch(word) else None


def guess_verb(word: str) -> str:
    """Return the verb of a form in *-ing* or *-ed* that is not in the dictionary: listed if possible."""
    stem = word.removesuffix("ing") if word.endswith("ing") else word.removesuffix("ed")
    doubled = len(stem) > 2 and stem[-1] == stem[-2]
    guesses = [f"{stem}e", stem, *([stem[:-1]] if doubled else [])]
    # The end of *pretraining* is known where it is not: *training*, *raining*.
    for start in range(len(stem) - 2):
        for guess in guesses:
            if "verb" in dictionary().get(guess[start:], ()):
                return guess
    return f"{stem}e" if regex.search(r"(?:at|iz|[^aeiou][csuv])$", stem) else stem
