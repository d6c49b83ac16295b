"""The matrix of metrics as a chart: how often each is right where another one is wrong."""

import altair as alt
import pandas as pd

from relevance.data.one_line import in_one_line
from relevance.reports.charts import INK, Layers, make_chart_frame


def sides_chart(sides: pd.DataFrame) -> Layers:
    """Draw how often each metric is right where another one is wrong: its row is right, its column wrong.

    A click on a square selects it (`sides`). The index and the columns of `sides` are the metrics, in order.
    """
    order = list(map(in_one_line, sides.index))
    table = make_chart_frame(
        [
            {"right": right, "wrong": wrong, "pairs": int(sides.loc[right, wrong])}
            for right in sides.index
            for wrong in sides.columns
            if right != wrong
        ],
        ["right", "wrong", "pairs"],
    )
    base = alt.Chart(table).encode(
        x=alt.X(
            "wrong:N",
            sort=order,
            title="wrong",
            axis=alt.Axis(labelAngle=-40, labelLimit=150, labelOverlap=False),
        ),
        y=alt.Y("right:N", sort=order, title="right", axis=alt.Axis(labelLimit=150)),
        tooltip=["right:N", "wrong:N", "pairs:Q"],
    )
    most = max(1, int(table["pairs"].max())) if len(table) else 1
    squares = base.mark_rect(cursor="pointer").encode(
        color=alt.Color("pairs:Q", scale=alt.Scale(scheme="blues", domain=[0, most]), legend=None)
    )
    ink = alt.when(f"datum.pairs > {0.6 * most}").then(alt.value("white")).otherwise(alt.value(INK))
    readable = alt.ExprRef(f"bandwidth('x') < {9 * len(f'{most:,}')} ? 0 : 1")  # on a phone colours remain
    words = base.mark_text(opacity=readable, cursor="pointer").encode(text=alt.Text("pairs:Q", format=","), color=ink)
    cell = alt.selection_point(name="sides", fields=["right", "wrong"])
    return alt.layer(squares.add_params(cell), words).properties(height=110 + 26 * len(order))
