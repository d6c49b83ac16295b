"""Keywords of several extractors side by side, and what people think of them: HTML and facts."""

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version

from relevance.annotation.keyword_records import FoundKeyword, MarkTask, Review, ShownKeyword
from relevance.data.distribution import DISTRIBUTION
from relevance.data.one_line import cut
from relevance.data.records import Document
from relevance.data.wording import format_count
from relevance.metrics.keywords.extractors import comparison_signature
from relevance.metrics.keywords.overlap import Keyword, content_words, occurrences
from relevance.metrics.languages import ENGLISH
from relevance.reports.escaping import esc
from relevance.reports.evidence.blocks import passage
from relevance.reports.evidence.highlighting import Mark, highlight, legend
from relevance.reports.tables.keywords import extractor_name

LONGEST = 80
"""The most characters of a keyword on a button: a phrase may be half a summary long."""


# --- keywords and their places ------------------------------------------------------------------------------


def shown_texts(references: Sequence[str], title: str | None) -> list[tuple[str, str]]:
    """Return the names and texts in which keywords are found: the references, then the title."""
    named = [(f"Reference {number}", text) for number, text in enumerate(references, 1)]
    return [*named, ("Title", title)] if title is not None else named


def merge_keywords(
    lists: Mapping[str, Sequence[Keyword]], texts: Sequence[str], language: str = ENGLISH
) -> list[FoundKeyword]:
    """Merge the keywords of all extractors, each once, with every place where the texts have its words.

    Places are found in the same way for all, so that marks do not give an extractor away. The extractor's own places
    count as well, as the overlap rule cuts phrases before it drops stop words.
    """
    prepared = [content_words(text, language) for text in texts]
    merged: dict[tuple[str, ...], tuple[set[tuple[int, int, int]], list[str]]] = {}
    for extractor, keywords in lists.items():
        for keyword in keywords:
            places, extractors = merged.setdefault(keyword.words, (set(), []))
            places.update((index, *span) for index, span in keyword.places)
            extractors.append(extractor)
    return [
        FoundKeyword(
            words,
            tuple(
                sorted(
                    places
                    | {(index, *span) for index, text in enumerate(prepared) for span in occurrences(words, text)}
                )
            ),
            tuple(extractors),
        )
        for words, (places, extractors) in merged.items()
    ]


def review_keywords(
    documents: Sequence[Document], lists: Mapping[str, Sequence[Sequence[Keyword]]], language: str = ENGLISH
) -> dict[str, list[FoundKeyword]]:
    """Return the keywords in a review of these extractors by document id; `lists` are parallel to the documents."""
    return {
        document.id: merge_keywords(
            {extractor: lists[extractor][place] for extractor in lists},
            [text for _, text in shown_texts(document.references, document.title)],
            language,
        )
        for place, document in enumerate(documents)
    }


def no_keywords(document: Document) -> str:
    """Say why a document has no keywords."""
    if len(shown_texts(document.references, document.title)) < 2:
        return "No keywords: there are not two texts among references and title to compare."
    return "No keywords: references and title share no content word."


def document_label(key: str, title: str | None) -> str:
    """Return the name of a document in a list: its id, and the beginning of its title."""
    return cut(key if title is None else f"{key} · {title}", LONGEST)


def review_facts(review: Review) -> dict[str, str]:
    """Return the facts about a review on which its figures are based."""
    keywords, documents = format_count(review.keywords, "different keyword"), format_count(review.documents, "document")
    shows = f"{keywords} of {documents} of the data set {review.dataset}"
    if review.without:
        shows += f"; {format_count(review.without, 'document')} drawn without a keyword left out"
    return {
        "review": review.name,
        "what it shows": shows,
        "extractors": ", ".join(review.extractors),
        "signature": review.signature,
        "seed": str(review.seed),
    }


def review_signature(documents: Sequence[Document], language: str = ENGLISH) -> str:
    """Return the settings by which a review's keywords were found, and the version of this project."""
    return f"{comparison_signature(documents, language=language)}|version:{version(DISTRIBUTION)}"


