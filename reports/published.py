"""Figures that papers report for systems on data sets; they are quoted, and never used in computations."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from relevance.analysis.systems import GivenMeans
from relevance.data.records import Document
from relevance.metrics.keywords.recall import IN_SOURCE, OUT_OF_SOURCE
from relevance.summarizers.training_documents import TrainingDocuments

ROUGE_K_PAPER = "Takeshita et al. 2024"
"""ROUGE-K: Do Your Summaries Have Keywords? *SEM."""


class PublishedDataset(NamedTuple):
    """The figures published for a data set."""

    label: str
    systems: tuple[GivenMeans, ...]
    documents: int = 0
    """The number of documents behind the figures, if these are known."""
    digest: str = ""
    """The digest of these documents by `digest_documents`."""


METRICS = ("rouge1", "rouge2", "rougeL", "rouge_k")

KEYWORDS = (IN_SOURCE, OUT_OF_SOURCE)


def quote(system: str, tables: str, columns: Sequence[str], *percent: float) -> GivenMeans:
    """Quote the ROUGE-K paper's figures of a system, one for each column, in percent; they are kept in [0, 1]."""
    means = {name: round(value / 100, 4) for name, value in zip(columns, percent, strict=True)}
    return GivenMeans(system, means, f"{ROUGE_K_PAPER}, {tables}")


PUBLISHED = {
    "scitldr": PublishedDataset(
        "SciTLDR",
        (
            quote("BART", "Tables 8 and 9", (*METRICS, *KEYWORDS), 43.93, 22.31, 36.58, 41.36, 54.53, 0.92),
            quote("TDSum", "Tables 8 and 9", (*METRICS, *KEYWORDS), 43.55, 21.74, 35.82, 43.04, 56.75, 1.37),
        ),
        documents=618,
        digest="9f9b520bbdbe7473",
    ),
    "xsum": PublishedDataset(
        "XSum",
        (
            quote("BART", "Table 9", KEYWORDS, 73.78, 30.34),
            quote("TDSum", "Table 9", KEYWORDS, 66.61, 26.66),
        ),
    ),
    "scisummnet": PublishedDataset(
        "ScisummNet",
        (
            quote("BART", "Table 9", KEYWORDS, 75.21, 8.17),
            quote("TDSum", "Table 9", KEYWORDS, 75.04, 14.41),
        ),
    ),
}
"""Published figures by the name that asks for them."""


def digest_documents(documents: Iterable[Document]) -> str:
    """Return 16 digits of the SHA-256 of the documents' sources, whatever their order and white space."""
    return hashlib.sha256("".join(sorted(TrainingDocuments.of(documents).hashes)).encode()).hexdigest()[:16]


def recognize(documents: Sequence[Document]) -> str | None:
    """Return the name of the figures published for exactly these documents; None if there are none."""
    alike = [name for name, of in PUBLISHED.items() if of.documents == len(documents)]
    digest = digest_documents(documents) if alike else ""
    return next((name for name in alike if PUBLISHED[name].digest == digest), None)
