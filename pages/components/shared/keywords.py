"""The reasons why ROUGE-K has no keywords in a data set, and what to do about it."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from relevance.data.store import Dataset, StoredSignature
from relevance.data.wording import format_count
from relevance.pages.components.shared.counts import count_single_texts, signatures_of
from relevance.pages.components.shared.messages import announce
from relevance.pages.components.shared.quick_scoring import score
from relevance.pages.components.shared.stores import version_of
from relevance.pages.computing.waiting import if_ready
from relevance.reports.escaping import in_markdown

EXTRACTOR = "tfidf:5"
"""Keywords that need only one text: the five phrases with the highest TF-IDF."""


class Keywords(NamedTuple):
    """The keywords that ROUGE-K can find in a data set."""

    documents: int
    without: int
    """Documents with fewer than two texts that could share a keyword."""
    overlap: str
    """The signature of ROUGE-K by the keywords that two texts share; without references, by those of the source."""
    extracted: str
    """The signature of ROUGE-K by the keywords of `EXTRACTOR`."""
    is_extracted: bool
    """True if all summaries are scored under `extracted`."""

    @property
    def signature(self) -> str | None:
        """The signature by which pairs can differ in ROUGE-K; None where there is none yet."""
        if self.without < self.documents:
            return self.overlap
        return self.extracted if self.is_extracted else None


def find_keywords(dataset: Dataset, signatures: Sequence[StoredSignature] | None = None) -> Keywords:
    """Return which keywords ROUGE-K can find in a data set; `signatures` are those of its scores, if already read."""
    from relevance.metrics.registry import metric, usual_options

    if not dataset.referenced:
        of_source = metric("rouge_k", **usual_options(referenced=False)).signature
        return Keywords(dataset.documents, 0, of_source, of_source, is_extracted=True)
    extracted = metric("rouge_k", keywords=EXTRACTOR).signature
    if signatures is None:
        signatures = signatures_of(dataset)
    scored = {signature.signature: signature.scored for signature in signatures}
    return Keywords(
        dataset.documents,
        count_single_texts(dataset.name, version_of(dataset)),
        metric("rouge_k").signature,
        extracted,
        0 < scored.get(extracted, 0) == dataset.summaries,
    )


def lacking_keywords(without: int, documents: int) -> str:
    """Say that ROUGE-K has no keywords in some documents, and why, as plain text."""
    where = "any document" if without == documents else f"{without} of {format_count(documents, 'document')}"
    return (
        f"ROUGE-K has no keywords in {where}: it takes the words that two references share, or a reference and the "
        f"title, and {'these documents have' if without > 1 else 'this document has'} only one of these, or none."
    )


WAYS_OUT = (
    "Take the keywords of the one reference instead (TF-IDF, `tfidf:K`), import the documents with titles, or bring a "
    "list of keywords (`relevance score --metrics rouge_k --keywords list:FILE`)."
)


def explain_keywords(dataset: Dataset, signatures: Sequence[StoredSignature] | None = None) -> None:
    """If documents have no keywords for ROUGE-K, say why, and offer to score by the keywords of one reference.

    `signatures` are those of the data set's scores, if already read.
    """
    if not dataset.referenced or not if_ready(lambda: count_single_texts(dataset.name, version_of(dataset))):
        return
    keywords, name = if_ready(lambda: find_keywords(dataset, signatures)), dataset.name
    if keywords is None or keywords.is_extracted:
        return
    with st.container(key=f"keywords:{name}"):
        st.warning(f"{in_markdown(lacking_keywords(keywords.without, keywords.documents))} {WAYS_OUT}")
        if dataset.summaries and st.button(
            "Score ROUGE-K by TF-IDF keywords", icon=":material/key:", key=f"score_extracted:{name}"
        ):
            score(name, ["rouge_k"], keywords=EXTRACTOR)
            announce(f"Scored {name} by ROUGE-K with TF-IDF keywords, five of each document.")
