"""Charts of metrics' agreement with people, and of its differences."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from relevance.analysis.leaders import find_scarce, rank_metrics
from relevance.analysis.metrics_and_people import AgreementAnalysis, MetricRow
from relevance.analysis.significance import ALPHA
from relevance.data.signatures import is_judge
from relevance.reports.charts import BEHIND, BLUE, GREY, INK, LEADING, Layers, make_chart_frame
from relevance.reports.formats.cells import format_p

NUMBER = 42
"""The width in pixels of a signed number of three decimals."""


def agreement_chart(
    rows: Sequence[MetricRow],
    rule: str,
    ceiling: float | None = None,
    *,
    rivals: Collection[str] | None = None,
    name: str = "people",
) -> Layers:
    """Draw each metric's agreement with `people` by one rule, with its value and interval, the highest at the top.

    Lines mark chance and the agreement among people. `rivals` are the metrics that are not significantly worse than the
    best; if given, the marks of the best and of these are filled. The selection `metric` is the one that was
    clicked.
    """
    frame = make_chart_frame(
        [
            {
                "metric": row.metric,
                "agreement": getattr(row.evaluation.agreement, rule),
                "low": getattr(row.evaluation.intervals, rule).low,
                "high": getattr(row.evaluation.intervals, rule).high,
                "n": row.evaluation.agreement.pairs,
            }
            for row in rows
            if getattr(row.evaluation.agreement, rule) is not None
        ],
        ["metric", "agreement", "low", "high", "n"],
    )
    table = frame.sort_values("agreement", ascending=False, kind="stable")
    behind = [] if rivals is None else [name for name in table["metric"][1:] if name not in rivals]
    table["standing"] = [BEHIND if name in behind else LEADING for name in table["metric"]]
    lines = [{"what": "chance", "at": 0.5}]
    if ceiling is not None:
        lines.append({"what": "people among themselves", "at": ceiling})
    ends = [*table["low"].dropna(), *table["high"].dropna(), *table["agreement"], *(line["at"] for line in lines)]
    scale = alt.Scale(domain=[max(0, min(ends) - 0.02), min(1, max(ends) + 0.02)], nice=True, zero=False)
    y = alt.Y("metric:N", sort=list(table["metric"]), title=None, axis=alt.Axis(labelLimit=260, labelOverlap=False))
    tooltip = ["metric:N", "n:Q", *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("agreement", "low", "high"))]
    clicked = alt.selection_point(name="metric", fields=["metric"], on="click", clear="dblclick")
    base = alt.Chart(table)
    intervals = base.mark_rule(strokeWidth=2, color=GREY).encode(
        x=alt.X("low:Q", scale=scale, title=f"agreement with {name}", axis=alt.Axis(format=".2f", tickCount=8)),
        x2="high:Q",
        y=y,
    )
    filled = alt.Scale(domain=[LEADING, BEHIND], range=[BLUE, "white"])
    points = (
        base.mark_point(size=110, opacity=1, strokeWidth=2, color=BLUE, cursor="pointer")
        .encode(
            x=alt.X("agreement:Q", scale=scale),
            y=y,
            fill=alt.Fill(
                "standing:N",
                scale=filled,
                legend=alt.Legend(title=None, orient="top", labelLimit=0, columns=1) if behind else None,
            ),
            tooltip=tooltip,
        )
        .add_params(clicked)
    )
    values = base.mark_text(dy=-13, fontSize=11).encode(
        x=alt.X("agreement:Q", scale=scale), y=y, text=alt.Text("agreement:Q", format=".3f")
    )
    return alt.layer(landmarks(lines), intervals, points, values).properties(height=120 + 34 * max(1, len(table)))


def landmarks(lines: Sequence[Mapping[str, Any]]) -> alt.Chart:
    """Draw the upright lines of chance and, if known, of agreement among people."""
    base: alt.Chart = (
        alt.Chart(pd.DataFrame(lines))
        .mark_rule(color=GREY)
        .encode(
            x="at:Q",
            strokeDash=alt.StrokeDash(
                "what:N",
                scale=alt.Scale(domain=["chance", "people among themselves"], range=[[4, 4], [1, 0]]),
                legend=alt.Legend(title=None, orient="top", columns=1) if len(lines) > 1 else None,
            ),
            tooltip=["what:N", alt.Tooltip("at:Q", format=".3f")],
        )
    )
    return base


def comparison_chart(analysis: AgreementAnalysis) -> Layers:
    """Draw, for every two metrics, the difference of their agreement as colour and its p value as text."""
    cells = []
    scarce = find_scarce(analysis)
    for comparison in analysis.comparisons:
        if comparison.difference is None or comparison.first in scarce or comparison.second in scarce:
            continue
        p = comparison.p_holm
        tested = "" if p is None else f"p {format_p(p)}{' *' if p < ALPHA else ''}"
        common = {"n": comparison.n, "p": p, "test": comparison.test, "tested": tested}
        for first, second, value in (
            (comparison.first, comparison.second, comparison.difference),
            (comparison.second, comparison.first, 0 - comparison.difference),
        ):
            cells.append({"first": first, "second": second, "difference": value, **common, "label": f"{value:+.3f}"})
    table = pd.DataFrame(cells, columns=["first", "second", "difference", "n", "p", "test", "tested", "label"])
    order = [row.metric for row in rank_metrics(analysis)]
    largest = max(0.05, float(table["difference"].abs().max()) if len(table) else 0.05)
    y = alt.Y("first:N", sort=order, title="first", axis=alt.Axis(labelLimit=200))
    x = alt.X("second:N", sort=order, title="second", axis=alt.Axis(labelAngle=-40, labelLimit=200, labelOverlap=False))
    base = alt.Chart(table).encode(x=x, y=y)
    squares = base.mark_rect().encode(
        color=alt.Color(
            "difference:Q",
            scale=alt.Scale(scheme="blueorange", domain=[-largest, largest], reverse=True),
            legend=alt.Legend(title="first minus second", format="+.2f", orient="bottom"),
        ),
        tooltip=[
            "first:N",
            "second:N",
            alt.Tooltip("difference:Q", format="+.4f"),
            alt.Tooltip("p:Q", format=".4f", title="p (Holm)"),
            "n:Q",
            "test:N",
        ],
    )
    ink = alt.when(f"abs(datum.difference) > {0.6 * largest}").then(alt.value("white")).otherwise(alt.value(INK))
    readable = alt.ExprRef(f"bandwidth('x') < {NUMBER} ? 0 : 1")  # on a phone colours remain, and the table
    words = base.mark_text(dy=-7, opacity=readable).encode(text="label:N", color=ink)
    tests = base.mark_text(dy=8, fontSize=9, opacity=readable).encode(text="tested:N", color=ink)
    return alt.layer(squares, words, tests).properties(height=140 + 40 * len(order))


def difference_chart(rows: Sequence[MetricRow]) -> Layers:
    """Draw each metric's agreement by how far apart its scores are; judges, which give no scores, are left out."""
    rows = [row for row in rows if not is_judge(row.signature)]
    table = pd.DataFrame(
        [
            {
                "metric": row.metric,
                "part": place,
                "from": part.low,
                "to": part.high,
                "n": part.n,
                "decided": part.decided,
                "low": part.interval.low,
                "high": part.interval.high,
            }
            for row in rows
            for place, part in enumerate(row.evaluation.bins, 1)
        ],
        columns=["metric", "part", "from", "to", "n", "decided", "low", "high"],
    )
    order = [row.metric for row in rows]
    x = alt.X("part:O", title="closest scores  →  furthest apart", axis=alt.Axis(labelAngle=0))
    # The same domain twice gives one legend, of colours and shapes.
    legend = alt.Legend(title=None, labelLimit=0, orient="bottom", columns=2)  # beside it, a phone has no room
    scale = alt.Scale(scheme="tableau10" if len(order) <= 10 else "tableau20", domain=order)
    colour = alt.Color("metric:N", scale=scale, legend=legend)
    base = alt.Chart(table).encode(x=x, color=colour)
    y = alt.Y("decided:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%"), title="agreement (decided)")
    lines = base.mark_line().encode(y=y)
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        y=y,
        shape=alt.Shape("metric:N", scale=alt.Scale(domain=order), legend=legend),
        tooltip=[
            "metric:N",
            alt.Tooltip("from:Q", format=".4f", title="difference from"),
            alt.Tooltip("to:Q", format=".4f"),
            "n:Q",
            *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("decided", "low", "high")),
        ],
    )
    chance = alt.Chart(pd.DataFrame({"at": [0.5]})).mark_rule(strokeDash=[4, 4], color=GREY).encode(y="at:Q")
    return alt.layer(chance, lines, points).properties(height=380 + 12 * len(order))
