"""Upper bound: how high any extract could score, and where systems stand below that."""

import json
from collections.abc import Collection, Mapping
from typing import Any

import streamlit as st

from data.one_line import in_one_line
from pages.components.evidence.marks import HIGHLIGHT_STYLE
from pages.components.shared.stores import known_datasets, open_stores, version_of
from pages.components.shared.tables import show_result_table
from pages.components.upper_bound.address import (
    ALL,
    AMOUNTS,
    CONTROLS_STYLE,
    DEFINITION_NAMES,
    DOCUMENT,
    METRICS,
    MOST,
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
    table_height,
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
    OracleRow,
    OracleTask,
    evaluate_stored,
    load_evaluation,
    summarize_algorithms,
    why_left_out,
)
from summarizers.oracles.standing import bounds_of, score_systems, standings_of
from summarizers.sentences import unsplit_words

state = st.session_state
st.title("Upper bound")
datasets = {dataset.name: dataset for dataset in known_datasets()}
if not datasets:
    st.info("There are no documents yet: import a data set on the Studies page, or run `relevance demo`.")
    st.page_link("studies.py", label="Studies", icon=":material/arrow_forward:")
    st.stop()

# --- what the address asks for --------------------------------------------------------------------------------


def touched() -> None:
    """Note that something on the page was used: its address may not have reached the browser yet."""
    state.bound_touched = True


# The address at the beginning of a run is the one that was written last, unless somebody went back or forward.
if not state.pop("bound_touched", False) and dict(st.query_params) not in ({}, state.get("bound_address")):
    for name in [str(name) for name in state if str(name).startswith("bound_")]:
        del state[name]
arrived = "bound_address" not in state
if arrived:
    state.bound_address = dict(st.query_params)
address: dict[str, str] = state.bound_address
first = asked_by(address, list(datasets))
top = st.container()  # what the metric, which is chosen below, makes of the page
warnings = not_here(address, datasets) if arrived else []


def begin(name: str, value: object, options: Collection[object]) -> dict[str, Any]:
    """What makes a widget show what the address says, or the first option, until it is used."""
    key = f"bound_{name}"
    if state.get(key) not in options:
        state[key] = value if value in options else next(iter(options))
    return {"key": key, "on_change": touched}


def segments(label: str, options: Mapping[Any, str], name: str, value: object, **more: Any) -> Any:
    """A choice among a few."""
    widget = begin(name, value, options)
    return st.segmented_control(label, list(options), format_func=options.__getitem__, required=True, **widget, **more)


st.html(HIGHLIGHT_STYLE + EXTRACT_STYLE + CONTROLS_STYLE)
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
            "At most", list(UNIT_NAMES), format_func=lambda unit: UNIT_NAMES[unit], **begin("unit", usual, UNIT_NAMES)
        )
    )
    amount = first.length.amount if first.length and unit == usual else AMOUNTS.get(unit, 1)
    if unit in AMOUNTS:
        counts = range(1, MOST[unit] + 1)
        amount = st.number_input(unit.capitalize(), 1, counts[-1], **begin(f"amount_{unit}", amount, counts))
asked = BoundChoice(name, Target(n, definition, references), make_length(unit, amount))
dataset = datasets[name]
version = version_of(dataset)
top.markdown(headline(asked))
st.caption(explanation(asked))
ways = st.container(horizontal=True, vertical_alignment="bottom")
with ways:
    view = segments("View", VIEWS, "view", address.get("view", DOCUMENT), label_visibility="collapsed")


def lead_here(**parts: str) -> None:
    """Make the address one that shows the same to somebody else."""
    named = {**asked.address, "view": view, **parts}
    if dict(st.query_params) != named:
        st.query_params.from_dict(named)
    state.bound_address = named


# --- one document ---------------------------------------------------------------------------------------------


def turn_to(key: str) -> None:
    """Open another document."""
    touched()
    state.bound_document = key


def warn_of_unsplit(unsplit: int, documents: int) -> None:
    """Say that long texts are one sentence, where some are."""
    if said := unsplit_words(unsplit, documents):
        st.warning(f"{said[0].upper()}{said[1:]}")