def surface(keyword: FoundKeyword | ShownKeyword, texts: Sequence[str]) -> str:
    """Return a keyword as written in the first text that has it, in one line of limited length."""
    written = " ".join(keyword.words)
    if keyword.places:
        text, start, end = keyword.places[0]
        written = texts[text][start:end]
    return cut(written, LONGEST)


# --- HTML -----------------------------------------------------------------------------------------------------

LEGEND = {"keyword": "keyword of one extractor", "matched": "of several"}


def compared_html(
    document: Document, lists: Mapping[str, Sequence[Keyword]], marked: Sequence[str], language: str = ENGLISH
) -> str:
    """Write the extractors' lists side by side above the texts as HTML, equal keywords lighting each other.

    In the texts, the keywords of the extractors `marked` are marked.
    """
    named = shown_texts(document.references, document.title)
    texts = [text for _, text in named]
    keywords = {
        keyword.words: (keyword, f"g{place}") for place, keyword in enumerate(merge_keywords(lists, texts, language))
    }
    columns = []
    for extractor, own in lists.items():
        items = "".join(keyword_item_html(*keywords[keyword.words], extractor, texts) for keyword in own)
        name = f"{extractor_name(extractor)}: {format_count(len(own), 'keyword')}"
        body = f"<ul>{items}</ul>" if items else "<p>none</p>"
        columns.append(f'<div><div class="name">{esc(name)}</div>{body}</div>')
    shown = [both for both in keywords.values() if set(marked) & set(both[0].extractors)]
    return "".join(
        [
            f'<div class="evidence">{"".join(columns)}',
            legend(["keyword", "matched"], LEGEND) if keywords else "",
            marked_texts(
                named, [(keyword, group, kinds(keyword), describe_finders(keyword)) for keyword, group in shown]
            ),
            "</div>",
        ]
    )


def keyword_item_html(keyword: FoundKeyword, group: str, extractor: str, texts: Sequence[str]) -> str:
    """Write a keyword as HTML, as an item of an extractor's list, with the other extractors that have it."""
    text = surface(keyword, texts)
    marks = [Mark(0, len(text), kind, describe_finders(keyword), group) for kind in kinds(keyword)] if text else []
    others = [extractor_name(other) for other in keyword.extractors if other != extractor]
    also = f' <span class="note">also {esc(" and ".join(others))}</span>' if others else ""
    return f"<li>{highlight(text, marks)}{also}</li>"


def kinds(keyword: FoundKeyword) -> tuple[str, ...]:
    """Return the kinds of marks of a keyword: those of several extractors have a line, too."""
    return ("keyword", "matched") if len(keyword.extractors) > 1 else ("keyword",)


def describe_finders(keyword: FoundKeyword) -> str:
    """Return the tooltip of a keyword."""
    return f"“{' '.join(keyword.words)}”: {' and '.join(map(extractor_name, keyword.extractors))}"


def marked_texts(
    named: Sequence[tuple[str, str]],
    keywords: Iterable[tuple[FoundKeyword | ShownKeyword, str, Sequence[str], str]],
) -> str:
    """Write texts with marked keywords as HTML; each keyword comes with its group, kinds of mark and label."""
    marks: list[list[Mark]] = [[] for _ in named]
    for keyword, group, kinds_of_mark, label in keywords:
        for text, start, end in keyword.places:
            marks[text] += [Mark(start, end, kind, label, group) for kind in kinds_of_mark]
    return "".join(passage(text, mark, name) for (name, text), mark in zip(named, marks, strict=True))


def task_html(task: MarkTask) -> str:
    """Write the references and the title with their keywords marked as HTML, alike for all extractors."""
    keywords = [
        (keyword, f"g{place}", ("keyword", "matched"), f"“{' '.join(keyword.words)}”")
        for place, keyword in enumerate(task.keywords)
    ]
    texts = marked_texts(shown_texts(task.references, task.title), keywords)
    return f'<div class="evidence">{texts}</div>'
