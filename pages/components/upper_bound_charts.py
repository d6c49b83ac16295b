"""The chart of the page Upper bound."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from pages.components.charts import BLUE, GREY
from pages.components.text import in_one_line
from pages.components.upper_bound import ORACLE, SYSTEM, Spread

KINDS = {ORACLE: "oracle: reads the references", SYSTEM: "system of the data set"}
"""What the legend says."""


def distribution_chart(found: Sequence[Spread]) -> alt.LayerChart:
    """The F1 of oracles and systems over documents, a box each on one scale: oracles' are filled, systems' hollow.

    A box is the middle half of the documents, the line in it their median, the diamond their mean; lines reach from
    the lowest to the highest. The dashed line is the mean of what stands first.
    """
    table = pd.DataFrame(found, columns=list(Spread._fields))
    table["row"] = row_names(found)
    table["kind"] = [KINDS[spread.kind] for spread in found]
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
            *(alt.Tooltip(f"{name}:Q", format=".3f", title=name.replace("_", " ")) for name in Spread._fields[3:]),
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
    return alt.layer(optimum, reach, boxes, medians, means).properties(height=60 + 26 * max(1, len(table)))


def row_names(found: Sequence[Spread]) -> list[str]:
    """What the rows are called: a system that is called like an algorithm, or like another, is told apart."""
    names: dict[str, None] = {}
    for spread in found:
        plain = in_one_line(spread.name)
        name, number = plain, 1
        while name in names:
            number += 1
            name = f"{plain} ({spread.kind}{f' {number}' if number > 2 else ''})"
        names[name] = None
    return list(names)
