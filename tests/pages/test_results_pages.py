"""The pages of results and the planner against the functions that they show, and against hand counts."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from streamlit.testing.v1 import AppTest

from relevance.analysis.agreement.counts import credit_pairs
from relevance.analysis.agreement.planning import observe_metrics, pairs_to_separate
from relevance.analysis.correlation.levels import correlate
from relevance.analysis.metrics_and_people import (
    analyze_agreement,
    compare_with_rouge_k,
    correlation_tables,
    human_ceiling,
)
from relevance.analysis.people.kappa import cohen_kappas
from relevance.analysis.people.position import position_check
from relevance.analysis.people.reliability import fleiss_kappa, krippendorff_alpha, raw_agreement
from relevance.analysis.study import Inputs, Results, Settings, shares_won
from relevance.annotation.results import load_judgments
from relevance.annotation.study_data import read_study, without_names
from relevance.data.records import Document, Summary
from relevance.data.store import StoredBound
from relevance.data.training_history import TrainingEntry
from relevance.metrics.registry import label_of, metric
from relevance.pages.components.results import report
from relevance.pages.components.shared.sources import Source
from relevance.reports.findings import TOO_LITTLE
from relevance.reports.presentation import READER_NAMES, name_agreement
from relevance.reports.report import Report
from relevance.reports.report.study import make_study_report
from relevance.reports.tables.correlation import COEFFICIENTS, LEVEL_NAMES
from relevance.summarizers.oracles.evaluation import OracleTask
from tests.pages.opening import html, open_page, page_text, press, sound
from tests.pages.world import LENGTH, NAME, ROUGE1, ROUGE2, ROUGE_K, World, first, known, known_file, world

__all__ = ["known", "known_file", "world"]

PAGES = ("overview.py", "agreement.py", "correlation.py", "systems.py", "annotators.py", "new_study.py")
TABLES = {
    "agreement": (None, "acc_eq"),
    "comparisons": (None, "p (Wilcoxon)"),
    "by_difference": (None, "from"),
    "contradictions": (None, "the metric prefers"),
    "position": (None, "share"),
    "human": ("With people", "pooled"),
    "correlation_tests": ("With people", "p (Williams)"),
    "length": ("With length", "pooled"),
    "rouge_k": ("With ROUGE-K", "pooled"),
    "discrepancies": ("With ROUGE-K", "of decided"),
    "matrix": ("With each other", "pooled"),
    "system_means": ("Mean scores", "95 %"),
    "wilcoxon": ("Significant differences", "p (Holm)"),
    "reliability": (None, "value"),
    "cohen": (None, "kappa"),
    "annotators": (None, "phase"),
    "ranking": ("Ranked by annotators", "strength"),
    "observed": (None, "phi"),
}
"""The tab that a table is under, where its columns do not tell it, and a column that only it has there."""


def table(app: AppTest, name: str) -> pd.DataFrame:
    """A table of the page; its key does not reach AppTest."""
    under, column = TABLES[name]
    (result,) = (d.value for d in (tab(app, under) if under else app).dataframe if column in d.value.columns)
    return result


def means(app: AppTest) -> pd.DataFrame:
    """The table of all metrics' means, which stands below that of one."""
    (result,) = (d.value for d in tab(app, "Mean scores").dataframe if list(d.value)[:2] == ["system", "documents"])
    return result


def tab(app: AppTest, label: str) -> Any:
    return next(tab for tab in app.tabs if tab.label == label)


def choose(app: AppTest, key: str, value: str) -> None:
    sound(app.button_group(key=key).set_value(value).run())


def select(app: AppTest, key: str, shown: str) -> None:
    box = app.selectbox(key=key)
    sound(box.select_index(box.options.index(shown)).run())


def counts(app: AppTest, metric: str) -> tuple[int, int, int, int]:
    """n, C, D and T of a metric in the agreement table."""
    row = table(app, "agreement").set_index("metric").loc[metric]
    return int(row["n"]), int(row["C"]), int(row["D"]), int(row["T"])


# --- agreement --------------------------------------------------------------------------------------------


def equal(shown: Any, value: float | None) -> bool:
    return bool(pd.isna(shown)) if value is None else shown == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("unit", ["per judgment", "by majority"])
def test_the_agreement_table_is_the_analysis_of_the_same_judgments(known: World, unit: str) -> None:
    app = open_page("agreement.py")
    choose(app, "unit", unit)
    preferences = load_judgments(known.annotation, "Study")
    counted = preferences.by_majority() if unit == "by majority" else preferences
    analysis = name_agreement(analyze_agreement(counted), READER_NAMES)
    assert "(set: Annotators in Study)**" in page_text(app)  # the title of the whole table, which saved files have
    shown = table(app, "agreement").set_index("metric")
    # people among themselves are judgments, not pairs
    people = ["people"] if unit == "per judgment" else []
    assert list(shown.index) == [*(row.metric for row in analysis.rows), *people]
    for row in analysis.rows:
        result, ratios = shown.loc[row.metric], row.evaluation.agreement
        expected = {name: getattr(ratios, name) for name in ("half", "strict", "decided", "coverage")}
        expected |= {"acc_eq": row.evaluation.ties.accuracy, "threshold": row.evaluation.ties.threshold}
        assert all(equal(result[name], value) for name, value in expected.items()), result
        assert (result["n"], result["C"], result["D"], result["T"]) == (
            ratios.pairs,
            ratios.concordant,
            ratios.discordant,
            ratios.tied,
        )
        assert result["half 95 %"] == "[{:.3f}, {:.3f}]".format(*row.evaluation.intervals.half[:2])
    compared = table(app, "comparisons")
    assert len(compared) == 6
    for line, expected in zip(compared.to_dict("records"), analysis.comparisons, strict=True):
        assert (line["first"], line["second"], line["n"]) == (expected.first, expected.second, expected.n)
        assert equal(line["difference"], expected.difference)
        assert equal(line["p"], expected.p)
        assert equal(line["p (Holm)"], expected.p_holm)
    assert len(table(app, "by_difference")) == sum(len(row.evaluation.bins) for row in analysis.rows)


