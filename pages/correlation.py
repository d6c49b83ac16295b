"""How metrics correlate with people, with length, with ROUGE-K and with each other."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import pandas as pd
import streamlit as st

from analysis.coefficients import METHODS, Method
from analysis.metrics_and_people import LEVELS, CorrelationComparison, CorrelationRow
from analysis.resampled_correlations import Resample
from analysis.study import NO_PREFERENCES, WON, Settings, StudyAnalysis, with_judgments
from analysis.swapped_correlations import Permute
from annotation.demo import MADE_UP
from data.cells import Cells
from data.one_line import in_one_line
from data.signatures import references_rule
from data.store import Dataset
from pages.components.examples.texts import EXAMPLE_STYLE, cell_scores, show_example
from pages.components.shared.sources import Source, preferences_of
from pages.components.shared.stores import open_stores
from pages.components.shared.tables import show_result_table
from reports.charts import correlation_chart, correlation_heatmap, scatter
from reports.tables.correlation import PERMUTATION_TESTS, correlation_test_table, wilcoxon_table
from reports.tables.study import make_correlations, make_table, say_not_weighed
from reports.tables.table import Table, Undefined

BY_LEVEL = "by level"
POINTS = 4000  # that a browser draws without stuttering


class Rated(NamedTuple):
    """A data set, and what people said of it."""

    dataset: str
    people: Source | None
    version: object
    """Changes with summaries, scores and judgments."""

    @property
    def human(self) -> str | None:
        """The rating that metrics are held against."""
        if self.people is None:
            return None
        return WON if self.people.study is not None else self.people.aspect

    @property
    def made_up(self) -> bool:
        """Whether a program made the judgments."""
        return self.people is not None and self.people.study == MADE_UP


class CorrelationChoice(NamedTuple):
    """What is shown of it."""

    rated: Rated
    method: Method
    level: str
    resample: Resample | None


def main() -> None:
    """Ask what is to be correlated, and show what is found."""
    st.title("Correlation")
    st.html(EXAMPLE_STYLE)
    datasets = {dataset.name: dataset for dataset in open_stores().data.datasets()}
    if not datasets:
        st.info("There is no data set yet: import one on the Studies page.")
        st.stop()
    asked = ask(datasets)
    rated, analysis = asked.rated, analysis_of(asked.rated)
    say_what_is_shown(rated, analysis.cells)
    if not analysis.cells.scores:
        st.info("These summaries have no scores yet: score them under Data sets.")
        st.page_link("studies.py", label="Studies", icon=":material/arrow_forward:")
        st.stop()
    people, length, rouge_k, matrix, systems = st.tabs(
        ["With people", "With length", "With ROUGE-K", "With each other", "Systems"], key="section"
    )
    with people:
        show_correlations("human", asked, "the data set has no human ratings, and no study over it has judgments")
        metrics = [metric for _, metric in analysis.layout.human]
        if len(metrics) > 1:
            show_test(asked, metrics)
    with length:
        show_correlations("length", asked, "the data set is not scored by length")
    with rouge_k:
        show_rouge_k(asked)
    with matrix:
        show_matrix(asked)
    with systems:
        show_systems(rated)
    st.subheader("Summary by summary", anchor=False)
    show_summaries(rated)


# --- what is correlated -------------------------------------------------------------------------------------


def ask(datasets: dict[str, Dataset]) -> CorrelationChoice:
    """The choices above the tables."""
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
            help="Intervals hold for new ones of what they draw. By level: documents for the global and the input "
            "level, documents and systems for the system level.",
        )
    signatures = tuple(open_stores().data.signatures(dataset.name))
    version = people.version if people is not None else None, dataset.summaries, signatures
    return CorrelationChoice(
        Rated(dataset.name, people, version), method, level, None if drawn == BY_LEVEL else cast(Resample, drawn)
    )


# --- what is computed ---------------------------------------------------------------------------------------


def analysis_of(rated: Rated, **asked: Any) -> StudyAnalysis:
    """The analysis of a data set, of which nothing is computed yet; `asked` are further `Settings`."""
    preferences = NO_PREFERENCES if rated.people is None else preferences_of(rated.people, rated.people.version)
    return StudyAnalysis(preferences, cells_of(rated), Settings(human=rated.human, **asked))


@st.cache_data(max_entries=16, show_spinner="Reading")
def cells_of(rated: Rated) -> Cells:
    """Scores and ratings, with the share of judgments won where a study is asked."""
    found = open_stores().data.cells(rated.dataset)
    if rated.people is None or rated.people.study is None:
        return found
    return with_judgments(found, preferences_of(rated.people, rated.people.version))


@st.cache_data(max_entries=256, show_spinner="Correlating")
def correlate(rated: Rated, table: str, method: Method, resample: Resample | None) -> list[CorrelationRow]:
    """The rows of one table, by one coefficient."""
    return analysis_of(rated, methods=(method,), resample=resample).correlate(table)[table]


@st.cache_data(max_entries=32, show_spinner="Comparing systems")
def compare_systems(rated: Rated, baselines: tuple[str, ...]) -> StudyAnalysis:
    """The analysis with systems by every metric."""
    return analysis_of(rated, baselines=baselines).compute("systems")


@st.cache_data(max_entries=16, show_spinner="Comparing metrics")
def find_discrepancies(rated: Rated) -> Table:
    """On how many pairs ROUGE-K and each other metric part."""
    return make_table("discrepancies", analysis_of(rated))


@st.cache_data(max_entries=64, show_spinner="Swapping scores")
def compare_metrics(
    rated: Rated, method: Method, metrics: tuple[str, ...], permute: Permute | None
) -> list[CorrelationComparison]:
    """Whether any of the metrics correlates better with people than another."""
    return analysis_of(rated, permute=permute).compare_metrics(metrics, method)


def compare_two(asked: CorrelationChoice, first: str, second: str, permute: Permute | None) -> Table:
    """Two metrics by their correlation with people; by Pearson's r beside all others, for Holm's correction."""
    rated, method = asked.rated, asked.method
    people, metrics = analysis_of(rated).layout.human[0][0], analysis_of(rated).layout.metrics
    among = tuple(metrics) if method == "pearson" else (first, second)
    rows = [
        row
        if row.first == first or row.difference is None
        else row._replace(first=first, second=second, difference=-row.difference)
        for row in compare_metrics(rated, method, among, permute)
        if {row.first, row.second} == {first, second}
    ]
    section = correlation_test_table(rows, people, method)
    if method == "pearson":
        return section
    alone = "only this comparison was made"
    return section._replace(rows=[{**row, "p (Holm)": Undefined(alone)} for row in section.rows])


# --- what is shown ------------------------------------------------------------------------------------------


def say_what_is_shown(rated: Rated, cells: Cells) -> None:
    """How many summaries there are, and what of people's is held against their scores."""
    judgments = "made-up judgments" if rated.made_up else "judgments"
    st.markdown(
        f"{len(cells)} summaries of {len(set(cells.documents))} documents by {len(set(cells.systems))} systems"
        + ("." if rated.human != WON else f"; of each summary, **the share of its {judgments} that it won**.")
    )


