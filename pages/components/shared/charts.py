"""A chart on a page with what it says in words, and its downloads."""

from typing import Any

import streamlit as st

from reports.drawings import draw_png, draw_svg

INK = {"light": "#4b5563", "dark": "#b5b2ae"}
"""The colour of what is written in a chart, which Streamlit leaves black, or too pale on white."""


def show_chart(chart: Any, name: str, description: str, **more: Any) -> Any:
    """A chart, which screen readers announce by its description, and its downloads.

    `name` is that of its files; `more` goes to the chart, such as what a selection does. Returns what the chart does.
    """
    ink = INK.get(st.context.theme.type or "light")
    drawn = chart.properties(description=description).configure_text(color=ink).configure_title(subtitleColor=ink)
    drawn = drawn.configure_axis(labelColor=ink, titleColor=ink, labelFlush=False).configure_legend(
        labelColor=ink, titleColor=ink
    )
    shown = st.altair_chart(drawn, key=f"chart:{name}", **more)
    with st.popover("Save figure", icon=":material/image:", type="tertiary", key=f"save_figure:{name}"):
        st.download_button(
            "SVG", lambda: draw_svg(chart), file_name=f"{name}.svg", on_click="ignore", key=f"save_figure:{name}.svg"
        )
        st.download_button(
            "PNG", lambda: draw_png(chart), file_name=f"{name}.png", on_click="ignore", key=f"save_figure:{name}.png"
        )
    return shown
