"""Upper bound: how high any extract could score, and where systems stand below that."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from data.one_line import in_one_line
from data.store import Dataset
from pages.components.evidence.marks import HIGHLIGHT_STYLE
from pages.components.shared.stores import known_datasets, open_stores, version_of
from pages.components.shared.tables import show_result_table, table_height
from pages.components.upper_bound.address import (
    ALL,
    AMOUNTS,
    CONTROLS_STYLE,
    DEFINITION_NAMES,
    DOCUMENT,
    METRICS,
    MOST,
    ROWS,
    RULE_NAMES,
    UNIT_NAMES,
    VIEWS,
    BoundChoice,
    asked_by,
    describe_best_system,
    explanation,
    headline,
    make_length,
    no_such,
    not_here,
)
from pages.components.upper_bound.data import (
    count_left_out,
    extracts_of,
    names_of,
    optimum_of,
    row_of,
    scores_of,
    unsplit_of,
)
from pages.components.upper_bound.extract import EXTRACT_STYLE, extract_html, extract_words
from reports.charts import distribution_chart
from reports.escaping import format_count, in_markdown
from reports.formats import as_json, as_latex, as_one_csv
from reports.tables.bounds import (
    ALGORITHM_ORDER,
    algorithms_table,
    documents_table,
    score_distributions,
    standings_table,
    systems_table,
    without_signatures,
)
from reports.tables.oracles import oracle_sections, oracles_as_latex
from reports.tables.table import Table
from summarizers.oracles import Target
from summarizers.oracles.evaluation import (
    OracleEvaluation,
    OracleRow,
    OracleTask,
    evaluate_stored,
    load_evaluation,
    summarize_algorithms,
    why_left_out,
)
from summarizers.oracles.standing import bounds_of, score_systems, standings_of
from summarizers.sentences import unsplit_words

# Session keys; those of widgets begin with `bound_`, too.
ADDRESS = "bound_address"  # the parts of the address that was written last
TOUCHED = "bound_touched"  # whether something was used, so that the address may not have reached the browser yet


@dataclass(frozen=True)
class Shown:
    """What the page shows."""

    asked: BoundChoice
    dataset: Dataset
    view: str
    address: Mapping[str, str]
    """What the address said when the run began."""
    arrived: bool
    """Whether somebody has just come by that address."""

    @property
    def version(self) -> object:
        """Changes with the data set."""
        return version_of(self.dataset)

    @property
    def task(self) -> OracleTask:
        """The search for the bound."""
        return OracleTask(self.asked.target, length=self.asked.length)

    def lead_here(self, **parts: str) -> None:
        """Make the address one that shows the same to somebody else."""
        named = {**self.asked.address, "view": self.view, **parts}
        if dict(st.query_params) != named:
            st.query_params.from_dict(named)
        st.session_state[ADDRESS] = named


# --- controls -------------------------------------------------------------------------------------------------


def touched() -> None:
    """Note that something on the page was used."""
    st.session_state[TOUCHED] = True


def begin(name: str, value: object, options: Collection[object]) -> dict[str, Any]:
    """What makes a widget show what the address says, or the first option, until it is used."""
    key = f"bound_{name}"
    if st.session_state.get(key) not in options:
        st.session_state[key] = value if value in options else next(iter(options))
    return {"key": key, "on_change": touched}


def segments(label: str, options: Mapping[Any, str], name: str, value: object, **more: Any) -> Any:
    """A choice among a few."""
    widget = begin(name, value, options)
    return st.segmented_control(label, list(options), format_func=options.__getitem__, required=True, **widget, **more)


def ask(first: BoundChoice, datasets: Collection[str]) -> BoundChoice:
    """Ask what the bound is of, beginning with what the address says."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            "Data set", list(datasets), format_func=in_one_line, **begin("dataset", first.dataset, datasets)
        )
        n = segments("Metric", METRICS, "n", first.target.n)
        definition = segments("Counting", DEFINITION_NAMES, "definition", first.target.definition)
        references = segments("References", RULE_NAMES, "references", first.target.references)
        usual = first.length.unit if first.length else ""
        unit = str(
            st.selectbox(
                "At most", list(UNIT_NAMES), format_func=UNIT_NAMES.__getitem__, **begin("unit", usual, UNIT_NAMES)
            )
        )
        amount = first.length.amount if first.length and unit == usual else AMOUNTS.get(unit, 1)
        if unit in AMOUNTS:
            counts = range(1, MOST[unit] + 1)
            amount = st.number_input(unit.capitalize(), 1, counts[-1], **begin(f"amount_{unit}", amount, counts))
    return BoundChoice(name, Target(n, definition, references), make_length(unit, amount))


