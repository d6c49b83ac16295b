"""Import: a file, a preview of its contents, how its columns are read, and the button that imports it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from relevance.annotation.importing import import_any
from relevance.data.importers import IMPORTERS, JUDGED, LINES, TABLES, guess_format, read_documents
from relevance.data.importers.called import CALLED, NEEDED, WIDE
from relevance.data.importers.columns import (
    TEMPLATE,
    TableHead,
    describe_columns,
    guess_columns,
    guess_people,
    guess_ratings,
    guess_systems,
    list_missing,
    read_head,
    tell_columns,
)
from relevance.data.importers.mapping import Columns
from relevance.data.importing import Reading
from relevance.data.one_line import cut, in_one_line
from relevance.data.previewing import FilePreview, preview_file
from relevance.pages.components.datasets.choice import show_dataset
from relevance.pages.components.shared.binding import forget_own_files
from relevance.pages.components.shared.keywords import WAYS_OUT, lacking_keywords
from relevance.pages.components.shared.messages import errors_shown, kept_messages, sentence
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.components.shared.uploading import ask_for_file
from relevance.reports.escaping import format_count, in_markdown

SHOWN = 5
"""Documents of a preview."""

MOST = 32 * 2**20
"""Bytes of the largest file that is read for a preview."""

MOST_COLUMNS = 2000
"""Columns of the widest table whose columns can be chosen from."""

IMPORTED = "imported"
"""Session key: how many files were imported; each makes the form a new one, empty and closed."""

IMPORT = "import"
"""Part of the address that opens the form, until something is imported."""

NOT_THERE = "(none)"


class Preview(NamedTuple):
    """The contents of a file."""

    documents: int
    summaries: int
    systems: tuple[str, ...]
    aspects: tuple[str, ...]
    single: int
    """Documents with fewer than two texts, counting references and the title."""
    said: tuple[str, ...]
    """The importer's messages."""
    rows: tuple[dict[str, Any], ...]
    """The first `SHOWN` documents."""


def offer_import(*, opened: bool) -> None:
    """Show the form, folded unless it is to be `opened`."""
    number = st.session_state.get(IMPORTED, 0)
    form = f"import_file:{number}"
    with st.expander("Import a file", expanded=opened, icon=":material/upload_file:", key=form), errors_shown():
        import_form(f"file:{number}")


def import_form(key: str) -> None:
    """Let somebody choose a file, look at its contents, and import it as a data set."""
    file = ask_for_file("JSON lines, CSV, TSV, a spreadsheet, Parquet, or a text file with one summary a line", key)
    if file is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(
                "A row for each summary: document, reference, system, summary, ratings. Or a column for each system. "
                "Or a row for each choice of a person: document, reference, summary_a, summary_b, choice, annotator."
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
            "Format", ["guess", *IMPORTERS, LINES], key="import_format", format_func=lambda one: one.capitalize()
        )
        format = guess_format(path) if chosen == "guess" else chosen
        if format == LINES:
            import_lines(path, left)
            return
        name = left.text_input("Name of the data set", path.stem, key=f"import_name:{file.file_id}", max_chars=200)
        columns = None
        if format in TABLES:
            head = read_head(path)
            columns = ask_columns(head, path.stem)
            if columns is not None and (
                missing := list_missing([role for role, column in columns.roles.items() if column])
            ):
                st.info(f"Choose the columns of {', '.join(missing)}.")
                return
        clean = ask_cleaning()
        if file.size > MOST:
            st.caption("The file is too large for a preview.")
        elif format in JUDGED:
            show_judgments(*look_into_judgments(file.file_id, path, format))
        else:
            show_preview(look_into(file.file_id, path, format, columns, clean=clean))
        if st.button("Import", key="import", type="primary"):
            take(path, name, Reading(format, columns, clean))


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


def take(path: Path, name: str, reading: Reading, system: str | None = None) -> None:
    """Import the file, report it, and show its data set."""
    said: list[str] = []
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
            reading=reading,
            say=said.append,
        )
        kept.said += [*said, imported]
        st.session_state[IMPORTED] = st.session_state.get(IMPORTED, 0) + 1
        show_dataset(name)
        st.query_params.pop(IMPORT, None)
    forget_own_files()
    st.rerun()


# --- columns ----------------------------------------------------------------------------------------------------


def ask_columns(head: TableHead, stem: str) -> Columns | None:
    """Ask how to read a text table; return None where it needs no choice. `stem` is the stem of the file's name."""
    ratings = guess_ratings(head)
    if head.plain and not ratings:
        return None
    guessed = guess_columns(head)
    if not head.plain:
        st.markdown("**Which column is which?** The names are not the usual ones.")
    read_as = guessed if head.plain else ask_fields(head, guessed)
    system = None
    if "summary" in read_as and "system" not in read_as:
        system = st.text_input("System that wrote the summaries", stem, key="import_system").strip() or None
    rated: list[str] = []
    taken = set(read_as.values())
    free = [name for name in head.names if name not in taken]
    if free and "summary" in read_as:
        rated = st.multiselect(
            "Columns of human ratings",
            free,
            [name for name in ratings if name in free],
            format_func=in_one_line,
            key="import_ratings",
            help="Numbers, higher for better summaries. They are imported under the column's name.",
        )
    told = tell_columns(read_as, rated, system)
    people = guess_people(head, told.roles)
    if people:
        said = describe_columns(people, guessed=people).removeprefix("columns: ")
        st.caption(in_markdown(f"Each rating is kept, and their means count: {said}."))
    return told._replace(roles={**told.roles, **people})