def show_correlations(table: str, asked: CorrelationChoice, missing: str) -> None:
    """Metrics with one other column: a chart of the chosen level, and the table."""
    analysis = analysis_of(asked.rated, resample=asked.resample)
    pairs = getattr(analysis.layout, table)
    if not pairs:
        st.info(f"Undefined: {missing}.")
        return
    rows = correlate(asked.rated, table, asked.method, asked.resample)
    other = pairs[0][0] if table == "human" else pairs[0][1]
    st.altair_chart(correlation_chart(rows, asked.level, other), key=f"chart:{table}")
    show_result_table(say_not_weighed(make_correlations(table, rows, analysis.settings), analysis))


def show_test(asked: CorrelationChoice, metrics: list[str]) -> None:
    """Choose two metrics and a test, and show whether one correlates better with people."""
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
    section = compare_two(asked, one, other, None if permute == BY_LEVEL else cast(Permute, permute))
    show_result_table(say_not_weighed(section, analysis_of(asked.rated)))


def show_rouge_k(asked: CorrelationChoice) -> None:
    """Metrics with ROUGE-K, and on how many pairs they part; ROUGE by the mean can be had, too."""
    show_correlations("rouge_k", asked, "the data set is not scored by ROUGE-K and another metric")
    analysis = analysis_of(asked.rated)
    if not analysis.layout.rouge_k:
        return
    st.markdown("**How often do they prefer different summaries?**")
    show_result_table(find_discrepancies(asked.rated))
    if any(references_rule(signature) == "mean" for signature in analysis.cells.scores):
        return
    st.caption("The paper's table has ROUGE by the mean and by the maximum over references.")
    if st.button("Score ROUGE by the mean over references, too", key="score_mean"):
        from metrics import make_metrics
        from metrics.scoring import score_dataset

        with st.spinner("Scoring", show_time=True):
            by_mean = make_metrics(["rouge1", "rouge2", "rougeL"], references="mean")
            score_dataset(open_stores().data, asked.rated.dataset, by_mean)
        st.rerun()


