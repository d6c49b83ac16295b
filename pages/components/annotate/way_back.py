"""The way back to the panel that an annotator came from: a link, or advice if there is none."""

import streamlit as st

from relevance.hosting.links import WayBack
from relevance.pages.components.annotate.wording import say


def show_way_back(way: WayBack) -> None:
    """Show the link back to the panel, or what to do if this outcome has no completion code."""
    prolific = way.panel == "prolific"
    if way.address is not None:
        st.write(say("One last step: go back with this button. Only then does your part count as done."))
        label = say("Back to Prolific") if prolific else say("Back to where you came from")
        st.link_button(label, way.address, type="primary", icon=":material/open_in_new:")
    elif prolific:
        st.info(
            say(
                "There is no completion code for this. Please return your submission: on Prolific, choose "
                "“Cancel participation”."
            )
        )
    else:
        st.info(say("There is no completion code for this. Please return the task where you found it."))