def ask_fields(head: TableHead, guessed: dict[str, str]) -> dict[str, str]:
    """Ask which column holds what; return columns by field, with the ratings that are recognized by name."""
    if len(head.names) > MOST_COLUMNS:
        raise ValueError(
            f"the table has {len(head.names):,} columns, too many to choose from: give those you need their usual names"
        )
    options = [NOT_THERE, *head.names]
    read_as = {field: column for field, column in guessed.items() if field not in CALLED}
    with st.container(horizontal=True):
        for field in CALLED:
            label = field.replace("_", " ").capitalize() + (" (optional)" if field not in NEEDED else "")
            place = options.index(guessed.get(field, NOT_THERE))
            with st.container(width=165):
                chosen = st.selectbox(label, options, place, format_func=in_one_line, key=f"import_column:{field}")
            if chosen != NOT_THERE:
                read_as[field] = chosen
    if not {"system", "summary"} & set(read_as):
        named = guess_systems(head)
        columns = st.multiselect(
            "Columns of summaries, one for each system",
            [name for name in head.names if name not in read_as.values()],
            [name for name in named if name not in read_as.values()],
            format_func=in_one_line,
            key="import_systems",
        )
        wide = {f"{WIDE}{named.get(column, column)}": column for column in columns}
        if len(wide) < len(columns):
            raise ValueError("two of the columns name the same system")
        read_as |= wide
    taken = list(read_as.values())
    if twice := sorted({column for column in taken if taken.count(column) > 1}):
        raise ValueError(f"the column {', '.join(twice)} is chosen twice")
    frame = pd.DataFrame(
        [[cut(text, 40) for text in row] for row in head.rows], columns=list(map(in_one_line, head.names))
    )
    st.dataframe(frame, hide_index=True, key="import_rows")
    return read_as


# --- preview ----------------------------------------------------------------------------------------------------


@st.cache_data(max_entries=8, show_spinner="Reading the file", scope="session")  # files are private
def look_into(file_id: str, _path: Path, format: str, columns: Columns | None, *, clean: bool) -> Preview:
    """Read a file without importing it. Raises `BadRecord`."""
    said: list[str] = []
    records = list(read_documents(_path, format, said.append, columns, clean=clean))
    summaries = [summary for _, written in records for summary in written]
    return Preview(
        len(records),
        len(summaries),
        tuple(dict.fromkeys(summary.system for summary in summaries)),
        tuple(dict.fromkeys(aspect for summary in summaries for aspect in summary.human)),
        sum(len(document.references) + (document.title is not None) < 2 for document, _ in records),
        tuple(said),
        tuple(
            {
                "document": in_one_line(document.id),
                "title": in_one_line(document.title or ""),
                "source": cut(document.source_text, 60),
                "reference": cut(next(iter(document.references), ""), 60),
                "references": len(document.references),
                "systems": in_one_line(", ".join(summary.system for summary in written)),
            }
            for document, written in islice(records, SHOWN)
        ),
    )


@st.cache_data(max_entries=8, show_spinner="Reading the file", scope="session")  # files are private
def look_into_judgments(file_id: str, _path: Path, format: str) -> tuple[FilePreview, list[str]]:
    """Read a file of judgments without importing it; return its beginning and the messages. Raises `BadRecord`."""
    said: list[str] = []
    return preview_file(_path, Reading(format), said.append), said


def show_judgments(preview: FilePreview, said: list[str]) -> None:
    """Show the first judgments of a file, and how its columns and values are read."""
    judgments, pairs = format_count(preview.judgments, "judgment"), format_count(preview.pairs, "pair")
    st.markdown(f"**In the file:** {judgments} of {pairs}, which become a closed study.")
    st.dataframe(pd.DataFrame(preview.rows), hide_index=True, key="preview")
    for sentence_of in said:
        st.caption(in_markdown(sentence(sentence_of)))


def show_preview(preview: Preview) -> None:
    """Show what is in the file, its first documents, and what will not work with it."""
    counts = f"{format_count(preview.documents, 'document')}, {format_count(preview.summaries, 'summary', 'summaries')}"
    by = f" by {format_count(len(preview.systems), 'system')}" if preview.systems else ""
    rated = f", ratings of {', '.join(preview.aspects)}" if preview.aspects else ", no ratings"
    st.markdown(f"**In the file:** {in_markdown(counts + by + rated)}.")
    st.dataframe(pd.DataFrame(preview.rows), hide_index=True, key="preview")
    for said in preview.said:
        st.caption(in_markdown(sentence(said)))
    if preview.single:
        st.warning(f"{in_markdown(lacking_keywords(preview.single, preview.documents))} {WAYS_OUT}")
