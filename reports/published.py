"""What papers report of systems on data sets: figures that are quoted, and never computed with."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from analysis.systems import GivenMeans
from data.records import Document
from metrics.keywords.recall import IN_SOURCE, OUT_OF_SOURCE
from summarizers.training_documents import TrainingDocuments

ROUGE_K_PAPER = "Takeshita et al. 2024"
"""ROUGE-K: Do Your Summaries Have Keywords? *SEM."""


class PublishedDataset(NamedTuple):
    """What is published of a data set."""

    label: str
    systems: tuple[GivenMeans, ...]
    documents: int = 0
    """How many documents the figures are of, where these are known."""
    digest: str = ""
    """Of these documents, as `digest_documents` makes it."""


METRICS = ("rouge1", "rouge2", "rougeL", "rouge_k")

KEYWORDS = (IN_SOURCE, OUT_OF_SOURCE)


def quote(system: str, tables: str, columns: Sequence[str], *percent: float) -> GivenMeans:
    """What the ROUGE-K paper reports of a system, a number a column, in percent; kept in [0, 1], as scores are."""
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
    """The first 16 digits of the SHA-256 of the documents' sources, in any order, however their white space is."""
    return hashlib.sha256("".join(sorted(TrainingDocuments.of(documents).hashes)).encode()).hexdigest()[:16]


def recognize(documents: Sequence[Document]) -> str | None:
    """The name of the published figures that are of these very documents; None where there are none."""
    alike = [name for name, of in PUBLISHED.items() if of.documents == len(documents)]
    digest = digest_documents(documents) if alike else ""
    return next((name for name in alike if PUBLISHED[name].digest == digest), None)
