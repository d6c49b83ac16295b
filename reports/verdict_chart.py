"""A chart of the summaries that metrics prefer in one pair."""

from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from relevance.data.one_line import in_one_line
from relevance.reports.charts import BLUE, GREY, Layers, make_chart_frame

AMBER = "#b45309"
"""The colour of wrong verdicts; it stands out from a white and from a black page."""


class MetricVerdict(NamedTuple):
    """A metric's preference in a pair."""

    metric: str
    share: float
    """The score of B minus that of A, as a share of the `of` in `verdict_chart`, in [-1, 1]."""
    standing: str
    """`right`, `wrong`, or another word."""
    scores: str
    """Both scores as they are written."""


def verdict_chart(verdicts: Sequence[MetricVerdict], title: str, subtitle: str, of: str) -> Layers:
    """Draw a bar for each metric, to the left if it prefers A and to the right if B; `of` names the whole of shares.

    Filled bars are right and hollow ones wrong, and each says so beside both scores.
    """
    signs = {"right": "✓", "wrong": "✗", "tie": "="}
    table = make_chart_frame(
        [
            {
                "metric": verdict.metric,
                "share": verdict.share,
                "standing": verdict.standing,
                "said": f"{signs.get(verdict.standing, '')} {verdict.scores}".strip(),
                "scores": verdict.scores,
            }
            for verdict in sorted(verdicts, key=lambda verdict: verdict.share)
        ],
        ["metric", "share", "standing", "said", "scores"],
    )
    base = alt.Chart(table).encode(
        y=alt.Y("metric:N", sort=list(table["metric"]), title=None, axis=alt.Axis(labelLimit=220, labelOverlap=False)),
        tooltip=["metric:N", "scores:N", alt.Tooltip("share:Q", format="+.3f"), "standing:N"],
    )
    x = alt.X(
        "share:Q",
        scale=alt.Scale(domain=[-1.45, 1.45]),
        title=["← prefers A · prefers B →", in_one_line(of)],  # in one line a phone would cut both ends
        axis=alt.Axis(values=[-1, -0.5, 0, 0.5, 1], format=".1f"),
    )
    colour = alt.Scale(domain=["right", "wrong"], range=[BLUE, AMBER])
    bars = base.mark_bar(height=15, strokeWidth=2).encode(
        x=x,
        color=alt.Color("standing:N", scale=colour, legend=None),
        stroke=alt.Stroke("standing:N", scale=colour, legend=None),
        fillOpacity=alt.when(alt.datum.standing == "wrong").then(alt.value(0.15)).otherwise(alt.value(1)),
    )
    right = base.transform_filter("datum.share >= 0").mark_text(align="left", dx=6).encode(x=x, text="said:N")
    left = base.transform_filter("datum.share < 0").mark_text(align="right", dx=-6).encode(x=x, text="said:N")
    even = alt.Chart(pd.DataFrame({"at": [0.0]})).mark_rule(color=GREY).encode(x="at:Q")
    head = alt.Title(
        in_one_line(title), subtitle=in_one_line(subtitle), anchor="start", fontSize=13, limit=alt.ExprRef("width")
    )
    return alt.layer(even, bars, right, left).properties(height=120 + 26 * max(1, len(table)), title=head)
