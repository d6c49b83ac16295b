"""How metrics correlate with people, with length, with ROUGE-K and with each other."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.coefficients import METHODS
from analysis.metrics_and_people import (
    LEVELS,
    CorrelationComparison,
    CorrelationRow,
    SystemsAnalysis,
    analyze_systems,
    compare_correlations,
    correlate_columns,
    correlation_tables,
    part_from_rouge_k,
)
from annotation.demo import MADE_UP
from data.cells import Cells
from data.one_line import in_one_line
from data.signatures import references_rule
from pages.components.examples.texts import EXAMPLE_STYLE, cell_scores, show_example
from pages.components.shared.sources import Source, preferences_of
from pages.components.shared.stores import open_stores
from pages.components.shared.tables import show_result_table
from reports.charts import correlation_chart, correlation_heatmap, scatter
from reports.study import WON, note_not_weighed, with_judgments
from reports.tables.correlation import (
    PERMUTATION_TESTS,
    correlation_table,
    correlation_test_table,
    discrepancy_table,
    spread_table,
    system_table,
    wilcoxon_table,
)
from reports.tables.table import Table, Undefined

BY_LEVEL = "by level"
POINTS = 4000  # that a browser draws without stuttering

st.title("Correlation")
st.html(EXAMPLE_STYLE)
datasets = {dataset.name: dataset for dataset in open_stores().data.datasets()}
if not datasets:
    st.info("There is no data set yet: import one on the Studies page.")
    st.stop()

# --- what is correlated -------------------------------------------------------------------------------------

with st.container(horizontal=True, vertical_alignment="bottom"):
    dataset = datasets[st.selectbox("Data set", list(datasets), format_func=in_one_line, key="correlated")]
    judged_in = [
        Source(dataset.name, study=name)
        for name in open_stores().annotation.studies_of(dataset.name)
        if open_stores().annotation.study(name).judgments
    ]
    judged_or_rated = [*judged_in, *(Source(dataset.name, aspect=aspect) for aspect in dataset.aspects)]
    people = st.selectbox(
        "People",
        sorted(judged_or_rated, key=lambda source: source.study == MADE_UP),  # made-up judgments last
        format_func=lambda source: source.name,
        placeholder="neither ratings nor judgments",
        key=f"people:{dataset.name}",
    )
with st.container(horizontal=True):
    method = st.segmented_control("Coefficient", METHODS, default="pearson", key="method", required=True)
    level = st.segmented_control("Level", LEVELS, default="global", key="level", required=True)
    drawn = st.segmented_control(
        "Intervals draw",
        [BY_LEVEL, "documents", "systems", "both"],
        default=BY_LEVEL,
        key="resample",
        required=True,
        help="Intervals hold for new ones of what they draw. By level: documents for the global and the input level, "
        "documents and systems for the system level.",
    )
resample = None if drawn == BY_LEVEL else drawn
human = None if people is None else WON if people.study is not None else people.aspect


@st.cache_data(max_entries=16, show_spinner="Reading")
def cells_of(dataset: str, people: Source | None, version: object) -> Cells:
    """Scores and ratings, with the share of judgments won where a study is asked."""
    found = open_stores().data.cells(dataset)
    if people is None or people.study is None:
        return found
    return with_judgments(found, preferences_of(people, people.version))


@st.cache_data(max_entries=256, show_spinner="Correlating")
def correlate_pairs(
    dataset: str,
    people: Source | None,
    version: object,
    pairs: list[tuple[str, str]],
    method: str,
    resample: str | None,
) -> list[CorrelationRow]:
    """Rows of one table, by one coefficient."""
    cells = cells_of(dataset, people, version)
    columns = correlation_tables(cells, human).columns
    return correlate_columns(cells, columns, pairs, methods=[method], resample=resample)


@st.cache_data(max_entries=32, show_spinner="Comparing systems")
def analyze_all_systems(
    dataset: str, people: Source | None, version: object, baselines: Sequence[str]
) -> list[SystemsAnalysis]:
    """Systems by every metric."""
    cells = cells_of(dataset, people, version)
    laid = correlation_tables(cells, human)
    columns = {name: laid.columns[name] for name in (*laid.metrics, *{of for of, _ in laid.human})}
    return analyze_systems(cells, columns, baselines)


@st.cache_data(max_entries=16, show_spinner="Comparing metrics")
def make_discrepancy_table(dataset: str, people: Source | None, version: object) -> Table:
    """On how many pairs ROUGE-K and each other metric part."""
    cells = cells_of(dataset, people, version)
    return discrepancy_table(part_from_rouge_k(cells, correlation_tables(cells)))


@st.cache_data(max_entries=64, show_spinner="Swapping scores")
def compare_with_people(
    dataset: str, people: Source | None, version: object, method: str, metrics: tuple[str, ...], permute: str | None
) -> list[CorrelationComparison]:
    """Whether any of the metrics correlates better with people than another."""
    cells = cells_of(dataset, people, version)
    laid = correlation_tables(cells, human)
    columns = {name: laid.columns[name] for name in (laid.human[0][0], *metrics)}
    return compare_correlations(cells, columns, laid.human[0][0], method=method, permute=permute)


def make_test_table(first: str, second: str, permute: str | None) -> Table:
    """Two metrics by their correlation with people; by Pearson's r beside all others, for Holm's correction."""
    among = tuple(laid.metrics) if method == "pearson" else (first, second)
    rows = [
        row for row in compare_with_people(*key, method, among, permute) if {row.first, row.second} == {first, second}
    ]
    turned = [
        row
        if row.first == first or row.difference is None
        else row._replace(first=first, second=second, difference=-row.difference)
        for row in rows
    ]
    section = correlation_test_table(turned, laid.human[0][0], method)
    if method == "pearson":
        return section
    alone = "only this comparison was made"
    return section._replace(rows=[{**row, "p (Holm)": Undefined(alone)} for row in section.rows])


version = (
    people.version if people is not None else None,
    dataset.summaries,
    tuple(open_stores().data.signatures(dataset.name)),
)
key = dataset.name, people, version
cells = cells_of(*key)
laid = correlation_tables(cells, human)
judgments = "made-up judgments" if people is not None and people.study == MADE_UP else "judgments"
st.markdown(
    f"{len(cells)} summaries of {len(set(cells.documents))} documents by {len(set(cells.systems))} systems"
    + ("." if human != WON else f"; of each summary, **the share of its {judgments} that it won**.")
)
weighed = people is not None and people.study is not None and preferences_of(people, people.version).weights is not None


def note_weights(section: Table) -> Table:
    """The table, saying that it is not weighed where the study's pairs were drawn with unequal probability."""
    return note_not_weighed(section) if weighed else section


