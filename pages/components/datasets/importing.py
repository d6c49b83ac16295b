"""Import: a file, how its columns and values are read, a preview, and the buttons that import it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from relevance.annotation.importing import import_any, name_study
from relevance.data.importers import IMPORTERS, LINES, MAPPED, guess_format
from relevance.data.importers.columns import TEMPLATE
from relevance.data.importers.mapping import Columns, load_columns, write_columns
from relevance.data.importers.rows import begins_with_object
from relevance.data.importers.sheets import is_spreadsheet, list_sheets
from relevance.data.importers.suggesting import Kind, Suggestion, suggest_columns
from relevance.data.importing import Reading
from relevance.data.one_line import in_one_line
from relevance.data.previewing import FilePreview, preview_file
from relevance.data.reading import quote_value
from relevance.data.records import BadRecord, UnknownValues
from relevance.data.store import RunGoingOn
from relevance.data.wording import format_count
from relevance.pages.components.datasets.choice import show_dataset
from relevance.pages.components.datasets.columns import (
    HOLDS,
    ask_columns,
    ask_values,
    remember_found,
    remember_unknown,
    with_values,
)
from relevance.pages.components.datasets.progress import start_scoring
from relevance.pages.components.shared.binding import forget_own_files
from relevance.pages.components.shared.keywords import WAYS_OUT, lacking_keywords
from relevance.pages.components.shared.messages import errors_shown, kept_messages, sentence
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.components.shared.uploading import ask_for_file
from relevance.reports.escaping import in_markdown

MOST = 32 * 2**20
"""Bytes of the largest file that is read for a preview."""

IMPORTED = "imported"
"""Session key: how many files were imported; each makes the form a new one, empty and closed."""

IMPORT = "import"
"""Part of the address that opens the form, until something is imported."""

ELSEWHERE = "(none here: only rank the systems)"
"""The choice for judgments without texts that belong to no data set of this database."""


class Look(NamedTuple):
    """A look at a file, and what was said about it."""

    preview: FilePreview
    notes: tuple[str, ...]


def offer_import(*, opened: bool) -> None:
    """Show the form, folded unless it is to be `opened`."""
    number = st.session_state.get(IMPORTED, 0)
    form = f"import_file:{number}"
    with st.expander("Import a file", expanded=opened, icon=":material/upload_file:", key=form), errors_shown():
        import_form(f"file:{number}")


def import_form(key: str) -> None:
    """Let somebody choose a file, say how it is read, look at its contents, and import it as a data set."""
    file = ask_for_file("JSON lines, CSV, TSV, a spreadsheet, Parquet, or a text file with one summary a line", key)
    if file is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(
                "A row for each summary: document, reference, system, summary, ratings. Or a column for each system. "
                "Or a row for each choice of a person: document, reference, summary_a, summary_b, choice, annotator. "
                "Columns may have other names."
            )
            st.download_button(
                "Template (CSV)",
                TEMPLATE,
                "template.csv",
                "text/csv",
                on_click="ignore",
                type="tertiary",
                key="template",
            )
        return
    with placed(file.name, file.getvalue()) as path:
        left, right = st.columns(2)
        chosen = right.selectbox(
            "Format", ["guess", *IMPORTERS, LINES], key="import_format", format_func=str.capitalize
        )
        # a table of which nothing can be told by its names is not an error: what its columns are is asked
        mapped = chosen in ("guess", *MAPPED)
        suggestion = suggest(file.file_id, path, None, None) if mapped else None
        saved = ask_saved() if mapped and suggestion is None and begins_with_object(path) else None
        format = find_format(path, suggestion, saved) if chosen == "guess" else chosen
        if format == LINES:
            import_lines(path, left)
            return
        name = left.text_input("Name of the data set", path.stem, key=f"import_name:{file.file_id}", max_chars=200)
        reading = Reading(format, saved)
        if suggestion is not None:
            mapping = ask_mapping(file.file_id, path, suggestion, None if chosen == "guess" else chosen)
            if mapping is None:
                return
            reading = mapping
        reading = reading._replace(clean=ask_cleaning())
        if file.size > MOST:
            st.caption("The file is too large for a preview.")
            offer_to_take(path, name, reading, None)
            return
        try:
            look = look_into(file.file_id, path, reading)
        except UnknownValues as error:
            told = {} if suggestion is None else suggestion.roles
            if remember_unknown(file.file_id, error, told if reading.columns is None else reading.columns.roles):
                st.rerun()
            st.info(f"Choose what the values of {in_markdown(quote_value(error.column))} mean.")
            return
        except BadRecord as error:
            if error.by_option and suggestion is not None:
                raise BadRecord(f"{error.problem}. Correct it, or choose other columns above") from error
            raise
        if remember_found(file.file_id, look.preview.columns):
            st.rerun()
        show_preview(look, name.strip() or path.stem)
        offer_to_take(path, name, reading, look.preview)


def find_format(path: Path, suggestion: Suggestion | None, saved: Columns | None) -> str:
    """Return the format of a file as its columns or, if it is not a table, a mapping or its fields tell it.

    Raises `BadRecord`.
    """
    if suggestion is not None:
        return suggestion.format
    try:
        return guess_format(path, saved)
    except BadRecord as error:
        if saved is not None or not error.by_option:
            raise
        raise BadRecord(f"{error.problem}. Where rows lie within objects, a saved mapping says it") from error


def ask_mapping(file_id: str, path: Path, suggestion: Suggestion, format: str | None) -> Reading | None:
    """Ask how to read a table; return None as long as something lacks. `format` is the one that somebody chose."""
    sheet = ask_sheet(file_id, path)
    saved = ask_saved()
    if saved is not None:
        return Reading(format or guess_format(path, saved), saved)
    kind: Kind = st.segmented_control(
        "Each row holds",
        list(HOLDS),
        default=suggestion.kind,
        format_func=lambda name: HOLDS[name],
        key=f"import_kind:{file_id}",
        required=True,
    )
    if kind != suggestion.kind or sheet is not None:
        of_kind = suggest(file_id, path, kind, sheet)
        suggestion = suggestion if of_kind is None else of_kind
    columns, lacking = ask_columns(suggestion, path.stem, f"{file_id}:{sheet or ''}")
    if lacking:
        st.info(f"Choose the columns of {' and of '.join(lacking)}.")
        return None
    values = ask_values(file_id)
    columns = with_values(columns, values, sheet)
    return Reading(format or suggestion.format_of(columns), columns)


def ask_sheet(file_id: str, path: Path) -> str | None:
    """Ask which sheet of a spreadsheet is read; None for the first one that is not empty."""
    sheets = find_sheets(file_id, path) if is_spreadsheet(path) else ()
    if len(sheets) < 2:
        return None
    return st.selectbox(
        "Sheet",
        sheets,
        None,
        format_func=in_one_line,
        key=f"import_sheet:{file_id}",
        placeholder="The first one that is not empty",
    )


def ask_saved() -> Columns | None:
    """Ask for a mapping that was saved from another file. Raises `BadColumns`."""
    with st.popover("Use a saved mapping", icon=":material/upload:", type="tertiary"):
        file = ask_for_file("A mapping that was saved here, or by the command import", "import_mapping", type="toml")
    if file is None:
        return None
    st.caption(f"Columns and values are read as the mapping {in_markdown(file.name)} says.")
    return load_columns(file.getvalue(), in_one_line(file.name))


def offer_to_take(path: Path, name: str, reading: Reading, preview: FilePreview | None) -> None:
    """Offer to import the file, and to see at once which metric agrees with what people said."""
    of = None
    if preview is not None and preview.judgments and not preview.has_texts:
        of = ask_judged(preview)
    comparable = preview is not None and (of or (preview.has_texts and (preview.judgments or preview.aspects)))
    with st.container(horizontal=True):
        if comparable and st.button(
            "Import and compare metrics",
            key="import_and_score",
            type="primary",
            help="Scores the summaries by all metrics, and shows how often each agrees with people.",
        ):
            take(path, name, reading, of=of, questions=preview.questions if preview else (), compare=True)
        if st.button("Import", key="import", type="secondary" if comparable else "primary"):
            take(path, name, reading, of=of)
        if preview is not None and preview.columns is not None:
            st.download_button(
                "Save the mapping",
                write_columns(preview.columns),
                f"{path.stem}.toml",
                "application/toml",
                on_click="ignore",
                type="tertiary",
                key="save_mapping",
                help="Another file with these columns can be imported by it, here or by relevance import --columns.",
            )


def ask_judged(preview: FilePreview) -> str | None:
    """Ask which data set has the summaries that judgments without texts are of; None for none."""
    known = [dataset for dataset in open_stores().data.datasets() if len({*preview.systems} & {*dataset.systems}) > 1]
    known.sort(key=lambda dataset: not {*preview.systems} <= {*dataset.systems})
    if not known:
        st.caption("No data set here has summaries by these systems, so that no metric can be compared.")
        return None
    chosen = st.selectbox(
        "The judged summaries are in the data set",
        [*(dataset.name for dataset in known), ELSEWHERE],
        format_func=in_one_line,
        key="import_of",
    )
    return None if chosen == ELSEWHERE else str(chosen)


def ask_cleaning() -> bool:
    """Ask whether texts lose the marks of other programs when they are imported."""
    return st.checkbox(
        "Clean the texts",
        key="import_clean",
        help="Removes marks of other programs, such as `<q>`, `<unk>`, `-LRB-` and `&amp;`, and writes letters in "
        "their usual forms. Scores may change. The data set says that its texts were cleaned.",
    )


@contextmanager
def placed(name: str, content: Any) -> Iterator[Path]:
    """Write an uploaded file under its own name, which importers and messages use; it is deleted at the end."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / file_name(name)
        path.write_bytes(content)
        yield path