def show_matrix(asked: CorrelationChoice) -> None:
    """Every two metrics."""
    analysis = analysis_of(asked.rated, resample=asked.resample)
    if not analysis.layout.matrix:
        st.info("Undefined: the data set is scored by one metric only.")
        return
    rows = correlate(asked.rated, "matrix", asked.method, asked.resample)
    st.altair_chart(correlation_heatmap(rows, asked.level), key="chart:matrix")
    show_result_table(make_correlations("matrix", rows, analysis.settings))


def show_systems(rated: Rated) -> None:
    """Systems by their means, how far metrics tell them apart, and one against another."""
    baselines = st.multiselect(
        "Baselines",
        sorted(set(cells_of(rated).systems)),
        format_func=in_one_line,
        placeholder="None: choose systems, and a dagger marks those that beat all of them",
        key="baselines",
    )
    analysis = compare_systems(rated, tuple(baselines))
    show_result_table(make_table("systems", analysis))
    st.markdown("**How far metrics tell systems apart**")
    show_result_table(make_table("distinguishability", analysis))
    st.markdown("**System against system**")
    by = st.selectbox("By metric", [found.name for found in analysis.systems], key="system_metric")
    section = wilcoxon_table([found for found in analysis.systems if found.name == by])
    show_result_table(say_not_weighed(section, analysis))


# --- summary by summary -------------------------------------------------------------------------------------


def show_summaries(rated: Rated) -> None:
    """Two columns against each other, a point a summary, which opens when it is clicked."""
    analysis = analysis_of(rated)
    cells, columns, human = analysis.cells, analysis.layout.columns, analysis.layout.human
    names = list(columns)
    with st.container(horizontal=True):
        x = st.selectbox("Across", names, index=len(names) - 1 if human else 0, key="x")
        y = st.selectbox("Up", names, index=0 if human else min(1, len(names) - 1), key="y")
    points = pd.DataFrame(
        {"document": cells.documents, "system": cells.systems, "x": columns[x], "y": columns[y]}
    ).dropna()
    drawn = points if len(points) <= POINTS else points.sample(POINTS, random_state=0).sort_index()
    if drawn.empty:
        st.info("No summary has both.")
        return
    event = st.altair_chart(scatter(drawn, x, y), on_select="rerun", key="scatter")
    st.caption(
        f"{len(points)} summaries have both"
        + (f"; {POINTS} of them are drawn, chosen at random with seed 0" if len(drawn) < len(points) else "")
        + ". Click a point to open its example."
    )
    if selected := event.selection.get("point"):
        show_summary(rated.dataset, cells, selected[0]["document"], selected[0]["system"])


def show_summary(dataset: str, cells: Cells, document: str, system: str) -> None:
    """One summary with its scores, where it is still there."""
    of_cells = zip(cells.documents, cells.systems, strict=True)
    place = next((place for place, cell in enumerate(of_cells) if cell == (document, system)), None)
    if place is None:
        return
    show_example(dataset, document, [system])
    st.dataframe(
        cell_scores(cells, place),
        hide_index=True,
        column_config={"value": st.column_config.NumberColumn(format="%.4g")},
        placeholder="",
        key=f"scores:{document}:{system}",
    )


main()
