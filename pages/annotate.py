"""Judge one pair after another: read, choose, and the next pair appears once the choice is on disk."""

import streamlit as st

from relevance.annotation.languages import wording_of
from relevance.annotation.phase_store import Standing
from relevance.annotation.phases import AFTER, BEFORE, CONSENT, ENDS, INSTRUCTIONS, JUDGING, TRAINING
from relevance.annotation.records import (
    Annotator,
    NotAssigned,
    Study,
    StudyClosed,
    UnknownInvite,
    UnknownStudy,
    WrongPhase,
)
from relevance.data.database import now
from relevance.data.one_line import in_one_line
from relevance.data.store import DatabaseFailed, NotSignedIn, StoreError
from relevance.pages.components.annotate.actions import NOTICE, PANEL, PANELS, go_back, keep_reason
from relevance.pages.components.annotate.annotator import (
    ANNOTATOR,
    FEEDBACK,
    INVITE,
    KNOWN,
    LISTING,
    PREVIEW,
    SHOWN,
    VIEWING,
    identify,
    leave,
    phases,
    state,
    store,
)
from relevance.pages.components.annotate.consent import ask_consent, show_instructions_first
from relevance.pages.components.annotate.end import describe_end, reveal
from relevance.pages.components.annotate.going_on import show_notice
from relevance.pages.components.annotate.listing import list_pairs, show_answered
from relevance.pages.components.annotate.outcome import offer_withdrawal, show_closed, show_outcome, show_pause
from relevance.pages.components.annotate.pair import CHOSEN, STYLE, show_pair
from relevance.pages.components.annotate.start import (
    is_new,
    show_entrance,
    show_instructions,
    show_start,
    show_unknown_link,
)
from relevance.pages.components.annotate.survey import ask_survey
from relevance.pages.components.annotate.training import show_feedback, train
from relevance.pages.components.annotate.turn import begin_turn, describe_progress, show_heading, show_turn
from relevance.pages.components.annotate.wording import say, speak
from relevance.pages.components.shared.database import draw_again_when_it_answers, guard_database
from relevance.pages.components.shared.stopping_rule import look_at_documents
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.escaping import in_markdown

SHOWS = {
    CONSENT: ask_consent,
    INSTRUCTIONS: show_instructions_first,
    BEFORE: ask_survey,
    TRAINING: train,
    AFTER: ask_survey,
}


# The empty timer keeps the fragment alive after the server was restarted under an open page.
@st.fragment(run_every=300)
@guard_database
def judge(annotator: Annotator, study: Study, standing: Standing) -> None:
    """Show the pair to be judged, or the end."""
    keep_reason()
    show_notice()  # first: this must be said even if the pair cannot be shown
    if LISTING in state:
        show_answered(annotator)
        return
    viewing = state.get(VIEWING)
    try:
        look_at_documents(study, annotator)  # before the next pair, which may not be wanted any more
        if viewing is None:
            task, progress = store().turn(annotator)
        else:
            task, progress = store().task(annotator, viewing), store().progress(annotator)
        if task is None:
            study = store().study(annotator.study)
    except (StudyClosed, WrongPhase, UnknownStudy):
        st.rerun()  # the page shows the phase that was reached meanwhile, that the study is paused, or its other name
    except NotAssigned as error:
        for key in (VIEWING, SHOWN):
            state.pop(key, None)
        show_lost(error)
        return
    if task is None and phases().standing(annotator).phase != JUDGING:
        st.rerun()
    state.pop(NOTICE, None)
    done = progress.judged + progress.skipped
    total = done + progress.open
    if task is None:
        heading, sentence = describe_end(study, progress)
        show_heading(heading, sentence)
        if done:
            reveal(annotator, study)
            label = say("Back to the last pair")
            st.button(label, key="back:end", shortcut="b", on_click=go_back, args=(annotator, None))
        begin_turn(0, sentence)
        return
    if standing.rules.checks.warn_after is not None and phases().standing(annotator).warned:
        st.warning(say("An attention check was answered wrongly. Please read each text to its end before you choose."))
    sentence = describe_progress(progress) if task.choice is None else say(CHOSEN[task.choice])
    show_turn(say("Pair {number} of {total}", number=task.number, total=total), sentence, done / total)
    if state.get(SHOWN, (None,))[0] != task.assignment_id:
        state[SHOWN] = (task.assignment_id, now())
        # an annotator who comes back to a pair has read its document already
        state[PANEL] = PANELS[0] if task.choice is None else PANELS[1]
    show_pair(annotator, task, study, standing.rules.judging, skips=progress.skipped)
    begin_turn(task.assignment_id, say("{judged} judged, {open} to go", judged=progress.judged, open=progress.open))


