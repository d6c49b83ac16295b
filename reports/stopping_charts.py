"""Charts of a study's stopping rule."""

import math
from typing import Any

import altair as alt
import pandas as pd

from relevance.analysis.agreement.sequential import SequentialAnalysis
from relevance.reports.charts import BLUE, GREY, Layers
from relevance.reports.stopping import LabelOf, name_difference, scale

LOWEST = 0.1
"""The start of the axis of wealth, unless wealth has fallen further."""


def wealth_chart(analysis: SequentialAnalysis) -> Layers:
    """Draw the wealth after each document on a logarithmic axis, with the line at which it suffices."""
    enough, table = analysis.test.enough, make_frame(analysis)
    low, high = min([LOWEST, *table["wealth"]]), max([2 * enough, *table["wealth"]])
    powers = [10.0**power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    wealth = alt.Y(
        "wealth:Q",
        title="wealth",
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
        axis=alt.Axis(values=powers, format="~g"),
    )
    line = place_documents(analysis, table).mark_line(color=BLUE, strokeWidth=2).encode(y=wealth)
    return alt.layer(line, *mark_level(enough, f"enough: {enough:g}"), *mark_stop(analysis)).properties(height=260)


def difference_chart(analysis: SequentialAnalysis, label_of: LabelOf) -> Layers:
    """Draw the difference after each document, with the interval that is valid at all times together."""
    size, base = scale(analysis), place_documents(analysis, make_frame(analysis))
    low = alt.Y("low:Q", title="difference", scale=alt.Scale(domain=[-size, size]))
    band = base.mark_area(color=BLUE, opacity=0.25).encode(y=low, y2="high:Q")
    middle = base.mark_line(color=BLUE, strokeWidth=2).encode(y="difference:Q")
    title = alt.Title(name_difference(analysis, label_of), anchor="start", fontSize=12)
    return alt.layer(band, middle, *mark_level(0, ""), *mark_stop(analysis)).properties(height=320, title=title)


def make_frame(analysis: SequentialAnalysis) -> pd.DataFrame:
    """Make the frame of a chart, with a row for each complete document that counts."""
    test, size = analysis.test, scale(analysis)
    columns = {"wealth": test.wealth, "difference": test.mean * size, "low": test.low * size, "high": test.high * size}
    return pd.DataFrame({"document": analysis.places, **columns})


def place_documents(analysis: SequentialAnalysis, table: pd.DataFrame) -> alt.Chart:
    """Place the documents from left to right."""
    documents = alt.X(
        "document:Q",
        title="complete documents",
        scale=alt.Scale(domain=[0, max(10, analysis.documents)], nice=False),
        axis=alt.Axis(tickMinStep=1, format="d", grid=False),
    )
    tooltip: list[Any] = ["document:Q", *(alt.Tooltip(f"{name}:Q", format=".3f") for name in table.columns[1:])]
    return alt.Chart(table).encode(x=documents, tooltip=tooltip)


def mark_level(level: float, label: str) -> list[alt.Chart]:
    """Draw a line across the chart, with its label."""
    base = alt.Chart(pd.DataFrame({"level": [level], "said": [label]})).encode(y="level:Q", tooltip=alt.value(None))
    name = base.mark_text(color=GREY, align="left", baseline="bottom", dx=4, dy=-2)
    return [base.mark_rule(color=GREY, strokeDash=[6, 4]), name.encode(text="said:N", x=alt.value(0))]


def mark_stop(analysis: SequentialAnalysis) -> list[alt.Chart]:
    """Mark the document after which the study stopped, if it has."""
    if analysis.decision is None:
        return []
    stop = alt.Chart(pd.DataFrame({"document": [analysis.decision.documents]}))
    return [stop.mark_rule(color=GREY, strokeDash=[2, 2]).encode(x="document:Q", tooltip=alt.value(None))]
