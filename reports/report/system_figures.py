"""Figures beside the scores of systems: recall of keywords by source, upper bounds, and published scores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from relevance.analysis.study import Results
from relevance.analysis.systems import GivenMeans
from relevance.data.cells import Cells
from relevance.data.records import Document, Summary
from relevance.data.signatures import Signature, find_signature
from relevance.data.store import DataStore
from relevance.metrics.from_signature import metric_of
from relevance.metrics.keywords.recall import recall_columns, search_keywords
from relevance.metrics.registry import is_lexical, metric
from relevance.metrics.rouge_k import RougeK
from relevance.metrics.text import count_words
from relevance.reports.presentation import Presentation
from relevance.reports.published import PUBLISHED, recognize
from relevance.reports.report import Report
from relevance.reports.tables.oracles import length_label
from relevance.reports.tables.registry import table_names
from relevance.summarizers.base import REFERENCE_LENGTH, SummaryLength
from relevance.summarizers.oracles.evaluation import OracleTask, known_bounds, rows_among
from relevance.summarizers.oracles.standing import bounds_of
from relevance.summarizers.sentences import sentences_of

Records = Sequence[tuple[Document, Sequence[Summary]]]


def add_system_figures(
    report: Report,
    records: Records,
    store: DataStore | None = None,
    dataset: str | None = None,
    published: str | None = None,
) -> Report:
    """Return the report with the figures that stand beside systems.

    Upper bounds are those stored for the data set. `published` is one of `PUBLISHED` or `none`; None takes the figures
    published for these documents, if there are any. Raises `UnknownDataset`.
    """
    documents = [document for document, _ in records]
    cells = report.shown.inputs.cells
    shown = set_system_figures(
        report.shown,
        recall=recall_by_source(records, cells) if find_signature("rouge_k", cells.scores) else {},
        bounds=() if store is None or dataset is None else stored_bounds(store, dataset, documents),
        published=recognize(documents) if published is None else published.removesuffix("none") or None,
    )
    return replace(report, shown=shown, names=table_names(shown))


def set_system_figures(
    shown: Presentation,
    *,
    recall: Mapping[str, NDArray[np.float64]] | None = None,
    bounds: Sequence[GivenMeans] = (),
    published: str | None = None,
) -> Presentation:
    """Return the results with the figures beside their systems; `published` is one of `PUBLISHED`."""
    quoted = PUBLISHED[published].systems if published else ()
    results = Results(replace(shown.inputs, recall=recall)) if recall else shown.results
    return replace(shown, results=results, bounds=tuple(bounds), published=quoted)


def recall_by_source(records: Records, cells: Cells, *, models: bool = True) -> dict[str, NDArray[np.float64]]:
    """Compute, for each cell, the recall of the keywords in the source and of those not in it.

    The keywords are those of the cells' ROUGE-K if its signature gives all settings, and otherwise those of the
    default settings. `records` have all summaries of each document. Nothing is computed without `models` for a ROUGE-K
    that loads one.
    """
    signature = find_signature("rouge_k", cells.scores)
    if not models and signature is not None and not is_lexical(signature):
        return {}
    made = metric_of(signature) if signature else None
    rouge_k = made if isinstance(made, RougeK) and made.only is None else RougeK()
    return recall_columns(search_keywords(records, rouge_k, {*cells.systems}), cells.documents, cells.systems)


def stored_bounds(store: DataStore, dataset: str, documents: Sequence[Document]) -> list[GivenMeans]:
    """Return the stored upper bounds of ROUGE-1, a row for each length of extracts, with the extracts' mean words.

    Where an optimum is not proven, its bound is used: no extract exceeds it. Raises `UnknownDataset`.
    """
    counts = store.bound_signatures(dataset)
    figures = []
    for length in filter_lengths(counts):
        task = OracleTask(algorithms=("exact",), length=length)
        rows = rows_among(documents, task, known_bounds(store, dataset, task))
        if not rows:
            continue
        sentences = {document.id: sentences_of(document) for document in documents}
        words = [count_words(" ".join(sentences[row.document_id][place] for place in row.places)) for row in rows]
        some = "" if len(rows) == len(documents) else f" ({len(rows)} of {len(documents)} documents)"
        means = {
            metric("rouge1").signature: fmean(bounds_of(rows).values()),
            metric("length").signature: fmean(words),
        }
        figures.append(GivenMeans(f"{name_extract(length)}{some}", means, documents=len(rows)))
    return figures


def name_extract(length: SummaryLength | None) -> str:
    """Return the name of the best extract of a length."""
    if length == SummaryLength(1):
        return "best sentence"
    return "best extract" if length is None else f"best extract, {length_label(length).removeprefix('extracts have ')}"


def filter_lengths(signatures: Mapping[str, int]) -> list[SummaryLength | None]:
    """Return the lengths for which these include a signature of the exact search for ROUGE-1, as scores count it."""
    lengths = []
    for signature in signatures:
        length = read_length_setting(Signature.parse(signature).values)
        if OracleTask(algorithms=("exact",), length=length).signatures["exact"] == signature:
            lengths.append(length)
    return lengths


def read_length_setting(settings: Mapping[str, str]) -> SummaryLength | None:
    """Return the length given by a signature's settings; None without a limit."""
    if "length" in settings:
        return REFERENCE_LENGTH
    for unit in ("sentences", "words"):
        if settings.get(unit, "").isdecimal():
            return SummaryLength(int(settings[unit]), unit)
    return None
