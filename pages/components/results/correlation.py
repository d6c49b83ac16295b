"""Correlations of metrics with people, length and each other, computed once for all sessions."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from relevance.analysis.correlation.coefficients import Method
from relevance.analysis.correlation.permuted import Permute
from relevance.analysis.correlation.resampled import Resample
from relevance.analysis.metrics_and_people import CorrelationComparison, CorrelationRow, CorrelationTables
from relevance.pages.components.examples.texts import cell_scores
from relevance.pages.components.shared.context import Context
from relevance.pages.computing.computed import computed
from relevance.reports.correlation_charts import spread
from relevance.reports.presentation import About, name_columns
from relevance.reports.tables.registry import finish_table, make_correlations, make_table
from relevance.reports.tables.table import Table

POINTS = 4000
"""The most points of a chart that a browser draws without stuttering."""


class Outline(NamedTuple):
    """The correlations that can be computed, and the number of summaries they cover."""

    layout: CorrelationTables
    """The pairs of columns to correlate; the columns themselves are empty."""
    about: About
    summaries: int
    rated: int
    """Summaries with a rating by the chosen people, or with judgments."""
    signatures: tuple[str, ...]


class Correlated(NamedTuple):
    """One of the tables of correlations, with its rows."""

    rows: list[CorrelationRow]
    table: Table


class Points(NamedTuple):
    """Summaries as points, by two of their columns."""

    drawn: pd.DataFrame
    """The columns `document`, `system`, `x` and `y`; at most `POINTS` rows, drawn with seed 0."""
    total: int
    """The number of summaries that have both."""
    r: float | None
    """Pearson's r of all of them; None where either side is constant."""
    spread: bool
    """True if summaries share values of `x`, so that points are drawn apart."""


@computed("Reading the scores", kept=32)
def outline_correlations(context: Context) -> Outline:
    """Return what can be correlated."""
    shown, human = context.analyze_cells(), context.source.human
    cells, layout = shown.inputs.cells, shown.layout
    rated = 0 if human is None else int((~np.isnan(cells.ratings[human])).sum())
    layout = layout._replace(columns=dict.fromkeys(layout.columns, np.empty(0)))
    return Outline(layout, shown.about, len(cells), rated, tuple(cells.scores))


@computed("Correlating, with 2,000 resamples for the intervals", kept=256)
def correlate(context: Context, table: str, method: Method, resample: Resample | None) -> Correlated:
    """Compute one table, by one coefficient."""
    shown = context.analyze_cells(methods=(method,), resample=resample)
    rows = name_columns(shown.results.correlate(table)[table], shown.columns)
    made = make_correlations(table, rows, shown.inputs.settings, shown.names.terms)
    return Correlated(rows, finish_table(made, shown.about))


@computed("Comparing metrics", kept=16)
def find_discrepancies(context: Context) -> Table:
    """Return the table of how many pairs ROUGE-K and each other metric differ on."""
    return make_table("discrepancies", context.analyze_cells())


@computed("Testing by permutation")
def compare_metrics(
    context: Context, method: Method, metrics: tuple[str, ...], permute: Permute | None
) -> list[CorrelationComparison]:
    """Test whether any of the metrics correlates better with people than another."""
    shown = context.analyze_cells(permute=permute)
    names = {label: name for name, label in shown.columns.items()}
    compared = shown.results.compare_metrics([names[metric] for metric in metrics], method)
    return name_columns(compared, shown.columns)


@computed("Drawing points")
def find_points(context: Context, x: str, y: str) -> Points:
    """Return the summaries as points, by two of their columns."""
    shown = context.analyze_cells()
    cells, columns = shown.inputs.cells, shown.layout.columns
    points = pd.DataFrame(
        {"document": cells.documents, "system": cells.systems, "x": columns[x], "y": columns[y]}
    ).dropna()
    drawn = points if len(points) <= POINTS else points.sample(POINTS, random_state=0).sort_index()
    return Points(drawn, len(points), find_pearson(points), spread(points["x"], 0) is not points["x"])


def find_pearson(points: pd.DataFrame) -> float | None:
    """Return Pearson's r of the points; None where either side is constant."""
    if len(points) < 2 or points[["x", "y"]].std().min() <= 0:
        return None
    return float(points["x"].corr(points["y"]))


@computed("Reading the scores")
def scores_of_summary(context: Context, document: str, system: str) -> pd.DataFrame | None:
    """Return all scores and ratings of one summary; None where there is no such summary."""
    cells = context.cells
    of_cells = zip(cells.documents, cells.systems, strict=True)
    place = next((place for place, cell in enumerate(of_cells) if cell == (document, system)), None)
    return None if place is None else cell_scores(cells, place)
