"""Data sets, new studies, and how the running ones are doing."""

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from annotation.records import INSTRUCTIONS, MOST_CHECKS, QUESTION, Study, StudySpec
from annotation.results import export_judgments, export_scores
from annotation.sampling import RANDOM_SHARE, SAMPLING_RULES
from data.export import export
from data.importers import IMPORTERS, LINES
from data.importing import import_file
from data.one_line import in_one_line, message
from data.store import DatabaseFailed, Dataset, Run
from pages.components.shared.database import guard_database
from pages.components.shared.progress import run_problems, run_progress
from pages.components.shared.stores import open_stores
from pages.components.shared.tables import dataset_table, make_progress_frame
from pages.components.studies.adding import add_chosen_systems, choose_systems, dataset_name, incomplete
from pages.components.studies.planner import planner
from reports.escaping import in_markdown

store = open_stores()
state = st.session_state

ANNOTATOR_COLUMNS = {
    "median seconds": st.column_config.NumberColumn(format="%.1f"),
    "chose left": st.column_config.NumberColumn(format="percent"),
    "latest": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
}


def show_study() -> None:
    """One study: its progress, its annotators, its exports."""
    studies = {study.name: study for study in store.annotation.studies()}
    if not studies:
        st.info("There is no study yet. Create one under “New study”.")
        return
    if created := state.pop("created", None):
        state.study = created
    study = studies[st.selectbox("Study", list(studies), format_func=in_one_line, key="study")]
    wanted = study.pairs * study.judgments_per_pair
    st.progress(min(1.0, study.judgments / wanted), text=f"{study.judgments} of {wanted} judgments wanted")
    st.markdown(
        f"Data set {in_markdown(study.dataset)}; {study.pairs} pairs of {in_markdown(', '.join(study.systems))}; "
        f"rule `{study.rule}`, seed {study.seed}; {'; '.join((*study.notes, describe_left_out(study)))}; "
        f"ties {'allowed' if study.ties else 'not allowed'}; **{'closed' if study.closed_at else 'open'}**."
    )
    if annotators := store.annotation.annotators(study.name):
        st.dataframe(make_progress_frame(annotators), hide_index=True, column_config=ANNOTATOR_COLUMNS, key="progress")
    else:
        st.caption("Nobody has joined yet.")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        exports(study)
        if st.button("Reopen the study" if study.closed_at else "Close the study", key="close"):
            store.annotation.close_study(study.name, closed=study.closed_at is None)
            st.rerun()
    invite(study)


def describe_left_out(study: Study) -> str:
    """Which pairs the study does not ask about, and why."""
    unscored = f", {study.unscored} without a score" if study.unscored else ""
    return f"left out: {study.identical} pairs of identical texts{unscored}"


def exports(study: Study) -> None:
    """Downloads, made when they are asked for."""
    for what in ("judgments", "scores"):
        for format in ("jsonl", "csv"):

            def text(what: str = what, format: str = format) -> str:
                records = (
                    export_judgments(store.annotation, study.name)
                    if what == "judgments"
                    else export_scores(store.data, study.dataset)
                )
                return export(records, format)

            label, key = f"{what.capitalize()} ({format.upper()})", f"export:{what}.{format}"
            st.download_button(label, text, file_name=f"{study.name} {what}.{format}", key=key)


def invite(study: Study) -> None:
    """A personal link for an annotator."""
    with st.form("invite", width=520):
        label = f"Invite somebody to {in_markdown(study.name)}, by name"
        name = st.text_input(label, key="invite_name", max_chars=200, help="The same name gives the same link again.")
        if st.form_submit_button("Make a personal link"):
            token = store.annotation.invite(study=study.name, name=name).token
            st.markdown(f"Whoever opens this link judges as {in_markdown(name)}:")
            st.code(f"{st.context.url.rsplit('/', 1)[0]}/annotate?invite={token}", language=None, wrap_lines=True)


