"""Tables of the highest ROUGE that an extract can reach, and of systems beside it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from relevance.data.one_line import in_one_line
from relevance.data.records import ORACLE_SYSTEM
from relevance.data.ties import TIE
from relevance.reports.tables.table import Cell, Table, Undefined, number_cell
from relevance.summarizers.oracles.evaluation import OracleRow
from relevance.summarizers.oracles.standing import Standing, SystemScore, bounds_of

ORACLE, SYSTEM = "oracle", "system"

QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)

NOT_PROVEN = "the optimum is not proven"

NO_SYSTEM = "no system has a summary of the document"

NOTHING_SHARED = "no extract shares anything with a reference"

WHY_ABOVE = (
    "The bound is that of extracts: a system that writes words of its own, or more than the limit allows, may be above."
)

READING = (
    "Systems named oracle-… read the references and do not compete: each shows what is possible, an extract for the "
    "metric and length in its name."
)


def algorithm_name(algorithm: str, proven: bool) -> str:
    """Return the name of an algorithm's row: only what is proven is called an optimum."""
    return f"{algorithm} (best found)" if algorithm == "exact" and not proven else algorithm


def systems_table(scores: Mapping[str, SystemScore], bound: float) -> Table:
    """Make the table of the systems of one document below the bound, the best first."""
    rows: list[dict[str, Cell]] = [
        {
            "system": system,
            "F1": score.f1,
            "share": score.f1 / bound if bound > 0 else Undefined(NOTHING_SHARED),
            "gap": bound - score.f1,
            "words": score.words,
        }
        for system, score in sorted(scores.items(), key=lambda item: -item[1].f1)
    ]
    notes = ["F1 counted by the same definition. Share: of the bound; gap: bound minus F1, negative above the bound."]
    if any(score.f1 > bound + TIE for score in scores.values()):
        notes.append(WHY_ABOVE)
    if any(map(reads_references, scores)):
        notes.append(READING)
    empty = "no summary of this document has a word to compare"
    return Table("systems_of_document", "Systems on this document", rows, notes, empty)


def reads_references(system: str) -> bool:
    """Tell whether a system of a data set is one that reads the references, such as an oracle."""
    return system.startswith(ORACLE_SYSTEM)


def documents_table(
    rows: Sequence[OracleRow], scores_of: Mapping[str, Mapping[str, SystemScore]], names: Mapping[str, str]
) -> Table:
    """Make the table of documents with their bound, the greedy search and a system below it, the greatest gap first.

    `names` are those of `numbered`. Systems that read the references are left out.
    """
    bounds = bounds_of(rows)
    proven = {row.document_id: row.f1 for row in rows if row.algorithm == "exact" and row.proven}
    greedy = {row.document_id: row.f1 for row in rows if row.algorithm == "greedy"}
    systems = {system: scores for system, scores in scores_of.items() if not reads_references(system)}
    kept = []
    for key, bound in bounds.items():
        scored = {system: scores[key].f1 for system, scores in systems.items() if key in scores}
        best = max(scored, key=scored.__getitem__, default=None)
        gap = bound - scored[best] if best is not None else None
        cells: dict[str, Cell] = {
            "document": names[key],
            "best F1" if len(proven) == len(bounds) else "best F1 or its bound": bound,
            "best system": Undefined(NO_SYSTEM) if best is None else best,
            "gap": number_cell(gap, NO_SYSTEM),
            "systems above": sum(f1 > bound + TIE for f1 in scored.values()),
            "greedy: gap": number_cell(proven[key] - greedy[key] if key in proven else None, NOT_PROVEN),
            "id": key,
        }
        kept.append((gap, cells))
    kept.sort(key=lambda item: (item[0] is None, -(item[0] or 0.0)))
    notes = [
        "Gap: the bound minus the F1 of the document's best system, negative where systems are above. Greedy: gap: the "
        "proven optimum minus the F1 of the greedy extract."
    ]
    return Table("documents", "Document by document", [cells for _, cells in kept], notes)


def without_signatures(table: Table) -> Table:
    """Return the table without its column of signatures."""
    rows = [{name: cell for name, cell in row.items() if name != "signature"} for row in table.rows]
    return table._replace(rows=rows)


def standings_table(standings: Sequence[Standing]) -> Table:
    """Make the table of a data set's systems below the bound."""
    rows: list[dict[str, Cell]] = [
        {
            "system": row.system,
            "mean F1": row.mean,
            "share": Undefined(NOTHING_SHARED) if row.share is None else row.share,
            "gap": row.gap,
            "mean bound": row.bound,
            "above the bound": row.above,
            "words": row.words,
            "documents": row.documents,
        }
        for row in standings
    ]
    notes = [
        "Share: mean F1 over the mean of the bound on the same documents; gap: the bound minus F1; above the bound: "
        "the number of documents where F1 exceeds it. Where an optimum is not proven, a value that no extract exceeds "
        "stands for it."
    ]
    if any(row.above for row in standings):
        notes.append(WHY_ABOVE)
    if any(reads_references(row.system) for row in standings):
        notes.append(READING)
    return Table("standings", "Systems beside the bound", rows, notes, "no system has a document with a bound")


class ScoreDistribution(NamedTuple):
    """The distribution over documents of an algorithm's or a system's F1, in [0, 1]."""

    name: str
    kind: str
    """`ORACLE` or `SYSTEM`."""
    documents: int
    low: float
    lower_quartile: float
    median: float
    upper_quartile: float
    high: float
    mean: float


def score_distributions(
    rows: Iterable[OracleRow], scores_of: Mapping[str, Mapping[str, SystemScore]]
) -> list[ScoreDistribution]:
    """Return algorithms, the exact one first, then systems on the same documents, the highest mean first."""
    by_algorithm: dict[str, list[OracleRow]] = {}
    for row in rows:
        by_algorithm.setdefault(row.algorithm, []).append(row)
    documents = dict.fromkeys(row.document_id for rows in by_algorithm.values() for row in rows)
    of_oracles = [
        spread(algorithm_name(name, all(row.proven for row in value)), ORACLE, [row.f1 for row in value])
        for name, value in by_algorithm.items()
    ]
    of_systems = [
        spread(in_one_line(system), ORACLE if reads_references(system) else SYSTEM, kept)
        for system, scores in scores_of.items()
        if (kept := [scores[key].f1 for key in documents if key in scores])
    ]
    return [*of_oracles, *sorted(of_systems, key=lambda distribution: -distribution.mean)]


def spread(name: str, kind: str, f1: Sequence[float]) -> ScoreDistribution:
    """Return the distribution of at least one value."""
    low, lower, median, upper, high = (float(value) for value in np.quantile(f1, QUARTILES))
    return ScoreDistribution(name, kind, len(f1), low, lower, median, upper, high, float(np.mean(f1)))
