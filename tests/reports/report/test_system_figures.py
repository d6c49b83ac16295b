"""What stands beside the scores of systems: keyword recall by source, stored bounds, figures of papers."""

import json
from pathlib import Path

import numpy as np
import pytest

from relevance.analysis.metrics_and_people import analyze_systems
from relevance.analysis.study import Inputs, Results
from relevance.analysis.systems import GivenMeans, average_runs
from relevance.data.cells import Cells
from relevance.data.database import connect
from relevance.data.importers import read_documents
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore, StoredBound
from relevance.metrics.registry import label_of, metric
from relevance.metrics.rouge_k import RougeK
from relevance.pages.components.shared.result_table import as_frame
from relevance.reports.formats import as_csv, as_json, as_latex, as_one_csv, as_text
from relevance.reports.presentation import Presentation
from relevance.reports.published import PUBLISHED, digest_documents, recognize
from relevance.reports.report.system_figures import recall_by_source, set_system_figures, stored_bounds
from relevance.reports.tables.registry import make_table, table_names
from relevance.reports.tables.systems import published_table, system_table, wilcoxon_table
from relevance.reports.tables.table import Marked, Table, Undefined
from relevance.summarizers.base import REFERENCE_LENGTH, SummaryLength
from relevance.summarizers.oracles import Target
from relevance.summarizers.oracles.evaluation import OracleTask
from relevance.summarizers.registry import BASELINES, baselines_among

ROUGE1, LENGTH, ROUGE_K = (metric(name).signature for name in ("rouge1", "length", "rouge_k"))


# --- published ----------------------------------------------------------------------------------------------------


MODELS = ("Llama 2 7B", "Llama 2 13B")


def test_published_figures_are_those_of_the_papers(shared_data: Path) -> None:
    tables = json.loads((shared_data / "published_tables.json").read_text(encoding="utf-8"))
    recall: dict[str, dict[str, list[float]]] = {}
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for of in PUBLISHED.values():
        for system in of.systems:
            percent = {name: round(100 * value, 2) for name, value in system.means.items()}
            both = [percent.pop(column) for column in ("IN-SRC", "OUT-SRC") if column in percent]
            assert bool(both) == ("9" in system.source)
            if both:
                recall.setdefault(system.system, {})[of.label] = both
            scores.setdefault(system.system, {})[of.label] = percent
    paper = tables["rouge_k"]
    assert recall == paper["table9_in_out_source"]
    assert scores == paper["table8_results"] | paper["table10_llama2"]
    assert scores["BART"] == paper["table5_bart"]
    sources = {
        system.system: system.source.removeprefix("Takeshita et al. 2024, ") for system in PUBLISHED["xsum"].systems
    }
    assert list(sources) == ["BART", "PreSumm", "GSum", "MTL", "RwEnc", "RwGen", "TDMTL", "TDSum", *MODELS]
    assert {sources.pop(name) for name in MODELS} == {"Table 10"}
    assert (sources.pop("BART"), sources.pop("TDSum")) == ("Tables 5, 8 and 9", "Tables 8 and 9")
    assert set(sources.values()) == {"Table 8"}


def test_the_documents_of_a_paper_are_recognized(shared_data: Path) -> None:
    documents = [document for document, _ in read_documents(shared_data / "scitldr" / "test.jsonl")]
    assert recognize(documents) == recognize(documents[::-1]) == "scitldr"
    assert recognize(documents[:-1]) is None
    assert recognize([*documents[:-1], Document("other", "Another text.", ("r",))]) is None
    assert recognize([]) is None
    joined = [Document(document.id, " ".join(document.source), ("other",)) for document in documents[:5]]
    assert digest_documents(joined) == digest_documents(documents[:5])


def test_published_figures_are_in_no_other_table() -> None:
    published = [GivenMeans("Theirs", {"rouge1": 0.9}, "A paper, Table 1"), GivenMeans("Others", {"rouge_k": 0.1}, "B")]
    section, nothing = published_table(published, label_of), Undefined("the paper does not report it")
    assert section.rows == [
        {"system": "Theirs", "ROUGE-1": 0.9, "ROUGE-K": nothing, "source": "A paper, Table 1"},
        {"system": "Others", "ROUGE-1": nothing, "ROUGE-K": 0.1, "source": "B"},
    ]  # fmt: skip
    cells = Cells(("d", "e") * 2, ("a", "a", "b", "b"), {}, {ROUGE1: np.array([0.1, 0.2, 0.3, 0.4])})
    plain = Presentation(Results(Inputs(cells=cells)))
    beside = set_system_figures(plain, published="scitldr")
    assert "systems_published" not in table_names(plain)
    assert "systems_published" in table_names(beside)
    for name in ("systems", "wilcoxon", "distinguishability"):
        assert make_table(name, plain) == make_table(name, beside)


# --- keywords and words -------------------------------------------------------------------------------------------

CATS = Document("d", "A cat sat.", ("The cat ate mice.", "A cat hunts mice."), None)  # keywords: cat, and mouse
RECORDS = [(CATS, [Summary("d", "bad", "A cat."), Summary("d", "good", "Mice fear a cat.")])]
CELLS = Cells(("d", "d"), ("bad", "good"), {}, {})