def show_lost(error: StoreError) -> None:
    """Say why somebody's work cannot be shown, and show it as soon as it is back."""
    st.error(in_markdown(error))
    st.markdown(say("This page goes on by itself when your work is there again."))
    draw_again_when_it_answers()


def show_preview_banner(study: Study) -> None:
    """Say that nothing is stored, and how to leave; the page of studies starts the copy afresh."""
    with st.container(horizontal=True, vertical_alignment="center", key="preview"):
        st.info("This is a preview, on a copy of the study with its first pairs. Nothing that you do here is stored.")
        if st.button("End the preview", key="end_preview"):
            leave()
            st.switch_page("studies.py", query_params={"study": study.name})


def show_header(annotator: Annotator, study: Study, standing: Standing, *, new: bool) -> None:
    """Show the study, the annotator, the instructions, and the ways out; `new` people have seen no pair."""
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key="header"):
        st.markdown(f"**{in_markdown(standing.title)}**  ·  {in_markdown(annotator.name)}", width="stretch")
        if standing.phase in {TRAINING, JUDGING} and not new:
            with st.popover(say("Instructions"), key="instructions"):
                show_instructions(study, "again")
        if standing.phase == JUDGING and not new:
            st.button(say("Your pairs"), key="list-pairs", icon=":material/list:", on_click=list_pairs)
        if standing.phase not in {*ENDS, CONSENT} and len(standing.way) > 1:
            offer_withdrawal(annotator)
        if ANNOTATOR in state and INVITE not in state:
            st.button(say("Leave"), key="leave", type="tertiary", on_click=leave)


def show_phase(annotator: Annotator, study: Study, standing: Standing, *, new: bool) -> None:
    """Show what an annotator is to do now, or how their part has ended; `new` people are told what awaits them."""
    if feedback := state.get(FEEDBACK):
        show_feedback(feedback)
    elif standing.phase in ENDS:
        show_outcome(annotator, standing)
    elif standing.paused:
        show_pause()
    elif standing.phase == JUDGING:
        if new:
            show_start(annotator, study, standing)
        else:
            judge(annotator, study, standing)
    elif standing.closed and standing.phase != AFTER:
        show_closed()
    else:
        show_notice()
        state.pop(NOTICE, None)
        with st.container(key="practice" if standing.phase == TRAINING else "phase"):
            if new:
                show_start(annotator, study, standing)
            SHOWS[standing.phase](annotator, standing, study)


open_stores()  # before anything is drawn: the database may not open
st.html(STYLE)
try:
    annotator = identify()
    if annotator is None:
        show_entrance()
        st.stop()
    standing = phases().standing(annotator)
    study = store().study(annotator.study)
    state[KNOWN] = True
    speak(wording_of(standing.rules))
    st.set_page_config(page_title=f"{in_one_line(standing.title)} · Relevance")
    with st.container(key="judging"):
        if PREVIEW in state:
            show_preview_banner(study)
        new = is_new(annotator, standing)
        show_header(annotator, study, standing, new=new)
        show_phase(annotator, study, standing, new=new)
except DatabaseFailed:
    show_notice()
    raise  # reported as on every page
except StudyClosed as error:
    st.info(in_markdown(error))
except NotSignedIn:
    raise  # likewise
except StoreError as error:
    show_notice()
    if KNOWN in state:
        show_lost(error)
    elif isinstance(error, UnknownInvite):
        show_unknown_link()
    else:
        st.error(in_markdown(error))
    if INVITE not in state:
        st.button(say("Start again"), key="start-again", on_click=leave)