def file_name(name: str) -> str:
    """Return a possible file name for an upload, as close as can be to the name that the browser gave it."""
    path = Path(name.replace("\0", "").encode(errors="replace").decode())
    stem, suffix = (
        part.encode()[:most].decode(errors="ignore") for part, most in ((path.stem, 200), (path.suffix, 20))
    )
    return (stem.strip(".") or "file") + suffix


def import_lines(path: Path, column: Any) -> None:
    """Import a file of lines into a data set, as one more system."""
    known = [dataset.name for dataset in open_stores().data.datasets(archived=True)]
    if not known:
        st.info("A file of lines holds the summaries of one system: import its documents first.")
        return
    joined = column.selectbox("Data set to add it to", known, format_func=in_one_line, key="import_joined")
    system = st.text_input("System that wrote the summaries", path.stem, key="import_system")
    if open_stores().data.dataset(joined).cleaned is None:
        clean = ask_cleaning()
    else:
        st.caption("The texts of this data set were cleaned of marks of other programs, and so are those of the file.")
        clean = True
    if st.button("Import", key="import", type="primary"):
        take(path, joined, Reading(LINES, clean=clean), system.strip() or None)


def take(
    path: Path,
    name: str,
    reading: Reading,
    system: str | None = None,
    *,
    of: str | None = None,
    questions: tuple[str, ...] = (),
    compare: bool = False,
) -> None:
    """Import the file, report it, and show its data set, or with `compare` score it and show the agreement.

    `of` is the data set that has the judged summaries, and `questions` are those that people answered.
    """
    notes: list[str] = []
    kept = kept_messages()
    name = name.strip() or path.stem
    with st.spinner("Importing", show_time=True):
        stores = open_stores()
        imported = import_any(
            stores.data,
            stores.annotation,
            path,
            name=name,
            system=system,
            of=of,
            reading=reading,
            say=notes.append,
        )
        kept.messages += [*notes, imported]
        st.session_state[IMPORTED] = st.session_state.get(IMPORTED, 0) + 1
        dataset = of or name
        show_dataset(dataset)
        st.query_params.pop(IMPORT, None)
    forget_own_files()
    if compare:
        with suppress(RunGoingOn):  # the page then shows that run
            start_scoring(dataset)
        study = {"study": name_study(name, questions[0])} if questions else {}
        st.switch_page("agreement.py", query_params={"dataset": dataset, **study})
    st.rerun()


