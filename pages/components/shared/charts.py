"""A chart on a page, with a description in words and downloads."""

from functools import partial
from typing import Any

import streamlit as st

from relevance.reports.drawings import draw_png, draw_svg

INK = {"light": "#4b5563", "dark": "#b5b2ae"}
"""The colour of a chart's text, which Streamlit leaves black, or too pale on white."""


def show_chart(chart: Any, name: str, description: str, **more: Any) -> Any:
    """Show a chart, which screen readers announce by its description, and offer to download it.

    `name` is the stem of its files; `more` are options of the chart, such as `on_select`. Return what
    `st.altair_chart` returns.
    """
    ink = INK.get(st.context.theme.type or "light")
    drawn = chart.properties(description=description).configure_text(color=ink).configure_title(subtitleColor=ink)
    drawn = drawn.configure_axis(labelColor=ink, titleColor=ink, labelFlush=False).configure_legend(
        labelColor=ink, titleColor=ink
    )
    shown = st.altair_chart(drawn, key=f"chart:{name}", **more)
    with st.popover("Save figure", icon=":material/image:", type="tertiary", key=f"save_figure:{name}"):
        for label, draw in (("SVG", draw_svg), ("PNG", draw_png)):
            file = f"{name}.{label.lower()}"
            st.download_button(
                label, partial(draw, chart), file_name=file, on_click="ignore", key=f"save_figure:{file}"
            )
    return shown