if not cells.scores:
    st.info("These summaries have no scores yet: score them under Data sets.")
    st.page_link("studies.py", label="Studies", icon=":material/arrow_forward:")
    st.stop()


def show_correlations(name: str, title: str, pairs: list[tuple[str, str]], missing: str) -> None:
    """Metrics with one other column: a chart of the chosen level, and the table."""
    if not pairs:
        st.info(f"Undefined: {missing}.")
        return
    rows = correlate_pairs(*key, pairs, method, resample)
    other = pairs[0][0] if name == "human" else pairs[0][1]
    st.altair_chart(correlation_chart(rows, level, other), key=f"chart:{name}")
    section = correlation_table(name, title, rows, resample)
    show_result_table(note_weights(section))


# --- what is found ------------------------------------------------------------------------------------------

tabs = st.tabs(["With people", "With length", "With ROUGE-K", "With each other", "Systems"], key="section")
with tabs[0]:
    missing = "the data set has no human ratings, and no study over it has judgments"
    show_correlations("human", "Metrics with people", laid.human, missing)
    if laid.human:
        metrics = [metric for _, metric in laid.human]
        if len(metrics) > 1:
            st.markdown("**Does one metric correlate better than another?**")
            with st.container(horizontal=True):
                one = st.selectbox("First metric", metrics, key="tested_first")
                other = st.selectbox("Second metric", [m for m in metrics if m != one], key="tested_second")
                permute = st.segmented_control(
                    "Test",
                    [BY_LEVEL, *PERMUTATION_TESTS],
                    default=BY_LEVEL,
                    format_func=lambda name: PERMUTATION_TESTS.get(name, name),
                    key="permute",
                    required=True,
                    help="A test holds for new ones of what it swaps as a whole: systems, documents (inputs) or both. "
                    "By level: both for the global, documents for the input, systems for the system level. PERM-BOTH "
                    "swaps each summary by itself and takes all as fixed.",
                )
            show_result_table(note_weights(make_test_table(one, other, None if permute == BY_LEVEL else permute)))