def test_recall_by_source_is_that_of_the_keywords_that_scores_are_of() -> None:
    recall = recall_by_source(RECORDS, CELLS)
    np.testing.assert_equal(recall["IN-SRC"], [1, 1])
    np.testing.assert_equal(recall["OUT-SRC"], [0, 1])
    signature = RougeK(keywords="tfidf:1").signature  # of the two texts only the rarest phrase
    recall = recall_by_source(RECORDS, Cells(CELLS.documents, CELLS.systems, {}, {signature: np.zeros(2)}))
    assert np.isnan(recall["IN-SRC"]).all() or np.isnan(recall["OUT-SRC"]).all()


def test_a_page_loads_no_model_for_recall_by_source() -> None:
    by_spacy = RougeK(lemmas="spacy:en_nowhere").signature
    cells = Cells(CELLS.documents, CELLS.systems, {}, {by_spacy: np.zeros(2)})
    assert recall_by_source(RECORDS, cells, models=False) == {}
    assert recall_by_source(RECORDS, CELLS, models=False).keys() == {"IN-SRC", "OUT-SRC"}


def test_words_stand_beside_keyword_recall() -> None:
    documents, systems = ("d", "e", "f") * 2, tuple("aaabbb")
    of = Cells(documents, systems, {}, {})
    columns = {"ROUGE-K": np.array([0.1, 0.2, 0.3, 0.4, 0.6, 0.8]), "Length": np.array([9.0, 9, 9, 20, 22, 24])}
    result = analyze_systems(of, columns, signatures={"ROUGE-K": ROUGE_K, "Length": LENGTH})
    means = system_table(result)
    assert [(row["system"], row["words"]) for row in means.rows] == [("a", 9), ("b", 22)]
    assert means.notes == ["Keyword recall grows with length: read ROUGE-K beside the words."]
    tests = wilcoxon_table(result, "ROUGE-K")
    assert [(row["metric"], row["words apart"]) for row in tests.rows] == [("ROUGE-K", -13)]
    assert means.notes[0] in tests.notes
    without = wilcoxon_table(analyze_systems(of, columns, signatures={"ROUGE-K": ROUGE_K}), "Length")
    assert without.rows[0]["words apart"] == Undefined("their lengths are not compared")
    assert means.notes[0] not in without.notes


def test_means_of_fewer_documents_are_named() -> None:
    of = Cells(("d", "e", "d", "e", "d"), ("a", "a", "b", "b", "c"), {}, {})
    scores = {"x": np.array([0.1, 0.2, 0.3, np.nan, 0.5])}
    (note,) = system_table(analyze_systems(of, scores)).notes
    assert note == "Means of fewer documents than others have, not to be compared: b (1 of 2), c (1 of 2)."
    scores |= {"y": scores["x"], "z": np.array([0.1, 0.2, 0.3, 0.4, 0.5]), "same": np.array([0.1, np.nan] * 2 + [0.5])}
    (note,) = system_table(analyze_systems(of, scores)).notes
    assert note == (
        "Means of fewer documents than others have, not to be compared: x, y of b (1 of 2), c (1 of 2); "
        "z of c (1 of 2)."
    )


# --- bounds and baselines -----------------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_stored_bounds_are_a_row_each(sqlite_url: str) -> None:
    store = DataStore(connect(sqlite_url))
    documents = [
        Document("d", ("A cat sat.", "Dogs ran far away."), ("x",)),
        Document("e", ("One.", "Two three."), ("x",)),
    ]
    store.add_dataset(name="s", format="lines", sha256="", records=[(document, []) for document in documents])
    wanted = {
        None: {"d": StoredBound(0.5, (0, 1), 0, 0.5, 1.0), "e": StoredBound(0.25, (1,), 0, 0.75, 1.0)},
        SummaryLength(1): {"d": StoredBound(0.5, (1,), 0, 0.5, 1.0)},
        REFERENCE_LENGTH: {"d": StoredBound(0.25, (0,), 0, 0.25, 1.0)},
    }
    for length, bounds in wanted.items():
        signature = OracleTask(algorithms=("exact",), length=length).signatures["exact"]
        store.add_bounds(dataset="s", signature=signature, bounds=bounds)
    for other in (OracleTask(Target(2), ("exact",)), OracleTask(algorithms=("greedy",)), OracleTask(Target(1, "set"))):
        store.add_bounds(dataset="s", signature=[*other.signatures.values()][-1], bounds=wanted[None])
    assert stored_bounds(store, "s", documents) == [
        # e is not proven: no extract exceeds .75
        GivenMeans(
            "best extract, at most the words of the first reference (1 of 2 documents)",
            {ROUGE1: 0.25, LENGTH: 3},
            documents=1,
        ),
        GivenMeans("best sentence (1 of 2 documents)", {ROUGE1: 0.5, LENGTH: 4}, documents=1),
        GivenMeans("best extract", {ROUGE1: (0.5 + 0.75) / 2, LENGTH: (7 + 2) / 2}, documents=2),
    ]  # fmt: skip


