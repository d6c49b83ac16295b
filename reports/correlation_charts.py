"""Charts of correlations."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from relevance.analysis.metrics_and_people import CorrelationRow
from relevance.data.one_line import in_one_line
from relevance.data.sorting import natural_order
from relevance.reports.charts import BLUE, DIVERGING, GREY, INK, TOLD_APART, Layers, make_chart_frame
from relevance.reports.tables.correlation import LEVEL_NAMES


def get_level(levels: Any, level: str) -> Any:
    """Return the field of a level, which for `global`, a keyword of Python, is `global_`."""
    return getattr(levels, "global_" if level == "global" else level)


def correlation_heatmap(rows: Sequence[CorrelationRow], level: str) -> Layers:
    """Draw a coefficient between every two columns, at one level."""
    cells, order = [], dict.fromkeys(in_one_line(name) for row in rows for name in (row.first, row.second))
    for row in rows:
        coefficient = get_level(row.levels, level)
        if coefficient.r is not None:
            ends = get_level(row.intervals, level)
            common = {
                "r": coefficient.r,
                "n": coefficient.n,
                "low": ends.low,
                "high": ends.high,
                "label": f"{coefficient.r:.2f}",
            }
            cells += [{"x": row.first, "y": row.second, **common}, {"x": row.second, "y": row.first, **common}]
    table = make_chart_frame(cells, ["x", "y", "r", "n", "low", "high", "label"])
    base = alt.Chart(table).encode(
        x=alt.X("x:N", sort=list(order), title=None, axis=alt.Axis(labelAngle=-40, labelLimit=200)),
        y=alt.Y("y:N", sort=list(order), title=None, axis=alt.Axis(labelLimit=200)),
    )
    squares = base.mark_rect().encode(
        color=alt.Color("r:Q", scale=DIVERGING, legend=alt.Legend(title=None, orient="bottom")),
        tooltip=["x:N", "y:N", "n:Q", *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("r", "low", "high"))],
    )
    words = base.mark_text().encode(
        text="label:N",
        color=alt.when("abs(datum.r) > .7").then(alt.value("white")).otherwise(alt.value(INK)),
    )
    return alt.layer(squares, words).properties(height=110 + 34 * len(order))


def correlation_chart(rows: Sequence[CorrelationRow], level: str, other: str) -> Layers:
    """Draw each column's correlation with `other` at one level, the highest at the top, and a line at zero."""
    drawn = make_chart_frame(
        [
            {
                "metric": row.second if row.first == other else row.first,
                "r": coefficient.r,
                "low": ends.low,
                "high": ends.high,
                "n": coefficient.n,
            }
            for row in rows
            if (coefficient := get_level(row.levels, level)).r is not None and (ends := get_level(row.intervals, level))
        ],
        ["metric", "r", "low", "high", "n"],
    )
    table = drawn.sort_values("r", ascending=False, kind="stable")
    reach = [0.0, *table["r"], *table["low"].dropna(), *table["high"].dropna()]
    domain = [max(-1, min(reach) - 0.05 * (min(reach) < 0)), min(1, max(reach) + 0.05)]
    y = alt.Y("metric:N", sort=list(table["metric"]), title=None, axis=alt.Axis(labelLimit=260, labelOverlap=False))
    none = alt.Chart(pd.DataFrame({"at": [0.0]})).mark_rule(strokeDash=[4, 4], color=GREY).encode(x="at:Q")
    base = alt.Chart(table).encode(y=y)
    ends_ = base.mark_rule(strokeWidth=2, color=GREY).encode(
        x=alt.X(
            "low:Q",
            scale=alt.Scale(domain=domain, nice=True),
            title=f"correlation with {in_one_line(other)} ({LEVEL_NAMES[level]})",
            axis=alt.Axis(format=".1f", tickCount=8),
        ),
        x2="high:Q",
    )
    points = base.mark_point(filled=True, size=90, opacity=1, color=BLUE).encode(
        x="r:Q",
        tooltip=["metric:N", "n:Q", *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("r", "low", "high"))],
    )
    values = base.mark_text(dy=-13, fontSize=11).encode(x="r:Q", text=alt.Text("r:Q", format=".3f"))
    return alt.layer(none, ends_, points, values).properties(height=60 + 36 * max(1, len(table)))


def scatter(table: pd.DataFrame, x: str, y: str, r: float | None = None) -> Layers:
    """Draw a point for each summary; the selection `point` names its document and system.

    `table` has the columns `document`, `system`, `x` and `y`; the arguments `x` and `y` are the names of the axes, and
    `r` is Pearson's correlation, which is shown with its line. Where many summaries share a value, as in ratings,
    points are moved by up to a third of the way to the next value, a summary always by the same amount.
    """
    x, y = in_one_line(x), in_one_line(y)
    # A line break in a name that stands in a scale is an error; the selection needs the names as they are.
    called = table["system"].map(in_one_line)
    drawn = table.assign(called=called, across=spread(table["x"], 0), up=spread(table["y"], 1))
    systems = int(table["system"].nunique())
    point = alt.selection_point(name="point", fields=["document", "system"], on="click", clear="dblclick")
    told_apart = alt.Color(
        "called:N",
        sort=sorted(set(called), key=natural_order),
        legend=alt.Legend(title=None, columns=4, orient="bottom"),
    )
    across = alt.X("across:Q", title=x, scale=alt.Scale(zero=False))
    points = (
        alt.Chart(drawn)
        .mark_point(filled=True, size=45)
        .encode(
            x=across,
            y=alt.Y("up:Q", title=y, scale=alt.Scale(zero=False)),
            color=told_apart if systems <= TOLD_APART else alt.value(BLUE),
            opacity=alt.when(point).then(alt.value(0.8)).otherwise(alt.value(0.25)),
            tooltip=[
                "document:N",
                alt.Tooltip("called:N", title="system"),
                alt.Tooltip("x:Q", format=".3f", title=x),
                alt.Tooltip("y:Q", format=".3f", title=y),
            ],
        )
        .add_params(point)
    )
    layers: list[alt.Chart] = [points]
    if r is not None:
        line = alt.Chart(drawn).transform_regression("x", "y").mark_line(color=GREY, strokeDash=[6, 4])
        layers.append(line.encode(x=alt.X("x:Q"), y=alt.Y("y:Q")))
    title = alt.Title(f"r = {r:.3f}" if r is not None else "", anchor="start", fontSize=13)
    return alt.layer(*layers).properties(height=380, title=title)


def spread(values: pd.Series, seed: int) -> pd.Series:
    """Return the values to draw, moved apart if each is shared by five summaries or more; none leaves their range."""
    levels = np.unique(values)
    if len(levels) < 2 or len(values) < 5 * len(levels):
        return values
    step = float(np.diff(levels).min())
    moved = values + np.random.default_rng(seed).uniform(-step / 3, step / 3, len(values))
    lowest, highest = float(levels[0]), float(levels[-1])
    above = lowest + (moved - lowest).abs()
    return highest - (highest - above).abs()