def turn_to(key: str) -> None:
    """Open another document."""
    touched()
    st.session_state.bound_document = key


def choose_document(shown: Shown, names: Mapping[str, str]) -> str:
    """A choice among the documents, and the way to the ones beside it."""
    ids = list(names)
    key = st.selectbox(
        "Document",
        ids,
        format_func=lambda key: f"{names[key]} · {in_one_line(key)}",
        **begin("document", shown.address.get("document"), names),
    )
    place = ids.index(key)
    for label, to, shortcut in (("Previous", place - 1, "p"), ("Next", place + 1, "n")):
        there = 0 <= to < len(ids)
        st.button(
            label,
            key=f"turn:{label}",
            shortcut=shortcut,
            disabled=not there,
            on_click=turn_to,
            args=(ids[to] if there else key,),
        )
    return str(key)


# --- one document ---------------------------------------------------------------------------------------------


def warn_of_unsplit(unsplit: int, documents: int) -> None:
    """Say that long texts are one sentence, where some are."""
    if said := unsplit_words(unsplit, documents):
        st.warning(f"{said[0].upper()}{said[1:]}")


def show_document(shown: Shown, ways: DeltaGenerator) -> list[str]:
    """Show the optimum of a document, or what another algorithm takes; every algorithm and every system beside it.

    The choice of a document is drawn in `ways`. Returns what the address names and there is not.
    """
    asked, dataset, version = shown.asked, shown.dataset, shown.version
    names = names_of(dataset.name, version)
    named = shown.address.get("document")
    unknown = [no_such("document", named)] if shown.arrived and named is not None and named not in names else []
    with ways:
        key = choose_document(shown, names)
    algorithm = segments(
        "Extract of", {name: name for name in ALGORITHM_ORDER}, "algorithm", shown.address.get("algorithm")
    )
    shown.lead_here(document=key, algorithm=algorithm)
    document, summaries = open_stores().data.record(dataset.name, key)
    warn_of_unsplit(unsplit_of(dataset.name, version).count(key), 1)
    with st.spinner("Looking for the optimum"):
        optimum = optimum_of(dataset.name, document, asked.target, asked.length)
    if optimum is None:
        st.info(f"No upper bound: {why_left_out(document, shown.task)}.")
        return unknown

    def found_by(name: str) -> OracleRow:
        """What an algorithm takes."""
        with st.spinner(f"Running: {name}"):  # where the run ends if something else is wanted meanwhile
            return optimum if name == "exact" else row_of(document, asked.target, asked.length, name) or optimum

    row = found_by(algorithm)
    st.markdown(f"**{in_markdown(algorithm)}:** {in_markdown(extract_words(row, optimum, document, asked))}")
    st.html(extract_html(document, row, asked.target))
    (bound,) = bounds_of([optimum]).values()
    systems, algorithms = st.columns(2)
    with systems:
        show_table(systems_table(score_systems(document, summaries, asked.target), bound))
    with algorithms:
        show_table(algorithms_table([found_by(name) for name in ALGORITHM_ORDER]))
    return unknown


def show_table(section: Table, **more: Any) -> None:
    """A table under its title; `more` goes to it."""
    st.subheader(section.title, anchor=False)
    show_result_table(section, table_height(len(section.rows), ROWS), **more)


# --- all documents --------------------------------------------------------------------------------------------


def compute(dataset: str, task: OracleTask) -> None:
    """Run every algorithm on the documents that were not asked yet, and tell how far that is."""
    bar = st.progress(0.0, "Starting")

    def tell(done: int, total: int) -> None:
        bar.progress(done / max(1, total), f"{done} of {total} documents")  # which ends the run where nobody looks on

    evaluate_stored(open_stores().data, dataset, task, processes=1, progress=tell)
    st.rerun()


def show_all(shown: Shown) -> None:
    """Show the distribution of each algorithm's F1, and where the systems stand below the bound."""
    asked, dataset, version, task = shown.asked, shown.dataset, shown.version, shown.task
    shown.lead_here(**{part: shown.address[part] for part in ("document", "algorithm") if part in shown.address})
    warn_of_unsplit(len(unsplit_of(dataset.name, version)), dataset.documents)
    evaluation = load_evaluation(open_stores().data, dataset.name, task)
    without = count_left_out(dataset.name, version, asked.target, asked.length)
    done = len({row.document_id for row in evaluation.rows})
    possible = dataset.documents - sum(without.values())
    if (missing := possible - done) > 0:
        st.markdown(f"**{done} of {possible} documents** have their bound and every algorithm's extract.")
        st.caption(
            "What is found is kept. Leaving this page, or changing something on it, stops the work; pressed again, it "
            "goes on where it stopped."
        )
        if st.button(f"Compute for {format_count(missing, 'document')}", type="primary", key="bound_compute"):
            compute(dataset.name, task)
    if done:
        show_evaluation(shown, evaluation, without)


