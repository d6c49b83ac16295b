"""Charts of results, for pages and reports."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from relevance.analysis.metrics_and_people import SystemsAnalysis
from relevance.analysis.people.false_discovery import FalseDiscovery
from relevance.analysis.people.ranking import Ranking
from relevance.data.one_line import in_one_line
from relevance.metrics.keywords.recall import LengthRecall
from relevance.reports.formats.cells import format_cell
from relevance.reports.tables.bounds import ORACLE, SYSTEM, ScoreDistribution
from relevance.reports.tables.keywords import PUBLISHED, extractor_name, words_label

Layers = alt.LayerChart | alt.FacetChart  # what altair says that charts over each other are

INK = "#111827"
"""The colour of letters on light squares."""

GREY, BLUE = "#6b7280", "#2563eb"
"""Colours that stand out from a white and from a black page."""

LEADING, BEHIND = "best, or not significantly worse", "significantly worse than the best"
"""The standings of metrics, drawn as filled and hollow marks."""

READABLE = 40
"""The most words along an axis that can be read."""

TOLD_APART = 8
"""The most lines of a chart that can each have a colour and a shape."""

DIVERGING = alt.Scale(scheme="blueorange", domain=[-1, 1], reverse=True)
"""Blue is positive."""


def make_chart_frame(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Make the frame of a chart, with texts in one line: in Vega's expressions, a line break in a name is an error."""
    return pd.DataFrame(
        [
            {name: in_one_line(value) if isinstance(value, str) else value for name, value in row.items()}
            for row in rows
        ],
        columns=list(columns),
    )


def ranking_chart(ranking: Ranking) -> Layers:
    """Draw Bradley-Terry strengths with their intervals, the strongest at the top."""
    table = make_chart_frame(
        [
            {
                "system": str(row.system),
                "strength": row.strength,
                "low": row.low,
                "high": row.high,
                "comparisons": row.comparisons,
            }
            for row in ranking.rows
            if row.strength is not None
        ],
        ["system", "strength", "low", "high", "comparisons"],
    )
    even = alt.Chart(pd.DataFrame({"at": [0.0]})).mark_rule(strokeDash=[4, 4], color=GREY).encode(x="at:Q")
    return alt.layer(even, draw_systems(table, "strength", "comparisons", "Bradley-Terry strength (log odds)"))


def mean_chart(analysis: SystemsAnalysis) -> Layers:
    """Draw the systems' means by a metric with their values and intervals, in the order in which they are given."""
    table = make_chart_frame(
        [
            {
                "system": str(of.system),
                "mean": of.mean,
                "low": of.interval.low,
                "high": of.interval.high,
                "documents": of.n,
            }
            for of in analysis.means
            if of.mean is not None
        ],
        ["system", "mean", "low", "high", "documents"],
    )
    base = alt.Chart(table).encode(y=alt.Y("system:N", sort=list(table["system"])))
    values = base.mark_text(dy=-13, fontSize=11).encode(x="mean:Q", text=alt.Text("mean:Q", format=".3f"))
    return alt.layer(draw_systems(table, "mean", "documents", f"mean {analysis.name}"), values)


def draw_systems(table: pd.DataFrame, value: str, count: str, title: str) -> Layers:
    """Draw a dot with an interval for each system; the columns are `system`, `value`, `low`, `high` and `count`."""
    y = alt.Y("system:N", sort=list(table["system"]), title=None, axis=alt.Axis(labelLimit=260, labelOverlap=False))
    base = alt.Chart(table).encode(y=y)
    scale = alt.Scale(zero=False)
    ends = base.mark_rule(strokeWidth=2, color=GREY).encode(
        x=alt.X("low:Q", scale=scale, title=title, axis=alt.Axis(tickCount=8)), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=90, opacity=1, color=BLUE).encode(
        x=alt.X(f"{value}:Q", scale=scale),
        tooltip=[
            "system:N",
            f"{count}:Q",
            *(alt.Tooltip(f"{name}:Q", format=".3f") for name in (value, "low", "high")),
        ],
    )
    return alt.layer(ends, points).properties(height=60 + 36 * max(1, len(table)))