def show_document() -> None:
    """The optimum of a document, or what another algorithm takes; every algorithm and every system beside it."""
    names = names_of(dataset.name, version)
    ids = list(names)
    if arrived and (asked_for := address.get("document")) is not None and asked_for not in names:
        warnings.append(no_such("document", asked_for))
    with ways:
        key = st.selectbox(
            "Document",
            ids,
            format_func=lambda key: f"{names[key]} · {in_one_line(key)}",
            **begin("document", address.get("document"), names),
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
    algorithm = segments("Extract of", {name: name for name in ALGORITHM_ORDER}, "algorithm", address.get("algorithm"))
    lead_here(document=key, algorithm=algorithm)
    document, summaries = open_stores().data.record(dataset.name, key)
    warn_of_unsplit(unsplit_of(dataset.name, version).count(key), 1)
    with st.spinner("Looking for the optimum"):
        optimum = optimum_of(dataset.name, document, asked.target, asked.length)
    if optimum is None:
        st.info(f"No upper bound: {why_left_out(document, OracleTask(asked.target, length=asked.length))}.")
        return

    def found_by(name: str) -> OracleRow:
        """What an algorithm takes."""
        with st.spinner(f"Running: {name}"):  # where the run ends if something else is wanted meanwhile
            return optimum if name == "exact" else row_of(document, asked.target, asked.length, name) or optimum

    shown = found_by(algorithm)
    st.markdown(f"**{in_markdown(algorithm)}:** {in_markdown(extract_words(shown, optimum, document, asked))}")
    st.html(extract_html(document, shown, asked.target))
    (bound,) = bounds_of([optimum]).values()
    systems, algorithms = st.columns(2)
    with systems:
        show_table(systems_table(score_systems(document, summaries, asked.target), bound))
    with algorithms:
        show_table(algorithms_table([found_by(name) for name in ALGORITHM_ORDER]))


def show_table(section: Table, **more: Any) -> None:
    """A table under its title; `more` goes to it."""
    st.subheader(section.title, anchor=False)
    show_result_table(section, table_height(len(section.rows)), **more)


# --- all documents --------------------------------------------------------------------------------------------


def compute(task: OracleTask) -> None:
    """Run every algorithm on the documents that were not asked yet, and tell how far that is."""
    bar = st.progress(0.0, "Starting")

    def tell(done: int, total: int) -> None:
        bar.progress(done / max(1, total), f"{done} of {total} documents")  # which ends the run where nobody looks on

    evaluate_stored(open_stores().data, dataset.name, task, processes=1, progress=tell)
    st.rerun()


def show_all() -> None:
    """The distribution of each algorithm's F1, and where the systems stand below the bound."""
    lead_here(**{part: address[part] for part in ("document", "algorithm") if part in address})  # for the way back
    task = OracleTask(asked.target, length=asked.length)
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
            compute(task)
    if not done:
        return
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
    sections = [beside, by_document, *oracles]

    def open_chosen() -> None:
        """Open the document whose row was chosen."""
        if chosen := state[f"section:{by_document.name}"].selection.rows:
            turn_to(str(by_document.rows[chosen[0]]["id"]))
            state.bound_view = DOCUMENT

    for section in sections:
        if section is by_document:
            hint = section._replace(notes=["Choose a row to open its document.", *section.notes])
            show_table(hint, on_select=open_chosen, selection_mode="single-row")
        else:
            show_table(without_signatures(section))
    with st.expander("Signatures of the algorithms"):
        st.code("\n".join(task.signatures.values()), language=None, wrap_lines=True)
    with st.container(horizontal=True):
        facts = [*asked.address.items(), ("documents", str(done))]
        comments = [*(f"{fact}: {value}" for fact, value in facts), *task.signatures.values()]
        tables = [oracles_as_latex(oracles, figures, name, comments), as_latex(beside, label="tab:oracle-standings")]
        for label, text, ending in (
            ("CSV", as_one_csv(sections, facts), "csv"),
            ("JSON", json.dumps({section.name: as_json(section) for section in sections}, indent=2), "json"),
            ("LaTeX", "\n".join(tables), "tex"),
        ):
            st.download_button(f"Tables ({label})", text, f"upper-bound.{ending}", on_click="ignore")


if view == ALL:
    show_all()
else:
    show_document()
if warnings:
    top.warning(" ".join(map(in_markdown, warnings)))
