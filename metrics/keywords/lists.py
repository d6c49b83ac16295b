"""Keywords that a user brings, in a file of JSON lines."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from relevance.data.reading import FileLine, identifier, kind, lines, parse_json_value, quote_value, require_field, text
from relevance.data.records import BadRecord, Document, Summary, make_examples
from relevance.metrics.keywords.overlap import Keyword, content_words, locate_keyword, stop_places
from relevance.metrics.languages import ENGLISH
from relevance.metrics.lemmas import lemma, verb_of
from relevance.metrics.text import lemmas

Words = tuple[str, ...]


@dataclass(frozen=True)
class KeywordLists:
    """The keywords of documents, and a hash of documents and keywords."""

    by_document: Mapping[str, tuple[Words, ...]]
    """The keywords by the document's id, each as its words without stop words; documents may be missing."""
    digest: str
    """The SHA-256 of the listed documents' ids, texts and keywords: a file gives other keywords for other documents."""


def read_keyword_lists(path: Path, documents: Sequence[Document], language: str = ENGLISH) -> KeywordLists:
    """Read a file with a JSON list of keywords per line, in the order of the documents, as `relevance keywords` writes.

    Lines may instead be objects `{"id": ..., "keywords": [...]}`, in any order and without some of the documents.
    Raises `BadRecord`.
    """
    keywords: dict[str, tuple[Words, ...]] = {}
    known = {document.id: document for document in documents}
    listed = 0
    first: type | None = None
    place = FileLine(path, 1)
    for place, line in lines(path):
        if not line.strip():
            continue
        entry = parse_json_value(place, line, "list" if line.lstrip().startswith("[") else "object")
        if first not in (None, type(entry)):
            place.refuse("some lines are lists, others objects; write either all of them with an id, or none")
        first = type(entry)
        if not isinstance(entry, dict | list):
            place.refuse("each line must be a JSON list of keywords, or an object with an id and its keywords")
        if isinstance(entry, dict):
            document = identifier(place, require_field(place, entry, "id"), "id")
            if document not in known:
                place.refuse(f"no document has the id {quote_value(document)}")
            if document in keywords:
                place.refuse(f"the document {quote_value(document)} has a list already")
            keywords[document] = keywords_of(place, require_field(place, entry, "keywords"), language)
        else:
            if listed == len(documents):
                place.refuse(f"there are only {listed} documents, and more lists than these")
            keywords[documents[listed].id] = keywords_of(place, entry, language)
            listed += 1
    if first is None:
        place.refuse("the file is empty; it needs a JSON list of keywords a document")
    if first is list and listed < len(documents):
        place.refuse(
            f"the file ends after {listed} lists, but there are {len(documents)} documents; give each a list, in their "
            'order, or write {"id": ..., "keywords": [...]}'
        )
    return KeywordLists(keywords, digest([known[document] for document in keywords], keywords))


def digest(documents: Iterable[Document], lists: Mapping[str, Sequence[Words]]) -> str:
    """Return the SHA-256 of the documents, each with its keywords, whatever their order."""
    parts = ((d.id, d.references, d.title, d.source_text, d.questions, lists[d.id]) for d in documents)
    return hashlib.sha256(json.dumps(sorted(json.dumps(part) for part in parts)).encode()).hexdigest()


def refuse_ambiguous(lists: KeywordLists, records: Iterable[tuple[Document, Sequence[Summary]]]) -> None:
    """Refuse lists that differ between documents of the same texts, which share their stored scores.

    Scores are stored by the texts that a metric may use (`relevance.data.store.example_hash`), without the document's
    id. Raises `BadRecord`.
    """
    seen: dict[object, Document] = {}
    for document, summaries in records:
        for example in make_examples(document, summaries)[:1]:  # its summaries share the same texts
            first = seen.setdefault((example.references, example.title, example.source, example.questions), document)
            if lists.by_document.get(first.id) != lists.by_document.get(document.id):
                raise BadRecord(
                    f"the documents {quote_value(first.id)} and {quote_value(document.id)} have the same texts but "
                    "not the same list of keywords, and a data set keeps one score for both; give them the same list, "
                    "or score the file that the data set was imported from"
                )


def listed_keyword(words: Words, texts: Sequence[str], language: str = ENGLISH) -> Keyword:
    """Return a keyword of a list with its first place in each text that has it.

    Words that occur in a text as they are listed are already prepared: *training* that `relevance keywords` wrote stays
    a noun. Others are lower-cased and lemmatised, in English as nouns if no text has them; then `other_form` counts,
    too.
    """
    prepared = content_words(" ".join(words), language).words
    for forms in (words, prepared):
        keyword = locate_keyword(forms, texts, language)
        if keyword.places:
            return keyword
    return Keyword(tuple(lemma(word.lower()) for word in words) if language == ENGLISH else prepared, ())


def other_form(keyword: Keyword) -> Words:
    """Return a listed English keyword that no text has, read as verbs: *learning* is found in *we learn*, too."""
    return tuple(verb_of(word) or word for word in keyword.words)


def keywords_of(place: FileLine, value: object, language: str) -> tuple[Words, ...]:
    """Return the keywords of one line without duplicates, each as its words without stop words."""
    if not isinstance(value, list):
        place.refuse(f"keywords must be a list of strings, not {kind(value)}")
    words: dict[Words, None] = {}
    for index, item in enumerate(value):
        keyword = text(place, item, f"keywords[{index}]")
        tokens = lemmas(keyword, language)
        content = tuple(
            keyword[slice(*span)]
            for span, stops in zip(tokens.spans, stop_places(keyword, tokens, language), strict=True)
            if not stops
        )
        if not content:
            place.refuse(f"keywords[{index}] is {quote_value(keyword)}, which has no word but stop words")
        words[content] = None
    return tuple(words)
