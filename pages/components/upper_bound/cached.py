"""The results on the page Upper bound, computed once for all sessions."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from relevance.data.one_line import in_one_line
from relevance.data.store import StoredBound
from relevance.pages.components.shared.records import records_of
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.components.upper_bound.choice import WAIT, BoundChoice, name_documents
from relevance.pages.components.upper_bound.extract import extract_html, extract_words, greedy_words
from relevance.pages.computing.computed import computed
from relevance.summarizers.oracles.evaluation import OracleRow, rows_of, to_row, why_left_out
from relevance.summarizers.oracles.problem import is_proven
from relevance.summarizers.oracles.standing import SystemScore, has_bound, score_systems
from relevance.summarizers.sentences import unsplit


@computed("Reading the documents", kept=4)
def names_of(dataset: str, version: object) -> dict[str, str]:
    """Return the names of a data set's documents in a list, by id."""
    names = name_documents(document for document, _ in records_of(dataset, version))
    return {key: f"{name} · {in_one_line(key)}" for key, name in names.items()}


@computed("Reading the documents", kept=16)
def count_unsplit(dataset: str, version: object) -> int:
    """Count the documents whose long source is one sentence."""
    return len(unsplit(document for document, _ in records_of(dataset, version)))


@computed("Reading the documents", kept=16)
def count_left_out(choice: BoundChoice, version: object) -> dict[str, int]:
    """Count the documents without an oracle, by the reason."""
    without = [
        document
        for document, _ in records_of(choice.dataset, version)
        if not has_bound(document, choice.target, choice.length)
    ]
    return dict(Counter(why_left_out(document, choice.task) for document in without))


# --- one document -----------------------------------------------------------------------------------------------


@computed("Looking for an extract", kept=256)
def search_document(choice: BoundChoice, version: object, key: str) -> dict[str, OracleRow]:
    """Return the result of each search of a document, `WAIT` seconds each; none if the document has no oracle."""
    document, _ = open_stores().data.record(choice.dataset, key)
    counted = 1 if choice.target.references == "first" else max(1, len(document.references))
    return {row.algorithm: row for row in rows_of(choice.task._replace(seconds=WAIT / counted), document)}


def with_known(row: OracleRow, known: StoredBound | None) -> OracleRow:
    """Return the better one of two results of the exact search, with the lower bound: both bounds hold.

    If the time ran out for `row`, the longer search over all documents may have stored a better one, which is `known`.
    """
    if row.proven or known is None:
        return row
    bound = min(bound_row.bound for bound_row in (row, known) if bound_row.bound is not None)
    best = to_row(row.document_id, "exact", known) if known.f1 >= row.f1 else row
    return best._replace(bound=bound, proven=is_proven(best.f1, bound))


class OpenedDocument(NamedTuple):
    """The contents of the page for one document."""

    unsplit: bool
    """True if its long source is one sentence."""
    optimum: OracleRow | None
    """The best extract; None if it has no oracle, for the reason in `lacks`."""
    lacks: str = ""
    words: str = ""
    """The best extract, and the greedy one, in words, as plain text."""
    extract: str = ""
    """The best extract, as HTML."""
    systems: Mapping[str, SystemScore] = {}
    """The F1 and words of each system."""


@computed("Looking for the optimum", kept=64)
def open_document(choice: BoundChoice, version: object, key: str, known: StoredBound | None) -> OpenedDocument:
    """Return a document with its best extract; `known` is the stored result of the exact search."""
    document, summaries = open_stores().data.record(choice.dataset, key)
    is_unsplit = bool(unsplit([document]))
    bound = search_document(choice, version, key)
    if not bound:
        return OpenedDocument(is_unsplit, None, why_left_out(document, choice.task))
    optimum = with_known(bound["exact"], known)
    return OpenedDocument(
        is_unsplit,
        optimum,
        words=f"{extract_words(optimum, document, choice)} {greedy_words(bound['greedy'], optimum)}".rstrip(),
        extract=extract_html(document, optimum, choice.target),
        systems=score_systems(document, summaries, choice.target),
    )
