"""Marking wrong keywords: the annotator, the current document, and saving it before the next one is shown."""

import streamlit as st

from relevance.annotation.keyword_records import AlreadySaved, KeywordAnnotator, MarkTask, NameInUse
from relevance.annotation.keyword_reviews import KeywordReviewStore
from relevance.data.database import now
from relevance.data.one_line import in_one_line
from relevance.data.store import DatabaseFailed, StoreError
from relevance.metrics.keywords.extractors import EXTRACTORS
from relevance.pages.components.keywords.cached import create_review
from relevance.pages.components.keywords.lists import shown_texts, surface, task_html
from relevance.pages.components.shared.database import guard_database, not_saved
from relevance.pages.components.shared.languages import ask_language
from relevance.pages.components.shared.stores import known_datasets, open_stores
from relevance.reports.escaping import document_block, in_markdown
from relevance.reports.tables.keywords import extractor_name

INSTRUCTIONS = (
    "A keyword is right where a short summary of this document should have it, in these words or in others. "
    "Mark every keyword that is **wrong**: one that does not matter here, or that says nothing by itself. "
    "Then save, also where none is wrong."
)

FIRST = 20
"""The default number of documents of a review."""

MARKER = "keywords_marker"
"""Session key: the token of the annotator."""

TAKEN = "keywords_taken"
"""Session key: a review, a name that is in use there, and the message about it."""

PLACE = "keywords_place"
"""Session key: the place of a document that is shown out of turn."""

SHOWN = "keywords_shown"
"""Session key: the document on the screen, by `key_of`, and when it was shown."""

UNSAVED = "keywords_unsaved"
"""Session key: the value of `unsaved_ticks`."""

MADE = "keywords_made"
"""Session key: the review that was just made, to be preselected."""

NOTICE = "keywords_notice"
"""Session key: the message about the last press if it failed."""


def store() -> KeywordReviewStore:
    """Return the store of reviews and marks."""
    return open_stores().keyword_reviews


# --- the annotator ----------------------------------------------------------------------------------------------


def marker() -> str | None:
    """Return the annotator's token: that of the address, so that a reload opens the same work, or the session's."""
    token = st.query_params.get("marker") or st.session_state.get(MARKER)
    if token is not None:
        st.session_state[MARKER] = token
    return token


def join(review: str | None = None, name: str | None = None) -> None:
    """Begin under the name that was typed, or continue under one that the visitor has confirmed as theirs."""
    state = st.session_state
    returning = name is not None
    review, name = review or state.keywords_join_review, name or state.get("keywords_join_name", "")
    state.pop(TAKEN, None)
    try:
        state[MARKER] = store().join(review=review, name=name, returning=returning).token
    except NameInUse as error:
        state[TAKEN] = (review, name, str(error))
    except StoreError as error:
        state[NOTICE] = str(error)


def leave() -> None:
    """Sign the annotator out, so that somebody else can start."""
    for key in (MARKER, PLACE, SHOWN, TAKEN):
        st.session_state.pop(key, None)
    st.query_params.pop("marker", None)


def show_start() -> None:
    """Ask for a review and a name, or offer to make a review."""
    state = st.session_state
    reviews = [review.name for review in store().reviews()]
    if notice := state.pop(NOTICE, None):
        st.error(in_markdown(notice))
    if (made := state.pop(MADE, None)) in reviews:
        state.keywords_join_review = made
    if reviews:
        with st.form("keywords_join", width=520):
            st.selectbox("Review", reviews, format_func=in_one_line, key="keywords_join_review")
            if account := store().visitor().name:
                st.caption(f"You mark as {in_markdown(account)}.")
            else:
                st.text_input("Your name", key="keywords_join_name", max_chars=200)
            st.form_submit_button("Start", type="primary", on_click=join)
        if taken := state.get(TAKEN):
            review, name, why = taken
            st.warning(in_markdown(f"{why[0].upper()}{why[1:]}."))
            st.button(f"I am {in_markdown(name)}: go on", key="keywords_returning", on_click=join, args=(review, name))
    else:
        st.info("There is no review yet. Make one: it keeps the keywords of some documents, for people to mark.")
    with st.expander("New review", expanded=not reviews, key="keywords_new"):
        show_new_review()


