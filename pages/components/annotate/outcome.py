"""The ways an annotator's part can end, each with its meaning, and the way to withdraw before that."""

import streamlit as st

from relevance.annotation.phase_store import Standing
from relevance.annotation.phases import DECLINED, FAILED, FINISHED, SCREENED_OUT, TIMED_OUT, WITHDRAWN
from relevance.annotation.records import Annotator
from relevance.pages.components.annotate.annotator import here, phases, store
from relevance.pages.components.annotate.end import describe_work
from relevance.pages.components.annotate.going_on import step
from relevance.pages.components.annotate.turn import begin_turn, show_heading
from relevance.pages.components.annotate.way_back import show_way_back
from relevance.pages.components.annotate.wording import say


def show_outcome(annotator: Annotator, standing: Standing) -> None:
    """Show how an annotator's part ended, what becomes of their work, and what they can still do."""
    heading, sentence = describe_outcome(standing)
    progress = store().progress(annotator)
    if progress.judged and standing.phase != WITHDRAWN:
        sentence = f"{describe_work(progress)} {sentence}"
    way = here().links.way_back(annotator, standing.phase)
    show_heading(heading, sentence if way else f"{sentence} {say('You can close this page.')}")
    if way:
        show_way_back(way)
    elif standing.phase == FINISHED and standing.code:
        st.markdown(say("Your code, which shows that you have finished:"))
        st.code(standing.code, language=None, width="content")
    if progress.judged and standing.phase != WITHDRAWN:
        offer_withdrawal(annotator)
    begin_turn(0, heading)


def describe_outcome(standing: Standing) -> tuple[str, str]:
    """Write a heading and its explanation."""
    minutes = standing.rules.judging.idle_minutes or 0
    return {
        FINISHED: (say("You have finished"), say("Everything is saved. Thank you!")),
        DECLINED: (
            say("You do not take part"),
            say("You did not agree. Nothing but this answer was stored."),
        ),
        SCREENED_OUT: (
            say("Your part ends here"),
            say("The practice pairs were not answered as this study needs it. Thank you for your time."),
        ),
        FAILED: (
            say("Your part ends here"),
            say("Too many attention checks were answered wrongly. What you judged is kept. Thank you for your time."),
        ),
        TIMED_OUT: (
            say("Your time is out"),
            say(
                "Nothing was heard from you for more than {minutes} minutes, so that others get the pairs that are "
                "left. What you judged is kept.",
                minutes=minutes,
            ),
        ),
        WITHDRAWN: (
            say("You have withdrawn"),
            say("What you judged is left out of the results of this study."),
        ),
    }[standing.phase]


def show_pause() -> None:
    """Show that the study is paused, and a button to check again."""
    heading = say("The study is paused")
    show_heading(heading, say("Nothing is lost. Come back later: you go on where you are now."))
    st.button(say("See whether it goes on"), key="resumed")
    begin_turn(0, heading)


def show_closed() -> None:
    """Show that the study is closed to those who have not come, or not reached the judging."""
    heading = say("The study is closed")
    show_heading(heading, say("It takes no more answers. Thank you for coming."))
    begin_turn(0, heading)


def offer_withdrawal(annotator: Annotator) -> None:
    """Offer to withdraw, which takes a second press."""
    with st.popover(say("Withdraw"), type="tertiary", key="withdraw-popover"):
        st.markdown(
            say(
                "You can stop at any time. If you withdraw, what you judged is left out of the results, and you cannot "
                "come back to this study."
            )
        )
        st.button(
            say("Withdraw for good"),
            key="withdraw",
            on_click=lambda: step(lambda: phases().withdraw(annotator)),
        )
