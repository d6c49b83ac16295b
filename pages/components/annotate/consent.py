"""The first phases: the consent, and the instructions if they are shown on their own."""

import streamlit as st

from relevance.annotation.phase_store import Standing
from relevance.annotation.records import Annotator, Study
from relevance.pages.components.annotate.annotator import phases
from relevance.pages.components.annotate.going_on import step
from relevance.pages.components.annotate.wording import say
from relevance.reports.escaping import without_pictures


def ask_consent(annotator: Annotator, standing: Standing, study: Study) -> None:
    """Ask for consent: show its text, which is a researcher's Markdown, and two buttons."""
    text = standing.rules.consent.text if standing.rules.consent else ""
    st.header(say("Do you want to take part?"), anchor=False)
    with st.container(border=True):
        st.markdown(without_pictures(text))
    with st.container(horizontal=True):
        for label, agreed in ((say("I agree"), True), (say("I do not agree"), False)):
            st.button(
                label,
                key="agree" if agreed else "decline",
                type="primary" if agreed else "secondary",
                on_click=answer,
                args=(annotator, text, agreed),
            )


def answer(annotator: Annotator, text: str, agreed: bool) -> None:
    """Store the answer to the text that was shown."""
    step(lambda: phases().answer_consent(annotator, text=text, agreed=agreed))


def show_instructions_first(annotator: Annotator, standing: Standing, study: Study) -> None:
    """Show the instructions before anything else; they can be read again beside each pair."""
    st.header(say("Instructions"), anchor=False)
    st.markdown(without_pictures(say(study.instructions)))
    st.button(
        say("I have read this"),
        key="instructed",
        type="primary",
        on_click=lambda: step(lambda: phases().read_instructions(annotator)),
    )