def show_evaluation(shown: Shown, evaluation: OracleEvaluation, without: Mapping[str, int]) -> None:
    """Show what was found for a data set, `without` documents that have no oracle, which are counted by the reason."""
    asked, dataset, version, task = shown.asked, shown.dataset, shown.version, shown.task
    scores = scores_of(dataset.name, version, asked.target)
    standings = standings_of(scores, evaluation.rows)
    st.markdown(in_markdown(describe_best_system(standings, evaluation.rows, asked)))
    st.altair_chart(distribution_chart(score_distributions(evaluation.rows, scores)), key="bound_chart")
    st.caption(
        "Box: the middle half of the documents; line in it: the median; diamond: the mean; lines: from the lowest to "
        "the highest. Dashed: the mean of the exact search."
    )
    by_document = documents_table(evaluation.rows, scores, names_of(dataset.name, version))
    figures = sorted(summarize_algorithms(evaluation.rows), key=lambda found: ALGORITHM_ORDER.index(found.algorithm))
    extracts = extracts_of(dataset.name, version, asked.target, asked.length, evaluation.rows)
    beside, oracles = standings_table(standings), oracle_sections(figures, task, without, extracts)

    def open_chosen() -> None:
        """Open the document whose row was chosen."""
        if chosen := st.session_state[f"section:{by_document.name}"].selection.rows:
            turn_to(str(by_document.rows[chosen[0]]["id"]))
            st.session_state.bound_view = DOCUMENT

    show_table(without_signatures(beside))
    hint = by_document._replace(notes=["Choose a row to open its document.", *by_document.notes])
    show_table(hint, on_select=open_chosen, selection_mode="single-row")
    for section in oracles:
        show_table(without_signatures(section))
    with st.expander("Signatures of the algorithms"):
        st.code("\n".join(task.signatures.values()), language=None, wrap_lines=True)
    facts = [*asked.address.items(), ("documents", str(len({row.document_id for row in evaluation.rows})))]
    comments = [*(f"{fact}: {value}" for fact, value in facts), *task.signatures.values()]
    latex = [
        oracles_as_latex(oracles, figures, dataset.name, comments),
        as_latex(beside, label="tab:oracle-standings"),
    ]
    offer_files([beside, by_document, *oracles], facts, "\n".join(latex))


def offer_files(sections: Sequence[Table], facts: Sequence[tuple[str, str]], latex: str) -> None:
    """The tables as files."""
    as_one_json = json.dumps({section.name: as_json(section) for section in sections}, indent=2)
    with st.container(horizontal=True):
        for label, text, ending in (
            ("CSV", as_one_csv(sections, facts), "csv"),
            ("JSON", as_one_json, "json"),
            ("LaTeX", latex, "tex"),
        ):
            st.download_button(f"Tables ({label})", text, f"upper-bound.{ending}", on_click="ignore")


# --- the page -------------------------------------------------------------------------------------------------

state = st.session_state
st.title("Upper bound")
datasets = {dataset.name: dataset for dataset in known_datasets()}
if not datasets:
    st.info("There are no documents yet: import a data set on the Studies page, or run `relevance demo`.")
    st.page_link("studies.py", label="Studies", icon=":material/arrow_forward:")
    st.stop()

# The address at the beginning of a run is the one that was written last, unless somebody went back or forward.
if not state.pop(TOUCHED, False) and dict(st.query_params) not in ({}, state.get(ADDRESS)):
    for key in [str(key) for key in state if str(key).startswith("bound_")]:
        del state[key]
arrived = ADDRESS not in state
if arrived:
    state[ADDRESS] = dict(st.query_params)
address: dict[str, str] = state[ADDRESS]
top = st.container()  # what the metric, which is chosen below, makes of the page
st.html(HIGHLIGHT_STYLE + EXTRACT_STYLE + CONTROLS_STYLE)
asked = ask(asked_by(address, list(datasets)), datasets)
top.markdown(headline(asked))
st.caption(explanation(asked))
ways = st.container(horizontal=True, vertical_alignment="bottom")
with ways:
    view = segments("View", VIEWS, "view", address.get("view", DOCUMENT), label_visibility="collapsed")
shown = Shown(asked, datasets[asked.dataset], view, address, arrived)
warnings = not_here(address, datasets) if arrived else []
if view == ALL:
    show_all(shown)
else:
    warnings += show_document(shown, ways)
if warnings:
    top.warning(" ".join(map(in_markdown, warnings)))
