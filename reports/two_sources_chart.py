"""The chart of how often metrics agree with two sources of preferences."""

import altair as alt

from relevance.analysis.leaders import SCARCE
from relevance.analysis.two_sources import TwoSources
from relevance.data.one_line import in_one_line
from relevance.reports.agreement_charts import landmarks
from relevance.reports.charts import BLUE, Layers, make_chart_frame

ORANGE = "#c2410c"
"""The colour of the second source: it stands out from blue for people who do not see red, and from both grounds."""

SIGNIFICANT = " *"
"""Follows the name of a metric that agrees significantly more often with one of the two."""


def two_sources_chart(comparison: TwoSources, names: tuple[str, str]) -> Layers:
    """Draw each metric's agreement with both sources, with intervals, below each other.

    Metrics come in the order of their agreement with the first. The selection `mark` has the `signature` and the
    `source` (`first` or `second`) of the mark that was clicked.
    """
    rows = sorted(
        (row for row in comparison.rows if row.reason != SCARCE), key=lambda row: -(row.first.agreement.half or 0.0)
    )
    shown = [in_one_line(name) for name in names]
    if shown[0] == shown[1]:
        shown = [f"{name} ({place})" for name, place in zip(shown, ("first", "second"), strict=True)]
    table = make_chart_frame(
        [
            {
                "metric": row.metric + SIGNIFICANT * row.significant,
                "signature": row.signature,
                "source": source,
                "judged by": name,
                "agreement": evaluation.agreement.half,
                "low": evaluation.intervals.half.low,
                "high": evaluation.intervals.half.high,
                "n": evaluation.agreement.pairs,
            }
            for row in rows
            for source, name, evaluation in (("first", shown[0], row.first), ("second", shown[1], row.second))
            if evaluation.agreement.half is not None
        ],
        ["metric", "signature", "source", "judged by", "agreement", "low", "high", "n"],
    )
    ends = [0.5, *table["low"].dropna(), *table["high"].dropna(), *table["agreement"]]
    scale = alt.Scale(domain=[max(0, min(ends) - 0.02), min(1, max(ends) + 0.06)], nice=True, zero=False)
    order = list(dict.fromkeys(table["metric"]))
    y = alt.Y("metric:N", sort=order, title=None, axis=alt.Axis(labelLimit=260, labelOverlap=False, ticks=False))
    offset = alt.YOffset("source:N", scale=alt.Scale(domain=["first", "second"], paddingOuter=0.3))
    colour = alt.Color(
        "judged by:N",
        scale=alt.Scale(domain=shown, range=[BLUE, ORANGE]),
        legend=alt.Legend(title=None, orient="top", labelLimit=0, columns=1),
    )
    shape = alt.Shape("judged by:N", scale=alt.Scale(domain=shown, range=["circle", "diamond"]))
    tooltip = [
        *("metric:N", "judged by:N", "n:Q"),
        *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("agreement", "low", "high")),
    ]
    clicked = alt.selection_point(name="mark", fields=["signature", "source"], on="click", clear="dblclick")
    base = alt.Chart(table).encode(y=y, yOffset=offset)
    axis = alt.Axis(format=".2f", tickCount=8)
    intervals = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", scale=scale, title="agreement", axis=axis), x2="high:Q", color=colour
    )
    points = (
        base.mark_point(size=90, opacity=1, filled=True, cursor="pointer")
        .encode(x=alt.X("agreement:Q", scale=scale), color=colour, shape=shape, tooltip=tooltip)
        .add_params(clicked)
    )
    values = base.mark_text(align="left", dx=6, fontSize=11).encode(
        x=alt.X("high:Q", scale=scale), text=alt.Text("agreement:Q", format=".3f")
    )
    return alt.layer(landmarks([{"what": "chance", "at": 0.5}]), intervals, points, values).properties(
        height=140 + 48 * max(1, len(order))
    )
