"""Keywords of several extractors side by side, and what people think of them: HTML, tables and a chart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import NamedTuple

import altair as alt
import numpy as np
import pandas as pd

from annotation.keyword_marks import FoundKeyword, MarkCounts, MarkDecisions, MarkTask, Review, ShownKeyword
from annotation.reliability import krippendorff_alpha, raw_agreement
from data.records import Document
from metrics.extractors import comparison_signature
from metrics.keywords import Keyword, content_words, occurrences
from metrics.meta_evaluation.false_discovery import FalseDiscovery, false_discovery
from metrics.meta_evaluation.planning import DOCUMENTS_OF_INTERVALS
from pages.components.charts import BLUE, GREY
from pages.components.evidence import count, passage
from pages.components.formats import esc
from pages.components.highlight import Mark, highlight, legend
from pages.components.sections import Cell, Section, interval, known, ratio_intervals_note
from pages.components.text import in_one_line

NAMES = {"overlap": "Overlap", "tfidf": "TF-IDF", "textrank": "TextRank"}
"""How extractors are called on pages; others by their own name."""


class Published(NamedTuple):
    """What a paper reports of an extractor."""

    per_document: float
    """Wrong keywords a summary."""
    rate: float
    """False discovery rate, in [0, 1]."""

    @property
    def keywords(self) -> float:
        """How many keywords a document would have, were both figures of the same keywords."""
        return self.per_document / self.rate


PUBLISHED = {"overlap": Published(0.64, 0.13), "tfidf": Published(0.85, 0.16), "textrank": Published(0.94, 0.21)}
"""Keyword extraction as the annotators of Takeshita et al. 2024 (section 3) judged it."""

IMPLIED = ", ".join(f"{of.keywords:.2f} ({NAMES[name]})" for name, of in PUBLISHED.items())
OTHER_RATE = (
    "The paper's rate is another quantity than ours, and the two are not to be compared. Ours is pooled, wrong "
    "keywords over all keywords, so that wrong per document over rate is the number of keywords per document. "
    f"The paper's figures would make that {IMPLIED}, though each of its extractors gives a document as many keywords "
    "as the overlap rule."
)
"""What is to be said wherever a pooled false discovery rate stands beside the paper's."""

LONGEST = 80
"""Characters of a keyword on a button: a phrase may go on over half a summary."""


def extractor_name(extractor: str) -> str:
    """What an extractor is called."""
    return NAMES.get(extractor, extractor)


# --- keywords and where they stand --------------------------------------------------------------------------


def shown_texts(references: Sequence[str], title: str | None) -> list[tuple[str, str]]:
    """Names and texts of what keywords are looked for in: the references, then the title."""
    named = [(f"Reference {number}", text) for number, text in enumerate(references, 1)]
    return [*named, ("Title", title)] if title is not None else named


def union(lists: Mapping[str, Sequence[Keyword]], texts: Sequence[str]) -> list[FoundKeyword]:
    """The keywords of all extractors, each once, with every place where the texts have its words.

    Places are looked up in one way for all: an extractor must not be known by where its keywords are marked. What
    it says itself counts as well, as the overlap rule cuts phrases before it drops stop words.
    """
    prepared = [content_words(text) for text in texts]
    found: dict[tuple[str, ...], tuple[set[tuple[int, int, int]], list[str]]] = {}
    for extractor, keywords in lists.items():
        for keyword in keywords:
            places, extractors = found.setdefault(keyword.words, (set(), []))
            places.update((index, *span) for index, span in keyword.found)
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
        for words, (places, extractors) in found.items()
    ]


def review_keywords(
    documents: Sequence[Document], lists: Mapping[str, Sequence[Sequence[Keyword]]]
) -> dict[str, list[FoundKeyword]]:
    """By document id, what a review of these extractors shows. `lists` are parallel to the documents."""
    return {
        document.id: union(
            {extractor: lists[extractor][place] for extractor in lists},
            [text for _, text in shown_texts(document.references, document.title)],
        )
        for place, document in enumerate(documents)
    }


def no_keywords(document: Document) -> str:
    """Why a document has no keywords."""
    if len(shown_texts(document.references, document.title)) < 2:
        return "No keywords: there are not two texts among references and title to compare."
    return "No keywords: references and title share no content word."


def document_label(key: str, title: str | None) -> str:
    """A document in a list: its id, and the beginning of its title."""
    name = in_one_line(key if title is None else f"{key} · {title}")
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def review_facts(review: Review) -> dict[str, str]:
    """What the figures of a review rest on."""
    keywords, documents = count(review.keywords, "different keyword"), count(review.documents, "document")
    shows = f"{keywords} of {documents} of the data set {review.dataset}"
    if review.without:
        shows += f"; {count(review.without, 'document')} drawn without a keyword left out"
    return {
        "review": review.name,
        "what it shows": shows,
        "extractors": ", ".join(review.extractors),
        "signature": review.signature,
        "seed": str(review.seed),
    }


