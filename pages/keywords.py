"""Keyword extraction compared: what three extractors find, what people call wrong, and who has which keywords."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from data.export import export
from data.one_line import in_one_line
from data.store import Dataset
from pages.components.evidence.marks import HIGHLIGHT_STYLE
from pages.components.keywords.cached import compare_dataset, discoveries_of, keyword_recall
from pages.components.keywords.lists import compared_html, document_label, no_keywords, review_facts
from pages.components.keywords.marking import marker, show_mark_view
from pages.components.shared.stores import known_datasets, open_stores, version_of
from pages.components.shared.tables import show_result_table
from reports.charts import discovery_chart, recall_by_length_chart
from reports.escaping import document_block, in_markdown
from reports.formats import as_one_csv
from reports.tables.keywords import extractor_name, extractors_table

COMPARE, MARK, RESULTS, RECALL = "Compare", "Mark", "Results", "Keyword recall"
VIEWS = {"compare": COMPARE, "mark": MARK, "results": RESULTS, "recall": RECALL}

# Session keys; those of `choose` are named for what they choose.
VIEW = "keywords_view"
LAST = "keywords_last"  # the view that was shown last, for the way back from another page
DOCUMENT = "keywords_document"  # the one that is compared


def lead_here(view: str, **parts: str) -> None:
    """Make the address one that shows the same to somebody else."""
    named = {"view": next(name for name, label in VIEWS.items() if label == view), **parts}
    if dict(st.query_params) != named:
        st.query_params.from_dict(named)


def choose(label: str, options: list[str], name: str) -> str:
    """A choice that the address may bring, and that outlives a visit to another view."""
    state = st.session_state
    wanted = state.get(f"keywords_{name}", state.get(f"keywords_kept_{name}", st.query_params.get(name)))
    state[f"keywords_{name}"] = wanted if wanted in options else options[0]
    chosen = st.selectbox(label, options, format_func=in_one_line, key=f"keywords_{name}")
    state[f"keywords_kept_{name}"] = chosen
    return str(chosen)


# --- the lists of one document side by side -------------------------------------------------------------------


def show_compared(datasets: Mapping[str, Dataset]) -> None:
    """Show the keywords of one document by each extractor, and how much they have in common in all documents."""
    state = st.session_state
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dataset = datasets[choose("Data set", list(datasets), "dataset")]
        found = compare_dataset(dataset.name, version_of(dataset))
        ids = list(found.titles)
        wanted = state.get(DOCUMENT, st.query_params.get("document"))
        state[DOCUMENT] = wanted if wanted in found.titles else ids[0]
        key = st.selectbox(
            "Document", ids, format_func=lambda key: document_label(key, found.titles[key]), key=DOCUMENT
        )
        place = ids.index(key)
        for name, to in (("Previous", place - 1), ("Next", place + 1)):
            there = 0 <= to < len(ids)
            st.button(name, key=name, disabled=not there, on_click=turn_to, args=(ids[to] if there else key,))
    lead_here(COMPARE, dataset=dataset.name, document=key)
    document, _ = open_stores().data.record(dataset.name, key)
    lists = found.lists[key]
    if not any(lists.values()):
        st.info(no_keywords(document))
    marked = st.segmented_control(
        "Marked in the texts",
        ["all", *lists],
        default="all",
        format_func=lambda name: "All" if name == "all" else extractor_name(name),
        key="keywords_marked",
        required=True,
    )
    st.html(compared_html(document, lists, list(lists) if marked == "all" else [str(marked)]))
    if document.source:
        with st.expander("The document itself"):
            st.html(document_block(document.source, None))
    section = extractors_table(found.shared, extractor_name)
    st.subheader(section.title, anchor=False)
    show_result_table(section)


def turn_to(key: str) -> None:
    """Open another document."""
    st.session_state[DOCUMENT] = key


# --- what people marked ---------------------------------------------------------------------------------------


def marks_as(review: str, format: str) -> str:
    """All that was marked in a review, as a file."""
    return export(open_stores().keyword_reviews.export(review), format)


def show_results() -> None:
    """Show how often each extractor is wrong in a review, and what was marked as files."""
    marks = open_stores().keyword_reviews
    reviews = {review.name: review for review in marks.reviews()}
    if not reviews:
        lead_here(RESULTS)
        st.info("There is no review yet: make one in the view Mark.")
        return
    review = reviews[choose("Review", list(reviews), "review")]
    lead_here(RESULTS, review=review.name)
    sections, found = discoveries_of(review.name, marks.version(review.name))
    facts = review_facts(review)
    st.markdown(in_markdown(facts["review"]) + f": {in_markdown(facts['what it shows'])}")
    if not review.verdicts:
        st.info("Nobody has saved a document yet: every figure is undefined.")
    for section in sections:
        st.subheader(section.title, anchor=False)
        if section is sections[0] and review.verdicts:
            st.altair_chart(discovery_chart(found), key="discovery_chart")
        show_result_table(section)
    with st.container(horizontal=True):
        name = f"keyword-marks-{review.id}"
        for label, format in (("Marks (JSON lines)", "jsonl"), ("Marks (CSV)", "csv")):
            st.download_button(
                label,
                partial(marks_as, review.name, format),
                f"{name}.{format}",
                key=f"keywords_{format}",
                on_click="ignore",
            )
        st.download_button(
            "Results (CSV)", as_one_csv(sections, facts.items()), f"{name}-results.csv", on_click="ignore"
        )
    st.caption(in_markdown(f"Found by {review.signature}; drawn by seed {review.seed}."))


# --- which keywords summaries have ----------------------------------------------------------------------------


def show_recall(datasets: Mapping[str, Dataset]) -> None:
    """Show IN-SRC and OUT-SRC ROUGE-K, and ROUGE-K by the length of keywords."""
    dataset = datasets[choose("Data set", list(datasets), "dataset")]
    lead_here(RECALL, dataset=dataset.name)
    sections, rows = keyword_recall(dataset.name, version_of(dataset))
    for section in sections:
        st.subheader(section.title, anchor=False)
        if section.name == "keywords_by_length" and rows:
            st.altair_chart(recall_by_length_chart(rows), key="recall_chart")
        show_result_table(section)


# --- the page -------------------------------------------------------------------------------------------------

state = st.session_state
st.title("Keywords")
st.html(HIGHLIGHT_STYLE)
datasets = {dataset.name: dataset for dataset in known_datasets()}
if not datasets:
    st.info("There are no documents yet: import a data set on the Studies page, or run `relevance demo`.")
    st.page_link("studies.py", label="Studies", icon=":material/arrow_forward:")
    st.stop()

if VIEW not in state:  # a link, or the way back from another page
    state[VIEW] = VIEWS.get(st.query_params.get("view", ""), state.get(LAST, COMPARE))
view = st.segmented_control("View", list(VIEWS.values()), key=VIEW, label_visibility="collapsed", required=True)
state[LAST] = view
if view == COMPARE:
    show_compared(datasets)
elif view == MARK:
    token = marker()
    lead_here(MARK, **({} if token is None else {"marker": token}))
    show_mark_view()
elif view == RESULTS:
    show_results()
else:
    show_recall(datasets)