def similarity_heatmap(table: pd.DataFrame) -> Layers:
    """Draw how similar each token of a summary is to each of a reference; matched tokens have a dot.

    `table` is that of `relevance.reports.evidence.bertscore.bertscore_matrix`.
    """
    x = alt.X("reference place:O", title="reference", axis=token_axis(table, "reference"))
    y = alt.Y("candidate place:O", title="summary", axis=token_axis(table, "candidate"))
    tooltip: Any = ["candidate token:N", "reference token:N", alt.Tooltip("similarity:Q", format=".3f"), "matched:N"]
    base = alt.Chart(table).encode(x=x, y=y, tooltip=tooltip)
    squares = base.mark_rect().encode(
        color=alt.Color(
            "similarity:Q", scale=alt.Scale(scheme="viridis"), legend=alt.Legend(title=None, orient="bottom")
        )
    )
    dots = base.transform_filter("datum.matched").mark_point(filled=True, size=22, color="white", stroke=INK)
    readable = table["candidate place"].nunique() <= READABLE  # each row then has room for its token
    return alt.layer(squares, dots).properties(height=alt.Step(13) if readable else 380)


def token_axis(table: pd.DataFrame, text: str) -> alt.Axis:
    """Return an axis of places labelled by a text's tokens; without labels if there are too many to read."""
    tokens = table.drop_duplicates(f"{text} place").sort_values(f"{text} place")[f"{text} token"].tolist()
    if len(tokens) > READABLE:
        return alt.Axis(labels=False, ticks=False)
    names = json.dumps(["", *tokens])  # places count from 1; JSON is an array of Vega's expressions, too
    angle = -90 if text == "reference" else 0
    label = f"{names}[datum.value]"
    return alt.Axis(
        ticks=False, labelExpr=label, labelAngle=angle, labelFontSize=9, labelLimit=80, labelOverlap=text == "reference"
    )


