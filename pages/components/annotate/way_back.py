"""The way back to the panel that an annotator came from: a link that they press, or what to do where there is none."""

import streamlit as st

from hosting.links import WayBack
from pages.components.annotate.wording import say


def show_way_back(way: WayBack) -> None:
    """Send somebody back to their panel, or say what to do where no completion code belongs to how it ended."""
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
