"""Keywords: what three extractors find, what people find wrong, which summaries have them, and words people mark."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from relevance.annotation.keyword_reviews import KeywordReviewStore
from relevance.data.export import export
from relevance.data.one_line import in_one_line
from relevance.data.store import Dataset
from relevance.metrics.languages import ENGLISH, LANGUAGES
from relevance.pages.components.keywords.cached import discoveries_of, keyword_recall, labels_of, lists_of, overlaps_of
from relevance.pages.components.keywords.lists import compared_html, no_keywords, review_facts
from relevance.pages.components.keywords.marked import show_marks_of
from relevance.pages.components.keywords.marking import marker, show_mark_view
from relevance.pages.components.shared.documents import Choice, choose_document
from relevance.pages.components.shared.languages import ask_language
from relevance.pages.components.shared.result_table import show_result_table
from relevance.pages.components.shared.sources import most_judged_first
from relevance.pages.components.shared.stores import known_datasets, open_stores, version_of
from relevance.reports.charts import discovery_chart, recall_by_length_chart
from relevance.reports.escaping import document_block, in_markdown
from relevance.reports.evidence.highlighting import HIGHLIGHT_STYLE
from relevance.reports.formats import as_one_csv
from relevance.reports.tables.keywords import extractor_name, extractors_table

COMPARE, MARK, RESULTS, RECALL, MARKED = "Compare", "Mark", "Results", "Keyword recall", "Marked words"
VIEWS = {"compare": COMPARE, "mark": MARK, "results": RESULTS, "recall": RECALL, "marked": MARKED}

# Session keys; those of `choose` are named after what they choose.
LANGUAGE = "language"
VIEW = "keywords_view"
LAST = "keywords_last"  # the view that was shown last, for the way back from another page
DOCUMENT = "keywords_document"  # the document that is compared


def lead_here(view: str, **parts: str) -> None:
    """Write into the address what is shown."""
    named = {"view": next(name for name, label in VIEWS.items() if label == view), **parts}
    if dict(st.query_params) != named:
        st.query_params.from_dict(named)


def keep(options: list[str], name: str) -> str:
    """Start a choice with that of the address or the one made before a visit to another view; return its key."""
    state = st.session_state
    wanted = state.get(f"keywords_{name}", state.get(f"keywords_kept_{name}", st.query_params.get(name)))
    state[f"keywords_{name}"] = wanted if wanted in options else options[0]
    return f"keywords_{name}"


def kept(chosen: str, name: str) -> str:
    """Keep a choice for the next visit, and return it."""
    st.session_state[f"keywords_kept_{name}"] = chosen
    return chosen


def choose(label: str, options: list[str], name: str) -> str:
    """Ask for an option; the address may name one, and the choice outlives a visit to another view."""
    return kept(str(st.selectbox(label, options, format_func=in_one_line, key=keep(options, name))), name)


def choose_language() -> dict[str, str]:
    """Ask for the language of the texts, and return it as a part of the address; English has none."""
    chosen = kept(ask_language(keep(list(LANGUAGES), LANGUAGE)), LANGUAGE)
    return {} if chosen == ENGLISH else {LANGUAGE: chosen}


# --- the lists of one document side by side -------------------------------------------------------------------


def show_compared(datasets: Mapping[str, Dataset]) -> None:
    """Show the keywords of one document by each extractor, and how much they have in common in all documents."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dataset = datasets[choose("Data set", list(datasets), "dataset")]
        version = version_of(dataset)
        named = choose_language()
        language = named.get(LANGUAGE, ENGLISH)
        labels = partial(labels_of, dataset.name, version)
        key = choose_document(dataset, labels, Choice(DOCUMENT, st.query_params.get("document")))
    lead_here(COMPARE, dataset=dataset.name, **named, document=key)
    document, _ = open_stores().data.record(dataset.name, key)
    lists = lists_of(dataset.name, version, language, key)
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
    st.html(compared_html(document, lists, list(lists) if marked == "all" else [str(marked)], language))
    if document.source:
        with st.expander("The document itself"):
            st.html(document_block(document.source, None))
    table = extractors_table(overlaps_of(dataset.name, version, language), extractor_name)
    st.header(table.title, anchor=False)
    show_result_table(table)


# --- what people marked ---------------------------------------------------------------------------------------


def marks_as(marks: KeywordReviewStore, review: str, format: str) -> str:
    """Return all marks in a review as a file; made in a thread without a session, which cannot check the visitor."""
    return export(marks.export(review), format)


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
    tables, rates = discoveries_of(review.name, marks.version(review.name))
    facts = review_facts(review)
    st.markdown(in_markdown(facts["review"]) + f": {in_markdown(facts['what it shows'])}")
    if not review.verdicts:
        st.info("Nobody has saved a document yet: every figure is undefined.")
    for table in tables:
        st.header(table.title, anchor=False)
        if table is tables[0] and review.verdicts:
            st.altair_chart(discovery_chart(rates), key="discovery_chart")
        show_result_table(table)
    with st.container(horizontal=True):
        name = f"keyword-marks-{review.id}"
        for label, format in (("Marks (JSON lines)", "jsonl"), ("Marks (CSV)", "csv")):
            st.download_button(
                label,
                partial(marks_as, marks, review.name, format),
                f"{name}.{format}",
                key=f"keywords_{format}",
                on_click="ignore",
            )
        st.download_button("Results (CSV)", as_one_csv(tables, facts.items()), f"{name}-results.csv", on_click="ignore")
    st.caption(in_markdown(f"Found by {review.signature}; drawn by seed {review.seed}."))


# --- which keywords summaries have ----------------------------------------------------------------------------


def show_recall(datasets: Mapping[str, Dataset]) -> None:
    """Show IN-SRC and OUT-SRC ROUGE-K, and ROUGE-K by the length of keywords."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        dataset = datasets[choose("Data set", list(datasets), "dataset")]
        named = choose_language()
    lead_here(RECALL, dataset=dataset.name, **named)
    tables, rows = keyword_recall(dataset.name, version_of(dataset), named.get(LANGUAGE, ENGLISH))
    for table in tables:
        st.header(table.title, anchor=False)
        if table.name == "keywords_by_length" and rows:
            st.altair_chart(recall_by_length_chart(rows), key="recall_chart")
        show_result_table(table)


# --- which words people mark ----------------------------------------------------------------------------------


def show_marked_words() -> None:
    """Show the words that a study's annotators marked against ROUGE-K's keywords."""
    studies = {study.name: study for study in most_judged_first(open_stores().annotation.studies())}
    if not studies:
        lead_here(MARKED)
        st.info("There is no study yet. One whose annotators mark the words that decided is compared here.")
        st.page_link("new_study.py", label="New study", icon=":material/arrow_forward:")
        return
    study = studies[choose("Study", list(studies), "study")]
    lead_here(MARKED, study=study.name)
    show_marks_of(study)


# --- the page -------------------------------------------------------------------------------------------------

state = st.session_state
st.title("Keywords")
st.html(HIGHLIGHT_STYLE)
datasets = {dataset.name: dataset for dataset in known_datasets()}
if not datasets:
    st.info("There are no documents yet: import a data set on the page Data sets, or run `relevance demo`.")
    st.page_link("datasets.py", label="Data sets", icon=":material/arrow_forward:")
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
elif view == RECALL:
    show_recall(datasets)
else:
    show_marked_words()