def test_counts_by_hand_per_judgment_and_by_majority(known: World) -> None:
    app = open_page("agreement.py")
    assert "36 judgments" in page_text(app)
    # Ana, Ben and Cleo: 12 pairs each; Cleo ties on the 4 pairs of a and b. rouge1 goes by the names: Ana 12, Cleo 8
    # and Ben 9 are with it, Ben's 3 pairs of d0 against it
    assert "per judgment (4 human ties)" in page_text(app)
    assert counts(app, "ROUGE-1") == (32, 29, 3, 0)
    # rouge_k ties b and c: 3 annotators, 4 documents; lacks a in d3: 5 decided judgments; for a against another in
    # d0 to d2 only Ben's 2 of d0 are with it, against it are Ana 6, Ben 4, Cleo 3 (a and c)
    assert counts(app, "ROUGE-K") == (27, 2, 13, 12)
    assert table(app, "agreement").set_index("metric").loc["ROUGE-K", "half"] == pytest.approx(8 / 27)
    # length ties a and b: Ana 4, Ben 4; of the other 24, Ben's 2 of d0 are against it
    assert counts(app, "Length") == (32, 22, 2, 8)
    # every annotator against the other two. d1 to d3: Ana 9, Ben 9, Cleo 6 with them and 3 ties of hers where they
    # are decided. d0: of a and b, Ana and Ben each against the other, as Cleo ties; of the other two pairs only Ben
    # has a decided majority, against him
    assert counts(app, "people") == (31, 24, 4, 3)
    choose(app, "unit", "by majority")
    # of a and b in d0 Ana and Ben cancel out
    assert "per pair by majority (0 human ties, 1 split)" in page_text(app)
    assert counts(app, "ROUGE-1") == (11, 11, 0, 0)
    assert counts(app, "ROUGE-K") == (9, 0, 5, 4)


def test_filters_by_hand(known: World) -> None:
    app = open_page("agreement.py")
    source = "set:Annotators in Study"
    sound(app.multiselect(key="people:Study").set_value(["Ben"]).run())
    assert counts(app, "ROUGE-1") == (12, 9, 3, 0)
    assert "12 judgments" in page_text(app)
    assert "Filtered" in page_text(app)
    alone = table(app, "agreement").set_index("metric").loc["people"]  # one annotator has nobody to agree with
    assert alone["n"] == 0
    assert "no pair was judged by 2 annotators" in page_text(app)
    assert list(table(app, "position")["annotator"]) == ["all annotators", "Ben"]
    sound(app.multiselect(key="people:Study").set_value([]).run())
    sound(app.multiselect(key=f"systems:{source}").set_value(["a", "b"]).run())
    # Cleo ties on all four
    assert counts(app, "ROUGE-1") == (8, 7, 1, 0)
    sound(app.multiselect(key=f"systems:{source}").set_value([]).run())
    sound(app.checkbox(key="decided").set_value(True).run())
    # length ties a and b, rouge_k ties b and c and lacks a in d3: a and c in d0 to d2 is left, by three annotators
    assert counts(app, "ROUGE-1") == (9, 8, 1, 0)
    assert counts(app, "ROUGE-K") == (9, 1, 8, 0)
    shown = table(app, "agreement").set_index("metric").drop(index="people")
    assert (shown["half"] == shown["strict"]).all()
    assert (shown["half"] == shown["decided"]).all()
    sound(app.multiselect(key=f"systems:{source}").set_value(["a", "b"]).run())
    assert "The filters leave nothing to count" in page_text(app)


def test_the_ceiling_and_the_position_check_are_the_functions(known: World) -> None:
    app = open_page("agreement.py")
    preferences = load_judgments(known.annotation, "Study")
    people = table(app, "agreement").set_index("metric").loc["people"]
    ceiling = Results(Inputs(preferences)).ceiling
    assert ceiling is not None
    assert equal(people["half"], ceiling.agreement.half)
    assert people["half 95 %"] == "[{:.3f}, {:.3f}]".format(*ceiling.intervals.half[:2])
    assert ceiling.agreement == human_ceiling(preferences, others_by_hand(preferences)).agreement
    sides = position_check(preferences.left, preferences.annotators)
    shown = table(app, "position")
    assert list(shown["annotator"]) == ["all annotators", "Ana", "Ben", "Cleo"]
    assert list(shown["n"]) == [32, 12, 12, 8]
    for row, expected in zip(shown.to_dict("records"), sides, strict=True):
        assert (row["left"], row["n"]) == (expected.left, expected.n)
        assert equal(row["share"], expected.share)
        assert equal(row["p"], expected.p)


def others_by_hand(preferences: Any) -> list[float]:
    return [
        float(np.sign(sum(preferences.choices[i] for i in np.flatnonzero(preferences.pair == pair) if i != entry)))
        for entry, pair in enumerate(preferences.pair)
    ]


