"""The way into a study: what it asks, before anything is judged, or why an address leads to none."""

from collections.abc import Sequence

import streamlit as st

from relevance.annotation.languages import wording_of
from relevance.annotation.phase_store import Standing
from relevance.annotation.phases import INSTRUCTIONS, JUDGING, phases_of
from relevance.annotation.progress import StudyOffer
from relevance.annotation.protocol.records import StudyProtocol
from relevance.annotation.records import OPEN, PAUSED, Annotator, JudgmentTask, Study, UnknownStudy
from relevance.data.one_line import in_one_line
from relevance.data.store import StoreError
from relevance.data.wording import join_items
from relevance.metrics.dataset_statistics import count_text_words
from relevance.pages.components.annotate.annotator import ANNOTATOR, STARTED, state, store
from relevance.pages.components.annotate.outcome import show_closed
from relevance.pages.components.annotate.turn import begin_turn, show_heading
from relevance.pages.components.annotate.wording import say, say_count, say_duration, speak
from relevance.reports.escaping import in_markdown, without_pictures

READING = 238
"""Words that people read in a minute: the mean of 190 studies of silent reading (Brysbaert 2019)."""


def show_entrance() -> None:
    """Show the study that the address names to visitors who have not said who they are; without one, an open study."""
    name = st.query_params.get("study")
    try:
        if name is None and (name := choose_study()) is None:
            return
        study, offer = store().study(name), store().offer(name)
    except UnknownStudy:
        show_unknown_study(str(name))
        return
    speak(wording_of(offer.rules))
    if takes_people(study):
        with st.container(key="start-page"):
            show_task(study.title or study.name, study, offer, invited=False)
            ask_for_name(study)
    else:
        show_not_open(study)


def takes_people(study: Study) -> bool:
    """Tell whether people can come to a study now."""
    return study.state == OPEN and study.stopped_at is None


def choose_study() -> str | None:
    """Choose one of the open studies; None if there is none."""
    titles = {study.name: study.title or study.name for study in store().studies() if takes_people(study)}
    if not titles:
        st.title(say("Judge"), anchor=False)
        st.info(say("No study is open. Create one under New study."))
        return None
    if len(titles) == 1:
        return next(iter(titles))
    return st.selectbox(
        say("Study"), list(titles), format_func=lambda name: in_one_line(titles[name]), key="join_study", width=520
    )


def show_unknown_study(name: str) -> None:
    """Say that the address names no study, and what to do."""
    heading = say("There is no study “{name}”", name=in_one_line(name))
    show_heading(
        heading,
        say(
            "The address may be mistyped, or the study has another name now or was deleted. Open the link as it was "
            "sent to you, or ask whoever sent it."
        ),
    )
    begin_turn(0, heading)
    if any(takes_people(study) for study in store().studies()):
        st.button(say("See the open studies"), key="open-studies", on_click=st.query_params.clear)


def show_not_open(study: Study) -> None:
    """Say that a study takes nobody at the moment, and what to do."""
    if study.state != PAUSED:
        show_closed()
        return
    heading = say("The study is paused")
    show_heading(heading, say("It takes no judgments at the moment. Come back later, by the same address."))
    begin_turn(0, heading)


def show_unknown_link() -> None:
    """Say that the link is nobody's, and what to do."""
    heading = say("This link is not known")
    show_heading(
        heading,
        say(
            "A part of it may be missing, or it is not valid any more. Open the link as it was sent to you, or ask "
            "whoever sent it for a new one."
        ),
    )
    begin_turn(0, heading)


def is_new(annotator: Annotator, standing: Standing) -> bool:
    """Tell whether an annotator has not begun, neither in this session nor before."""
    if STARTED in state:
        return False
    if standing.phase == standing.way[0] and not standing.closed:
        progress = store().progress(annotator) if standing.phase == JUDGING else None
        if progress is None or (progress.open and not progress.judged and not progress.skipped):
            return True
    state[STARTED] = True
    return False


def show_start(annotator: Annotator, study: Study, standing: Standing) -> None:
    """Show what a study asks to an annotator who has not begun; without other phases, with the button to begin."""
    with st.container(key="start-page"):
        show_task(say("Before you start"), study, store().offer(study.name), invited=annotator.invited)
        if standing.phase == JUDGING:
            st.button(say("Start"), type="primary", key="start", on_click=begin)


