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

DATASETS = ("SciTLDR", "XSum", "ScisummNet")
"""The data sets of the paper, in the order of its columns."""

Row = tuple[tuple[float, ...], ...]
"""The figures of a system in percent, a tuple for each data set."""

SYSTEMS: dict[str, Row] = {
    "BART": ((43.93, 22.31, 36.58, 41.36), (44.43, 21, 35.94, 56.14), (50.75, 47.8, 49.73, 68.95)),
    "PreSumm": ((30.43, 11.36, 24.08, 25.06), (22.16, 4.13, 15.91, 24.67), (60.58, 49.15, 46.22, 68.85)),
    "GSum": ((43.65, 22.09, 36.5, 41), (43.86, 20.47, 35.6, 52.85), (24.37, 21.11, 23.35, 43.36)),
    "MTL": ((43.82, 22.24, 36.29, 42.83), (44.5, 21.05, 36.1, 56.06), (50.75, 47.81, 49.73, 68.81)),
    "RwEnc": ((43.98, 22.39, 36.68, 41.03), (44.42, 20.93, 36.07, 55.58), (50.75, 47.92, 49.89, 69.4)),
    "RwGen": ((43.96, 22.35, 36.59, 41.6), (44.57, 21.04, 36.09, 56.03), (50.38, 47.78, 49.54, 69.19)),
    "TDMTL": ((44.08, 22.48, 36.75, 41.85), (44.5, 21.05, 36.1, 56.06), (50.64, 47.75, 49.67, 69.56)),
    "TDSum": ((43.55, 21.74, 35.82, 43.04), (44.13, 20.95, 35.57, 55.39), (50.5, 47.63, 49.55, 69.43)),
}
"""`METRICS` of Table 8, whose row of BART is that of Table 5; MTL and TDMTL have the same figures on XSum there."""

LANGUAGE_MODELS: dict[str, Row] = {
    "Llama 2 7B": ((35.9, 13.9, 26.7, 44.1), (21.8, 5.6, 15.5, 34.7), (46.1, 24.1, 32.5, 64.6)),
    "Llama 2 13B": ((36.3, 14.6, 27.8, 44.4), (22, 5.6, 15.9, 35.9), (46.7, 25.3, 33, 69.5)),
}
"""`METRICS` of Table 10."""

RECALL: dict[str, Row] = {
    "BART": ((54.53, 0.92), (73.78, 30.34), (75.21, 8.17)),
    "TDSum": ((56.75, 1.37), (66.61, 26.66), (75.04, 14.41)),
}
"""`KEYWORDS` of Table 9."""


def quote(place: int) -> tuple[GivenMeans, ...]:
    """Quote the ROUGE-K paper's figures of all systems on the data set at a place of `DATASETS`, in [0, 1]."""
    quoted = []
    for system, row in (SYSTEMS | LANGUAGE_MODELS).items():
        percent = dict(zip(METRICS, row[place], strict=True))
        tables = ["10"] if system in LANGUAGE_MODELS else ["5", "8"] if system == "BART" else ["8"]
        if system in RECALL:
            percent |= zip(KEYWORDS, RECALL[system][place], strict=True)
            tables.append("9")
        *others, last = tables
        named = f"Tables {', '.join(others)} and {last}" if others else f"Table {last}"
        means = {name: round(value / 100, 4) for name, value in percent.items()}
        quoted.append(GivenMeans(system, means, f"{ROUGE_K_PAPER}, {named}"))
    return tuple(quoted)


PUBLISHED = {name.lower(): PublishedDataset(name, quote(place)) for place, name in enumerate(DATASETS)}
PUBLISHED["scitldr"] = PUBLISHED["scitldr"]._replace(documents=618, digest="9f9b520bbdbe7473")
"""Published figures by the name that asks for them."""


def digest_documents(documents: Iterable[Document]) -> str:
    """Return 16 digits of the SHA-256 of the documents' sources, whatever their order and white space."""
    return hashlib.sha256("".join(sorted(TrainingDocuments.of(documents).hashes)).encode()).hexdigest()[:16]


def recognize(documents: Sequence[Document]) -> str | None:
    """Return the name of the figures published for exactly these documents; None if there are none."""
    alike = [name for name, of in PUBLISHED.items() if of.documents == len(documents)]
    digest = digest_documents(documents) if alike else ""
    return next((name for name in alike if PUBLISHED[name].digest == digest), None)