def show_new_review() -> None:
    """Ask for everything that defines a review, and make it."""
    datasets = {dataset.name: dataset for dataset in known_datasets()}
    name = st.text_input("Name of the review", key="keywords_new_name", max_chars=200)
    chosen = st.selectbox("Data set", list(datasets), format_func=in_one_line, key="keywords_new_dataset")
    language = ask_language("keywords_new_language")
    extractors = st.multiselect(
        "Extractors", list(EXTRACTORS), list(EXTRACTORS), format_func=extractor_name, key="keywords_new_extractors"
    )
    most = datasets[chosen].documents
    left, right = st.columns(2)
    with left:
        count = st.number_input("Documents", 1, most, min(FIRST, most), key=f"keywords_new_count:{chosen}:{most}")
    with right:
        seed = st.number_input("Seed of the draw", 0, 2**31 - 1, 0, key="keywords_new_seed")
    st.caption("Everybody marks all documents of a review. Nobody is shown which extractor a keyword is of.")
    if st.button("Make the review", key="keywords_make"):
        try:
            with st.spinner("Looking for keywords"):
                made = create_review(
                    name=name,
                    dataset=datasets[chosen],
                    language=language,
                    extractors=extractors,
                    count=count,
                    seed=seed,
                )
        except StoreError as error:
            st.error(in_markdown(error))
        else:
            st.session_state[MADE] = made.name
            st.rerun()


# --- marking ----------------------------------------------------------------------------------------------------


def key_of(annotator: KeywordAnnotator, task: MarkTask) -> str:
    """Return the key of the widgets of one document as it was shown, so that a press counts for nothing else."""
    return f"{annotator.id}:{task.id}:{task.revision}"


def box_of(annotator: KeywordAnnotator, task: MarkTask, keyword: int) -> str:
    """Return the key of a keyword's box."""
    return f"wrong:{key_of(annotator, task)}:{keyword}"


def unsaved_ticks() -> dict[tuple[int, int], tuple[int, int, frozenset[int]]]:
    """Return unsaved ticks by annotator and document: its place, the revision that was shown, the keywords.

    Boxes lose their ticks when they leave the screen; this keeps them until the page is loaded again.
    """
    unsaved: dict[tuple[int, int], tuple[int, int, frozenset[int]]] = st.session_state.setdefault(UNSAVED, {})
    return unsaved


def ticked_keywords(annotator: KeywordAnnotator, task: MarkTask) -> frozenset[int]:
    """Return the ticked keywords of a document, on the screen or when it was last there."""
    _, _, before = unsaved_ticks().get((annotator.id, task.id), (task.position, task.revision, task.wrong))
    return frozenset(
        keyword.id
        for keyword in task.keywords
        if st.session_state.get(box_of(annotator, task, keyword.id), keyword.id in before)
    )


def remember(annotator: KeywordAnnotator, task: MarkTask) -> None:
    """Keep the ticks of the document on the screen, unless they are the saved ones."""
    if st.session_state.get(SHOWN, ("",))[0] != key_of(annotator, task):  # saved by a press just before
        return
    now_ticked = ticked_keywords(annotator, task)
    if now_ticked == task.wrong:
        unsaved_ticks().pop((annotator.id, task.id), None)
    else:
        unsaved_ticks()[annotator.id, task.id] = (task.position, task.revision, now_ticked)


def save(annotator: KeywordAnnotator, task: MarkTask) -> None:
    """Save the ticks of the document; a refusal is shown, and the document stays."""
    state = st.session_state
    shown = state.get(SHOWN)
    if shown is None or shown[0] != key_of(annotator, task):
        return
    try:
        store().save(
            annotator=annotator,
            task_id=task.id,
            wrong=ticked_keywords(annotator, task),
            presented_at=shown[1],
            replaces=task.revision,
        )
    except DatabaseFailed as error:
        state[NOTICE] = not_saved("This document", error)
        return
    except StoreError as error:
        state[NOTICE] = str(error)
        if isinstance(error, AlreadySaved):
            unsaved_ticks().pop((annotator.id, task.id), None)
        return
    unsaved_ticks().pop((annotator.id, task.id), None)
    state.pop(SHOWN)
    state.pop(PLACE, None)


def look_at(place: int | None) -> None:
    """Show the document at a place of the review, or with None the next one to be marked."""
    if place is None:
        st.session_state.pop(PLACE, None)
    else:
        st.session_state[PLACE] = place