def begin() -> None:
    """Begin with the first phase, or the first pair."""
    state[STARTED] = True


def ask_for_name(study: Study) -> None:
    """Ask for the name under which somebody judges."""
    with st.form("join", width=520):
        account = store().visitor().name
        name = account or st.text_input(
            say("Your name"), key="join_name", max_chars=200, help=say("The same name resumes your work.")
        )
        if account:
            st.caption(in_markdown(say("You judge as {name}.", name=account)))
        if st.form_submit_button(say("Start"), type="primary"):
            if not name.strip():
                st.error(say("Please enter your name."))
                return
            try:
                state[ANNOTATOR] = store().join(study=study.name, name=name).token
            except StoreError as error:
                st.error(in_markdown(error))
            else:
                begin()
                st.rerun()


def show_task(heading: str, study: Study, offer: StudyOffer, *, invited: bool) -> None:
    """Show what a study asks, how much and how long, that one can stop, and what is stored."""
    show_heading(heading, say("You read a document and two summaries of it, and answer one question, pair after pair:"))
    question = without_pictures(say(study.question))
    with st.container(border=True):
        st.markdown(f"**{question}**" if "\n" not in question else question)
        if INSTRUCTIONS not in phases_of(offer.rules):  # else they follow
            show_instructions(study, "start")
    for label, text in (
        (say("How much"), describe_length(offer.pairs, offer.seconds, offer.sample)),
        (say("Pauses"), describe_pauses(offer.rules, invited=invited)),
        (say("What is stored"), describe_stored(offer.rules, invited=invited)),
    ):
        st.markdown(f"**{label}:** {in_markdown(text)}")
    begin_turn(0, heading)


def show_instructions(study: Study, key: str) -> None:
    """Show the researcher's instructions, which are Markdown, and the keys."""
    st.markdown(without_pictures(say(study.instructions)))
    keys = [say("Keys: **1** and **2** choose a summary, **b** goes back.")]
    if study.ties:
        keys.append(say("**0** says that they are equal."))
    if study.both_bad:
        keys.append(say("**9** says that both are bad."))
    with st.container(key=f"keys-{key}"):
        st.markdown(" ".join(keys))


def describe_length(pairs: int, seconds: float | None, sample: Sequence[JudgmentTask]) -> str:
    """Say how many pairs there are, and how long they take: at the pace of others, or of reading."""
    limit = say_count(pairs, "one pair at most.", "{count} pairs at most.")
    if seconds is not None:
        duration = say_duration(pairs * seconds)
        return f"{limit} {say('At the pace of the others, this takes {duration}.', duration=duration)}"
    words = [sum(count_text_words(text) for text in (task.source, task.left, task.right)) for task in sample]
    if not words:
        return limit
    mean = sum(words) / len(words)
    reading = say(
        "Reading them takes {duration}: a pair has about {words} words.",
        duration=say_duration(pairs * mean / READING * 60),
        words=round(mean / 10) * 10 if mean >= 100 else round(mean),
    )
    return f"{limit} {reading}"


def describe_pauses(rules: StudyProtocol, *, invited: bool) -> str:
    """Say that one can stop at any time, and how one comes back."""
    back = (
        say("This link brings you back to where you were.")
        if invited
        else say("The same name brings you back to where you were.")
    )
    sentences = [say("You can stop at any time: each choice is saved at once."), back]
    if minutes := rules.judging.idle_minutes:
        sentences.append(
            say(
                "But your part ends after {minutes} minutes without a choice; what you judged is kept.", minutes=minutes
            )
        )
    return " ".join(sentences)


def describe_stored(rules: StudyProtocol, *, invited: bool) -> str:
    """Say what is stored of an annotator."""
    judging, surveys = rules.judging, rules.surveys
    stored = {
        say("the name in your link") if invited else say("your name"): True,
        say("your choices with their times"): True,
        say("the reasons that you write"): True,
        say("how sure you are"): judging.confidence,
        say("the words that you mark"): judging.marks,
        say("your answers to the questionnaires"): bool(surveys.before or surveys.after),
    }
    items = join_items([item for item, value in stored.items() if value], say("and"))
    return say("{items}. Whoever runs the study can read them.", items=items)