def test_contradictions_and_the_example_that_is_open(known: World) -> None:
    app = open_page("agreement.py")
    offered = app.button_group(key="contradicted_metric")
    # of the majority: rouge1 none; rouge_k a against b in d1 and d2, against c in d0 to d2; length none
    assert [label for label in offered.options if not label.startswith("ROUGE-2")] == [
        "ROUGE-1: 0",
        "ROUGE-K: 5",
        "Length: 0",
    ]
    assert "There are none." in page_text(app)
    choose(app, "contradicted_metric", "ROUGE-K")
    shown = table(app, "contradictions")
    assert sorted(zip(shown["document"], shown["people prefer"], shown["the metric prefers"], strict=True)) == [
        ("d0", "a", "c"),
        ("d1", "a", "b"),
        ("d1", "a", "c"),
        ("d2", "a", "b"),
        ("d2", "a", "c"),
    ]
    assert list(shown["difference"]) == pytest.approx([0.1] * 5)
    opened_first = shown.iloc[0]
    texts = html(app)
    assert f"Source of {opened_first['document']}." in texts
    for system in (opened_first["people prefer"], opened_first["the metric prefers"]):
        assert f"{NAME} {opened_first['document']} by {system}" in texts
    assert f"Words of {opened_first['document']}." in texts
    assert texts.count(f"{NAME} d") == 2  # two summaries, no other
    systems = sorted((opened_first["people prefer"], opened_first["the metric prefers"]))
    of_letter = dict(zip("AB", systems, strict=True))
    assert [f">{letter}: {system}</th>" in texts for letter, system in of_letter.items()] == [True, True]
    rows = {
        name: re.findall(r"<td[^>]*>(.*?)</td>", cells)
        for name, cells in re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', texts)
    }
    assert of_letter[rows["People"][3]] == opened_first["people prefer"]
    assert "✗ wrong: " in rows["ROUGE-K"][3]
    assert of_letter[re.sub("<[^>]*>", "", rows["ROUGE-K"][3])[-1]] == opened_first["the metric prefers"]
    assert list(map(float, rows["ROUGE-1"][:2])) == [{"a": 0.9, "b": 0.5, "c": 0.1}[system] for system in systems]


def test_imported_ratings_are_a_source(known: World) -> None:
    app = open_page("agreement.py")
    select(app, "source", "Ratings of relevance")
    assert "Ratings of relevance, imported" in page_text(app).replace("**", "")
    assert counts(app, "ROUGE-1") == (12, 12, 0, 0)
    assert "people" not in set(table(app, "agreement")["metric"])
    assert not [group for group in app.button_group if group.key == "unit"]
    assert "Position" not in [tab.label for tab in app.tabs]
    choose(app, "contradicted_metric", "ROUGE-K")
    # a against b and against c in d0 to d2
    assert len(table(app, "contradictions")) == 6


def test_the_data_set_narrows_the_sources(known: World) -> None:
    known.add("other", documents=("x", "y"), ratings={"a": 1, "b": 2, "c": 2})
    known.score(ROUGE1, lambda _, system: {"a": 0.9, "b": 0.5, "c": 0.1}[system], name="other")
    app = open_page("agreement.py")
    select(app, "dataset", NAME)
    assert app.selectbox(key="source").options == ["Annotators in Study", "Ratings of relevance"]
    select(app, "dataset", "other")
    assert app.selectbox(key="source").options == ["Ratings of relevance"]
    # two documents: a is rated below b and c, which are rated alike
    assert counts(app, "ROUGE-1") == (4, 0, 4, 0)
    assert "(2 human ties)" in page_text(app)
    sound(app.switch_page("correlation.py").run())
    assert app.selectbox(key="dataset").value == "other"


def test_the_study_with_the_most_judgments_comes_first(known: World) -> None:
    known.ask("Later")
    known.judge("Dan", first, study="Later")
    app = open_page("agreement.py")
    assert app.selectbox(key="source").options == [
        "Annotators in Study",
        "Ratings of relevance",
        "Annotators in Later",
    ]
    assert open_page("annotators.py").selectbox(key="study").options == ["Study", "Later"]


# --- too little for a finding -----------------------------------------------------------------------------


def test_nothing_is_called_the_best_and_drawn_on_too_few_documents(known: World) -> None:
    app = open_page("overview.py", study="Study")
    text = page_text(app)
    assert TOO_LITTLE in text
    assert "Naming a best metric takes at least 20 judgments of 6 documents. Still missing: 2 more documents." in text
    assert "most often" not in text
    assert "apart would take" not in text
    assert not app.get("vega_lite_chart")


def test_all_figures_are_there_however_few(known: World) -> None:
    app = open_page("agreement.py", study="Study")
    assert app.get("vega_lite_chart")
    assert list(table(app, "agreement")["metric"])[:1] == ["ROUGE-1"]
    assert "3 people judged, too few to speak of others, which takes 5" in page_text(app)


def test_a_metric_with_hardly_a_value_has_no_ratio(world: World) -> None:
    names = [f"d{number}" for number in range(10)]
    world.add(documents=names, ratings={"a": 3, "b": 2, "c": 1})
    world.score(ROUGE1, lambda _, system: float(ord(system)))
    world.score("apes|v:1", lambda document, system: 0.5 if document == "d0" else None)
    app = open_page("overview.py")
    assert "ROUGE-1 agrees" in page_text(app)
    assert "APES has values on 3 of 30, of 1 document." in page_text(app)
    assert "APES" not in app.get("vega_lite_chart")[0].proto.spec
    row = table(open_page("agreement.py"), "agreement").set_index("metric").loc["APES"]
    assert (row["n"], row["missing"]) == (3, 27)
    assert np.isnan(row["half"])


# --- the report -------------------------------------------------------------------------------------------


def test_the_report_of_a_study_rests_on_what_that_of_the_command_line_does(
    known: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Report] = []
    monkeypatch.setattr(report, "report_html", lambda contents, _methods: made.append(contents) or "")
    app = open_page("overview.py", study="Study")
    press(app, "report:{'study': 'Study'}")
    (result,) = made
    expected = make_study_report(without_names(read_study(known.data, known.annotation, "Study")), Settings())
    assert (result.heading, result.people) == ("Metrics against annotators: Study", "annotators")
    assert (result.heading, result.people, result.names) == (expected.heading, expected.people, expected.names)
    assert (result.facts, result.gaps) == (expected.facts, expected.gaps)
    assert result.shown.inputs.checks == expected.shown.inputs.checks