def review_signature(documents: Sequence[Document]) -> str:
    """How a review's keywords were found, and by which version of this project."""
    return f"{comparison_signature(documents)}|version:{version('relevance')}"


def surface(keyword: FoundKeyword | ShownKeyword, texts: Sequence[str]) -> str:
    """A keyword as the first text that has it writes it, in one line and of some length at most."""
    written = " ".join(keyword.words)
    if keyword.found:
        text, start, end = keyword.found[0]
        written = texts[text][start:end]
    written = in_one_line(written)
    return written if len(written) <= LONGEST else written[: LONGEST - 1] + "…"


# --- HTML -----------------------------------------------------------------------------------------------------

LEGEND = {"keyword": "keyword of one extractor", "matched": "of several"}


def compared_html(document: Document, lists: Mapping[str, Sequence[Keyword]], marked: Sequence[str]) -> str:
    """The extractors' lists side by side above the texts, keywords marked in both; equal ones light each other.

    In the texts, the keywords of the extractors `marked` are marked.
    """
    named = shown_texts(document.references, document.title)
    texts = [text for _, text in named]
    keywords = {keyword.words: (keyword, f"g{place}") for place, keyword in enumerate(union(lists, texts))}
    columns = []
    for extractor, own in lists.items():
        items = "".join(listed(*keywords[keyword.words], extractor, texts) for keyword in own)
        name = f"{extractor_name(extractor)}: {count(len(own), 'keyword')}"
        body = f"<ul>{items}</ul>" if items else "<p>none</p>"
        columns.append(f'<div><div class="name">{esc(name)}</div>{body}</div>')
    shown = [both for both in keywords.values() if set(marked) & set(both[0].extractors)]
    return "".join(
        [
            f'<div class="evidence">{"".join(columns)}',
            legend(["keyword", "matched"], LEGEND) if keywords else "",
            marked_texts(named, [(keyword, group, kinds(keyword), said(keyword)) for keyword, group in shown]),
            "</div>",
        ]
    )


def listed(keyword: FoundKeyword, group: str, extractor: str, texts: Sequence[str]) -> str:
    """A keyword as an item of an extractor's list, with the others that have it."""
    text = surface(keyword, texts)
    marks = [Mark(0, len(text), kind, said(keyword), group) for kind in kinds(keyword)] if text else []
    others = [extractor_name(other) for other in keyword.extractors if other != extractor]
    also = f' <span class="note">also {esc(" and ".join(others))}</span>' if others else ""
    return f"<li>{highlight(text, marks)}{also}</li>"


def kinds(keyword: FoundKeyword) -> tuple[str, ...]:
    """What a keyword is marked as: those of several extractors have a line, too."""
    return ("keyword", "matched") if len(keyword.extractors) > 1 else ("keyword",)


def said(keyword: FoundKeyword) -> str:
    """What the pointer shows on a keyword."""
    return f"“{' '.join(keyword.words)}”: {' and '.join(map(extractor_name, keyword.extractors))}"


def marked_texts(
    named: Sequence[tuple[str, str]],
    keywords: Iterable[tuple[FoundKeyword | ShownKeyword, str, Sequence[str], str]],
) -> str:
    """Texts under their names with keywords marked: each with its group, kinds of mark and label."""
    marks: list[list[Mark]] = [[] for _ in named]
    for keyword, group, kinds_of_mark, label in keywords:
        for text, start, end in keyword.found:
            marks[text] += [Mark(start, end, kind, label, group) for kind in kinds_of_mark]
    return "".join(passage(text, found, name) for (name, text), found in zip(named, marks, strict=True))


def task_html(task: MarkTask) -> str:
    """The references and the title of a document with its keywords marked, all alike, whoever found them."""
    keywords = [
        (keyword, f"g{place}", ("keyword", "matched"), f"“{' '.join(keyword.words)}”")
        for place, keyword in enumerate(task.keywords)
    ]
    texts = marked_texts(shown_texts(task.references, task.title), keywords)
    return f'<div class="evidence">{texts}</div>'


# --- results ----------------------------------------------------------------------------------------------------


def discoveries(counts: MarkCounts, extractors: Sequence[str]) -> dict[str, FalseDiscovery]:
    """By extractor, how often it is wrong; each over the documents that were saved."""
    columns = [np.array([*column, None], dtype=object)[:-1] for column in counts]  # None: names stay whole texts
    documents, annotators, of, keywords, wrong = columns
    return {
        name: false_discovery(
            documents[of == name], annotators[of == name], keywords[of == name].tolist(), wrong[of == name].tolist()
        )
        for name in extractors
    }


def discovery_sections(found: Mapping[str, FalseDiscovery], decisions: MarkDecisions) -> list[Section]:
    """What people marked by extractor, what the paper reports, and how far the annotators agree."""
    return [discovery_section(found), published_section(), mark_agreement_section(decisions)]