def new_study() -> None:
    """The form that makes a study."""
    datasets = {dataset.name: dataset for dataset in store.data.datasets()}
    if not datasets:
        st.info("Import a data set first.")
        return
    dataset = datasets[st.selectbox("Data set", list(datasets), format_func=in_one_line, key="new_dataset")]
    if len(dataset.systems) < 2:
        st.warning("This data set has fewer than two systems. Add some under “Data sets”, say lead and textrank.")
        return
    systems = st.multiselect(
        "Systems", dataset.systems, dataset.systems, format_func=in_one_line, key=f"new_systems:{dataset.name}"
    )
    rule = st.radio(
        "Pairs", list(SAMPLING_RULES), format_func=lambda rule: f"{rule}: {SAMPLING_RULES[rule]}", key="new_rule"
    )
    conflicts, random_share = conflict_form(dataset) if rule == "conflicts" else ((), RANDOM_SHARE)
    left, right = st.columns(2)
    count = left.number_input(
        "Pairs in all", 1, None, None if rule == "all" else 100, placeholder="no limit", key=f"new_count:{rule}"
    )
    unlimited = rule in {"all", "conflicts"}
    per_document = right.number_input(
        "At most per document",
        1,
        None,
        None if unlimited else 1,
        placeholder="no limit" if unlimited else "1",
        key=f"new_per_document:{rule}",
    )
    judgments = left.number_input("Judgments wanted per pair", 1, None, 1, key="new_judgments")
    seed = right.number_input("Seed", 0, 2**31 - 1, 0, key="new_seed")
    checks = left.number_input(
        "Attention checks",
        0,
        MOST_CHECKS,
        0,
        key="new_checks",
        help="Pairs of a summary with one of another document, which every annotator gets without knowing it.",
    )
    ties = st.checkbox("Annotators may choose a tie", key="new_ties")
    question = st.text_input("Question", QUESTION, key="new_question")
    instructions = st.text_area("Instructions (Markdown)", INSTRUCTIONS, key="new_instructions")
    name = st.text_input("Name of the study", key="new_name", max_chars=200)
    if st.button("Create the study", type="primary", key="create"):
        from metrics import DEFAULT

        signatures = score(dataset, DEFAULT)  # so that the agreement table is there with the first judgment
        study = store.annotation.create_study(
            StudySpec(
                name=name,
                dataset=dataset.name,
                systems=tuple(systems),
                rule=rule,
                signature=signatures["rouge_k"] if rule == "rouge_k_differs" else None,
                signatures=conflicts,
                random_share=random_share,
                count=count,
                per_document=per_document,
                judgments_per_pair=judgments,
                ties=ties,
                question=question,
                instructions=instructions,
                seed=seed,
                checks=checks,
            )
        )
        state.created = study.name
        announce("; ".join((f"Created {study.name} with {study.pairs} pairs", *study.notes, describe_left_out(study))))


def conflict_form(dataset: Dataset) -> tuple[tuple[str, ...], float]:
    """Signatures of the metrics that may contradict each other, and the share of pairs on which they do not."""
    from metrics import DEFAULT, make_metrics

    lexical = {metric.signature: metric.name for metric in make_metrics(DEFAULT) if metric.name != "length"}
    names = lexical | {signature: name for name, signature, *_ in store.data.signatures(dataset.name)}
    ambiguous = {name for name, times in Counter(names.values()).items() if times > 1}
    left, right = st.columns(2)
    signatures = left.multiselect(
        "Metrics that may contradict each other",
        list(names),
        list(lexical),
        format_func=lambda signature: in_one_line(signature if names[signature] in ambiguous else names[signature]),
        key=f"new_conflict_metrics:{dataset.name}",
    )
    share = right.number_input("Share of pairs without a conflict", 0.01, 0.99, RANDOM_SHARE, key="new_random_share")
    return tuple(signatures), share


def show_datasets() -> None:
    """The data sets, and what can be done with them: import, add systems, score."""
    known = store.data.datasets()
    imported = st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm")
    st.dataframe(dataset_table(known), hide_index=True, column_config={"imported": imported}, key="datasets")
    names = [data.name for data in known]
    going = any(run.state == "going" for run in last_runs(names))
    with st.container(key="runs"):  # always there, so that a run does not move the expanders and close them
        st.fragment(run_every=0.5 if going else None)(guard_database(show_runs))(names)
    with st.expander("Import a file", expanded=not known), errors_shown():
        import_form()
    if known:
        with st.expander("Add systems and score"), errors_shown():
            work_form({data.name: data for data in known})


