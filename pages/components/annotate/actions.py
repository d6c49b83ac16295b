"""Actions of buttons and keys, run before the page is drawn again: save a choice, skip a pair, go back and on."""

from datetime import datetime

from relevance.annotation.languages import msgid
from relevance.annotation.records import (
    AlreadyAnswered,
    AlreadyJudged,
    Annotator,
    BadAnswer,
    JudgmentTask,
    StudyClosed,
    StudyPaused,
    TooSoon,
    WorkGone,
    WrongPhase,
)
from relevance.data.store import DatabaseFailed, StoreError
from relevance.pages.components.annotate.annotator import SHOWN, TYPED, VIEWING, state, store
from relevance.pages.components.annotate.marking import read_marks
from relevance.pages.components.annotate.wording import not_saved, say

# Session keys.
NOTICE = "notice"  # what to say about the last choice if it was not simply saved
NO_REASON = "no_reason"  # the assignment that was skipped without a reason, which is refused
PANEL = "panel"  # the one of `PANELS` that a small screen shows
READ = "read"  # the assignment whose summaries a small screen has shown
PANELS = (msgid("Document"), msgid("Summaries"))

ANSWERED = msgid("You have answered this already, perhaps in another window. The first answer is kept.")
REFUSALS: dict[type[StoreError], str] = {
    TooSoon: msgid("That came too soon after the pair was shown, so it was not saved. Take your time."),
    StudyPaused: msgid("The study is paused. Nothing was saved, and nothing is lost: come back later."),
    StudyClosed: msgid("The study is closed. Nothing was saved."),
    AlreadyJudged: ANSWERED,
    AlreadyAnswered: ANSWERED,
    WrongPhase: msgid("This part of the study is over for you. Nothing was saved."),
    WorkGone: msgid(
        "That was not saved: the database does not have this work of yours any more. Another one, or a backup, may "
        "have taken its place: please tell whoever runs the study."
    ),
}
"""The message about each refusal, subclasses first."""


def decide(annotator: Annotator, task: JudgmentTask, choice: str) -> None:
    """Save a choice, unless its key is held down or its pair is no longer the one shown."""
    shown: tuple[int, datetime] | None = state.get(SHOWN)
    if shown is None or shown[0] != task.assignment_id:
        return
    try:
        store().judge(
            annotator=annotator,
            assignment_id=task.assignment_id,
            choice=choice,
            presented_at=shown[1],
            rationale=state.get(reason_key(task.assignment_id)),
            confidence=state.get(confidence_key(task.assignment_id)),
            marks=read_marks(task),
            change=task.choice is not None,
        )
    except (TooSoon, BadAnswer) as error:
        state[NOTICE] = describe_refusal(error)
        return
    except DatabaseFailed as error:
        state[NOTICE] = not_saved(say("Your choice"), error)
        return
    except StoreError as error:
        state[NOTICE] = describe_refusal(error)
    go_on()


def describe_refusal(error: StoreError) -> str:
    """Say in the study's language what a store has refused."""
    if isinstance(error, BadAnswer):
        return say(error.text, **error.values)
    return next((say(text) for kind, text in REFUSALS.items() if isinstance(error, kind)), str(error))


def skip(annotator: Annotator, task: JudgmentTask) -> None:
    """Skip the pair for the reason that was typed; without one, keep it and ask for one."""
    reason = state.get(f"reason:{task.assignment_id}", "")
    if not reason.strip():
        state[NO_REASON] = task.assignment_id
        return
    try:
        store().skip(annotator=annotator, assignment_id=task.assignment_id, reason=reason)
    except DatabaseFailed as error:
        state[NOTICE] = not_saved(say("The skipped pair"), error)
        return
    except StoreError as error:
        state[NOTICE] = describe_refusal(error)
        return
    go_on()


def go_back(annotator: Annotator, task: JudgmentTask | None) -> None:
    """Show the pair before this one; without one, the last."""
    try:
        earlier = store().previous_task(annotator, task.assignment_id if task else None)
    except DatabaseFailed:
        return  # the page will say so
    if earlier is not None:
        go_on()
        state[VIEWING] = earlier.assignment_id
        state.pop(SHOWN, None)


def go_on() -> None:
    """Show the pair to be judged now."""
    for key in (VIEWING, NO_REASON, TYPED):
        state.pop(key, None)


def reason_key(assignment_id: int) -> str:
    """Return the session key of the reason for a choice."""
    return f"rationale:{assignment_id}"


def confidence_key(assignment_id: int) -> str:
    """Return the session key of the confidence in a choice."""
    return f"confidence:{assignment_id}"


def keep_reason() -> None:
    """Keep the reason that was typed: Streamlit forgets it if the database fails and the pair is not drawn."""
    assignment_id, _ = state.get(SHOWN, (0, None))
    if reason_key(assignment_id) in state:
        state[TYPED] = (assignment_id, state[reason_key(assignment_id)])


def kept_reason(task: JudgmentTask) -> str:
    """Return the reason typed for a pair, or saved with its choice."""
    assignment_id, typed = state.get(TYPED, (0, ""))
    return typed if assignment_id == task.assignment_id else task.rationale or ""