def discovery_section(found: Mapping[str, FalseDiscovery]) -> Section:
    """Wrong keywords a document and false discovery rates, a row an extractor."""
    rows: list[dict[str, Cell]] = [
        {
            "extractor": extractor_name(name),
            "wrong per document": known(of.per_document, of.reason),
            "wrong per document 95 %": interval(of.per_document_interval),
            "pooled false discovery rate": known(of.rate, of.reason),
            "pooled false discovery rate 95 %": interval(of.rate_interval),
            "keywords": of.keywords,
            "keywords per document": known(of.keywords / of.documents if of.documents else None, of.reason),
            "marked": of.wrong,
            "documents": of.documents,
            "annotators": of.annotators,
            "verdicts": of.verdicts,
        }
        for name, of in found.items()
    ]
    notes = [
        "Pooled false discovery rate: of all keywords of the documents that were saved, the share that is wrong. "
        "Marked: marks of all annotators; they are averaged within a document before documents are. "
        "Verdicts: documents saved, once for each annotator."
    ]
    for of in list(found.values())[:1]:
        notes.append(ratio_intervals_note(of.rate_interval.level, of.over, "keywords"))
        if 0 < of.documents < DOCUMENTS_OF_INTERVALS:
            notes.append(f"{count(of.documents, 'document')} only: such intervals may be too narrow.")
    return Section("keyword_errors", "Wrong keywords by extractor", rows, notes, "the review has no extractor")


def published_section() -> Section:
    """The figures of the paper, to be read beside those of a review."""
    rows: list[dict[str, Cell]] = [
        {
            "extractor": extractor_name(name),
            "wrong per document": of.per_document,
            "false discovery rate": of.rate,
            "wrong / rate": of.keywords,
        }
        for name, of in PUBLISHED.items()
    ]
    notes = [
        "Quoted from Takeshita et al. 2024, section 3, not computed here: other documents (SciTLDR), other annotators, "
        "and other settings of TF-IDF and TextRank, which the paper does not tell.",
        OTHER_RATE,
    ]
    return Section("keyword_errors_published", "As published", rows, notes)


def mark_agreement_section(decisions: MarkDecisions) -> Section:
    """How far annotators agree on which keywords are wrong."""
    choices = [-1 if wrong else 1 for wrong in decisions.wrong]
    alpha, raw = (of(decisions.keywords, choices) for of in (krippendorff_alpha, raw_agreement))
    rows: list[dict[str, Cell]] = [
        {"agreement": name, "value": known(of.value, of.reason), "keywords": of.n}
        for name, of in (("Krippendorff's alpha", alpha), ("equal decisions", raw))
    ]
    note = (
        "Right or wrong, of each keyword whose document two annotators or more have saved. "
        "Alpha: 1 for full agreement, 0 for chance. Equal decisions: the share of pairs of annotators who say the same."
    )
    return Section("keyword_mark_agreement", "Agreement of the annotators", rows, [note])


def discovery_chart(found: Mapping[str, FalseDiscovery]) -> alt.LayerChart:
    """False discovery rates with their intervals, and the paper's, which are another quantity (`OTHER_RATE`)."""
    here, paper = "this review, pooled", "Takeshita et al. 2024, another quantity"
    rows = [
        {
            "extractor": extractor_name(name),
            "rate": of.rate,
            "low": of.rate_interval.low,
            "high": of.rate_interval.high,
            "whose": here,
        }
        for name, of in found.items()
        if of.rate is not None
    ]
    rows += [
        {"extractor": extractor_name(name), "rate": PUBLISHED[name].rate, "low": None, "high": None, "whose": paper}
        for name in found
        if name in PUBLISHED
    ]
    table = pd.DataFrame(rows, columns=["extractor", "rate", "low", "high", "whose"])
    y = alt.Y("extractor:N", sort=[extractor_name(name) for name in found], title=None)
    base = alt.Chart(table).encode(y=y)
    ends = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2, color=GREY)
        .encode(
            x=alt.X(
                "low:Q",
                title="false discovery rate",
                axis=alt.Axis(format="%", tickCount=6),
                scale=alt.Scale(zero=True, nice=True),
            ),
            x2="high:Q",
        )
    )
    both = [here, paper]
    title = alt.Legend(title=None, orient="top")
    points = base.mark_point(filled=True, size=90, opacity=1).encode(
        x=alt.X("rate:Q", scale=alt.Scale(zero=True, nice=True)),
        shape=alt.Shape("whose:N", scale=alt.Scale(domain=both, range=["circle", "diamond"]), legend=title),
        color=alt.Color("whose:N", scale=alt.Scale(domain=both, range=[BLUE, GREY]), legend=title),
        tooltip=[
            "extractor:N",
            "whose:N",
            *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("rate", "low", "high")),
        ],
    )
    return alt.layer(ends, points).properties(height=130 + 40 * max(1, len(found)))
