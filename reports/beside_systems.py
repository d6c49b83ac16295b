"""What stands beside the scores of systems: recall of keywords in and out of the source, upper bounds, published."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from analysis.study import StudyAnalysis
from analysis.systems import GivenMeans
from data.cells import Cells
from data.records import Document, Summary
from data.signatures import Signature, find_signature
from data.store import DataStore
from metrics.from_signature import metric_of
from metrics.keywords.recall import recall_columns, search_keywords
from metrics.registry import metric
from metrics.rouge_k import RougeK
from metrics.text import count_words
from reports.contents import Contents
from reports.published import PUBLISHED, recognize
from reports.tables.oracles import length_label
from reports.tables.study import table_names
from summarizers.base import REFERENCE_LENGTH, SummaryLength
from summarizers.oracles.evaluation import OracleTask, known_bounds, rows_among
from summarizers.oracles.standing import bounds_of
from summarizers.sentences import sentences_of

Records = Sequence[tuple[Document, Sequence[Summary]]]


def with_beside(
    contents: Contents,
    records: Records,
    store: DataStore | None = None,
    dataset: str | None = None,
    published: str | None = None,
) -> Contents:
    """The contents with what stands beside systems.

    Upper bounds are those stored for the `dataset` of that name. `published` is one of `PUBLISHED` or `none`; where
    nothing is said, the figures are those of the documents, if there are any. Raises `UnknownDataset`.
    """
    documents = [document for document, _ in records]
    cells = contents.analysis.cells
    analysis = put_beside(
        contents.analysis,
        parts=recall_by_source(records, cells) if find_signature("rouge_k", cells.scores) else {},
        bounds=() if store is None or dataset is None else stored_bounds(store, dataset, documents),
        published=recognize(documents) if published is None else published.removesuffix("none") or None,
    )
    return replace(contents, analysis=analysis, names=table_names(analysis))


def put_beside(
    analysis: StudyAnalysis,
    *,
    parts: Mapping[str, NDArray[np.float64]] | None = None,
    bounds: Sequence[GivenMeans] = (),
    published: str | None = None,
) -> StudyAnalysis:
    """The analysis with what stands beside its systems; `published` is one of `PUBLISHED`."""
    quoted = PUBLISHED[published].systems if published else ()
    return replace(analysis, parts=parts or {}, bounds=tuple(bounds), published=quoted)


def recall_by_source(records: Records, cells: Cells) -> dict[str, NDArray[np.float64]]:
    """Recall of the keywords in the source and of those not in it, of each of the cells.

    Keywords are those of the cells' ROUGE-K, where its signature tells all of its settings, else those of ROUGE-K with
    its default settings. `records` have all summaries of each document.
    """
    signature = find_signature("rouge_k", cells.scores)
    made = metric_of(signature) if signature else None
    asked = made if isinstance(made, RougeK) and made.only is None else RougeK()
    return recall_columns(search_keywords(records, asked, {*cells.systems}), cells.documents, cells.systems)


def stored_bounds(store: DataStore, dataset: str, documents: Sequence[Document]) -> list[GivenMeans]:
    """The upper bounds of ROUGE-1 that are stored, a row a length of extracts, with the extracts' words.

    Where an optimum is not proven, what no extract exceeds stands for it. Raises `UnknownDataset`.
    """
    counts = store.bound_signatures(dataset)
    found = []
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
        found.append(GivenMeans(f"{name_extract(length)}{some}", means))
    return found


def name_extract(length: SummaryLength | None) -> str:
    """What the best extract of a length is called."""
    if length == SummaryLength(1):
        return "best sentence"
    return "best extract" if length is None else f"best extract, {length_label(length).removeprefix('extracts have ')}"


def filter_lengths(signatures: Mapping[str, int]) -> list[SummaryLength | None]:
    """The lengths of which the signatures of the exact search for ROUGE-1, as scores are counted, are among these."""
    lengths = []
    for signature in signatures:
        length = read_length_setting(Signature.parse(signature).values)
        if OracleTask(algorithms=("exact",), length=length).signatures["exact"] == signature:
            lengths.append(length)
    return lengths


def read_length_setting(settings: Mapping[str, str]) -> SummaryLength | None:
    """The length that a signature's settings tell; None without a limit."""
    if "length" in settings:
        return REFERENCE_LENGTH
    for unit in ("sentences", "words"):
        if settings.get(unit, "").isdecimal():
            return SummaryLength(int(settings[unit]), unit)
    return None
