"""ROUGE-K: the share of a document's keywords that a summary has (Takeshita et al. 2024).

A keyword matches whole words in order. The published code reads words by spaCy, and looks for keywords as substrings of
the joined text, so that "art" is found in "smart": `lemmas="spacy"` and `match="substring"` do the same.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from relevance.data.records import SOURCE, Example
from relevance.data.signatures import signature
from relevance.metrics.base import VERSION, Score, check_option, set_against
from relevance.metrics.keywords.extractors import EXTRACTORS, Rarity, count_rarity, extract, extractor
from relevance.metrics.keywords.lists import KeywordLists, listed_keyword, other_form, read_keyword_lists
from relevance.metrics.keywords.overlap import LONGEST, MATCHES, TITLES, Keyword, compared_texts, content_words
from relevance.metrics.kind import MetricKind, Records, option
from relevance.metrics.languages import DEFAULT_LEMMAS, ENGLISH, LANGUAGES, keyword_settings, language_option, read_by
from relevance.metrics.spacy_lemmas import is_spacy
from relevance.metrics.text import Span, Tokens

LIST = "list"
"""The extractor's name for keywords that a user brings, beside those of `EXTRACTORS`."""

ONLY = {"in-source": "in-src", "out-source": "out-src"}
"""The restrictions to keywords that occur in the source, or that do not; with their names in signatures."""


OF_SOURCE = "tfidf:10"
"""The keywords of a source unless others are asked for: overlap needs two texts, and a source is one."""


class NoKeywords(ValueError):
    """A document has no keyword to look for; the message says why."""


class KeywordEvidence(NamedTuple):
    """A keyword and its places in the candidate; it is missed if there are none."""

    keyword: Keyword
    occurrences: tuple[Span, ...]


class RougeKEvidence(NamedTuple):
    """The texts and keywords behind a ROUGE-K value."""

    texts: tuple[str, ...]
    """The texts that were compared for keywords: references, then the title if it counts."""
    keywords: tuple[KeywordEvidence, ...]