# --- correlation ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall"])
def test_correlations_are_those_of_the_functions(known: World, method: str) -> None:
    app = open_page("correlation.py")
    select(app, "source", "Ratings of relevance")
    choose(app, "method", method)
    cells = known.data.cells(NAME)
    columns = {label_of(signature): values for signature, values in cells.scores.items()}
    columns["ratings of relevance"] = cells.ratings["relevance"]
    rows = {"human": 4, "length": 3, "rouge_k": 3, "matrix": 6}
    other = {"human": "ratings of relevance", "length": "Length", "rouge_k": "ROUGE-K"}  # it stands under the table
    for name, count in rows.items():
        shown = table(app, name)
        assert len(shown) == count
        for row in shown.to_dict("records"):
            levels = correlate(
                columns[row.get("metric", row.get("first"))],
                columns[row.get("second", other.get(name))],
                cells.documents,
                cells.systems,
                method=method,
            )
            for level, result in zip(("pooled", "within documents", "system level"), levels, strict=True):
                assert equal(row[level], result.r), (name, row, level)
            counted = {
                "summaries": levels.global_.n,
                "documents": levels.input.n,
                "left out": levels.input.left_out,
                "systems": levels.system.n,
            }
            # a column that is the same in all rows is said under the table
            assert all(
                row[what] == n if what in row else f"{what}: {n}" in page_text(app) for what, n in counted.items()
            )
            assert f"coefficient: {COEFFICIENTS[method]}" in page_text(app)
    assert "not the two" not in page_text(app)
    assert len(means(open_page("systems.py"))) == 3
    assert "— (" in page_text(app)  # rouge_k is constant in d3


def test_the_level_and_what_is_drawn(known: World) -> None:
    app = open_page("correlation.py")
    select(app, "source", "Ratings of relevance")
    for level in ("global", "input", "system"):
        choose(app, "level", level)
        assert (
            f"correlation with ratings of relevance ({LEVEL_NAMES[level]})"
            in tab(app, "With people").get("vega_lite_chart")[0].proto.spec
        )
    before = table(app, "human")
    assert "bootstrap over documents (pooled, within documents) and documents and systems (system level)" in page_text(
        app
    )
    choose(app, "resample", "systems")
    after = table(app, "human")
    assert (before["pooled"] == after["pooled"]).all()
    assert (before["pooled 95 %"] != after["pooled 95 %"]).any()
    assert "bootstrap over systems" in page_text(app)
    choose(app, "resample", "both")
    assert "bootstrap over documents and systems," in page_text(app)


def test_judgments_won_are_what_metrics_are_correlated_with(known: World) -> None:
    app = open_page("correlation.py")
    assert app.selectbox(key="source").value.study == "Study"
    assert "the share of judgments that a summary won" in page_text(app)
    cells = known.data.cells(NAME)
    won = shares_won(load_judgments(known.annotation, "Study"))
    # d0: a against b 1, 0, 1/2 and against c 1, 0, 1; of all 6 judgments it won 3.5
    assert won["d0", "a"] == pytest.approx(3.5 / 6)
    shares = [won[cell] for cell in zip(cells.documents, cells.systems, strict=True)]
    expected = correlate(shares, cells.scores[ROUGE1], cells.documents, cells.systems).global_.r
    row = table(app, "human").set_index("metric").loc["ROUGE-1"]
    assert "with: judgments won" in page_text(app)
    assert equal(row["pooled"], expected)


def test_rouge_by_the_mean_adds_rows(known: World) -> None:
    app = open_page("correlation.py")
    shown = table(app, "rouge_k")
    assert set(shown["metric"]) == {"ROUGE-1", "ROUGE-2", "Length"}
    assert list(shown["pooled"]) == sorted(shown["pooled"], reverse=True)
    sound(app.button(key="score_mean").click().run())
    firsts = list(table(app, "rouge_k")["metric"])
    assert len(firsts) == 6
    assert [name for name in firsts if name.startswith("ROUGE-1 (") and "refs:mean" in name]
    assert not [button for button in app.button if button.key == "score_mean"]
    assert len(table(app, "matrix")) == 21  # of 7 metrics


def test_two_metrics_are_tested_and_systems_are_compared(known: World) -> None:
    app = open_page("correlation.py")
    shown = table(app, "correlation_tests")
    assert list(shown["level"]) == ["pooled", "within documents", "system level"]
    assert list(shown["test"]) == ["Perm-Systems + Perm-Inputs", "Perm-Inputs, exact", "Perm-Systems, exact"]
    choose(app, "permute", "cells")
    assert set(table(app, "correlation_tests")["holds for"]) == {"these systems and documents"}
    assert "takes these systems and documents as fixed" in page_text(app)
    select(app, "tested_first", "ROUGE-2")  # what stood second before
    shown = table(app, "correlation_tests")
    assert (set(shown["first"]), set(shown["second"])) == ({"ROUGE-2"}, {"ROUGE-1"})
    app = open_page("systems.py")
    select(app, "system_metric", "ROUGE-K")
    shown = table(app, "wilcoxon")
    assert set(shown["metric"]) == {"ROUGE-K"}
    assert list(shown["difference"]) == pytest.approx([-0.1, -0.1, 0.0])
    assert list(shown["documents"]) == [3, 3, 4]


def test_who_beats_the_baselines_has_a_dagger(world: World) -> None:
    world.add(documents=[f"d{n}" for n in range(7)], ratings={"a": 3, "b": 2, "c": 1})
    # a is above b by more in each document: p = 2 / 2^7; c is below
    world.score(ROUGE1, lambda document, system: {"a": 0.5, "b": 0.1, "c": 0.0}[system] + int(document[1]) ** 2 / 100)
    world.score(ROUGE2, lambda document, system: ord(system) / 100 * int(document[1]))
    world.score(ROUGE_K, lambda document, system: int(document[1]) * (1 + (system == "a")) / 20)
    app = open_page("systems.py")
    assert "†" not in page_text(app)
    assert list(means(app)["ROUGE-1"]) == pytest.approx([0.63, 0.23, 0.13])
    app.multiselect(key=f"baselines:{NAME}").set_value(["b", "c"]).run()
    assert list(means(sound(app))["ROUGE-1"]) == ["0.630†", "0.230", "0.130"]
    assert "†: beats each of b, c: a higher mean" in page_text(app)


