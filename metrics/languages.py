"""The languages that metrics and summarizers read: how each one's words are made comparable, and its stop words.

Words of every language but English are those of any script (`metrics.text.ANY_SCRIPT`): a character in scripts that are
written without spaces, such as Chinese and Japanese, and a word in all others. They are lower-cased, and Arabic ones
lose their vowel signs and tatweel. For ROUGE the Snowball stemmer of the language, where there is one, takes their
endings; keywords are of lemmas, where simplemma has the language, else of those stems. Stop words are those of
stopwords-iso. English has rules of its own, those of the `rouge-score` package and of the ROUGE-K paper.
"""

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any, NamedTuple

import regex

from metrics.kind import option

ENGLISH = "en"

VOWEL_SIGNS = regex.compile("[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]")
"""Signs that Arabic may be written with or without: vowels, doubling, marks of recitation, and tatweel."""


class Language(NamedTuple):
    """What is known of a language."""

    name: str
    stemmer: str | None = None
    """The Snowball stemmer that makes its words comparable, as NLTK names it; None where words stay as they are."""
    lemmas: str | None = None
    """What simplemma calls the language; None where it has no dictionary of it."""


LANGUAGES = {
    ENGLISH: Language("English"),
    "ar": Language("Arabic", "arabic"),
    "da": Language("Danish", "danish", "da"),
    "de": Language("German", "german", "de"),
    "es": Language("Spanish", "spanish", "es"),
    "fi": Language("Finnish", "finnish", "fi"),
    "fr": Language("French", "french", "fr"),
    "hu": Language("Hungarian", "hungarian", "hu"),
    "it": Language("Italian", "italian", "it"),
    "ja": Language("Japanese"),
    "nl": Language("Dutch", "dutch", "nl"),
    "no": Language("Norwegian", "norwegian", "nb"),
    "pt": Language("Portuguese", "portuguese", "pt"),
    "ro": Language("Romanian", "romanian", "ro"),
    "ru": Language("Russian", "russian", "ru"),
    "sv": Language("Swedish", "swedish", "sv"),
    "zh": Language("Chinese"),
}
"""By their ISO 639-1 codes."""

WITHOUT_SPACES = ("ja", "zh")
"""Those whose words are characters."""


@lru_cache(1 << 18)
def comparable(word: str, language: str) -> str:
    """A lower-case word as it is compared in a language of `LANGUAGES` other than English."""
    if language == "ar":
        word = VOWEL_SIGNS.sub("", word) or word
    name = LANGUAGES[language].stemmer
    if name is None:
        return word
    from nltk.stem.snowball import SnowballStemmer

    # A stemmer of its own for each word: the Arabic one keeps what it found out about the word before.
    return str(SnowballStemmer(name).stem(word)) or word


@lru_cache(1 << 18)
def base_form(word: str, language: str) -> str:
    """A word as keywords have it in a language other than English: its lemma, else as in `comparable`; lower-case.

    German ones are looked up as they are written: without its capital *Haus* is a form of *hausen*.
    """
    dictionary = LANGUAGES[language].lemmas
    if dictionary is None:
        return comparable(word.lower(), language)
    import simplemma

    return simplemma.lemmatize(word if language == "de" else word.lower(), lang=dictionary).lower()


FUNCTION_CHARACTERS = frozenset("的了着吗呢吧啊呀嘛们和与及或是在也都就而但之这那哪我你您他她它把被很")
"""The Chinese stop words of one character. Those of the list are more, and stand in names: 日 and 本 are Japan."""


@cache
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language other than English, lower-cased, as they are written but for Arabic vowel signs."""
    import stopwordsiso

    listed = frozenset(VOWEL_SIGNS.sub("", word.lower()) for word in stopwordsiso.stopwords(language)) - {""}
    if language == "zh":
        return FUNCTION_CHARACTERS | {word for word in listed if len(word) > 1}
    return listed


@cache
def stop_phrases(language: str) -> regex.Pattern[str]:
    """The stop words of several characters of a language that is written without spaces; the longest is found first."""
    several = sorted((word for word in stop_words(language) if len(word) > 1), key=lambda word: (-len(word), word))
    return regex.compile("|".join(map(regex.escape, several)))


def are_stop_words(text: str, spans: Sequence[tuple[int, int]], language: str) -> list[bool]:
    """Whether each word of a text in a language other than English is a stop word, or a character within one."""
    listed = stop_words(language)
    found = [VOWEL_SIGNS.sub("", text[start:end].lower()) in listed for start, end in spans]
    if language in WITHOUT_SPACES:
        inside = {place for match in stop_phrases(language).finditer(text) for place in range(*match.span())}
        found = [stop or start in inside for stop, (start, _) in zip(found, spans, strict=True)]
    return found


def settings_of(language: str) -> dict[str, str]:
    """What a language's words depend on, as signatures say it."""
    stemmer = LANGUAGES[language].stemmer
    return {"stem": f"snowball-{stemmer}" if stemmer else "none", "lang": language}


def keyword_settings(language: str) -> dict[str, str]:
    """What keywords of a language depend on besides their rule, as signatures say it."""
    lemmas = f"simplemma{version('simplemma')}"
    if language == ENGLISH:
        return {"lemma": lemmas}
    forms = {"lemma": lemmas, "lang": language} if LANGUAGES[language].lemmas else settings_of(language)
    return {"stop": f"iso{version('stopwordsiso')}", **forms}


def language_option() -> Any:
    """The option `--language`, which the metrics that read words share."""
    return option(
        ENGLISH,
        "The language of the texts, for ROUGE and ROUGE-K. For another than English, words are those of any script (in "
        "Chinese and Japanese characters), whatever --tokenizer says: ROUGE stems them, ROUGE-K takes lemmas and stop "
        "words of the language.",
        choices=LANGUAGES,
    )


ASCII_LETTERS = regex.compile("[A-Za-z]+")
LETTERS = regex.compile(r"\p{L}+")
NOTEWORTHY = 0.1
"""The share of letters from which on it is said that they are not seen; a few stand in English texts, too."""

SCRIPTS = {
    "ja": regex.compile(r"[\p{Hiragana}\p{Katakana}]"),
    "zh": regex.compile(r"\p{Han}"),
    "ar": regex.compile(r"\p{Arabic}"),
    "ru": regex.compile(r"\p{Cyrillic}"),
}
"""The letters that a language is known by; the first that a text has names it, as Japanese has Chinese ones, too."""


def unseen_letters(texts: Iterable[str], where: str = "summaries and references") -> str:
    """How many letters the tokenizer `a-z0-9` does not see, in a sentence; empty where they are under `NOTEWORTHY`."""
    letters = seen = 0
    written: dict[str, int] = {}
    for text in texts:
        ascii_letters = sum(map(len, ASCII_LETTERS.findall(text)))
        seen += ascii_letters
        if text.isascii():
            letters += ascii_letters
            continue
        letters += sum(map(len, LETTERS.findall(text)))
        if language := next((code for code, script in SCRIPTS.items() if script.search(text)), None):
            written[language] = written.get(language, 0) + 1
    if letters - seen <= NOTEWORTHY * letters:
        return ""
    likely = max(written, key=lambda code: written[code]) if written else None
    option = f"--language (such as {likely}, {LANGUAGES[likely].name})" if likely else "--language"
    return (
        f"{letters - seen:,} of the {letters:,} letters in {where} are outside a-z, and not seen; "
        f"say their language by {option}, or take --tokenizer unicode"
    )
