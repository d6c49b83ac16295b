"""The languages that metrics and summarizers read: how their words are made comparable, and their stop words.

Words of every language but English are those of any script (`relevance.metrics.text.ANY_SCRIPT`): a character in
scripts that are written without spaces, such as Chinese and Japanese, and a word in all others. They are lower-cased,
and Arabic words lose their vowel signs and tatweel. For ROUGE the language's Snowball stemmer, if there is one, removes
the endings; keywords consist of simplemma's lemmas, or of those stems if simplemma lacks the language. Stop words are
those of stopwords-iso. English has rules of its own, those of the `rouge-score` package and of the ROUGE-K paper, and
lemmas by `relevance.metrics.lemmas`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any, NamedTuple
from unicodedata import normalize

import regex

from relevance.metrics.composing import compose
from relevance.metrics.kind import option
from relevance.metrics.lemmas import DICTIONARY, RULES
from relevance.metrics.spacy_lemmas import SPACY, is_spacy, pipeline_of, revision_of

ENGLISH = "en"

VOWEL_SIGNS = regex.compile("[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]")
"""Signs that Arabic may be written with or without: vowels, doubling, marks of recitation, and tatweel."""


class Language(NamedTuple):
    """A language with its stemmer and dictionary."""

    name: str
    stemmer: str | None = None
    """The Snowball stemmer that makes its words comparable, as NLTK names it; None if words stay as they are."""
    lemmas: str | None = None
    """simplemma's code of the language; None if it has no dictionary of it."""


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
"""The languages by their ISO 639-1 codes."""

WITHOUT_SPACES = ("ja", "zh")
"""The languages whose words are single characters."""


@lru_cache(1 << 18)
def comparable(word: str, language: str) -> str:
    """Return the comparable form of a lower-case word, in a language of `LANGUAGES` other than English."""
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
    """Return a word's form in keywords of a language other than English: its lemma, or else as in `comparable`.

    The form is lower-case. German words are looked up as they are written: without its capital *Haus* is a form of
    *hausen*.
    """
    dictionary = LANGUAGES[language].lemmas
    if dictionary is None:
        return comparable(word.lower(), language)
    import simplemma

    return simplemma.lemmatize(word if language == "de" else word.lower(), lang=dictionary).lower()


FUNCTION_CHARACTERS = frozenset("的了着吗呢吧啊呀嘛们和与及或是在也都就而但之这那哪我你您他她它把被很")
"""The Chinese stop words of one character. The list has more, but these occur in names: 日 and 本 are Japan."""


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language other than English: lower-cased, not stemmed, without Arabic vowel signs."""
    import stopwordsiso

    listed = frozenset(VOWEL_SIGNS.sub("", word.lower()) for word in stopwordsiso.stopwords(language)) - {""}
    if language == "zh":
        return FUNCTION_CHARACTERS | {word for word in listed if len(word) > 1}
    return listed


@cache
def stop_phrases(language: str) -> regex.Pattern[str]:
    """Return a pattern of the stop words of several characters, longest first, of a language written without spaces."""
    several = sorted((word for word in stop_words(language) if len(word) > 1), key=lambda word: (-len(word), word))
    return regex.compile("|".join(map(regex.escape, several)))


def are_stop_words(text: str, spans: Sequence[tuple[int, int]], language: str) -> list[bool]:
    """Tell whether each word of a text in a language other than English is a stop word, or a character within one."""
    listed = stop_words(language)
    words = (normalize("NFC", text[start:end]).lower() for start, end in spans)
    stops = [VOWEL_SIGNS.sub("", word) in listed for word in words]
    if language in WITHOUT_SPACES:
        composed = compose(text)
        phrases = (match.span() for match in stop_phrases(language).finditer(composed.text))
        inside = {place for span in phrases for place in range(*composed.span(*span))}
        stops = [stop or start in inside for stop, (start, _) in zip(stops, spans, strict=True)]
    return stops


def settings_of(language: str) -> dict[str, str]:
    """Return the settings, for signatures, that a language's words depend on."""
    stemmer = LANGUAGES[language].stemmer
    return {"stem": f"snowball-{stemmer}" if stemmer else "none", "lang": language}


def keyword_settings(language: str) -> dict[str, str]:
    """Return the settings, for signatures, that keywords of a language depend on besides their rule.

    Instead of a language it may be a pipeline of spaCy. None is loaded.
    """
    if is_spacy(language):
        pipeline = pipeline_of(language)
        return {"lemma": f"{SPACY}:{pipeline}@{revision_of(pipeline)}"}
    lemmas = f"simplemma{version('simplemma')}"
    if language == ENGLISH:
        return {"lemma": f"{DICTIONARY}{version(DICTIONARY)}+{lemmas}+rules{RULES}"}
    forms = {"lemma": lemmas, "lang": language} if LANGUAGES[language].lemmas else settings_of(language)
    return {"stop": f"iso{version('stopwordsiso')}", **forms}


DEFAULT_LEMMAS = "dictionary"


def read_by(language: str, lemmas: str) -> str:
    """Return by what the words of keywords are read: a language, or the pipeline of spaCy that `lemmas` names.

    Functions of keywords take either as their language. Raises ValueError.
    """
    if lemmas == DEFAULT_LEMMAS:
        return language
    if not is_spacy(lemmas):
        raise ValueError(f"lemmas must be {DEFAULT_LEMMAS}, {SPACY} or {SPACY}:PIPELINE, not {lemmas!r}")
    if language != ENGLISH:
        raise ValueError(f"lemmas by spaCy are English: leave out the language {language!r} or {lemmas!r}")
    return lemmas


def language_option() -> Any:
    """Return the option `--language`, which the metrics that read words share."""
    return option(
        ENGLISH,
        "The language of the texts, for ROUGE and ROUGE-K. Unless it is English, words are those of any script (single "
        "characters in Chinese and Japanese), whatever --tokenizer says; ROUGE stems them, and ROUGE-K uses the "
        "language's lemmas and stop words.",
        choices=LANGUAGES,
    )


SCRIPTS = {
    "ja": regex.compile(r"[\p{Hiragana}\p{Katakana}]"),
    "zh": regex.compile(r"\p{Han}"),
    "ar": regex.compile(r"\p{Arabic}"),
    "ru": regex.compile(r"\p{Cyrillic}"),
}
"""The scripts that tell languages; the first that a text has decides, as Japanese has Chinese letters, too."""

SAMPLED = 5000
"""The number of words by which a language is guessed."""

LATIN = regex.compile(r"\p{Latin}+")


def guess_language(texts: Iterable[str]) -> str | None:
    """Guess the language of most texts: by their script, or else by whose stop words are most frequent in them.

    Return None for texts in another script, and where no word is a stop word.

    >>> guess_language(["Die Br\u00fccke \u00fcber den Fluss ist neu."])
    'de'
    """
    by_script: Counter[str] = Counter()
    words: list[str] = []
    for text in texts:
        if (code := next((code for code, script in SCRIPTS.items() if script.search(text)), None)) is not None:
            by_script[code] += 1
        elif len(words) < SAMPLED:
            words += LATIN.findall(normalize("NFC", text).lower())
            by_script[""] += 1
    if not by_script:
        return None
    script = max(by_script, key=lambda code: by_script[code])
    if script:
        return script
    counts = {code: sum(word in stop_words(code) for word in words) for code in LANGUAGES if code not in SCRIPTS}
    likely = max(counts, key=lambda code: counts[code])
    return likely if counts[likely] else None