with tabs[1]:
    show_correlations(
        "length", "Metrics with length (ROUGE-K paper, Table 6)", laid.length, "the data set is not scored by length"
    )
with tabs[2]:
    missing = "the data set is not scored by ROUGE-K and another metric"
    show_correlations("rouge_k", "Metrics with ROUGE-K (ROUGE-K paper, Table 7)", laid.rouge_k, missing)
    if laid.rouge_k:
        st.markdown("**How often do they prefer different summaries?**")
        show_result_table(make_discrepancy_table(*key))
    if laid.rouge_k and not any(references_rule(signature) == "mean" for signature in cells.scores):
        st.caption("The paper's table has ROUGE by the mean and by the maximum over references.")
        if st.button("Score ROUGE by the mean over references, too", key="score_mean"):
            from metrics import make_metrics
            from metrics.scoring import score_dataset

            with st.spinner("Scoring", show_time=True):
                score_dataset(
                    open_stores().data, dataset.name, make_metrics(["rouge1", "rouge2", "rougeL"], references="mean")
                )
            st.rerun()
with tabs[3]:
    if not laid.matrix:
        st.info("Undefined: the data set is scored by one metric only.")
    else:
        rows = correlate_pairs(*key, laid.matrix, method, resample)
        st.altair_chart(correlation_heatmap(rows, level), key="chart:matrix")
        show_result_table(correlation_table("matrix", "Metrics with each other (APES paper, Table 2)", rows, resample))
with tabs[4]:
    baselines = st.multiselect(
        "Baselines",
        sorted(set(cells.systems)),
        format_func=in_one_line,
        placeholder="None: choose systems, and a dagger marks those that beat all of them",
        key="baselines",
    )
    systems = analyze_all_systems(*key, baselines)
    show_result_table(note_weights(system_table(systems)))
    st.markdown("**How far metrics tell systems apart**")
    show_result_table(note_weights(spread_table(systems)))
    st.markdown("**System against system**")
    by = st.selectbox("By metric", [found.name for found in systems], key="system_metric")
    show_result_table(note_weights(wilcoxon_table([found for found in systems if found.name == by])))

# --- summary by summary -------------------------------------------------------------------------------------

st.subheader("Summary by summary", anchor=False)
names = list(laid.columns)
with st.container(horizontal=True):
    x = st.selectbox("Across", names, index=len(names) - 1 if laid.human else 0, key="x")
    y = st.selectbox("Up", names, index=0 if laid.human else min(1, len(names) - 1), key="y")
points = pd.DataFrame(
    {"document": cells.documents, "system": cells.systems, "x": laid.columns[x], "y": laid.columns[y]}
).dropna()
drawn = points if len(points) <= POINTS else points.sample(POINTS, random_state=0).sort_index()
if drawn.empty:
    st.info("No summary has both.")
    st.stop()
event = st.altair_chart(scatter(drawn, x, y), on_select="rerun", key="scatter")
st.caption(
    f"{len(points)} summaries have both"
    + (f"; {POINTS} of them are drawn, chosen at random with seed 0" if len(drawn) < len(points) else "")
    + ". Click a point to open its example."
)
if selected := event.selection.get("point"):
    document, system = selected[0]["document"], selected[0]["system"]
    place = next(
        (i for i, cell in enumerate(zip(cells.documents, cells.systems, strict=True)) if cell == (document, system)),
        None,
    )
    if place is not None:
        show_example(dataset.name, document, [system])
        st.dataframe(
            cell_scores(cells, place),
            hide_index=True,
            column_config={"value": st.column_config.NumberColumn(format="%.4g")},
            placeholder="",
            key=f"scores:{document}:{system}",
        )