def recall_by_length_chart(recalls: Sequence[LengthRecall]) -> Layers:
    """Draw ROUGE-K by keyword length, a line for each system; up to `TOLD_APART` each have a colour and a shape.

    With more systems, lines are grey, and the one under the mouse or finger stands out.
    """
    table = make_chart_frame(
        [
            {
                "system": format_cell(row.system),
                "length": words_label(row.words),
                "ROUGE-K": row.recall.value,
                "documents": row.recall.documents,
                "keywords": row.keywords,
            }
            for row in recalls
            if row.recall.value is not None
        ],
        ["system", "length", "ROUGE-K", "documents", "keywords"],
    )
    lengths = [words_label(words) for words in sorted({row.words for row in recalls})]
    systems = list(dict.fromkeys(table["system"]))
    point = alt.selection_point(name="system", fields=["system"], on="pointerover", nearest=True, empty=False)
    base = alt.Chart(table).encode(
        x=alt.X("length:N", sort=lengths, title="words in the keyword", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("ROUGE-K:Q", title="mean ROUGE-K"),
        tooltip=[
            "system:N",
            "length:N",
            alt.Tooltip("ROUGE-K:Q", format=".3f"),
            "documents:Q",
            "keywords:Q",
        ],
    )
    colour, shape = tell_apart(systems, point)
    lines = base.mark_line().encode(
        color=colour,
        detail="system:N",
        strokeWidth=alt.when(point).then(alt.value(4)).otherwise(alt.value(1.5)),
    )
    points = base.mark_point(filled=True, opacity=1).encode(
        color=colour, shape=shape, size=alt.when(point).then(alt.value(140)).otherwise(alt.value(60))
    )
    return alt.layer(lines, points.add_params(point)).properties(height=360)


def tell_apart(systems: Sequence[str], point: alt.Parameter) -> tuple[Any, Any]:
    """Return the colours and shapes of lines of some systems, the values of a column `system`.

    Up to `TOLD_APART` each have their own; more are grey, but for the one that the selection `point` is of.
    """
    if len(systems) > TOLD_APART:
        return alt.when(point).then(alt.value(BLUE)).otherwise(alt.value(GREY)), alt.ShapeValue("circle")
    scale = alt.Scale(domain=list(systems), scheme="dark2")  # mid-tones: they stand on white as on black
    legend = alt.Legend(columns=2, orient="bottom", symbolLimit=0)  # one for both: same title, same scale
    drawn: Any = {"shorthand": "system:N", "title": "system", "scale": scale, "legend": legend}
    return alt.Color(**drawn), alt.Shape(**drawn)


KINDS = {ORACLE: "oracle: reads the references", SYSTEM: "system of the data set"}
"""The texts of the legend."""


def distribution_chart(distributions: Sequence[ScoreDistribution]) -> Layers:
    """Draw the F1 of oracles and systems over documents, each as a box: oracles' are filled, systems' hollow.

    A box covers the middle half of the documents, with a line at their median and a diamond at their mean; whiskers
    reach from the lowest to the highest. The dashed line is the mean of the first row. The legend and the axis take 140
    of the height.
    """
    table = pd.DataFrame(distributions, columns=list(ScoreDistribution._fields))
    table["row"] = row_names(distributions)
    table["kind"] = [KINDS[spread.kind] for spread in distributions]
    base = alt.Chart(table).encode(
        y=alt.Y("row:N", sort=list(table["row"]), title=None, axis=alt.Axis(labelLimit=140)),
        color=alt.Color(
            "kind:N",
            scale=alt.Scale(domain=list(KINDS.values()), range=[BLUE, GREY]),
            legend=alt.Legend(title=None, orient="top", direction="vertical", labelLimit=280),
        ),
        tooltip=[
            alt.Tooltip("row:N", title="of"),
            "documents:Q",
            *(
                alt.Tooltip(f"{name}:Q", format=".3f", title=name.replace("_", " "))
                for name in ScoreDistribution._fields[3:]
            ),
        ],
    )
    highest = max([0.1, *table["high"]])
    x = alt.X("low:Q", scale=alt.Scale(domain=[0, highest], nice=True), title="F1")
    reach = base.mark_rule(strokeWidth=1.5).encode(x=x, x2="high:Q")
    boxes = base.mark_bar(height=14, strokeWidth=2).encode(
        x="lower_quartile:Q",
        x2="upper_quartile:Q",
        stroke=alt.Color("kind:N", legend=None, scale=alt.Scale(domain=list(KINDS.values()), range=[BLUE, GREY])),
        fillOpacity=alt.when(alt.datum.kind == KINDS[ORACLE]).then(alt.value(1)).otherwise(alt.value(0.15)),
    )
    inside = alt.when(alt.datum.kind == KINDS[ORACLE]).then(alt.value("white")).otherwise(alt.value(GREY))
    medians = base.mark_tick(thickness=2, size=14).encode(x="median:Q", color=inside)
    means = base.mark_point(shape="diamond", filled=True, size=55, opacity=1).encode(x="mean:Q", color=inside)
    optimum = (
        alt.Chart(table.head(1)).mark_rule(strokeDash=[4, 4], color=GREY).encode(x="mean:Q", tooltip=alt.value(None))
    )
    return alt.layer(optimum, reach, boxes, medians, means).properties(height=140 + 24 * len(table))


def row_names(distributions: Sequence[ScoreDistribution]) -> list[str]:
    """Return the names of the rows, where a system of the same name as an algorithm or another system gets a suffix."""
    names: dict[str, None] = {}
    for spread in distributions:
        plain = in_one_line(spread.name)
        name, number = plain, 1
        while name in names:
            number += 1
            name = f"{plain} ({spread.kind}{f' {number}' if number > 2 else ''})"
        names[name] = None
    return list(names)


def discovery_chart(rates: Mapping[str, FalseDiscovery]) -> Layers:
    """Draw false discovery rates with their intervals, and the paper's, which are another quantity (`OTHER_RATE`)."""
    here, paper = "this review, pooled", "Takeshita et al. 2024, another quantity"
    rows = [
        {
            "extractor": extractor_name(name),
            "rate": of.rate,
            "low": of.rate_interval.low,
            "high": of.rate_interval.high,
            "whose": here,
        }
        for name, of in rates.items()
        if of.rate is not None
    ]
    rows += [
        {"extractor": extractor_name(name), "rate": PUBLISHED[name].rate, "low": None, "high": None, "whose": paper}
        for name in rates
        if name in PUBLISHED
    ]
    table = pd.DataFrame(rows, columns=["extractor", "rate", "low", "high", "whose"])
    y = alt.Y("extractor:N", sort=[extractor_name(name) for name in rates], title=None)
    base = alt.Chart(table).encode(y=y)
    ends = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2, color=GREY)
        .encode(
            x=alt.X(
                "low:Q",
                title="false discovery rate",
                axis=alt.Axis(format="%", tickCount=6),
                scale=alt.Scale(zero=True, nice=True),
            ),
            x2="high:Q",
        )
    )
    both = [here, paper]
    title = alt.Legend(title=None, orient="top")
    points = base.mark_point(filled=True, size=90, opacity=1).encode(
        x=alt.X("rate:Q", scale=alt.Scale(zero=True, nice=True)),
        shape=alt.Shape("whose:N", scale=alt.Scale(domain=both, range=["circle", "diamond"]), legend=title),
        color=alt.Color("whose:N", scale=alt.Scale(domain=both, range=[BLUE, GREY]), legend=title),
        tooltip=[
            "extractor:N",
            "whose:N",
            *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("rate", "low", "high")),
        ],
    )
    return alt.layer(ends, points).properties(height=130 + 40 * max(1, len(rates)))