class RougeK:
    """Keyword recall, in [0, 1]. By default keywords are the n-grams that two or more of references and title share.

    `title` is one of the texts `always`, or only beside a `single` reference. With `references="source"` the source is
    the only text, and its keywords are by `OF_SOURCE` unless they are named. `keywords` are

    - `overlap`: the n-grams that two or more of the texts share, the paper's rule.
    - `tfidf`, `textrank`: as many as the overlap rule gives, by the paper's baselines. `tfidf:K`, `textrank:K`: K for
      every document, for which one text is enough. See `relevance.metrics.keywords.extractors`. `idf` are the texts
      among which rarity is counted, usually all references of a data set; without them it is counted among the
      sentences of the document's own texts, so that no other document has an influence.
    - `KeywordLists`: the lists that a user brings.

    `only` counts the keywords that occur in the source (`in-source`, IN-SRC in the paper's Table 9) or those that do
    not (`out-source`), by the same match as in a summary. Words, lemmas and stop words are those of `language`
    (`relevance.metrics.languages`); `lemmas` may instead be `spacy`, the paper's English pipeline, or
    `spacy:<pipeline>`. A keyword is found as whole `words` in order, or as a `substring`. Scores raise
    `ModelUnavailable` if a pipeline cannot be loaded. Raises ValueError.
    """

    name = "rouge_k"

    def __init__(
        self,
        title: str = "always",
        keywords: str | KeywordLists | None = None,
        *,
        references: str = "max",
        only: str | None = None,
        idf: Sequence[str] | None = None,
        language: str = ENGLISH,
        lemmas: str = DEFAULT_LEMMAS,
        match: str = "words",
    ) -> None:
        check_option("title", title, TITLES)
        check_option("only", only, (None, *ONLY))
        check_option("language", language, LANGUAGES)
        check_option("match", match, MATCHES)
        self.references = references
        self.title = title
        self.language = read_by(language, lemmas)
        if keywords is None:
            keywords = OF_SOURCE if references == SOURCE else "overlap"
        self.match = match
        self.lists = keywords if isinstance(keywords, KeywordLists) else None
        self.keywords = LIST if isinstance(keywords, KeywordLists) else keywords
        self.extractor = LIST if self.lists else extractor(self.keywords)[0]
        if references == SOURCE and self.keywords in EXTRACTORS:
            raise ValueError(f"keywords of a source are tfidf:K, textrank:K or a list: {self.keywords} needs two texts")
        self.only = only
        self.corpus = tuple(idf) if idf is not None and self.extractor == "tfidf" else None

    @cached_property
    def signature(self) -> str:
        """The source of the keywords, and all settings."""
        rule = {"overlap": f"overlap{LONGEST}"}.get(self.keywords, self.keywords.replace(":", ""))
        # The title matters for lists, too: a word that occurs in a text is looked for as it is (`listed_keyword`).
        kw = f"{LIST}@{self.lists.digest[:8]}" if self.lists else rule
        settings = {"refs": SOURCE, "kw": kw} if self.references == SOURCE else {"kw": kw, "title": self.title}
        if self.extractor == "tfidf":
            corpus = self.corpus
            settings["idf"] = "own" if corpus is None else hashlib.sha256(json.dumps(corpus).encode()).hexdigest()[:8]
        if self.only:
            settings["only"] = ONLY[self.only]
        if self.match != "words":
            settings["match"] = self.match
        return signature(self.name, VERSION, **settings, **keyword_settings(self.language))

    @cached_property
    def rare(self) -> Rarity | None:
        """The rarity of phrases, each text of `idf` a document."""
        return None if self.corpus is None else count_rarity(([text] for text in self.corpus), self.language)

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Score a batch; keywords are found once for consecutive examples of a document."""
        scores: list[Score] = []
        compared = set_against(examples, self.references)
        for _, group in groupby(compared, key=lambda e: (e.document_id, e.references, e.title, e.source)):
            together = list(group)
            texts = compared_texts(together[0].references, together[0].title, self.title)
            try:
                keywords = self.keywords_in(together[0], texts)
            except NoKeywords as error:
                scores += [Score(None, f"no keywords: {error}")] * len(together)
            else:
                scores += [self.score_candidate(example, texts, keywords) for example in together]
        return scores

    def keywords_of(self, example: Example) -> list[Keyword]:
        """Return the keywords that candidates of an example's document are searched for. Raises `NoKeywords`."""
        (compared,) = set_against([example], self.references)
        return self.keywords_in(compared, compared_texts(compared.references, compared.title, self.title))

    def keywords_in(self, example: Example, texts: tuple[str, ...]) -> list[Keyword]:
        """Return the keywords to search for, given the compared texts. Raises `NoKeywords`."""
        keywords = self.brought(example.document_id, texts) if self.lists else self.extracted(texts)
        if self.only is None:
            return keywords
        if not example.source.strip():
            raise NoKeywords("there is no source in which they could occur")
        wanted = self.only == "in-source"
        occur = self.occur_in(keywords, example.source)
        kept = [keyword for keyword, there in zip(keywords, occur, strict=True) if there == wanted]
        if not kept:
            raise NoKeywords(f"{'none' if wanted else 'each'} of the document's {len(keywords)} occurs in the source")
        return kept

    def score_candidate(self, example: Example, texts: tuple[str, ...], keywords: Sequence[Keyword]) -> Score:
        """Count the keywords that a candidate has."""
        candidate = content_words(example.candidate, self.language)
        places = [tuple(self.find(keyword, candidate)) for keyword in keywords]
        hits = sum(map(bool, places))
        return Score(
            hits / len(keywords),
            parts={"keywords": len(keywords), "found": hits},
            explain=partial(make_evidence, texts, keywords, places),
        )

    def occur_in(self, keywords: Sequence[Keyword], text: str) -> list[bool]:
        """Tell whether each keyword occurs in a text, by the same match as in a summary."""
        words = content_words(text, self.language)
        return [bool(self.find(keyword, words)) for keyword in keywords]

    def find(self, keyword: Keyword, text: Tokens) -> list[Span]:
        """Return the places of a keyword in a text's content words."""
        find = MATCHES[self.match]
        places = find(keyword.words, text)
        if not places and not keyword.places and self.language == ENGLISH:
            return find(other_form(keyword), text)
        return places

    def brought(self, document: str, texts: tuple[str, ...]) -> list[Keyword]:
        """Return a document's keywords of the user's lists with their places in the texts. Raises `NoKeywords`."""
        words = self.lists.by_document.get(document) if self.lists else None
        if words is None:
            raise NoKeywords("the file of keywords has no list for this document")
        if not words:
            raise NoKeywords("the list of this document is empty")
        keywords = {
            keyword.words: keyword for keyword in (listed_keyword(listed, texts, self.language) for listed in words)
        }
        return list(keywords.values())

    def extracted(self, texts: tuple[str, ...]) -> list[Keyword]:
        """Return the keywords that the extractor finds. Raises `NoKeywords`."""
        if keywords := extract(self.keywords, texts, self.rare, self.language):
            return keywords
        if self.keywords != self.extractor:  # a given number, which one text can give
            if self.references == SOURCE:
                raise NoKeywords("the source has no content word" if texts else "there is no source")
            raise NoKeywords("references and title have no content word" if texts else "there are no references")
        if len(texts) < 2:
            raise NoKeywords(
                "there are not two texts among references and title to compare; keywords by tfidf:K or textrank:K, or "
                "a list of your own, need only one"
            )
        raise NoKeywords("references and title share no content word")


