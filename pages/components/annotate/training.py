"""The training: pairs that look like those to be judged, each followed by the answer and its explanation."""

from dataclasses import replace

import streamlit as st

from relevance.annotation.phase_store import Standing
from relevance.annotation.records import Annotator, JudgmentTask, Study
from relevance.annotation.training import TrainingFeedback, TrainingTask
from relevance.data.database import now
from relevance.pages.components.annotate.actions import PANEL, PANELS
from relevance.pages.components.annotate.annotator import FEEDBACK, SHOWN, phases, state
from relevance.pages.components.annotate.going_on import step
from relevance.pages.components.annotate.pair import pair_html, show_choices, show_texts
from relevance.pages.components.annotate.turn import begin_turn, show_turn
from relevance.pages.components.annotate.wording import say, say_count
from relevance.reports.escaping import without_pictures


def train(annotator: Annotator, standing: Standing, study: Study) -> None:
    """Show the training pair to be answered."""
    task = phases().training_task(annotator)
    shown = number_task(task)
    progress = ""
    if task.attempts > 1:
        progress = say("Attempt {attempt} of {attempts}", attempt=task.attempt, attempts=task.attempts)
    heading = say("Practice pair {number} of {total}", number=task.place + 1, total=task.pairs)
    show_turn(heading, progress, task.place / task.pairs)
    if state.get(SHOWN, (None,))[0] != shown.assignment_id:
        state[SHOWN] = (shown.assignment_id, now())
        state[PANEL] = PANELS[0]
    show_texts(shown, study.question)
    with st.container(key="actions"):
        st.caption(say("Practice: you will be told whether you chose the better summary, and why."))
        show_choices(shown, study, answer, annotator, task)
    begin_turn(shown.assignment_id, heading)


def number_task(task: TrainingTask) -> JudgmentTask:
    """Return a training pair with a negative number, which no assignment has."""
    return replace(task.shown, assignment_id=-(task.attempt * 10_000 + task.place + 1))


def answer(annotator: Annotator, task: TrainingTask, choice: str) -> None:
    """Answer a training pair, unless it is no longer the one shown."""
    number, presented_at = state.get(SHOWN, (None, None))
    if number != number_task(task).assignment_id:
        return

    def call() -> None:
        state[FEEDBACK] = phases().answer_training(
            annotator, attempt=task.attempt, place=task.place, choice=choice, presented_at=presented_at
        )

    step(call)


def show_feedback(feedback: TrainingFeedback) -> None:
    """Show whether the answer was right, why, and after the last pair the result of the attempt."""
    task = feedback.task
    show_turn(
        say("That is right") if feedback.right else say("That is not right"),
        say("{correct} right of {answered} answered", correct=feedback.correct, answered=task.place + 1),
        (task.place + 1) / task.pairs,
    )
    better = say("Summary 1 is the better one.") if feedback.better == "left" else say("Summary 2 is the better one.")
    with st.container(border=True, key="explanation"):
        st.markdown(f"**{better}**")
        st.markdown(without_pictures(feedback.explanation))
    st.html(pair_html(replace(number_task(task), choice=feedback.better), chosen=say("The better one")))
    with st.container(key="actions"):
        if feedback.passed is not None:
            st.markdown(describe_attempt(feedback))
        st.button(say("Go on"), key="trained", type="primary", on_click=lambda: state.pop(FEEDBACK, None))
    begin_turn(-task.place - 1, better)


def describe_attempt(feedback: TrainingFeedback) -> str:
    """Say how an attempt ended."""
    counted = say("Right answers: {correct}. Needed: {wanted}.", correct=feedback.correct, wanted=feedback.pass_mark)
    left = feedback.task.attempts - feedback.task.attempt
    if feedback.passed:
        return f"{counted} {say('Well done: now the real pairs begin.')}"
    return (
        f"{counted} {say_count(left, 'You can try once more.', 'You can try {count} times more.')}" if left else counted
    )