def test_systems_come_in_the_order_of_people(world: World) -> None:
    world.add(documents=[f"d{n}" for n in range(4)], ratings={"a": 2, "b": 1, "c": 3})
    world.score(ROUGE1, lambda document, system: ord(system) / 200 + int(document[1]) / 10)
    app = open_page("systems.py")
    shown = means(app)
    assert list(shown)[:3] == ["system", "documents", "ratings of relevance"]
    assert list(shown["system"]) == ["c", "a", "b"]
    assert list(shown["documents"]) == [4, 4, 4]
    select(app, "mean_metric", "ROUGE-1")
    chosen = table(app, "system_means")
    assert list(chosen["system"]) == ["c", "a", "b"]
    middle, half = 99 / 200 + 0.15, stats.t.ppf(0.975, 3) * np.std([0, 0.1, 0.2, 0.3], ddof=1) / 2
    assert chosen["95 %"][0] == f"[{middle - half:.3f}, {middle + half:.3f}]"
    assert "From top to bottom by ratings of relevance, the highest mean first." in page_text(app)
    world.add(name="unrated")
    world.score(ROUGE1, lambda document, system: 0.5, name="unrated")
    alone = open_page("systems.py", dataset="unrated")
    assert list(means(alone)["system"]) == ["a", "b", "c"]
    assert "From top to bottom" not in page_text(alone)


def test_systems_stand_beside_the_best_extracts_where_they_were_searched_for(world: World) -> None:
    world.add()
    world.score(metric("rouge1").signature, lambda document, system: 0.25)
    assert "best extract" not in " ".join(means(open_page("systems.py"))["system"])
    signature = OracleTask(algorithms=("exact",)).signatures["exact"]
    bounds = {document: StoredBound(f1, (0,), 0, f1, 0.1) for document, f1 in {"d0": 0.5, "d1": 0.75}.items()}
    world.data.add_bounds(dataset=NAME, signature=signature, bounds=bounds)
    shown = means(open_page("systems.py"))
    assert list(shown["system"]) == ["a", "b", "c", "best extract (2 of 4 documents)"]
    assert list(shown["ROUGE-1"]) == pytest.approx([0.25, 0.25, 0.25, 0.625])


def test_systems_called_like_a_baseline_are_to_be_beaten_unless_others_are_chosen(world: World) -> None:
    world.add(systems=("lead-1", "lexrank", "own"))
    world.score(ROUGE1, lambda document, system: 0.5)
    app = open_page("systems.py")
    assert app.multiselect(key=f"baselines:{NAME}").value == ["lead-1", "lexrank"]
    assert "†: beats each of lead-1, lexrank: " in page_text(app)
    app.multiselect(key=f"baselines:{NAME}").set_value([]).run()
    assert "†" not in page_text(sound(app))


def test_the_words_stay_beside_rouge_k_whichever_metrics_are_chosen(world: World) -> None:
    world.add()
    for signature in (ROUGE1, ROUGE_K, LENGTH):
        world.score(signature, lambda document, system: 0.5)
    app = open_page("systems.py", dataset=NAME, metrics=["ROUGE-K"])
    assert list(means(app)) == ["system", "documents", "ROUGE-K", "words"]
    assert "Keyword recall grows with length" in page_text(app)
    assert list(table(app, "wilcoxon"))[-1] == "words apart"


def test_keywords_are_told_apart_by_the_source_where_that_is_asked_for(world: World) -> None:
    document = Document("d", "A cat sat.", ("The cat ate mice.", "A cat hunts mice."))  # keywords: cat, and mouse
    summaries = [Summary("d", "bad", "A cat."), Summary("d", "good", "Mice fear a cat.")]
    world.data.add_dataset(name=NAME, format="interchange", sha256="0", records=[(document, summaries)])
    world.score(ROUGE_K, lambda document, system: 0.5)
    app = open_page("systems.py")
    assert "IN-SRC" not in means(app)
    sound(app.toggle(key="by_source").set_value(True).run())
    shown = means(app)
    assert list(shown["IN-SRC"]) == [1, 1]
    assert list(shown["OUT-SRC"]) == [0, 1]