def test_bounds_stand_below_the_systems_and_are_marked_by_nothing() -> None:
    documents = tuple(f"d{n}" for n in range(8) for _ in range(3))
    values = np.array([value for n in range(8) for value in (n, n + 1 + n / 9, n + 2 + n / 7)], np.float64)
    of = Cells(documents, ("lead", "oracle-exact-rouge1", "own") * 8, {}, {})
    columns = {"ROUGE-1": values, "ROUGE-2": values}
    result = analyze_systems(of, columns, ["lead"], {"ROUGE-1": ROUGE1, "ROUGE-2": metric("rouge2").signature})
    section = system_table(result, [GivenMeans("best extract", {ROUGE1: 0.5, LENGTH: 9.0})])
    *systems, bound = section.rows
    assert [isinstance(row["ROUGE-1"], Marked) for row in systems] == [False, False, True]
    assert bound == {
        "system": "best extract",
        "documents": Undefined("their number is not known"),
        "ROUGE-1": 0.5,
        "ROUGE-2": Undefined("best extracts are chosen by ROUGE-1, and not scored otherwise"),
    }
    assert "Best extracts are not systems" in " ".join(section.notes)
    assert "best extract" in as_text(section)


def test_baselines_are_known_by_their_names() -> None:
    named = ["lead-1", "lexrank", "rake-ref", "random-5-seed7", "textrank-100w"]
    assert baselines_among(["bart", *named, "leader", "oracle-exact-rouge1", "title", "lead-", "mylead"]) == (*named,)
    assert baselines_among(BASELINES) == (*BASELINES,)


# --- runs over seeds ----------------------------------------------------------------------------------------------


def test_runs_over_seeds_are_one_row_with_their_standard_deviation() -> None:
    documents = tuple(f"d{n}" for n in range(8) for _ in range(4))
    of = Cells(documents, ("bart#1", "bart#2", "lead", "lone#1") * 8, {}, {})
    # of each document, the mean of both runs is above lead by more: p = 2 / 2^8; their means are .5 + 2 and .5 - 1
    values = np.array([v for n in range(8) for v in (n / 8 + 2, n / 8 - 1, n / 8 - n / 9 - 0.1, n + 1)], np.float64)
    (result,) = analyze_systems(of, {"ROUGE-1": values}, ["lead"], {"ROUGE-1": ROUGE1})
    assert (result.means[0].system, result.means[0].mean) == ("bart", pytest.approx(3.5 / 8 + 0.5))
    assert result.beating == ("bart", "lone")
    section = system_table([result])
    bart, lead, lone = section.rows
    assert bart == {
        "system": "bart",
        "documents": 8,
        "ROUGE-1": Marked(pytest.approx(3.5 / 8 + 0.5), "†", pytest.approx(1.5)),
    }
    assert isinstance(lead["ROUGE-1"], float)
    assert lone["ROUGE-1"] == Marked(4.5, "†")  # a single run has no spread
    assert "±: standard deviation over the runs" in " ".join(section.notes)
    assert [(row["first"], row["second"]) for row in wilcoxon_table([result]).rows] == [
        ("bart", "lead"), ("bart", "lone"), ("lead", "lone")
    ]  # fmt: skip
    without = analyze_systems(of.of_systems(["lead", "lone#1"]), {"x": values[np.arange(32) % 4 > 1]})
    assert "±" not in " ".join(system_table(without).notes)


def test_runs_are_averaged_over_those_that_have_a_value() -> None:
    columns = {"x": [1.0, 3.0, np.nan, 5.0, np.nan], "y": [1.0, 2.0, 3.0, 4.0, 5.0]}
    documents, systems = ["d", "d", "e", "e", "f"], ["s#1", "s#2", "s#1", "s#2", "s#2"]
    averaged, of_documents, of_systems = average_runs(columns, documents, systems)
    assert (of_documents, of_systems) == (["d", "e", "f"], ["s", "s", "s"])
    np.testing.assert_equal(averaged["x"], [2, 5, np.nan])
    np.testing.assert_equal(averaged["y"], [1.5, 3.5, 5])
    assert average_runs(columns, documents, list("stuvw"))[2] == list("stuvw")


def test_a_spread_over_runs_is_in_every_format() -> None:
    section = Table("t", "T", [{"system": "bart", "m": Marked(0.5, "†", 0.25)}, {"system": "lead", "m": 0.125}])
    assert "0.5000 ± 0.2500†" in as_text(section)
    assert r"0.500 ± 0.250\dag{}" in as_latex(section)
    assert as_json(section)["rows"][0] == {"system": "bart", "m": 0.5, "marks": {"m": "†"}, "std": {"m": 0.25}}
    assert as_csv(section).splitlines()[:2] == ["system,m,marks,std,undefined", "bart,0.5,m: †,m: 0.25,"]
    assert "t,bart,m std,0.25,,,," in as_one_csv([section])
    assert list(as_frame(section)["m"]) == ["0.500 ± 0.250†", "0.125"]
