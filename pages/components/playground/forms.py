"""The forms that open, share and save examples."""

import streamlit as st

from relevance.data.demo import FILE as DEMO
from relevance.data.demo import TABLE_1
from relevance.data.importers import read_documents
from relevance.data.one_line import in_one_line
from relevance.data.records import BadRecord, Document, Summary
from relevance.data.sorting import natural_order
from relevance.data.store import NAME_OF_SYSTEM, StoredScore, StoreError, checked_name, example_hash
from relevance.metrics import default_metrics, is_lexical, make_metrics
from relevance.metrics.explained import Explained
from relevance.metrics.registry import available_of_libraries, label_of, usual_options
from relevance.metrics.scoring import score_dataset
from relevance.pages.components.playground.draft import (
    LONGEST_NAME,
    Draft,
    UnfitDraft,
    check_draft,
    examples_of,
    from_records,
    to_records,
)
from relevance.pages.components.playground.sharing import TooLong, from_file, to_file, to_link
from relevance.pages.components.playground.state import Playground
from relevance.pages.components.shared.records import opening_of
from relevance.pages.components.shared.score_table import LETTERS
from relevance.pages.components.shared.stores import open_stores, version_of
from relevance.pages.components.shared.uploading import ask_for_file
from relevance.reports.escaping import in_markdown

PREFERENCE = "preference"
"""The aspect under which the preferred summary of a saved example is rated 1, the others 0."""

Records = list[tuple[Document, list[Summary]]]


# --- more metrics ---------------------------------------------------------------------------------------------


def metrics_form(playground: Playground) -> None:
    """Offer metrics of libraries, which are shown when they are asked for."""

    def choose() -> None:
        playground.also = tuple(st.session_state["playground_also"])

    st.pills(
        "Metrics of libraries",
        available_of_libraries(),
        default=playground.also,
        selection_mode="multi",
        format_func=label_of,
        key="playground_also",
        on_change=choose,
    )


# --- other examples -----------------------------------------------------------------------------------------


@st.cache_data(show_spinner=False)
def demo_records() -> Records:
    """Read the ROUGE-K paper's example and the demo corpus."""
    return [*read_documents(TABLE_1, "interchange"), *read_documents(DEMO, "interchange")]


@st.cache_data(max_entries=16, show_spinner="Reading")
def document_ids(dataset: str, version: object) -> list[str]:
    """List the documents of a data set that have summaries; read anew when its version changes."""
    return list(dict.fromkeys(open_stores().data.cells(dataset).documents))


def open_form(playground: Playground) -> None:
    """Offer to open an example that is ready, from a data set or from a file, or to start with nothing."""
    st.button("Start empty", icon=":material/draft:", key="playground_empty", on_click=lay, args=(playground, Draft()))
    kinds = {"ready": choose_demo_document, "data set": choose_dataset_document, "file": choose_file_document}
    names = {"ready": "A ready example", "data set": "Of a data set", "file": "From a file"}
    kind = st.segmented_control(
        "Open an example", kinds, default="ready", key="playground_kind", required=True, format_func=names.__getitem__
    )
    try:
        opened = kinds[kind]()
        if opened is not None:
            offer(playground, *opened)
    except (BadRecord, StoreError, UnfitDraft) as error:
        st.error(in_markdown(error))


def choose_demo_document() -> tuple[Document, list[Summary]] | None:
    """Ask for the ROUGE-K paper's example, or one of the demo corpus."""
    return one_of(demo_records(), "playground_demo")


def choose_dataset_document() -> tuple[Document, list[Summary]] | None:
    """Ask for a document of a data set in the database."""
    names = [dataset.name for dataset in open_stores().data.datasets()]
    if not names:
        st.info("There is no data set yet: import one on the page Data sets.")
        return None
    name = st.selectbox("Data set", names, format_func=in_one_line, key="playground_dataset")
    dataset = open_stores().data.dataset(name)
    ids = document_ids(name, version_of(dataset))
    if not ids:
        st.info("This data set has no summaries.")
        return None
    document = st.selectbox("Document", ids, format_func=in_one_line, key=f"playground_document:{name}")
    return open_stores().data.record(name, document)


def choose_file_document() -> tuple[Document, list[Summary]] | None:
    """Ask for a file in the interchange format, and for one of its documents."""
    file = ask_for_file("A JSON object a line (interchange format)", "playground_file", type=["jsonl", "json"])
    return None if file is None else one_of(from_file(file.name, file.getvalue()), f"playground_file:{file.file_id}")


def one_of(records: Records, key: str) -> tuple[Document, list[Summary]]:
    """Ask for one of several documents, by title or opening words."""
    names = [opening_of(document) for document, _ in records]
    place = st.selectbox("Document", range(len(records)), format_func=names.__getitem__, key=key)
    return records[place]