# The empty timer keeps the fragment alive after the server was restarted under an open page.
@st.fragment(run_every=300)
@guard_database
def show_marking(annotator: KeywordAnnotator) -> None:
    """Show the current document, and the annotator's progress."""
    state = st.session_state
    if notice := state.get(NOTICE):
        st.warning(in_markdown(notice))
    progress = store().progress(annotator)
    st.progress(progress.saved / max(1, progress.total), text=f"{progress.saved} of {progress.total} documents saved")
    place = state.get(PLACE)
    task = store().task(annotator, place) if place is not None else store().next_task(annotator)
    state.pop(NOTICE, None)
    show_unsaved_elsewhere(annotator, task)
    if task is None:
        st.success("That was the last document. Thank you!")
        st.button("Back to the last document", key="keywords_back:end", on_click=look_at, args=(progress.total - 1,))
        return
    if state.get(SHOWN, ("",))[0] != key_of(annotator, task):
        state[SHOWN] = (key_of(annotator, task), now())
    show_task(annotator, task, progress.total)


def show_unsaved_elsewhere(annotator: KeywordAnnotator, task: MarkTask | None) -> None:
    """List the other documents with unsaved ticks, with links to them."""
    shown = None if task is None else task.id
    places = sorted(
        place
        for (whose, document), (place, _, _) in unsaved_ticks().items()
        if whose == annotator.id and document != shown
    )
    if places:
        st.warning("What you ticked in another document is not saved yet. Open it and save:")
        with st.container(horizontal=True, key="keywords_unsaved_elsewhere"):
            for place in places:
                st.button(f"Document {place + 1}", key=f"keywords_unsaved:{place}", on_click=look_at, args=(place,))


def show_task(annotator: KeywordAnnotator, task: MarkTask, total: int) -> None:
    """Show the texts with their keywords marked, a box for each, and the buttons."""
    key = key_of(annotator, task)
    texts = [text for _, text in shown_texts(task.references, task.title)]
    if unsaved_ticks().get((annotator.id, task.id), (0, task.revision))[1] != task.revision:
        del unsaved_ticks()[annotator.id, task.id]
        st.warning("This was saved in another window since you ticked keywords here: the saved version is shown.")
    changed = ticked_keywords(annotator, task) != task.wrong
    saved = f" · saved; {'your change is not yet' if changed else 'you may change it'}" if task.revision else ""
    st.markdown(f"**Document {task.position + 1} of {total}**{saved}")
    st.html(task_html(task))
    with st.expander("The document itself", key=f"keywords_source:{task.id}"):
        if task.source:
            st.html(document_block(task.source, None))
        else:
            st.caption("The data set does not contain its text.")
    before = ticked_keywords(annotator, task)
    with st.container(border=True, key="keyword_boxes"):
        st.markdown("**Which keywords are wrong?**")
        with st.container(horizontal=True, key="keyword_list"):
            for keyword in task.keywords:
                st.checkbox(
                    in_markdown(surface(keyword, texts)),
                    value=keyword.id in before,
                    key=box_of(annotator, task, keyword.id),
                    on_change=remember,
                    args=(annotator, task),
                )
    remember(annotator, task)
    wrong = len(ticked_keywords(annotator, task))
    label = f"Save: {wrong} of {len(task.keywords)} wrong" if wrong else "Save: none is wrong"
    with st.container(horizontal=True, key="keyword_actions"):
        st.button(label, key=f"keywords_save:{key}", type="primary", on_click=save, args=(annotator, task))
        if task.position:
            st.button("Back", key=f"keywords_back:{key}", on_click=look_at, args=(task.position - 1,))
        if task.revision:
            on = "Go on, save later" if changed else "Keep and go on"
            st.button(on, key=f"keywords_on:{key}", on_click=look_at, args=(None,))


def show_mark_view() -> None:
    """Show the view: the marking, or the form to begin."""
    try:
        token = marker()
        if token is None:
            show_start()
            return
        annotator = store().annotator(token)
        with st.container(horizontal=True, vertical_alignment="center", key="keywords_header"):
            who, what = in_markdown(annotator.name), in_markdown(annotator.review)
            st.markdown(f"Marking as **{who}** in **{what}**", width="content")
            st.button("Not you?", key="keywords_leave", type="tertiary", on_click=leave)
        st.caption(INSTRUCTIONS)
        show_marking(annotator)
    except DatabaseFailed:
        raise  # reported as on every page
    except StoreError as error:
        st.error(in_markdown(error))
        st.button("Start again", key="keywords_again", on_click=leave)
