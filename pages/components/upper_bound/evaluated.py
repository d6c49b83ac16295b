"""Results for all documents of a data set, computed once for all sessions, and shown a page at a time.

`done` is the number of documents that all searches have finished. As results do not change once found, it identifies a
state of them.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from relevance.pages.components.shared.records import records_of
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.components.upper_bound.cached import count_left_out
from relevance.pages.components.upper_bound.choice import BoundChoice, describe_best_system, name_documents
from relevance.pages.computing.computed import computed, whole
from relevance.reports.formats import as_json, as_latex, as_one_csv, as_one_latex
from relevance.reports.tables.bounds import (
    ScoreDistribution,
    documents_table,
    score_distributions,
    standings_table,
)
from relevance.reports.tables.oracles import oracle_as_latex, oracle_tables
from relevance.reports.tables.table import Table
from relevance.summarizers.oracles import Target
from relevance.summarizers.oracles.evaluation import (
    AlgorithmStatistics,
    OracleRow,
    known_bounds,
    rows_among,
    summarize_algorithms,
)
from relevance.summarizers.oracles.extracts import look_into
from relevance.summarizers.oracles.standing import SystemScore, judged_all, standings_of

PER_PAGE = 500
"""The number of documents of a table that are sent to the browser at once."""


class Evaluated(NamedTuple):
    """The results for all documents together."""

    text: str
    """A description of how near the best system comes to the bound, as plain text."""
    distributions: list[ScoreDistribution]
    standings: Table
    oracles: list[Table]
    figures: list[AlgorithmStatistics]


@computed("Comparing systems with the bound", kept=16)
def evaluate_documents(choice: BoundChoice, version: object, done: int) -> Evaluated:
    """Compare both searches, and the systems with the bound."""
    rows, scores = found_rows(choice, version, done), scores_of(choice.dataset, version, choice.target)
    standings = standings_of(scores, rows)
    figures = summarize_algorithms(rows)
    extracts = look_into(rows, (document for document, _ in records_of(choice.dataset, version)), choice.target)
    return Evaluated(
        describe_best_system(standings, rows, choice),
        score_distributions(rows, scores),
        standings_table(standings),
        oracle_tables(figures, choice.task, count_left_out(choice, version), extracts),
        figures,
    )


@computed("Comparing systems with the bound", kept=64)
def documents_page(choice: BoundChoice, version: object, done: int, page: int) -> Table:
    """Return a page of the table of documents; pages count from 1."""
    table = all_documents(choice, version, done)
    return table._replace(rows=table.rows[(page - 1) * PER_PAGE : page * PER_PAGE])


@computed("Writing the tables", kept=4)
def tables_as(format: str, choice: BoundChoice, version: object, done: int) -> str:
    """Return all tables as one file: `csv`, `json` or `tex`."""
    evaluated = evaluate_documents(choice, version, done)
    facts = [*choice.address.items(), ("documents", str(done))]
    if format == "tex":
        comments = [*(f"{fact}: {value}" for fact, value in facts), *choice.task.signatures.values()]
        latex = as_one_latex(
            evaluated.oracles, comments, lambda table: oracle_as_latex(table, choice.dataset, evaluated.figures)
        )
        return f"{latex}\n{as_latex(evaluated.standings, label='tab:oracle-standings')}"
    tables: Sequence[Table] = [evaluated.standings, all_documents(choice, version, done), *evaluated.oracles]
    if format == "csv":
        return as_one_csv(tables, facts)
    return json.dumps({table.name: as_json(table) for table in tables}, indent=2)


# --- the data of these ------------------------------------------------------------------------------------------


@whole("Reading what was found", kept=8)
def found_rows(choice: BoundChoice, version: object, done: int) -> tuple[OracleRow, ...]:
    """Return the results of both searches, document by document."""
    documents = (document for document, _ in records_of(choice.dataset, version))
    return rows_among(documents, choice.task, known_bounds(open_stores().data, choice.dataset, choice.task))


@whole("Scoring the systems", kept=8)
def scores_of(dataset: str, version: object, target: Target) -> dict[str, dict[str, SystemScore]]:
    """Return the F1 and words of each system by document."""
    return judged_all(records_of(dataset, version), target)


@whole("Comparing systems with the bound", kept=8)
def all_documents(choice: BoundChoice, version: object, done: int) -> Table:
    """Make the table of each document with its bound, and the systems' distance from it."""
    names = name_documents(document for document, _ in records_of(choice.dataset, version))
    scores = scores_of(choice.dataset, version, choice.target)
    return documents_table(found_rows(choice, version, done), scores, names)