def last_runs(names: Sequence[str]) -> list[Run]:
    """The latest run of each data set that has had one."""
    return [run for name in names if (run := store.data.last_run(name))]


def show_runs(names: Sequence[str]) -> None:
    """How far the runs are that score data sets, and what the last ones could not do."""
    watched: set[int] = state.setdefault("watched", set())
    over = []
    for run in last_runs(names):
        if run.state == "going":
            watched.add(run.id)
            st.progress(*run_progress(run))
            continue
        if run.id in watched:
            over.append(run)
        if problems := run_problems(run):
            st.warning(problems)
    if over:
        watched.difference_update(run.id for run in over)
        announce(*(f"scored {run.dataset}" for run in over if not run_problems(run)))


def import_form() -> None:
    """A file into a data set."""
    file = st.file_uploader("JSON lines, CSV, TSV, Parquet, or a text file with one summary a line", key="file")
    format = st.selectbox("Format", ["guess", *IMPORTERS, LINES], key="import_format")
    name = st.text_input(
        "Name of the data set (for a file of lines: the one it joins)",
        key="import_name",
        placeholder="that of the file, if left empty",
    )
    system = st.text_input("System (for a file of lines)", key="import_system")
    if not st.button("Import", key="import"):
        return
    if file is None:
        st.error("Choose a file first.")
        return
    said: list[str] = []
    with tempfile.TemporaryDirectory() as folder, st.spinner("Importing", show_time=True):
        path = Path(folder) / Path(file.name).name
        path.write_bytes(file.getbuffer())
        known = None if format == "guess" else format
        imported = import_file(
            store.data,
            path,
            name=dataset_name(name, path, known),
            format=known,
            system=system.strip() or None,
            say=said.append,
        )
    announce(*said, imported)


def work_form(known: dict[str, Dataset]) -> None:
    """Systems for a data set, and its scores."""
    dataset = known[st.selectbox("Data set", list(known), format_func=in_one_line, key="work_dataset")]
    if lacking := incomplete(store.data.written_by(dataset.name), dataset.documents):
        st.caption(lacking)
    names = choose_systems()
    with st.container(horizontal=True):
        add, compute = st.button("Add systems", key="add"), st.button("Score by all metrics", key="score")
    st.caption(
        "Scoring goes on when you leave. Adding systems stops when you leave this page or use another control: what "
        "was written is kept, and pressing again goes on from there."
    )
    if add:
        if not names:
            st.error("Name a system first.")
            return
        announce(*add_chosen_systems(store.data, dataset.name, names, store.annotation.studies_of(dataset.name)))
    if compute:
        from metrics import METRICS
        from metrics.background.scoring import start_run

        state.setdefault("watched", set()).add(start_run(store.data, dataset.name, list(METRICS)).id)
        st.rerun()


def score(dataset: Dataset, names: Sequence[str]) -> dict[str, str]:
    """Compute the scores that are missing, showing how far it is; returns the metrics' signatures."""
    from metrics import make_metrics
    from metrics.scoring import score_dataset

    bar = st.progress(0.0, text="Scoring")

    def progress(done: int, total: int) -> None:
        bar.progress(done / max(1, total), text=f"Scoring: {done} of {total}")

    made = make_metrics(names)
    score_dataset(store.data, dataset.name, made, progress)
    bar.empty()
    return {metric.name: metric.signature for metric in made}


def announce(*messages: str) -> None:
    """Say what was done after the page has drawn itself anew."""
    state.said = [*state.get("said", []), *messages]
    st.rerun()


@contextmanager
def errors_shown() -> Iterator[None]:
    """Show what the packages refuse (bad records, unknown names, settings out of range) where it was asked for."""
    try:
        yield
    except DatabaseFailed:
        raise  # every page says this alike
    except (ValueError, OSError) as error:
        st.error(in_markdown(message(error)))


st.title("Studies")
with st.container(key="messages"):  # always there, so that a message does not move the tabs and close them
    if messages := state.pop("said", []):
        st.success("  \n".join(map(in_markdown, messages)))  # a line each
sections = {"Studies": show_study, "New study": new_study, "Planner": planner, "Data sets": show_datasets}
for tab, section in zip(st.tabs(list(sections), key="section"), sections.values(), strict=True):
    with tab, errors_shown():
        section()
