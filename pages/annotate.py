"""Judge one pair after another: read, choose, and the next pair appears when the choice is on disk."""

import math
from datetime import datetime

import streamlit as st

from annotation.records import Annotator, JudgingProgress, JudgmentTask, Study, StudyClosed, TooSoon
from annotation.store import AnnotationStore
from data.database import now
from data.one_line import in_one_line
from data.store import DatabaseFailed, StoreError
from pages.components.shared.database import guard_database, not_saved
from pages.components.shared.stores import open_stores
from reports.escaping import document_block, in_markdown, text_block, without_pictures

state = st.session_state

# Session keys.
INVITE = "invite"  # the token of an invite's link, which `main.py` keeps
ANNOTATOR = "annotator"  # the token of who is judging
VIEWING = "viewing"  # the assignment of an earlier pair that is shown again
SHOWN = "shown"  # the assignment of the pair on the screen, and when it was shown
NOTICE = "notice"  # what became of the last choice, where it was not simply saved


def store() -> AnnotationStore:
    """Where studies and judgments are."""
    return open_stores().annotation


def identify() -> Annotator | None:
    """Identify the annotator by the invite link or by the name entered before."""
    token = state.get(INVITE) or st.query_params.get("annotator") or state.get(ANNOTATOR)
    if token is None:
        return None
    state[ANNOTATOR] = token
    if INVITE not in state:
        st.query_params.annotator = token  # a reload opens the same work
    return store().annotator(token)


def ask_for_name() -> None:
    """Let somebody choose a study and say who they are."""
    studies = [study.name for study in store().studies() if study.closed_at is None]
    if not studies:
        st.info("No study is open. Create one on the Studies page.")
        return
    with st.form("join", width=520):
        study = st.selectbox("Study", studies, format_func=in_one_line, key="join_study")
        name = st.text_input("Your name", key="join_name", max_chars=200, help="The same name resumes your work.")
        if st.form_submit_button("Start", type="primary"):
            try:
                state[ANNOTATOR] = store().join(study=study, name=name).token
            except StoreError as error:
                st.error(in_markdown(error))
            else:
                st.rerun()


def how_to_judge(study: Study) -> str:
    """The researcher's instructions, which are Markdown, and the keys."""
    tie = ", **0** says that they are equal" if study.ties else ""
    return f"{without_pictures(study.instructions)}\n\nKeys: **1** and **2** choose a summary{tie}, **b** goes back."


def leave() -> None:
    """Sign the annotator out, so that another one can start."""
    for key in (ANNOTATOR, VIEWING, SHOWN):
        state.pop(key, None)
    st.query_params.clear()


def decide(annotator: Annotator, task: JudgmentTask, choice: str) -> None:
    """Save a choice, unless it is a key held down, or belongs to a pair that is no longer the one shown."""
    shown: tuple[int, datetime] | None = state.get(SHOWN)
    if shown is None or shown[0] != task.assignment_id:
        return
    try:
        store().judge(
            annotator=annotator,
            assignment_id=task.assignment_id,
            choice=choice,
            presented_at=shown[1],
            rationale=state.get(f"rationale:{task.assignment_id}"),
            change=task.choice is not None,
        )
    except TooSoon:
        state[NOTICE] = "That came too soon after the pair was shown, so it was not saved. Take your time."
        return
    except DatabaseFailed as error:
        state[NOTICE] = not_saved("Your choice", error)
        return
    except StoreError as error:
        state[NOTICE] = str(error)
    state.pop(VIEWING, None)


def skip(annotator: Annotator, task: JudgmentTask) -> None:
    """Leave the pair out, with the reason that was typed."""
    try:
        store().skip(
            annotator=annotator, assignment_id=task.assignment_id, reason=state.get(f"reason:{task.assignment_id}", "")
        )
    except DatabaseFailed as error:
        state[NOTICE] = not_saved("The skipped pair", error)
        return
    except StoreError as error:
        state[NOTICE] = str(error)
        return
    state.pop(VIEWING, None)


def go_back(annotator: Annotator, task: JudgmentTask | None) -> None:
    """Show the pair before this one."""
    try:
        earlier = store().previous_task(annotator, task.assignment_id if task else None)
    except DatabaseFailed:
        return  # the page will say it
    if earlier is not None:
        state[VIEWING] = earlier.assignment_id
        state.pop(SHOWN, None)


def go_on() -> None:
    """Leave an earlier pair as it is."""
    state.pop(VIEWING, None)


def show_notice() -> None:
    """Say what became of the last choice, where it was not simply saved; it stays until a pair is shown."""
    if notice := state.get(NOTICE):
        st.warning(in_markdown(notice))