def history(*scores: float, measure: str = "rouge1") -> list[TrainingEntry]:
    """The history of so many epochs of ten updates."""
    return [
        TrainingEntry(
            step,
            step / 10,
            5 - step / 10,
            3e-5,
            60.0 * step,
            *((scores[step // 10 - 1], measure) if step % 10 == 0 else ()),
        )
        for step in range(5, 10 * len(scores) + 1, 5)
    ]


def test_how_a_system_was_trained_has_charts_and_a_table(world: World) -> None:
    world.add()
    world.score(ROUGE1, lambda document, system: 0.5)
    assert "Training" not in [element.label for element in open_page("systems.py").tabs]  # nothing was trained
    for run, scores in {"b#1": (0.1, 0.3, 0.3), "b#2": (0.4, 0.2)}.items():
        world.data.keep_history(dataset=NAME, system=run, history=history(*scores))
    shown = tab(open_page("systems.py"), "Training").dataframe[0].value
    assert list(shown["system"]) == ["b#1"] * 3 + ["b#2"] * 2
    assert list(shown["updates"]) == [10, 20, 30, 10, 20]
    assert list(shown["loss"]) == [4, 3, 2, 4, 3]
    assert [str(item) for item in shown["mean on dev"]] == ["0.100", "0.300*", "0.300", "0.400*", "0.200"]
    assert list(shown["minutes"]) == [10, 20, 30, 10, 20]


def test_training_is_shown_before_anything_is_scored(world: World) -> None:
    world.add()
    world.data.keep_history(dataset=NAME, system="<b>", history=history(0.1))
    app = sound(open_page("systems.py"))
    assert list(app.dataframe[0].value["system"]) == ["<b>"]


def test_published_figures_stand_in_a_table_of_their_own(world: World) -> None:
    world.add()
    world.score(ROUGE1, lambda document, system: 0.5)
    app = open_page("systems.py")
    assert app.selectbox(key=f"published:{NAME}").value is None  # these are not documents of a paper
    assert "As published" not in [header.value for header in app.header]
    select(app, f"published:{NAME}", "SciTLDR")
    *_, shown = (frame.value for frame in tab(app, "Mean scores").dataframe)
    assert list(means(app)["system"]) == ["a", "b", "c"]
    assert len(shown) == 10
    rouge_k = dict(zip(shown["system"], shown["ROUGE-K"], strict=True))
    assert (rouge_k["BART"], rouge_k["TDSum"], rouge_k["Llama 2 13B"]) == (0.4136, 0.4304, 0.444)
    assert "Quoted, not computed here" in page_text(app)


def test_pairs_on_which_rouge_k_parts_from_others(known: World) -> None:
    cells = known.data.cells(NAME)
    expected = compare_with_rouge_k(cells, correlation_tables(cells, "relevance"))
    shown = table(open_page("correlation.py"), "discrepancies")
    # ROUGE-1 puts a above b above c, ROUGE-K b and c above a, but in d3, where it has none of a and b and c tie
    assert [(row["second"], row["part"], row["ties"], row["n"]) for row in shown.to_dict("records")] == [
        (label_of(result.second), result.parted, result.tied, result.pairs) for result in expected
    ]
    assert (expected[0].second, expected[0].parted, expected[0].tied, expected[0].pairs) == ("rouge1", 6, 4, 10)


def test_what_is_not_weighed_says_so(world: World) -> None:
    """Pairs of a study of conflicts were drawn with unequal probability."""
    world.add(documents=[f"d{n}" for n in range(6)])
    world.score(ROUGE1, lambda _, system: {"a": 0.9, "b": 0.5, "c": 0.1}[system])
    world.score(ROUGE2, lambda document, system: ord(system) * (-1 if document in ("d0", "d1") else 1))
    world.ask(rule="conflicts", signatures=(ROUGE1, ROUGE2), count=9, per_document=3)
    world.judge("Ana", first)
    app = open_page("systems.py")
    note = "Not weighed: the column judgments won describes the pairs that were drawn"
    assert page_text(app).count(note) == 4  # systems, system_means, distinguishability, wilcoxon
    agreement = page_text(open_page("agreement.py"))
    assert "Wilcoxon's test is not weighed" in agreement
    assert agreement.count("Not weighed: this describes the pairs that were drawn") == 1  # of the sides


def test_all_tables_of_a_study_are_of_its_systems(world: World) -> None:
    """The data set has three, of which the study compares two."""
    world.add()
    for signature in (ROUGE1, ROUGE_K):
        world.score(signature, lambda document, system: ord(system) / 200 + int(document[1:]) / 10)
    world.ask(systems=("a", "c"))
    world.judge("Ana", first)
    app = open_page("systems.py")
    assert {*means(app)["system"]} == {"a", "c"}
    assert app.multiselect(key=f"baselines:{NAME}:Study").options == ["a", "c"]
    correlation = open_page("correlation.py")
    assert {*table(correlation, "discrepancies")["n"]} == {4}  # a pair in each of four documents
    assert "8 summaries of 8 were judged" in page_text(correlation)


def test_a_change_of_the_data_set_changes_every_choice(known: World) -> None:
    known.add("zz", systems=("x", "y"))
    known.score("other|v:1", lambda document, system: len(document) + (system == "x"), name="zz")
    app = open_page("correlation.py")
    select(app, "y", "ROUGE-K")
    select(app, "tested_first", "Length")
    select(app, "dataset", "zz")
    assert (app.selectbox(key="x").value, app.selectbox(key="y").value) == ("other", "other")
    assert "Nobody has judged or rated" in page_text(app)
    assert [tab.label for tab in app.tabs] == ["Summaries"]
    select(app, "dataset", NAME)


# --- reliability ------------------------------------------------------------------------------------------


def test_reliability_is_that_of_the_functions(known: World) -> None:
    app = open_page("annotators.py")
    preferences = load_judgments(known.annotation, "Study")
    pair, choices, annotators = preferences.pair, preferences.choices, preferences.annotators
    assert "36 judgments of 12 pairs by 3 annotators" in page_text(app).replace("**", "")
    shown = table(app, "reliability")
    documents = preferences.document
    fleiss = fleiss_kappa(pair, choices, documents)
    expected = [krippendorff_alpha(pair, choices, documents), fleiss.estimate, raw_agreement(pair, choices, documents)]
    assert shown["coefficient"][1] == "Fleiss' kappa, pairs with 3 judgments"
    for row, result in zip(shown.to_dict("records"), expected, strict=True):
        assert equal(row["value"], result.value)
        assert row["95 %"] == f"[{result.low:.3f}, {result.high:.3f}]"
        assert row["pairs"] == result.n == 12
    # 12 pairs of 3 judgments, 3 couples each: all agree in 6 (a or b against c, d1 to d3), 1 couple in the 3 of a and
    # b with Cleo's tie and in d0's a and c, b and c; none in d0's a and b
    assert shown["value"][2] == pytest.approx((6 * 3 + 3 + 2) / 36)
    kappas = cohen_kappas(pair, annotators, choices)
    shown = table(app, "cohen")
    assert len(shown) == len(kappas) == 3
    for row, kappa in zip(shown.to_dict("records"), kappas, strict=True):
        assert (row["first"], row["second"], row["n"]) == (kappa.first, kappa.second, kappa.n)
        assert equal(row["kappa"], kappa.kappa)
        assert equal(row["raw agreement"], kappa.agreement)
    people = table(app, "annotators").set_index("annotator")
    assert list(people["judged"]) == [12, 12, 12]
    assert list(people["ties"]) == [0, 0, 4]
    assert list(people["median seconds"]) == pytest.approx([5, 5, 5], abs=0.5)
    # without ties of others: Ana 9 of 9 in d1 to d3 and against Ben in d0's a and b
    assert (people.loc["Ana", "agrees"], people.loc["Ana", "of"]) == (0.9, 10)
    ranking = Results(Inputs(preferences)).reliability.ranking
    shown = table(open_page("systems.py"), "ranking")
    assert list(shown["system"]) == [row.system for row in ranking.rows] == ["a", "b", "c"]
    assert list(shown["strength"]) == pytest.approx([row.strength for row in ranking.rows])
    # a over b: Ana 4, Ben 3, Cleo half of 4; over c: 4, 3, 4. b over a: Ben 1, Cleo 2; over c: 4, 3, 4. c: Ben 2
    assert list(shown["wins"]) == [20, 14, 2]


def test_attention_checks_are_counted_and_count_nowhere_else(world: World) -> None:
    world.add()
    world.ask(checks=2, judgments_per_pair=2)

    def own(document: str, text: str, other: str) -> str:
        return text

    world.judge("Ana", own)
    app = open_page("annotators.py")
    people = table(app, "annotators").set_index("annotator")
    assert people.loc["Ana", "judged"] == 12
    assert people.loc["Ana", "checks passed"] == f"{world.annotation.annotators('Study')[0].checks_passed} of 2"
    assert "12 judgments" in page_text(app)


# --- planner ----------------------------------------------------------------------------------------------


def numbers(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def entered(app: AppTest, label: str, value: float | None = None) -> float:
    (field,) = (n for n in app.number_input if n.label == label)
    if value is not None:
        sound(field.set_value(value).run())
    return float(next(n for n in app.number_input if n.label == label).value)


def test_the_planner_by_assumed_ratios(sqlite_url: str) -> None:
    app = open_page("new_study.py")
    assert numbers(app)["Pairs"] == "306"
    entered(app, "phi", 0.63)
    assert numbers(app) == {
        "Pairs": "120",
        "Judgments": "120",
        "Documents": "120",
        "Independent pairs": "120",
        "Design effect": "1.00",
    }
    entered(app, "Pairs per document", 3.0)
    entered(app, "ICC", 0.5)
    entered(app, "Judgments per pair", 2)
    # 1 + (3 - 1) .5 = 2 times 120 are 240 pairs, or 80 documents of 3; the test over documents takes one fewer
    assert numbers(app) == {
        "Pairs": "237",
        "Judgments": "474",
        "Documents": "79",
        "Independent pairs": "120",
        "Design effect": "2.00",
    }
    entered(app, "Agreement of the first metric", 0.72)
    assert not app.metric
    assert "the two ratios are equal: no number of pairs separates them" in page_text(app)
    entered(app, "Agreement of the first metric", 0.99)
    assert "with these ratios it is at most" in page_text(app)
    sound(app.radio(key="plan_goal").set_value("measure one metric's agreement").run())
    # Clopper and Pearson's interval of .6 to within .05
    assert entered(app, "Agreement of the metric") == 0.6
    entered(app, "Judgments per pair", 1)
    assert 380 < int(numbers(app)["Pairs"]) < 390


def test_the_planner_by_observed_ratios(known: World) -> None:
    app = open_page("new_study.py")
    select(app, "plan_source", "observed in set: Annotators in Study")
    select(app, "plan_metric", "ROUGE-1")
    select(app, "plan_other", "ROUGE-2")
    preferences = load_judgments(known.annotation, "Study").by_majority()
    differences = preferences.differences()
    earned = [credit_pairs(preferences.choices, differences[name]) for name in (ROUGE1, ROUGE2)]
    result = observe_metrics(*earned, preferences.document)
    row = table(app, "observed").iloc[0]
    assert (row["n"], row["agreement of the first"]) == (11, 1.0)  # 12 pairs, and one that the annotators tie on
    assert row["pairs per document"] == 11 / 4
    assert equal(row["phi"], result.phi)
    assert result.second is not None
    assert entered(app, "Agreement of the second metric") == result.second
    plan = pairs_to_separate(
        1.0, result.second, phi=result.phi or 0.0, pairs_per_document=11 / 4, icc=result.icc or 0.0
    )
    assert numbers(app)["Pairs"] == f"{plan.pairs:,}"
    select(app, "plan_source", "assumed")
    assert numbers(app)["Pairs"] == "306"
    select(app, "plan_source", "observed in set: Ratings of relevance")
    select(app, "plan_metric", "ROUGE-K")
    select(app, "plan_other", "ROUGE-1")
    # no pair with a, two ties of b and c in each document: the observed 4 x .5 of 10 is not mistaken for nothing
    assert entered(app, "Agreement of the first metric") == pytest.approx(0.2)
    sound(app.radio(key="plan_goal").set_value("measure one metric's agreement").run())
    assert entered(app, "Agreement of the metric") == pytest.approx(0.2)
    assert entered(app, "ICC") == 0.0
    assert "agreement 0.200" in page_text(app)


def test_an_address_opens_the_planner_on_what_was_observed(known: World) -> None:
    app = open_page("new_study.py", plan="1", study="Study", first="ROUGE-2", second="ROUGE-K")
    assert app.selectbox(key="plan_source").value == Source("set", study="Study")
    assert [app.selectbox(key=key).value for key in ("plan_metric", "plan_other")] == ["ROUGE-2", "ROUGE-K"]
    app = open_page("new_study.py", plan="1", dataset="set", aspect="relevance", first="ROUGE-1", second="no metric")
    assert app.selectbox(key="plan_source").value == Source("set", aspect="relevance")
    assert app.selectbox(key="plan_metric").value == "ROUGE-1"


def test_an_observed_ratio_of_0_stays_0(world: World) -> None:
    world.add(ratings={"a": 1, "b": 2, "c": 3})
    world.score(ROUGE1, lambda _, system: {"a": 0.9, "b": 0.5, "c": 0.1}[system])
    world.score(LENGTH, lambda _, system: {"a": 1, "b": 2, "c": 3}[system])
    app = open_page("new_study.py")
    select(app, "plan_source", "observed in set: Ratings of relevance")
    assert entered(app, "Agreement of the first metric") == 0.0
    assert entered(app, "Agreement of the second metric") == 1.0
    assert "phi is undefined" in page_text(app)


# --- what there is little or nothing of ---------------------------------------------------------------------


def nothing(world: World) -> None:
    pass


def bare(world: World) -> None:
    world.add()


def unjudged(world: World) -> None:
    world.add()
    world.ask()


def unscored(world: World) -> None:
    unjudged(world)
    world.judge("Ana", first)
    world.judge("Ben", first)


def scored(world: World) -> None:
    for signature in (ROUGE1, ROUGE_K, LENGTH):
        factor = len(signature) % 5 - 2
        world.score(signature, lambda document, system, by=factor: by * ord(system) + ord(document[-1]) % 3)


def alone(world: World) -> None:
    unjudged(world)
    scored(world)
    world.judge("Ana", first)


def one_pair(world: World) -> None:
    world.add(documents=("d0",), systems=("a", "b"))
    scored(world)
    world.ask()
    world.judge("Ana", first)
    world.judge("Ben", first)


def all_ties(world: World) -> None:
    unjudged(world)
    scored(world)
    for name in ("Ana", "Ben"):
        world.judge(name, lambda *_: None)


def constant(world: World) -> None:
    world.add(ratings={"a": 3, "b": 2, "c": 1})
    world.ask()
    for signature in (ROUGE1, ROUGE_K, LENGTH):
        world.score(signature, lambda *_: 0.5)
    for name in ("Ana", "Ben"):
        world.judge(name, first)


def missing(world: World) -> None:
    world.add(ratings={"a": 3, "b": 2, "c": 1})
    world.ask()
    for signature in (ROUGE1, LENGTH):
        world.score(signature, lambda *_: None)
    world.judge("Ana", first)


def one_system(world: World) -> None:
    world.add(systems=("a",), ratings={"a": 1})
    scored(world)


def one_metric(world: World) -> None:
    world.add(ratings={"a": 3, "b": 2, "c": 1})
    world.score("other|v:1", lambda document, system: ord(system) + ord(document[-1]))
    world.ask()
    world.judge("Ana", first)


def apart(world: World) -> None:
    """Annotators who met two pairs of systems that share none."""
    records = [
        (Document(name, "Source.", ("Words.",)), [Summary(name, s, f"set {name} by {s}") for s in systems])
        for name, systems in (("d0", "ab"), ("d1", "cd"))
    ]
    world.data.add_dataset(name=NAME, format="interchange", sha256="0", records=records)
    scored(world)
    world.ask()
    for name in ("Ana", "Ben"):
        world.judge(name, first)


PLAN = ("new_study.py", "exact power")


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (
            nothing,
            [
                ("agreement.py", "no data set yet"),
                ("correlation.py", "no data set yet"),
                ("annotators.py", "no study yet"),
                PLAN,
            ],
        ),
        (
            bare,
            [
                ("agreement.py", "Nobody has judged or rated"),
                ("correlation.py", "no scores yet"),
                ("annotators.py", "no study yet"),
            ],
        ),
        (
            unjudged,
            [
                ("agreement.py", "Nobody has judged a pair of this study yet"),
                ("correlation.py", "no scores yet"),
                ("annotators.py", "Nobody has joined yet"),
            ],
        ),
        (
            unscored,
            [
                ("agreement.py", "no scores yet"),
                ("correlation.py", "no scores yet"),
                ("annotators.py", "one category"),
            ],
        ),
        (
            alone,
            [
                ("agreement.py", "per judgment"),
                ("correlation.py", "— ("),
                ("annotators.py", "No pair has been judged by two annotators yet"),
                ("annotators.py", "wants per pair: 3. Invite another annotator"),
            ],
        ),
        (
            one_pair,
            [
                ("agreement.py", "fewer than 2"),
                ("correlation.py", "— ("),
                ("annotators.py", "— ("),
            ],
        ),
        (
            all_ties,
            [
                ("agreement.py", "no pair that people decide has a value"),
                ("agreement.py", "Undefined: no pair is decided by both people and a metric"),
                ("correlation.py", "— ("),
                ("annotators.py", "— ("),
            ],
        ),
        (
            constant,
            [
                ("agreement.py", "the metric decides no pair"),
                ("correlation.py", "constant"),
                ("annotators.py", "one category"),
            ],
        ),
        (missing, [("agreement.py", "no pair that people decide has a value"), ("correlation.py", "— (")]),
        (
            one_system,
            [
                ("agreement.py", "No document has two rated summaries"),
                ("correlation.py", "— ("),
                ("systems.py", "Undefined: there are fewer than 2 systems"),
                ("annotators.py", "no study yet"),
            ],
        ),
        (
            one_metric,
            [
                ("agreement.py", "Undefined: there are fewer than 2 metrics"),
                ("overview.py", "So far 12 pairs of 4 documents can be counted"),
            ],
        ),
        (apart, [("agreement.py", "per judgment"), ("systems.py", "— (a: rank")]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_undefined_is_said_with_its_reason(
    world: World, state: Callable[[World], None], expected: list[tuple[str, str]]
) -> None:
    state(world)
    result = {}
    for page in PAGES:
        app = open_page(page)
        result[page] = page_text(app)
        for box in app.selectbox:
            for option in box.options if box.key in {"source", "plan_source"} else []:
                select(app, str(box.key), option)
                result[page] += page_text(app)
        for group in app.button_group:
            if group.key in {"unit", "rule", "method", "level", "resample", "permute"}:
                choose(app, group.key, group.options[-1])
    for page, words in expected:
        assert words in result[page], result[page]