def offer(playground: Playground, document: Document, summaries: list[Summary]) -> None:
    """Offer to open a document with up to four of its summaries."""
    by_system = {summary.system: summary for summary in summaries}
    chosen = list(by_system)
    if len(chosen) > len(LETTERS):
        known = sorted(chosen, key=natural_order)
        chosen = st.multiselect(
            "Summaries of (up to four)",
            known,
            default=known[: len(LETTERS)],
            format_func=in_one_line,
            max_selections=len(LETTERS),
            key=f"playground_systems:{document.id}",
        )
    if document.questions:
        st.caption("The document's own questions are not used here: APES asks those that it finds in the references.")
    draft = from_records(document, [by_system[system] for system in chosen])
    icon = ":material/arrow_forward:"
    st.button("Open", type="primary", icon=icon, key="playground_open_it", on_click=lay, args=(playground, draft))


def lay(playground: Playground, draft: Draft) -> None:
    """Replace the texts on the playground, and close the form that they came from."""
    playground.schedule(lambda: playground.lay(draft))
    st.session_state["playground_open"] = False


# --- sharing and saving -------------------------------------------------------------------------------------


def share_form(playground: Playground) -> None:
    """Offer a link that contains the texts themselves, and a file."""
    try:
        address = (st.context.url or "").split("?")[0].split("#")[0]
        st.markdown("Those who open this link see these texts. The link contains them: nothing is stored here.")
        st.code(f"{address}?example={to_link(playground.draft)}", language=None)
    except TooLong as error:
        st.info(f"No link is possible: {in_markdown(error)}.")
    try:
        file = to_file(playground.draft)
    except UnfitDraft as error:
        st.info(f"No file is possible: {in_markdown(error)}.")
        return
    st.download_button(
        "Download as a file",
        file.encode(),
        "playground.jsonl",
        "application/jsonl",
        icon=":material/download:",
        key="playground_download",
        on_click="ignore",
    )


def save_form(playground: Playground) -> None:
    """Ask for a data set and names, and save the example there with its known scores."""
    letters = list(playground.draft.letters)
    if not letters:
        st.info("There is no summary to save.")
        return
    with st.form("playground_save_form", border=False):
        dataset = st.text_input("Data set", "playground", key="playground_save_dataset", max_chars=LONGEST_NAME)
        document_id = st.text_input(
            "Document",
            placeholder="a name for this example",
            key="playground_save_document",
            max_chars=LONGEST_NAME,
        )
        columns = st.columns(2)
        names = [
            columns[place % 2].text_input(
                f"Summary {letter} is by",
                playground.draft.names[LETTERS.index(letter)] or letter,
                key=f"playground_save_name:{playground.generation}:{letter}",
                max_chars=LONGEST_NAME,
            )
            for place, letter in enumerate(letters)
        ]
        preferred = st.radio(
            "You prefer", ["not said", *letters, "all the same"], horizontal=True, key="playground_prefer"
        )
        if not st.form_submit_button("Save", type="primary"):
            return
    ratings = {} if preferred == "not said" else {letter: float(letter == preferred) for letter in letters}
    try:
        playground.draft = rename_systems(playground.draft, dict(zip(letters, names, strict=True)))
        with st.spinner("Saving"):
            save(playground, dataset.strip(), document_id.strip(), ratings)
    except (StoreError, UnfitDraft) as error:
        st.error(in_markdown(error))
        return
    st.success(f"Saved as {in_markdown(document_id)} in the data set {in_markdown(dataset)}.")
    if ratings:
        st.page_link("examples.py", label="Examples", icon=":material/search:")


def rename_systems(draft: Draft, names: dict[str, str]) -> Draft:
    """Return the draft with new system names by letter. Raises `StoreError`, `UnfitDraft` for bad names."""
    kept = list(draft.names)
    for letter, name in names.items():
        kept[LETTERS.index(letter)] = "" if name.strip() in ("", letter) else checked_name(name, NAME_OF_SYSTEM)
    return check_draft(draft._replace(names=tuple(kept)))


def save(playground: Playground, dataset: str, document_id: str, ratings: dict[str, float]) -> None:
    """Write the example with its scores, those of models if they are known. Raises `StoreError`, `UnfitDraft`."""
    document, summaries = to_records(playground.draft, document_id, ratings, PREFERENCE)
    data = open_stores().data
    data.add_document(dataset=dataset, document=document, summaries=summaries)
    for name, signature in playground.signatures.items():
        if is_lexical(name):
            continue
        scores = {
            example_hash(example): StoredScore(answer.value, answer.missing, answer.truncated)
            for example in examples_of(playground.draft).values()
            if isinstance(answer := playground.models.answer(signature, example), Explained)
        }
        if scores:
            data.add_scores(metric=name, signature=signature, scores=scores)
    usual = usual_options(referenced=data.dataset(dataset).referenced)
    score_dataset(data, dataset, make_metrics(default_metrics(), **usual))
