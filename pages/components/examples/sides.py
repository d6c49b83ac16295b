"""The matrix of metrics: how often each is right where another one is wrong; its squares open the pairs."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from relevance.data.one_line import in_one_line
from relevance.pages.components.examples.judged import compare
from relevance.pages.components.examples.pairs import PairFilter
from relevance.pages.components.shared.charts import show_chart
from relevance.pages.components.shared.context import Context
from relevance.reports.sides_chart import sides_chart


def show_sides(context: Context, metrics: Sequence[str], name: str = "sides") -> PairFilter | None:
    """Show the matrix of these metrics, given by label in order; return the filter of the square that was clicked.

    The selection belongs to the `name`: a page that stays open gives another one after a click.
    """
    sides = compare(context).sides
    known = [metric for metric in metrics if metric in sides.index]
    if len(known) < 2:
        return None
    sides = sides.loc[known, known]
    event = show_chart(sides_chart(sides), name, describe_sides(sides), on_select="rerun", selection_mode="sides")
    st.caption(
        "Numbers of pairs on which the metric of the row agrees with people and that of the column does not. Click one "
        "to see its pairs."
    )
    if not (clicked := event.selection.get("sides")):
        return None
    named = {in_one_line(metric): metric for metric in known}
    return PairFilter("rather", *(named[clicked[0][side]] for side in ("right", "wrong")))


def describe_sides(sides: pd.DataFrame) -> str:
    """Say in words what the matrix shows, for those who do not see it: for each metric the one it corrects most."""
    parts = []
    for right in sides.index:
        row = sides.loc[right].drop(right)
        parts.append(f"{right} is right on {int(row.max())} pairs where {row.idxmax()} is wrong")
    return f"Pairs on which one metric agrees with people and another does not. {'; '.join(parts)}."