def progress_text(progress: JudgingProgress) -> str:
    """What is done and how long the rest takes at the annotator's median pace, in minutes rounded up."""
    total = progress.judged + progress.skipped + progress.open
    text = f"{progress.judged} of {total} judged"
    if progress.skipped:
        text += f", {progress.skipped} skipped"
    if progress.seconds is not None and progress.open:
        minutes = math.ceil(progress.open * progress.seconds / 60)
        text += " · about a minute left" if minutes == 1 else f" · about {minutes} minutes left"
    return text


# The empty timer keeps the fragment alive after the server was restarted under an open page.
@st.fragment(run_every=300)
@guard_database
def judging(annotator: Annotator) -> None:
    """Show the pair that is to be judged, and the ways to judge it."""
    show_notice()  # first of all: what was not saved must be said even if the pair cannot be shown
    study = store().study(annotator.study)
    viewing = state.get(VIEWING)
    task = store().task(annotator, viewing) if viewing is not None else store().next_task(annotator)
    progress = store().progress(annotator)
    done = progress.judged + progress.skipped
    st.progress(done / max(1, done + progress.open), text=progress_text(progress))
    state.pop(NOTICE, None)
    if not done:
        with st.container(border=True, key="first-instructions"):
            st.markdown(how_to_judge(study))
    if task is None:
        closed = study.closed_at is not None
        st.success("The study is closed. Thank you!" if closed else "That was the last pair for now. Thank you!")
        st.button("Back to the last pair", key="back:end", shortcut="b", on_click=go_back, args=(annotator, None))
        return
    if state.get(SHOWN, (None,))[0] != task.assignment_id:
        state[SHOWN] = (task.assignment_id, now())
    show_pair(annotator, task, study.question, ties=study.ties, skips=progress.skipped)


def show_pair(annotator: Annotator, task: JudgmentTask, question: str, *, ties: bool, skips: int) -> None:
    """The document, the two summaries side by side, and the buttons."""
    key = task.assignment_id
    with st.container(border=True, key="document"):
        st.html(document_block(task.source, task.title))
        if not task.source:
            st.caption("The data set does not contain the document's text.")
    question = without_pictures(question)
    st.markdown(f"**{question}**" if "\n" not in question else question)
    for column, side, number, text in zip(st.columns(2), ("left", "right"), "12", (task.left, task.right), strict=True):
        box = column.container(border=True, height="stretch", vertical_alignment="distribute", key=f"{side}-box")
        with box:
            st.html(text_block(text, label=f"Summary {number}"))
            chosen = " :material/check:" if task.choice == side else ""
            st.button(
                f"Summary {number}{chosen}",
                key=f"{side}:{key}",
                shortcut=number,
                type="primary",
                width="stretch",
                on_click=decide,
                args=(annotator, task, side),
            )
    with st.container(horizontal=True, key="actions"):
        if ties:
            label = "Equally relevant" + (" :material/check:" if task.choice == "tie" else "")
            st.button(label, key=f"tie:{key}", shortcut="0", on_click=decide, args=(annotator, task, "tie"))
        st.button("Back", key=f"back:{key}", shortcut="b", on_click=go_back, args=(annotator, task))
        if task.choice is not None:
            st.button("Keep and go on", key=f"on:{key}", on_click=go_on)
        # The popovers are no pair's own, which spares the browser work; a new key closes the one that was used.
        with st.popover("Skip", key=f"skip-popover:{skips}", disabled=task.choice not in {None, "skip"}):
            st.text_input("Why can this pair not be judged?", key=f"reason:{key}", max_chars=1000)
            st.button("Skip this pair", key=f"skip:{key}", on_click=skip, args=(annotator, task))
    with st.expander("Add a reason (optional)", expanded=task.rationale is not None, key="rationale"):
        label = "Why is it more relevant? This is saved with the choice."
        st.text_area(label, value=task.rationale or "", key=f"rationale:{key}", max_chars=5000)


open_stores()  # before anything is drawn: the database may not open
try:
    annotator = identify()
    if annotator is None:
        st.title("Annotate")
        ask_for_name()
        st.stop()
    study = store().study(annotator.study)
    with st.container(horizontal=True, vertical_alignment="center", key="header"):
        st.markdown(f"**{in_markdown(study.name)}**  ·  {in_markdown(annotator.name)}", width="content")
        with st.popover("Instructions", key="instructions"):
            st.markdown(how_to_judge(study))
        if INVITE not in state:
            st.button("Not you?", key="leave", type="tertiary", on_click=leave)
    judging(annotator)
except DatabaseFailed:
    show_notice()
    raise  # every page says this alike
except StudyClosed as error:
    st.info(in_markdown(error))
except StoreError as error:
    st.error(in_markdown(error))
    if INVITE not in state:
        st.button("Start again", key="start-again", on_click=leave)