def make_evidence(
    texts: tuple[str, ...], keywords: Sequence[Keyword], places: Sequence[tuple[Span, ...]]
) -> RougeKEvidence:
    """Return the evidence record of one count."""
    return RougeKEvidence(texts, tuple(map(KeywordEvidence, keywords, places)))


def read_keywords(source: str, records: Records | None, language: str) -> str | KeywordLists:
    """Read the option `--keywords`, and the file that it names. Raises ValueError."""
    kind, _, file = source.partition(":")
    if kind != LIST:
        try:
            extractor(source)
        except ValueError as error:
            raise ValueError(f"--keywords: {error}, nor is it list:FILE") from error
        return source
    if records is None:
        return source
    if not Path(file).is_file():
        raise ValueError(f"--keywords list:FILE names no file: {file or 'nothing after the colon'}")
    return read_keyword_lists(Path(file), [document for document, _ in records()], language)


def read_lemmas(code: str, records: Records | None, language: str) -> str:
    """Check the option `--lemmas`. Raises ValueError."""
    try:
        read_by(language, code)
    except ValueError as error:
        raise ValueError(f"--lemmas: {error}") from error
    return code


@dataclass(frozen=True)
class RougeKOptions:
    """Options of ROUGE-K: see `RougeK`."""

    references: str = "max"
    """With `source`, keywords are those of the source."""
    title: str = option(
        "always",
        "When ROUGE-K counts the title as a reference: always, or only beside a single reference.",
        choices=TITLES,
    )
    keywords: str | KeywordLists | None = option(
        None,
        "Keywords of ROUGE-K: overlap; tfidf or textrank, as many as overlap gives; tfidf:K or textrank:K; or "
        f"list:FILE, your own, with a JSON list per line.  [default: overlap; of a source {OF_SOURCE}]",
        read=read_keywords,
    )
    only: str | None = option(
        None, "ROUGE-K: count only keywords that occur in the source, or only those that do not.", choices=ONLY
    )
    idf: tuple[str, ...] | None = None
    language: str = language_option()
    lemmas: str = option(
        DEFAULT_LEMMAS,
        "Lemmas of ROUGE-K's English keywords: by a dictionary that comes along, by spaCy's en_core_web_sm as in the "
        "paper (spacy), or by another pipeline (spacy:PIPELINE).",
        read=read_lemmas,
    )
    match: str = option(
        "words",
        "ROUGE-K: find a keyword as whole words in order, or as a substring of the lemmas, as the published code does.",
        choices=MATCHES,
    )


def lemmas_of(settings: Mapping[str, str]) -> str:
    """Return the name of the lemmas of a signature's settings, without their version."""
    return settings.get("lemma", "").partition("@")[0]


def options_of(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the options of a signature's settings."""
    name = settings["kw"].rstrip("0123456789")
    number = settings["kw"].removeprefix(name)
    options = {"keywords": f"{name}:{number}" if number and name != "overlap" else name}
    if settings.get("refs") == SOURCE:
        options["references"] = SOURCE
    else:
        options["title"] = settings["title"]
    if "lang" in settings:
        options["language"] = settings["lang"]
    if is_spacy(lemmas := lemmas_of(settings)):
        options["lemmas"] = lemmas
    if "match" in settings:
        options["match"] = settings["match"]
    if "only" in settings:
        (options["only"],) = (name for name, shown in ONLY.items() if shown == settings["only"])
    return options


ROUGE_K = MetricKind(
    "rouge_k",
    "ROUGE-K",
    "recall of keywords, the n-grams that two or more of references and title share",
    make=RougeK,
    options=RougeKOptions,
    options_of=options_of,
    loads_model=lambda settings: is_spacy(lemmas_of(settings)),
    evidence=RougeKEvidence,
    renderer="rouge_k",
    by_default=True,
    source="Takeshita, Ponzetto, Eckert (2024). ROUGE-K: Do Your Summaries Have Keywords? *SEM",
)
