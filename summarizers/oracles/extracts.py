"""Further analyses of extracts: ROUGE-2 of extracts for ROUGE-1, and correlates of the optimum's length.

Both are in Akhmetov et al. (2022): the ROUGE-2 in their Table 2 is that of the extracts for ROUGE-1, and they relate
the number of sentences of the best extracts to features of the text.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from relevance.data.records import Document
from relevance.metrics.text import count_words
from relevance.summarizers.oracles.evaluation import OracleRow
from relevance.summarizers.oracles.oracle import Target
from relevance.summarizers.oracles.problem import Problem
from relevance.summarizers.sentences import sentences_of, split_sentences

FEATURES = (
    "sentences of the document",
    "words of the document",
    "sentences of the reference",
    "words of the reference",
)


class Relation(NamedTuple):
    """The relation of the optimum's number of sentences to a feature, over documents with a proven optimum."""

    feature: str
    mean: float
    """The mean of the feature."""
    pearson: float | None
    """The correlation with the optimum's number of sentences; None if either is constant."""
    slope: float | None
    """The increase of the optimum's number of sentences per unit of the feature, by least squares on it alone."""


class Extracts(NamedTuple):
    """Further figures of extracts."""

    rouge2: dict[str, float]
    """Mean ROUGE-2 F1, in [0, 1], of each algorithm's extracts for ROUGE-1; empty if they are for another score."""
    relations: tuple[Relation, ...] = ()
    """The relations to features; empty with fewer than three documents that have a proven optimum."""
    documents: int = 0
    """Documents with a proven optimum."""
    sentences: float = 0.0
    """The mean number of sentences of their optima."""
    explained: float | None = None
    """R² of least squares on all features together; None with fewer than ten documents."""


NO_EXTRACTS = Extracts({})


def look_into(rows: Sequence[OracleRow], documents: Iterable[Document], target: Target) -> Extracts:
    """Analyse the extracts of `rows`, which were searched for `target` in the `documents`."""
    by_id = {document.id: document for document in documents}
    rouge2 = rouge2_of(rows, by_id, target) if target.n == 1 else {}
    optima = [row for row in rows if row.algorithm == "exact" and row.proven]
    if len(optima) < 3:
        return Extracts(rouge2, documents=len(optima))
    table = np.array([features(by_id[row.document_id], row.reference) for row in optima], dtype=float)
    lengths = np.array([len(row.places) for row in optima], dtype=float)
    relations = tuple(relation(name, values, lengths) for name, values in zip(FEATURES, table.T, strict=True))
    return Extracts(rouge2, relations, len(optima), float(lengths.mean()), r_squared(table, lengths))


def rouge2_of(rows: Iterable[OracleRow], documents: dict[str, Document], target: Target) -> dict[str, float]:
    """Compute the mean ROUGE-2 F1 of each algorithm's extracts, each against the reference of its row."""
    problems: dict[tuple[str, int], Problem] = {}
    values_of: dict[str, list[float]] = {}
    for row in rows:
        key = row.document_id, row.reference
        if key not in problems:
            document = documents[row.document_id]
            problems[key] = Problem(
                sentences_of(document),
                document.references[row.reference],
                2,
                target.definition,
                tokenizer=target.tokenizer,
            )
        values_of.setdefault(row.algorithm, []).append(problems[key].f1(row.places))
    return {algorithm: float(np.mean(values)) for algorithm, values in values_of.items()}


def features(document: Document, reference: int) -> tuple[int, ...]:
    """Compute the `FEATURES` of a document and one of its references."""
    sentences, text = sentences_of(document), document.references[reference]
    return len(sentences), sum(map(count_words, sentences)), len(split_sentences(text)), count_words(text)


def relation(feature: str, values: np.ndarray, lengths: np.ndarray) -> Relation:
    """Relate the lengths to a feature."""
    mean = float(values.mean())
    if not (np.ptp(values) and np.ptp(lengths)):
        return Relation(feature, mean, None, None)
    pearson = float(np.corrcoef(values, lengths)[0, 1])
    return Relation(feature, mean, pearson, pearson * float(lengths.std() / values.std()))


def r_squared(table: np.ndarray, lengths: np.ndarray) -> float | None:
    """Compute R² of the least squares of lengths on the columns of a table."""
    if len(lengths) < 10 or not np.ptp(lengths):
        return None
    design = np.column_stack([np.ones(len(table)), table])
    fitted = design @ np.linalg.lstsq(design, lengths, rcond=None)[0]
    return 1 - float(((lengths - fitted) ** 2).sum() / ((lengths - lengths.mean()) ** 2).sum())