# --- preview ----------------------------------------------------------------------------------------------------


@st.cache_data(max_entries=8, show_spinner="Reading the file", scope="session")  # files are private
def suggest(file_id: str, _path: Path, kind: Kind | None, sheet: str | None) -> Suggestion | None:
    """Suggest what the columns of a table are. Raises `BadRecord`."""
    return suggest_columns(_path, kind, sheet)


@st.cache_data(max_entries=8, show_spinner="Reading the file", scope="session")  # files are private
def find_sheets(file_id: str, _path: Path) -> tuple[str, ...]:
    """Find the sheets of a spreadsheet."""
    return list_sheets(_path)


@st.cache_data(max_entries=8, show_spinner="Reading the file", scope="session")  # files are private
def look_into(file_id: str, _path: Path, reading: Reading) -> Look:
    """Read a file without importing it. Raises `BadRecord`."""
    notes: list[str] = []
    return Look(preview_file(_path, reading, notes.append), tuple(notes))


def show_preview(look: Look, name: str) -> None:
    """Show what is in the file, its first rows, and what will not work with it; `name` is the data set's."""
    preview = look.preview
    st.markdown(f"**In the file:** {in_markdown(describe_contents(preview, name))}.")
    st.dataframe(pd.DataFrame(preview.rows), hide_index=True, key="preview")
    for note in look.notes:
        st.caption(in_markdown(sentence(note)))
    if preview.single and preview.has_texts:
        st.warning(f"{in_markdown(lacking_keywords(preview.single, preview.documents))} {WAYS_OUT}")


def describe_contents(preview: FilePreview, name: str) -> str:
    """Say what a file would be imported as."""
    if preview.judgments:
        judgments, pairs = format_count(preview.judgments, "judgment"), format_count(preview.pairs, "pair")
        people = format_count(preview.annotators, "annotator")
        named = [name_study(name, question) for question in preview.questions]
        studies = "a closed study" if len(named) == 1 else f"{len(named)} closed studies, {', '.join(named)}"
        return f"{judgments} of {pairs} by {people}, which become {studies}"
    counts = f"{format_count(preview.documents, 'document')}, {format_count(preview.summaries, 'summary', 'summaries')}"
    by = f" by {format_count(len(preview.systems), 'system')}" if preview.systems else ""
    rated = f", ratings of {', '.join(preview.aspects)}" if preview.aspects else ", no ratings"
    return counts + by + rated
