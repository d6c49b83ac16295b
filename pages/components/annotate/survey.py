"""The questions before and after the judging."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from relevance.annotation.phase_store import Standing
from relevance.annotation.phases import BEFORE
from relevance.annotation.protocol.records import SurveyQuestion
from relevance.annotation.records import Annotator, Study
from relevance.annotation.surveys import LONGEST
from relevance.pages.components.annotate.annotator import phases, state
from relevance.pages.components.annotate.going_on import step
from relevance.pages.components.annotate.wording import say
from relevance.reports.escaping import without_pictures


def ask_survey(annotator: Annotator, standing: Standing, study: Study) -> None:
    """Ask the questions of the survey that is due, in one form."""
    before = standing.phase == BEFORE
    survey, questions = ("before", standing.rules.surveys.before) if before else ("after", standing.rules.surveys.after)
    st.header(say("Some questions first") if before else say("Some last questions"), anchor=False)
    with st.form(f"survey-{survey}", border=False, enter_to_submit=False):
        for question in questions:
            ask_question(survey, question)
        st.form_submit_button(
            say("Go on"), key=f"answered-{survey}", type="primary", on_click=answer, args=(annotator, survey, questions)
        )


def ask_question(survey: str, question: SurveyQuestion) -> None:
    """Ask one question, with nothing preselected; the question and its options are a researcher's Markdown."""
    key, question_text = key_of(survey, question), without_pictures(question.ask)
    label = question_text if question.required else f"{question_text} {say('(optional)')}"
    if question.kind == "radio":
        st.radio(label, question.options, index=None, format_func=without_pictures, key=key)
    elif question.kind == "checkbox":
        st.markdown(label)
        for number, option in enumerate(question.options):
            st.checkbox(without_pictures(option), key=f"{key}:{number}")
    elif question.kind == "number":
        st.number_input(label, question.least, question.most, None, 1.0, "%g", key=key, width=240)
    else:
        st.text_area(label, key=key, max_chars=LONGEST)


def key_of(survey: str, question: SurveyQuestion) -> str:
    """Return the session key of an answer."""
    return f"survey:{survey}:{question.name}"


def answer(annotator: Annotator, survey: str, questions: Sequence[SurveyQuestion]) -> None:
    """Store the answers; invalid ones are reported, and everything stays as it was typed."""
    answers: dict[str, Any] = {}
    for question in questions:
        key = key_of(survey, question)
        if question.kind == "checkbox":
            answers[question.name] = [
                option for number, option in enumerate(question.options) if state.get(f"{key}:{number}")
            ]
        else:
            answers[question.name] = state.get(key)
    step(lambda: phases().answer_survey(annotator, survey, answers))
