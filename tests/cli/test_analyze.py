"""`relevance analyze`, `relevance report` and `relevance plan`: of files, of studies, in every format."""

import csv
import hashlib
import io
import json
import random
from datetime import timedelta
from itertools import islice

import numpy as np
import pytest

from relevance.analysis.agreement.counts import count_agreement
from relevance.analysis.arrays import Draws
from relevance.analysis.correlation.coefficients import METHODS
from relevance.analysis.metrics_and_people import analyze_agreement
from relevance.analysis.people.kappa import cohen_kappas
from relevance.analysis.people.ranking import bradley_terry
from relevance.analysis.people.reliability import fleiss_kappa, krippendorff_alpha, raw_agreement
from relevance.analysis.study import shares_won
from relevance.annotation.records import StudySpec
from relevance.annotation.results import load_judgments
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect, now
from relevance.data.demo import AUTHOR
from relevance.data.demo import FILE as CORPUS
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore, StoredScore
from relevance.metrics.models.encoder import shared_encoder
from relevance.reports.formats.latex import escape_latex
from relevance.summarizers.base import SummaryLength
from relevance.summarizers.oracles.evaluation import OracleTask, evaluate_stored
from tests.commands import refused, run, run_json, write

DOCUMENTS = [
    {
        "id": "d1",
        "title": "Cats and mice",
        "source": "A cat sat. It saw mice. It ate.",
        "references": ["The cat ate mice.", "A cat hunts mice at night."],
        "summaries": [
            {"system": "good", "text": "The cat eats mice.", "human": {"relevance": 5, "fluency": 3}},
            {"system": "bad", "text": "A cat sat.", "human": {"relevance": 1.5, "fluency": 3}},
        ],
    },
    {
        "id": "d2",
        "source": ["Ein Satz.", "Noch einer."],
        "references": ["Übung macht den Meister."],
        "summaries": [{"system": "good", "text": "=Übung", "human": {"relevance": 3}}],
    },
]
FORMATS = ("text", "json", "csv", "latex")
OF_A_FILE = [
    *("agreement", "comparisons", "by_difference"),
    *("human", "length", "rouge_k", "matrix", "discrepancies", "correlation_tests"),
    *("distinguishability", "systems", "system_means", "wilcoxon"),
]
OF_A_STUDY = [
    *("agreement", "agreement_by_majority", "comparisons", "by_difference"),
    *("reliability", "cohen", "annotators", "position", "ranking"),
    *OF_A_FILE[3:],
]


@pytest.fixture
def folder(tmp_path, monkeypatch, sqlite_url):
    """A working folder with a small file in it, and an empty database."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "small.jsonl", DOCUMENTS)
    return tmp_path


def analyzed(*arguments):
    return run_json("analyze", *arguments)


def rows_of(analysis, table, *columns):
    return [tuple(row[column] for column in columns) for row in analysis["tables"][table]["rows"]]


# --- a file ---------------------------------------------------------------------------------------------------

# The table of shared/data/README.md: made by public libraries only, against the first reference.
PUBLISHED = {
    "rouge1": ([0.3373, 0.2804, 0.6135], 0.1970, [6086, 3919, 138], [0.6000, 0.6068]),
    "rouge2": ([0.2470, 0.2257, 0.6397], 0.1389, [5750, 4220, 173], [0.5669, 0.5754]),
    "rougeL": ([0.2642, 0.2092, 0.6084], 0.1411, [5782, 4236, 125], [0.5700, 0.5762]),
    "length": ([0.2599, 0.1432, 0.2402], 0.1025, [5515, 4387, 241], [0.5437, 0.5556]),
}


@pytest.mark.exhaustive
def test_the_reference_table(shared_data):
    names = ",".join(PUBLISHED)
    analysis = analyzed(shared_data / "summeval.jsonl", "--metrics", names, "--references", "first")
    assert list(analysis) == ["human", "facts", "metrics", "tables"]
    assert analysis["human"] == "relevance"
    assert list(analysis["metrics"]) == list(PUBLISHED)
    for name, (pearson, kendall, counts, ratios) in PUBLISHED.items():
        row = analysis["metrics"][name]
        assert list(row) == ["signature", "missing", "truncated", "agreement", *METHODS]
        assert all(list(row[method]) == ["global", "input", "system"] for method in METHODS)
        assert row["signature"].startswith(name)
        assert (row["missing"], row["truncated"]) == (0, 0)
        concordant, discordant, tied = counts
        assert row["agreement"] == {
            "pairs": 10143,
            "human_ties": 12000 - 10143,
            "concordant": concordant,
            "discordant": discordant,
            "tied": tied,
            "strict": pytest.approx(ratios[0], abs=5e-5),
            "half": pytest.approx(ratios[1], abs=5e-5),
            "decided": pytest.approx(concordant / (concordant + discordant)),
            "coverage": pytest.approx((concordant + discordant) / 10143),
        }
        assert list(row["pearson"].values()) == pytest.approx(pearson, abs=5e-5)
        assert row["kendall"]["input"] == pytest.approx(kendall, abs=5e-5)
    # the tables say the same as the headline figures
    assert rows_of(analysis, "agreement", "metric", "C", "D", "T") == [
        (name, *counts) for name, (_, _, counts, _) in PUBLISHED.items()
    ]
    [difference] = [
        row
        for row in analysis["tables"]["comparisons"]["rows"]
        if (row["first"], row["second"]) == ("rouge1", "length")
    ]
    # (6086 + 138 / 2 - 5515 - 241 / 2) / 10143
    assert difference["difference"] == pytest.approx(519.5 / 10143)
    assert difference["test"] == "sign-flip over documents"


@pytest.mark.exhaustive
def test_no_table_moves_with_the_order_of_the_rows(shared_data, tmp_path):
    """Documents and their summaries in another order: each number of each table is the same, to the last digit."""
    with (shared_data / "summeval.jsonl").open(encoding="utf-8") as file:
        records = [json.loads(line) for line in islice(file, 0, 100, 12)]
    for record in records:
        record["summaries"], record["references"] = record["summaries"][::3], record["references"][:2]
    analyses = []
    for seed in (None, 1):
        if seed is not None:
            mix = random.Random(seed)
            mix.shuffle(records)
            for record in records:
                mix.shuffle(record["summaries"])
        write(tmp_path / "some.jsonl", records)
        shared_encoder().forget()
        names = "rouge1,rougeL,rouge_k,bertscore,carouge"
        options = ["--idf", "references", "--keywords", "tfidf", "--references", "mean"]
        analyses.append(analyzed(tmp_path / "some.jsonl", "--metrics", names, *options))
    first, second = analyses
    assert first["facts"].pop("SHA-256") != second["facts"].pop("SHA-256")
    assert {*OF_A_FILE} <= {*first["tables"]}
    assert first == second


def test_the_demo_corpus():
    analysis = analyzed(CORPUS, "--human", AUTHOR)
    assert analysis["human"] == AUTHOR
    assert list(analysis["tables"]) == OF_A_FILE
    # 24 documents of 4 systems give 6 pairs each, and none has two equal ratings
    assert {name: row["agreement"]["pairs"] for name, row in analysis["metrics"].items()} == dict.fromkeys(
        ["rouge1", "rouge2", "rougeL", "rouge_k", "length"], 144
    )
    # ROUGE-K is what agrees with the authors of the corpus
    halves = {name: row["agreement"]["half"] for name, row in analysis["metrics"].items()}
    assert halves.pop("rouge_k") > 0.7 > 0.5 > max(halves.values())
    # lexical metrics stand beside ROUGE-K with their mean over references, too, and say by which signature
    assert {first for (first,) in rows_of(analysis, "rouge_k", "first")} == {
        *(f"{name}{how}" for name in ("rouge1", "rouge2", "rougeL") for how in ("", " (refs:mean)")),
        "length",
    }
    assert "\nrouge1|refs:mean|" in run("analyze", CORPUS, "--human", AUTHOR).stdout


def test_a_small_file_as_json(folder):
    analysis = analyzed("small.jsonl", "--metrics", "rouge1,rouge_k")
    assert list(analysis["metrics"]) == ["rouge1", "rouge_k", "length"]  # length is always there
    assert analysis["facts"].pop("words").startswith("rouge1: 2 of the 22 words in summaries and references")
    assert analysis["facts"] == {
        "file": "small.jsonl",
        "SHA-256": hashlib.sha256((folder / "small.jsonl").read_bytes()).hexdigest(),
        "documents": "2",
        "summaries": "3",
        "systems": "bad, good",
        "seed": "0",
        "versions": analysis["facts"]["versions"],
    }
    row = analysis["metrics"]["rouge_k"]
    assert row["missing"] == 1  # the second document has one text
    assert (row["agreement"]["concordant"], row["agreement"]["pairs"]) == (1, 1)
    assert row["pearson"] == {"global": 1.0, "input": 1.0, "system": 1.0}
    assert "undefined" not in row
    [row] = [row for row in analysis["tables"]["agreement"]["rows"] if row["metric"] == "rouge_k"]
    assert (row["half"], row["half 95 %"]) == (1.0, None)
    assert row["undefined"]["half 95 %"] == "fewer than 2 documents have pairs to count"


def test_a_small_file_as_text(folder):
    lines = run("analyze", "small.jsonl", "--metrics", "rouge1,rouge_k", "--tables", "agreement").stdout.splitlines()
    assert lines[0] == "Agreement of metrics with people, per within-document pair (0 human ties)"
    assert [line.split()[:3] for line in lines[1:5]] == [
        ["metric", "n", "half"],
        ["rouge1", "1", "1.0000"],
        ["rouge_k", "1", "1.0000"],
        ["length", "1", "1.0000"],
    ]
    assert [line.split("|")[0] for line in lines if "|" in line] == ["rouge1", "rouge_k", "length", "rouge1"]
    assert "refs:mean" in lines[-1]  # of the table of ROUGE-K


@pytest.mark.parametrize("shape", FORMATS)
def test_every_format_names_what_the_numbers_rest_on(folder, shape):
    arguments = ("small.jsonl", "--metrics", "rouge1", "--seed", "5", "--tables", "agreement,human")
    output = run("analyze", *arguments, "--format", shape).stdout
    analysis = analyzed(*arguments)
    output = json.dumps(json.loads(output), ensure_ascii=False) if shape == "json" else output
    for fact in (*analysis["facts"].values(), *(row["signature"] for row in analysis["metrics"].values())):
        assert fact in output
    assert "numpy " in analysis["facts"]["versions"]
    assert analysis["facts"]["seed"] == "5"


def test_the_seed_is_that_of_all_draws(folder):
    write(folder / "more.jsonl", [{**DOCUMENTS[0], "id": f"d{number}"} for number in range(4)])
    analysis = analyzed("more.jsonl", "--metrics", "rouge1", "--seed", "5")
    notes = [note for table in analysis["tables"].values() for note in table["notes"] if "seed" in note]
    assert len(notes) >= 3
    assert all("seed 5." in note for note in notes)
    assert analyzed("more.jsonl", "--metrics", "rouge1", "--seed", "5") == analysis


def test_csv_and_latex(folder):
    arguments = ("small.jsonl", "--metrics", "rouge1", "--tables", "agreement")
    rows = list(csv.DictReader(io.StringIO(run("analyze", *arguments, "--format", "csv").stdout)))
    by_name = {(row["table"], row["row"], row["column"]): row for row in rows}
    assert by_name["agreement", "rouge1", "half"]["value"] == "1.0"
    assert by_name["agreement", "length", "half 95 %"]["undefined"] == "fewer than 2 documents have pairs to count"
    assert [row["value"].split("|")[0] for row in rows if row["column"] == "signature" and row["table"] == "facts"] == [
        "rouge1",
        "length",
    ]
    lines = run("analyze", *arguments, "--format", "latex").stdout.splitlines()
    begin, end = lines.index(r"\begin{table}"), lines.index(r"\end{table}")
    assert all(line.startswith("% ") for line in lines[:begin])
    assert lines[end + 1 :] == [""]
    body = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    assert [line.split(" & ")[:3] for line in body] == [["ROUGE-1", "1", "1.000"], ["Length", "1", "1.000"]]


def test_tables_and_coefficients_that_are_asked_for(folder):
    analysis = analyzed("small.jsonl", "--tables", "human, agreement", "--coefficients", "kendall,kendall")
    assert list(analysis["tables"]) == ["agreement", "human"]
    assert {name for (name,) in rows_of(analysis, "human", "coefficient")} == {"kendall"}
    assert len(rows_of(analysis, "human", "second")) == len(analysis["metrics"])
    assert not {"pearson", "spearman"} & {*analysis["metrics"]["rouge1"]}


def test_intervals_of_systems_draw_both_unless_they_are_told_otherwise():
    arguments = (CORPUS, "--human", AUTHOR, "--metrics", "rouge1", "--tables", "human", "--coefficients", "pearson")
    by_level = analyzed(*arguments)
    chosen = {resample: analyzed(*arguments, "--resample", resample) for resample in ("documents", "systems", "both")}
    ends = {
        name: rows_of(value, "human", "global 95 %", "input 95 %", "system 95 %")[0] for name, value in chosen.items()
    }
    expected = (*ends["documents"][:2], ends["both"][2])
    assert rows_of(by_level, "human", "global 95 %", "input 95 %", "system 95 %")[0] == expected
    widths = {name: end[2][1] - end[2][0] for name, end in ends.items()}
    assert widths["both"] > 2 * widths["documents"]  # four systems say little of others
    assert any(
        "They hold for new documents, these systems." in note
        for note in chosen["documents"]["tables"]["human"]["notes"]
    )


def test_what_swaps_is_told():
    arguments = (CORPUS, "--human", AUTHOR, "--metrics", "rouge1", "--tables", "correlation_tests")
    told = ("level", "test", "permutations", "holds for")
    assert rows_of(analyzed(*arguments), "correlation_tests", *told) == [
        ("global", "Perm-Systems + Perm-Inputs", 10_000, "new systems and documents"),
        ("input", "Perm-Inputs", 10_000, "new documents, these systems"),
        ("system", "Perm-Systems, exact", 2**4, "new systems, these documents"),
    ]
    fixed = analyzed(*arguments, "--permute", "cells")["tables"]["correlation_tests"]
    assert {row["test"] for row in fixed["rows"]} == {"PERM-BOTH"}
    assert not any("No difference" in note for note in fixed["notes"])


@pytest.mark.parametrize("shape", FORMATS)
def test_no_table_of_correlations_moves_with_the_order_of_rows(folder, shape):
    records = [json.loads(line) for line in CORPUS.read_text().splitlines()]
    outputs = []
    for file, step in (("one.jsonl", 1), ("other.jsonl", -1)):
        write(folder / file, records[::step])
        tables = "human,length,matrix,correlation_tests"
        result = run(
            "analyze", file, "--human", AUTHOR, "--metrics", "rouge1,rouge2", "--tables", tables, "--format", shape
        )
        outputs.append([line for line in result.stdout.splitlines() if file not in line and "SHA-256" not in line])
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize(
    ("rule", "difference"),
    # ROUGE-1 against length: (6 + 0/2) / 8 - (0 + 8/2) / 8; without its ties length decides nothing
    [("half", 6 / 8 - 4 / 8), ("strict", 6 / 8), ("decided", None)],
)
def test_metrics_are_compared_by_a_rule(folder, rule, difference):
    def pair(number, better, worse):
        rated = {better: 5, worse: 1}
        return {
            **DOCUMENTS[0],
            "id": f"d{number}",
            "summaries": [
                {"system": text, "text": text, "human": {"relevance": rated[text]}} for text in ("mice ate", "a dog")
            ],
        }

    # the references are about mice: 6 times people say so, too
    records = [pair(number, "mice ate", "a dog") for number in range(6)]
    records += [pair(number, "a dog", "mice ate") for number in range(6, 8)]
    write(folder / "rules.jsonl", records)
    analysis = analyzed("rules.jsonl", "--metrics", "rouge1", "--rule", rule)
    [row] = analysis["tables"]["comparisons"]["rows"]
    assert (row["first"], row["second"], row["difference"]) == ("rouge1", "length", difference)
    assert f"by the rule {rule} " in analysis["tables"]["comparisons"]["notes"][0]


def test_a_long_table_is_printed_when_it_is_asked_for(folder):
    systems = [{"system": f"s{n}", "text": "word " * n, "human": {"relevance": n}} for n in range(1, 9)]
    write(folder / "many.jsonl", [{**DOCUMENTS[0], "summaries": systems}])
    everything = run("analyze", "many.jsonl", "--metrics", "length", "--coefficients", "pearson").stdout
    # 8 * 7 / 2 comparisons by length and by relevance are 56
    assert "rows: --tables" not in everything
    everything = run("analyze", "many.jsonl", "--metrics", "length,rouge1", "--coefficients", "pearson").stdout
    assert "System against system\n84 rows: --tables wilcoxon prints them\n" in everything
    alone = run("analyze", "many.jsonl", "--metrics", "length,rouge1", "--tables", "wilcoxon").stdout
    assert len([line for line in alone.splitlines() if line.startswith(("length  ", "rouge1  "))]) == 56


def test_names_from_a_file_stay_in_their_lines(folder):
    hostile = "a\n% \\end{table}\n\u202e=1+1<b>"
    for summary in (records := json.loads(json.dumps(DOCUMENTS)))[0]["summaries"]:
        summary["system"] = summary["system"].replace("bad", hostile)
    write(folder / "hostile.jsonl", records)
    arguments = ("analyze", "hostile.jsonl", "--metrics", "rouge1", "--format")
    shown = r"a % \end{table} [U+202E]=1+1<b>"
    assert f"\nsystems: {shown}, good\n" in run(*arguments, "text").stdout
    written = run(*arguments, "latex").stdout
    assert f"\n% systems: {shown}, good\n" in written
    assert written.replace(shown, "").count(r"\end{table}") == len(OF_A_FILE)
    assert f"\n{escape_latex(hostile)} & " in written
    assert json.loads(run(*arguments, "json").stdout)["facts"]["systems"] == f"{hostile}, good"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["small.jsonl", "--human", "beauty"], "there are no human ratings of 'beauty'; there are relevance, fluency"),
        (["small.jsonl", "--metrics", " , "], "--metrics names no metric"),
        (["small.jsonl", "--seed", "-1"], "Invalid value for '--seed': -1 is not in the range 0<=x<=2147483647."),
        (["small.jsonl", "--input-format", "csv"], "small.jsonl:1: no column document_id, reference, "),
        (["small.jsonl", "--tables", "judges"], "there is no table judges (no language model has judged); there are "),
        (["small.jsonl", "--tables", "agreement,humans,x"], "there is no table humans, x; there are agreement, compa"),
        (["small.jsonl", "--tables", ""], "--tables names no table"),
        (["small.jsonl", "--coefficients", "pearson,r"], "--coefficients must be among pearson, spearman, kendall, "
         "not 'pearson,r'"),
        (["small.jsonl", "--coefficients", ""], "--coefficients must be among pearson, spearman, kendall, not ''"),
        (["small.jsonl", "--resample", "cells"], "Invalid value for '--resample': 'cells' is not one of "),
        (["small.jsonl", "--permute", "rows"], "Invalid value for '--permute': 'rows' is not one of "),
        (["small.jsonl", "--format", "xml"], "Invalid value for '--format': 'xml' is not one of "),
        (["absent.jsonl"], "there is no file absent.jsonl, and there is no data set 'absent.jsonl'; there are none"),
        (["absent", "--input-format", "csv"], "--input-format goes with a file, and there is no file absent"),
        ([], "name a FILE, a data set or a --study, and only one of them"),
        (["small.jsonl", "--study", "S"], "name a FILE, a data set or a --study, and only one of them"),
        (["small.jsonl", "--systems", "good,x"], "--systems: there is no system x; there are bad, good"),
        (["small.jsonl", "--baselines", "lead-3"], "--baselines: there is no system lead-3; there are bad, good"),
        (["small.jsonl", "--systems", "good", "--baselines", "bad"], "--baselines: there is no system bad; there are "
         "good"),
        (["--study", "S"], "there is no study 'S'; there are none"),
    ],
)  # fmt: skip
def test_analyses_that_are_refused(folder, arguments, message):
    assert refused("analyze", *arguments).startswith(message)


def test_baselines_that_there_are_not_are_refused_before_the_work(folder):
    run("import", "small.jsonl", "--name", "small")
    assert refused("analyze", "small", "--baselines", "lead-3") == (
        "--baselines: there is no system lead-3; there are bad, good"
    )
    assert DataStore(connect()).signatures("small") == []
    assert run("analyze", "small", "--metrics", "rouge1", "--baselines", "bad").stderr.count("scoring small") == 1


def test_a_metric_that_fails_leaves_the_others(folder, monkeypatch):
    def fail(*_):
        raise OSError("no model")

    monkeypatch.setattr("relevance.metrics.rouge.RougeL.score", fail)
    result = run("analyze", "small.jsonl", "--metrics", "rouge1,rougeL", "--format", "json", code=1)
    assert result.stderr.splitlines()[-1] == "Error: rougeL failed: OSError: no model"
    metrics = json.loads(result.stdout)["metrics"]
    assert metrics["rouge1"]["agreement"]["pairs"] == 1
    assert metrics["rougeL"]["missing"] == 3
    assert metrics["rougeL"]["undefined"]["agreement"] == "no pair that people decide has a value"


# --- a study --------------------------------------------------------------------------------------------------


def add_study(url, judgments, scores, *, documents=4, checks_failed_by=(), dataset_systems="ab", **settings):
    """A study S of systems a and b; returns the stores.

    `judgments` names the system that each annotator prefers in each document, or `=` for a tie; `scores` has by
    signature those of a and of b, a number a document, None where it is missing. The data set may have more systems.
    """
    data, annotation = DataStore(connect(url)), AnnotationStore(connect(url))
    records = [
        (
            Document(f"d{n}", f"source {n}", ("reference",)),
            [Summary(f"d{n}", system, f"{system} of {n}") for system in dataset_systems],
        )
        for n in range(documents)
    ]
    data.add_dataset(name="news", format="interchange", sha256="5" * 64, records=records)
    for signature, values in scores.items():
        stored = {
            key: StoredScore(value := values[example.system][int(example.document_id[1:])], None if value else "none")
            for key, example in data.unscored(dataset="news", signature=signature)
        }
        data.add_scores(metric=signature.split("|")[0], signature=signature, scores=stored)
    spec = {"rule": "all", "judgments_per_pair": max(1, len(judgments)), "ties": True, **settings}
    annotation.create_study(StudySpec(name="S", dataset="news", **spec))
    for name, preferred in judgments.items():
        annotator = annotation.join(study="S", name=name)
        while (task := annotation.next_task(annotator)) is not None:
            (system, left), (_, right) = (text.split(" of ") for text in (task.left, task.right))
            if left != right:  # an attention check: only one of the texts is of this document
                of_this = "left" if task.source == f"source {left}" else "right"
                other = "right" if of_this == "left" else "left"
                choice = other if name in checks_failed_by else of_this
            elif preferred[int(left)] == "=":
                choice = "tie"
            else:
                choice = "left" if system == preferred[int(left)] else "right"
            shown = now() - timedelta(seconds=2)
            annotation.judge(annotator=annotator, assignment_id=task.assignment_id, choice=choice, presented_at=shown)
    return data, annotation


SCORES = {
    "rouge1|test": {"a": [0.9, 0.9, 0.1, 0.5], "b": [0.1, 0.1, 0.9, 0.5]},
    "rouge_k|test": {"a": [0.8, 0.4, 0.6, 0.7], "b": [0.2, 0.6, 0.5, None]},
    "length|unit:words|version:0.2.0": {"a": [3, 3, 3, 3], "b": [3, 3, 3, 3]},
}
JUDGMENTS = {"Ann": "aaaa", "Bob": "aba="}


@pytest.fixture
def study(sqlite_url):
    return add_study(sqlite_url, JUDGMENTS, SCORES, checks=2, checks_failed_by=["Bob"], seed=3)


def test_a_study_of_two_annotators(study):
    analysis = analyzed("--study", "S")
    assert list(analysis["tables"]) == OF_A_STUDY
    assert analysis["human"] == "judgments won"
    assert analysis["facts"] == {
        "study": "S",
        "question": "Which summary is more relevant to the document?",
        "data set": "news",
        "SHA-256 of its file": "5" * 64,
        "documents": "4",
        "systems": "a, b",
        "pairs": "4, rule all, seed 3; 2 attention checks for every annotator",
        "judgments": "8 by 2 annotators",
        "seed": "0",
        "versions": analysis["facts"]["versions"],
    }
    # Ann: a a a a, Bob: a b a =. rouge1 prefers a, a, b, neither: Ann C C D T, Bob C D D and a human tie.
    assert analysis["metrics"]["rouge1"]["agreement"] == {
        "pairs": 7, "human_ties": 1, "concordant": 3, "discordant": 3, "tied": 1,
        "strict": 3 / 7, "half": 3.5 / 7, "decided": 0.5, "coverage": 6 / 7,
    }  # fmt: skip
    # rouge_k prefers a, b, a, and is missing for one of d3: Ann C D C missing, Bob C C C
    assert rows_of(analysis, "agreement", "metric", "n", "C", "D", "T", "missing") == [
        ("rouge1", 7, 3, 3, 1, 0),
        ("rouge_k", 6, 5, 1, 0, 1),
        ("length", 7, 0, 0, 7, 0),
        # against each other: Ann C D C and a tie of the other one's, Bob C D C and a tie of his own
        ("people", 7, 4, 2, 1, 0),
    ]
    # by majority: a, split, a, a (a tie has no side)
    assert rows_of(analysis, "agreement_by_majority", "metric", "n", "C", "D", "T", "missing") == [
        ("rouge1", 3, 1, 1, 1, 0),
        ("rouge_k", 2, 2, 0, 0, 1),
        ("length", 3, 0, 0, 3, 0),
    ]


def test_attention_checks_count_only_as_checks(study):
    analysis = analyzed("--study", "S")
    assert rows_of(analysis, "annotators", "annotator", "judgments", "ties", "checks passed", "checks") == [
        ("P1", 4, 0, 2, 2),
        ("P2", 4, 1, 0, 2),
    ]
    assert rows_of(analysis, "position", "annotator", "n")[0] == ("all annotators", 7)
    assert analysis["tables"]["reliability"]["rows"][0]["pairs"] == 4
    assert sum(comparisons for (comparisons,) in rows_of(analysis, "ranking", "comparisons")) == 2 * 8


def test_the_figures_are_those_of_the_packages(study):
    _, annotation = study
    judgments = load_judgments(annotation, "S")
    analysis = analyzed("--study", "S", "--seed", "9")
    expected = analyze_agreement(judgments, seed=9)
    for row, shown in zip(expected.rows, analysis["tables"]["agreement"]["rows"], strict=False):
        counts, half = row.evaluation.agreement, row.evaluation.intervals.half
        assert (shown["metric"], shown["half"], shown["strict"]) == (row.metric, counts.half, counts.strict)
        assert shown["half 95 %"] == [half.low, half.high]
        assert shown["acc_eq"] == row.evaluation.ties.accuracy
    assert rows_of(analysis, "comparisons", "first", "second", "difference", "p", "p (Holm)") == [
        (c.first, c.second, c.difference, c.p, c.p_holm) for c in expected.comparisons
    ]
    assert rows_of(analysis, "reliability", "value") == [
        (krippendorff_alpha(judgments.pair, judgments.choices).value,),
        (fleiss_kappa(judgments.pair, judgments.choices).estimate.value,),
        (raw_agreement(judgments.pair, judgments.choices).value,),
    ]
    [kappa] = cohen_kappas(judgments.pair, judgments.annotators, judgments.choices)
    assert rows_of(analysis, "cohen", "first", "second", "kappa") == [("P1", "P2", kappa.kappa)]
    ranking = bradley_terry(
        judgments.first, judgments.second, judgments.choices, judgments.document, draws=Draws(seed=9)
    )
    assert rows_of(analysis, "ranking", "system", "strength", "95 %") == [
        (row.system, row.strength, [row.low, row.high]) for row in ranking.rows
    ]
    # the judgments won are what metrics are correlated with: of d0 a won both, of d1 one of two, of d3 1.5 of 2
    assert [shares_won(judgments)[f"d{n}", "a"] for n in range(4)] == [1, 0.5, 1, 0.75]


def test_a_study_against_ratings(study):
    assert refused("analyze", "--study", "S", "--human", "fluency") == (
        "there are no human ratings of 'fluency'; there are none at all"
    )
    assert analyzed("--study", "S", "--human", "judgments won")["tables"]["human"]["rows"] != []


def test_a_study_of_conflicts_is_weighed(sqlite_url):
    # rouge1 and rouge2 contradict each other in d0 to d3 and agree in d4 to d7. 4 pairs are wanted, a quarter of them
    # from the others: 3 of 4 conflicts and 1 of 4 others are drawn, so a conflict counts 4/3, the other 4.
    scores = {
        "rouge1|test": {"a": [0.1] * 4 + [0.9] * 4, "b": [0.5] * 8},
        "rouge2|test": {"a": [0.9] * 8, "b": [0.5] * 8},
    }
    _, annotation = add_study(
        sqlite_url, {"Ann": "a" * 8}, scores, documents=8, rule="conflicts", signatures=tuple(scores), count=4
    )
    analysis = analyzed("--study", "S")
    # Ann always prefers a. rouge1 agrees with her on the other pair only: 4 / (3 * 4/3 + 4) = 1/2, as in all 8 pairs.
    counts = analysis["metrics"]["rouge1"]["agreement"]
    assert (counts["concordant"], counts["discordant"]) == (1, 3)
    assert counts["half"] == counts["strict"] == counts["decided"] == pytest.approx(0.5)
    assert analysis["metrics"]["rouge2"]["agreement"]["half"] == 1.0
    assert rows_of(analysis, "comparisons", "difference") == [(pytest.approx(-0.5),)]
    assert any("unequal probability" in note for note in analysis["tables"]["agreement"]["notes"])
    # what is not weighed says so: what rests on judgments, while metrics' figures are of all summaries
    notes = {name: " ".join(table["notes"]) for name, table in analysis["tables"].items()}
    assert "Wilcoxon's test is not weighed" in notes["comparisons"]
    for table in ("distinguishability", "systems", "system_means", "wilcoxon"):
        assert "Not weighed: the column human: judgments won describes the pairs that were drawn" in notes[table]
    for table in ("reliability", "cohen", "annotators", "position", "human", "correlation_tests"):
        assert "Not weighed: this describes the pairs that were drawn" in notes[table]
    judgments = load_judgments(annotation, "S")
    assert sorted(judgments.weights) == pytest.approx([4 / 3, 4 / 3, 4 / 3, 4])
    unweighed = count_agreement(judgments.choices, judgments.differences()["rouge1|test"])
    assert unweighed.half == 0.25  # what the weights correct

    printed = run("analyze", "--study", "S").stdout
    saying = {
        *("distinguishability", "systems", "system_means", "wilcoxon"),
        *("reliability", "cohen", "annotators", "position", "human"),
    }
    for name, table in analysis["tables"].items():
        below = printed.split(f"{table['title']}\n", 1)[1].split("\n\n", 1)[0]
        assert ("Not weighed: " in below) == (name in {*saying, "correlation_tests"}), name


def test_tables_of_a_study_are_of_the_systems_that_it_compares(sqlite_url):
    scores = {
        signature: {system: [len(system) + n / 7 + ord(system) for n in range(4)] for system in "abcde"}
        for signature in ("rouge1|test", "rouge_k|test", "length|unit:words|version:0.2.0")
    }
    _, annotation = add_study(
        sqlite_url, {"Ann": "aaaa"}, scores, dataset_systems="abcde", systems=("a", "b", "c"), seed=1
    )
    analysis = analyzed("--study", "S")
    assert analysis["facts"]["systems"] == "a, b, c"
    assert annotation.study("S").systems == ("a", "b", "c")
    assert {system for (system,) in rows_of(analysis, "systems", "system")} == {"a", "b", "c"}
    assert {system for row in rows_of(analysis, "wilcoxon", "first", "second") for system in row} == {"a", "b", "c"}
    for table in ("human", "length", "rouge_k", "matrix"):
        assert {*rows_of(analysis, table, "summaries", "systems")} == {(12, 3)}
    assert {n for (n,) in rows_of(analysis, "discrepancies", "n")} == {12}  # 3 pairs in each of 4 documents
    assert {system for (system,) in rows_of(analysis, "ranking", "system")} == {"a", "b", "c"}
    fewer = analyzed("--study", "S", "--systems", "a,c")
    assert fewer["facts"]["systems"] == "a, c"
    assert {system for (system,) in rows_of(fewer, "systems", "system")} == {"a", "c"}
    assert "--systems: there is no system d; there are a, b, c" in refused("analyze", "--study", "S", "--systems", "d")
    assert "--baselines: there is no system e; there are a, b, c" in refused(
        "analyze", "--study", "S", "--baselines", "e"
    )


NO_DECISION = "no pair that people decide has a value"
ONE_DOCUMENT = "fewer than 2 documents have pairs to count"
# What is judged, and some of what then is undefined: the table, the row's first cell, the column and the reason.
DEGENERATE = {
    "no judgments": (
        {"judgments": {}},
        [
            ("agreement", "rouge1", "half", NO_DECISION),
            ("comparisons", "rouge1", "p", "fewer than 2 pairs are scored by both"),
            ("by_difference", None, None, "no pair is decided by both people and a metric"),
            ("reliability", "raw agreement", "value", "there are no judgments"),
            ("cohen", None, None, "no two annotators judged the same pair"),
            ("position", "all annotators", "share", "no choice is decided"),
            ("ranking", None, None, "there are no judgments"),
        ],
    ),
    "one annotator": (
        {"judgments": {"Ann": "aba="}},
        [
            ("reliability", "raw agreement", "value", "nothing was judged by 2 annotators or more"),
            ("cohen", None, None, "no two annotators judged the same pair"),
        ],
    ),
    "one pair": (
        {"judgments": {"Ann": "a", "Bob": "b"}, "documents": 1},
        [
            ("agreement", "rouge1", "half 95 %", ONE_DOCUMENT),
            ("ranking", "a", "95 %", "no intervals: fewer than 2 documents"),
            ("human", "human: judgments won", "global", "either side is constant"),
        ],
    ),
    "all ties": (
        {"judgments": {"Ann": "====", "Bob": "===="}},
        [
            ("agreement", "rouge1", "half", NO_DECISION),
            ("position", "all annotators", "share", "no choice is decided"),
        ],
    ),
    "a metric that is constant": (
        {"judgments": JUDGMENTS},
        [
            ("agreement", "length", "decided", "the metric decides no pair"),
            ("matrix", "rouge1", "global", "either side is constant"),
        ],
    ),
    "no scores at all": (
        {"judgments": JUDGMENTS, "scores": {}},
        [
            ("agreement_by_majority", None, None, "no pair has scores"),
            ("human", None, None, "there are not the two columns of scores that it compares"),
            ("correlation_tests", None, None, "there are fewer than 2 metrics"),
            ("comparisons", None, None, "there are fewer than 2 metrics"),
            ("matrix", None, None, "there are not the two columns of scores that it compares"),
        ],
    ),
    "scores of one side only": (
        {"judgments": JUDGMENTS, "scores": {"rouge1|test": {"a": [0.5] * 4, "b": [None] * 4}}},
        [("agreement", "rouge1", "half", NO_DECISION)],
    ),
}  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", DEGENERATE)
def test_what_is_undefined_is_said_with_its_reason_in_every_format(sqlite_url, case):
    settings, undefined = DEGENERATE[case]
    add_study(sqlite_url, **{"scores": SCORES, **settings})
    analysis = analyzed("--study", "S")
    by_name = {shape: run("analyze", "--study", "S", "--format", shape).stdout for shape in FORMATS}
    lines = list(csv.DictReader(io.StringIO(by_name["csv"])))
    for table, first, column, why in undefined:
        result = analysis["tables"][table]
        if first is None:
            assert (result["rows"], result["undefined"]) == ([], why)
            assert f"\nundefined: {why}\n" in by_name["text"]
            assert f"\nundefined: {escape_latex(why)} \\\\\n" in by_name["latex"]
            assert [row["undefined"] for row in lines if row["table"] == table] == [why]
            continue
        rows = [row for row in result["rows"] if first in row.values() and row[column] is None]
        assert why in rows[0]["undefined"][column]
        reason = rows[0]["undefined"][column]
        assert f": {reason}\n" in by_name["text"]
        assert f": {escape_latex(reason)}\\par\n" in by_name["latex"]
        in_csv = [row for row in lines if row["table"] == table and row["column"] == column and first in row["row"]]
        assert reason in [row["undefined"] for row in in_csv]
    assert not any(number in text.split() for text in by_name.values() for number in ("nan", "NaN", "inf", "None"))


def test_headline_figures_that_are_undefined_say_why(sqlite_url):
    add_study(sqlite_url, {}, SCORES)
    row = analyzed("--study", "S", "--tables", "agreement")["metrics"]["rouge1"]
    assert row["agreement"]["half"] is None
    assert row["pearson"] == {"global": None, "input": None, "system": None}
    assert list(row["undefined"]) == ["agreement", *(f"{m} {lv}" for m in METHODS for lv in row["pearson"])]
    assert row["undefined"]["agreement"] == NO_DECISION


# --- keywords -------------------------------------------------------------------------------------------------

OF_KEYWORDS = ["keywords_by_source", "keywords_by_length"]


def test_keyword_tables_only_where_they_are_asked_for(folder):
    assert not {*OF_KEYWORDS} & {*analyzed("small.jsonl", "--metrics", "rouge_k")["tables"]}
    analysis = analyzed("small.jsonl", "--tables", "keywords")
    assert list(analysis["tables"]) == OF_KEYWORDS
    bad, good = analysis["tables"]["keywords_by_source"]["rows"]
    # d1: good has cat and mouse, which are both in the source; bad has cat of these; d2 has no keywords
    assert (good["system"], good["ROUGE-K"], good["documents"]) == ("good", 1.0, 1)
    assert (bad["system"], bad["IN-SRC"], bad["OUT-SRC"], bad["OUT-SRC documents"]) == ("bad", 0.5, None, 0)
    assert bad["undefined"]["OUT-SRC"] == "every keyword occurs in a source"
    assert analysis["tables"]["keywords_by_length"]["rows"][0] == {
        "system": "bad",
        "words": 3.0,
        "1 word": 0.5,
        "1 word: n": 1,
    }
    assert analysis["facts"]["keywords by"].startswith("rouge_k|kw:overlap10|")
    both = analyzed("small.jsonl", "--metrics", "rouge1", "--tables", "agreement,keywords_by_length")
    assert list(both["tables"]) == ["agreement", "keywords_by_length"]
    assert both["facts"]["keywords by"] == analysis["facts"]["keywords by"]


@pytest.mark.parametrize("shape", FORMATS)
def test_keyword_tables_in_every_format(folder, shape):
    """They need no ratings, and say whose keywords they are of."""
    write(folder / "unrated.jsonl", [{**DOCUMENTS[0], "summaries": [{"system": "s", "text": "Cats."}]}])
    output = run("analyze", "unrated.jsonl", "--tables", "keywords", "--keywords", "textrank", "--format", shape).stdout
    assert "rouge_k|kw:textrank|" in output
    assert all(part in output for part in ("0.5", "IN-SRC", "1 word"))


def test_keyword_tables_of_a_study(sqlite_url):
    add_study(sqlite_url, JUDGMENTS, SCORES)
    analysis = analyzed("--study", "S", "--tables", "keywords", "--keywords", "textrank:1")
    assert list(analysis["tables"]) == OF_KEYWORDS
    # four documents whose one reference is "reference", which stands in no summary and no source
    rows = analysis["tables"]["keywords_by_source"]["rows"]
    assert [(row["system"], row["OUT-SRC"], row["OUT-SRC documents"], row["IN-SRC"]) for row in rows] == [
        ("a", 0.0, 4, None),
        ("b", 0.0, 4, None),
    ]
    assert analysis["facts"]["study"] == "S"
    with_others = analyzed("--study", "S", "--tables", "ranking,keywords_by_source")
    assert list(with_others["tables"]) == ["ranking", "keywords_by_source"]
    assert refused("analyze", "--study", "S", "--tables", "keywords", "--metrics", "rouge1").startswith(
        "--metrics cann"
    )


def test_keyword_tables_that_are_refused(folder):
    write(folder / "none.jsonl", [{**DOCUMENTS[0], "summaries": []}])
    assert refused("analyze", "none.jsonl", "--tables", "keywords") == (
        "none.jsonl has no summaries; import it and use relevance summarize, or ask for --tables dataset"
    )
    assert refused("analyze", "small.jsonl", "--tables", "keywords", "--only", "in-source") == (
        "--only cannot be given with these tables, which already divide keywords by the source"
    )


# --- report ---------------------------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_report(study, tmp_path):
    result = run("report", "S", "-o", tmp_path / "report")
    written = result.stdout.splitlines()
    assert {*written} == {str(path) for path in (tmp_path / "report").iterdir()}
    assert {path.rsplit("/", 1)[1] for path in written} == {
        *("report.html", "SHA256SUMS", "analysis.json", "judgments.jsonl", "scores.jsonl", "tables.tex"),
        *(f"{table}.csv" for table in OF_A_STUDY),
    }
    analysis = json.loads((tmp_path / "report" / "analysis.json").read_text())
    assert analysis == analyzed("--study", "S")
    chosen = ("--resample", "systems", "--permute", "cells")
    run("report", "S", "-o", tmp_path / "chosen", *chosen)
    assert json.loads((tmp_path / "chosen" / "analysis.json").read_text()) == analyzed("--study", "S", *chosen)
    page = (tmp_path / "chosen" / "report.html").read_text()
    assert "those of correlations are percentile bootstrap intervals over systems, " in page
    assert "permutation tests (Deutsch et al. 2021): PERM-BOTH, with Holm" in page
    run("report", "S", "-o", tmp_path / "report", "--seed", "4")  # replaces it
    assert json.loads((tmp_path / "report" / "analysis.json").read_text())["facts"]["seed"] == "4"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["S"], "Missing option '-o' / '--output'."),
        (["T", "-o", "new"], "there is no study 'T'; there are S"),
        (["S", "-o", "file"], "Invalid value for '-o' / '--output': Directory 'file' is a file."),
        (["S", "-o", "absent/new"], "absent/new cannot be written: there is no folder absent"),
        (["S", "-o", "file/new"], "file/new cannot be written: there is no folder file"),
        (["S", "-o", "new", "--seed", "-1"], "Invalid value for '--seed': -1 is not in the range 0<=x<=2147483647."),
    ],
)
def test_reports_that_are_refused(study, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    before = sorted(tmp_path.iterdir())
    assert refused("report", *arguments) == message
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "file").read_text() == "mine"


# --- plan -----------------------------------------------------------------------------------------------------


def planned(*arguments):
    """The numbers that `plan` prints, by column, and what it says below."""
    _, names, numbers, *notes = run("plan", *arguments).stdout.splitlines()
    columns = ["pairs", "judgments", "documents", "independent pairs", "design effect"]
    assert " ".join(columns) == " ".join(names.split())
    return dict(zip(columns, numbers.split(), strict=True)), notes


@pytest.mark.parametrize(("phi", "pairs"), [(0, 306), (0.3, 219), (0.5, 161), (0.63, 120)])
def test_pairs_to_tell_two_metrics_apart(phi, pairs):
    result, notes = planned("--ratios", ".61,.72", "--phi", phi)  # the golden values of the design
    assert result == {
        "pairs": str(pairs), "judgments": str(pairs), "documents": str(pairs), "independent pairs": str(pairs),
        "design effect": "1.0000",
    }  # fmt: skip
    assert any("exact McNemar, as each document gives one pair" in note for note in notes)


def test_a_plan_is_never_for_documents_that_cannot_show_anything():
    # two documents of 120 pairs are enough pairs, but the smallest p of two flips is 1/2
    result, notes = planned("--ratios", ".61,.72", "--phi", ".3", "--per-document", "120")
    assert result["documents"] == "6"  # 2/2^6 = .031
    assert result["pairs"] == "720"
    assert "sign-flip over documents, as documents give several pairs. With fewer than 6 documents" in notes[0]
    measured, _ = planned("--ratio", ".6", "--half-width", ".05", "--per-document", "120")
    assert measured["documents"] == "10"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        # 306 * (1 + 100 * .059) = 2111.4; over 101 pairs a document 20.9, and two more for the test over so few
        # documents; 3 judgments each
        (
            ["--ratios", ".61, .72", "--per-document", "101", "--icc", ".059", "--judgments", "3"],
            ["2323", "6969", "23", "306", "6.9000"],
        ),
        # Clopper-Pearson at 1/2: about z^2 / (4 * .05^2) = 384.1, and 1 / .05 = 20 for its half pair at either end,
        # less z^2 / 2: 402.2; at 99 %, 663.5 + 20 - 3.3
        (["--ratio", ".5", "--half-width", ".05"], ["402", "402", "402", "402", "1.0000"]),
        (["--ratio", ".5", "--half-width", ".05", "--alpha", ".01"], ["680", "680", "680", "680", "1.0000"]),
    ],
)
def test_plans(arguments, expected):
    result, _ = planned(*arguments)
    assert list(result.values()) == expected


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--ratios", ".6,.6"], "the two ratios are equal: no number of pairs separates them"),
        (["--ratios", ".61,.72", "--phi", ".9"], "phi is 0.9, but with these ratios it is at most 0.779"),
    ],
)
def test_plans_that_are_undefined_say_why(arguments, reason):
    # sqrt(.61 * .28 / (.39 * .72)) = .7799: with .72 right, no more of the .61 can be right together
    result, notes = planned(*arguments)
    assert result["pairs"] == result["judgments"] == "undefined"
    assert notes[0] == (f"undefined (pairs, judgments, documents, independent pairs): {reason}")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name --ratios, or --ratio with --half-width"),
        (["--ratio", ".6"], "name --ratios, or --ratio with --half-width"),
        (["--half-width", ".05"], "name --ratios, or --ratio with --half-width"),
        (["--ratios", ".6,.7", "--ratio", ".6"], "name --ratios, or --ratio with --half-width"),
        (["--ratios", ".6"], "--ratios must be two numbers such as .61,.72, not '.6'"),
        (["--ratios", ".6,.7,.8"], "--ratios must be two numbers such as .61,.72, not '.6,.7,.8'"),
        (["--ratios", "a,b"], "--ratios must be two numbers such as .61,.72, not 'a,b'"),
        (["--ratios", ".6,1.2"], "second must lie in [0, 1], not 1.2"),
        (["--ratios", "nan,.7"], "first must lie in [0, 1], not nan"),
        (["--ratios", ".6,.7", "--phi", "2"], "phi must lie in [-1, 1], not 2.0"),
        (["--ratios", ".6,.7", "--power", "1"], "power must lie between 0 and 1, not 1.0"),
        (["--ratios", ".6,.7", "--alpha", "0"], "alpha must lie between 0 and 1, not 0.0"),
        (["--ratios", ".6,.7", "--icc", "-1"], "icc must lie in [0, 1], not -1.0"),
        (["--ratios", ".6,.7", "--per-document", ".5"], "pairs_per_document must be 1 or more, not 0.5"),
        (["--ratios", ".6,.7", "--judgments", "0"], "Invalid value for '--judgments': 0 is not in the range "),
        (["--ratio", "1.5", "--half-width", ".05"], "ratio must lie in [0, 1], not 1.5"),
        (["--ratio", ".5", "--half-width", "0"], "Invalid value for '--half-width': 0.0 is not in the range "),
        (["--ratio", ".5", "--half-width", "1e-200"], "Invalid value for '--half-width': 1e-200 is not in the range "),
    ],
)
def test_plans_that_are_refused(arguments, message):
    assert refused("plan", *arguments).startswith(message)


# --- empty summaries ------------------------------------------------------------------------------------------


def test_an_empty_summary_is_kept_without_scores(folder):
    """By every table it is missing, never 0, and no pair of a study has it."""
    records = json.loads(json.dumps(DOCUMENTS[:1]))
    records[0]["summaries"].append({"system": "silent", "text": "", "human": {"relevance": 1}})
    write(folder / "silent.jsonl", records)
    result = run("import", "silent.jsonl", "--name", "silent")
    assert "1 summary is empty: it is kept without scores, and no study asks about it" in result.stderr
    run("score", "silent", "--metrics", "rouge1,rouge_k,length")
    stored = DataStore(connect()).scores(dataset="silent", signature="length|unit:words|version:0.2.0")
    assert stored["d1", "silent"] == StoredScore(None, "the summary is empty")
    created = run("study", "create", "S", "--dataset", "silent", "--pairs", "all").stdout
    assert created.startswith("created S: 1 pairs of bad, good, silent; ")
    analysis = analyzed("silent.jsonl", "--metrics", "rouge1,rouge_k", "--tables", "agreement,systems,keywords")
    assert {row["missing"] for row in analysis["metrics"].values()} == {1}
    [silent] = [row for row in analysis["tables"]["systems"]["rows"] if row["system"] == "silent"]
    assert (silent["rouge1"], silent["rouge_k"], silent["words"]) == (None, None, None)
    assert ("silent", None, 0) in rows_of(analysis, "keywords_by_source", "system", "ROUGE-K", "documents")


# --- data sets, and what needs no people ----------------------------------------------------------------------

NEEDS_PEOPLE = ["agreement", "comparisons", "by_difference", "human", "correlation_tests"]


def test_a_data_set_has_the_tables_of_its_file(folder):
    run("import", "small.jsonl", "--name", "small")
    chosen = ("--metrics", "rouge1,rouge_k", "--seed", "3")
    of_file, of_dataset = (analyzed(name, *chosen) for name in ("small.jsonl", "small"))
    assert of_dataset["tables"] == of_file["tables"]
    assert of_dataset["metrics"] == of_file["metrics"]
    facts = of_file["facts"] | {"data set": "small", "SHA-256 of its file": of_file["facts"]["SHA-256"]}
    assert of_dataset["facts"] == {name: fact for name, fact in facts.items() if name not in ("file", "SHA-256")}
    # what was computed is stored, and not computed again
    assert "rouge1: 0 computed" in run("score", "small", "--metrics", "rouge1").stdout
    assert analyzed("small", *chosen) == of_dataset


def test_without_ratings_there_is_what_needs_no_people(folder):
    unrated = [
        {**document, "summaries": [{"system": s["system"], "text": s["text"]} for s in document["summaries"]]}
        for document in DOCUMENTS
    ]
    write(folder / "unrated.jsonl", unrated)
    run("import", "unrated.jsonl", "--name", "unrated")
    rated = analyzed("small.jsonl")
    for name in ("unrated.jsonl", "unrated"):
        analysis = analyzed(name)
        assert list(analysis["tables"]) == [table for table in OF_A_FILE if table not in NEEDS_PEOPLE]
        for table in ("length", "rouge_k", "matrix", "discrepancies"):
            assert analysis["tables"][table] == rated["tables"][table]
        left_out = ", ".join(NEEDS_PEOPLE) + ": there are no human ratings of 'relevance'"
        assert analysis["facts"]["left out"] == left_out
        assert f"\nleft out: {left_out}\n" in run("analyze", name).stdout
        assert analysis["human"] is None
        assert refused("analyze", name, "--tables", "human,length") == (
            "human: there are no human ratings of 'relevance'; there are none at all"
        )
        assert refused("analyze", name, "--human", "relevance") == (
            "there are no human ratings of 'relevance'; there are none at all"
        )


def test_other_ratings_are_named_where_the_usual_one_is_not_there():
    left_out = analyzed(CORPUS, "--tables", "length")["facts"]["left out"]
    assert left_out.endswith(f": there are no human ratings of 'relevance'; --human takes {AUTHOR}")


@pytest.mark.exhaustive
def test_tables_of_a_data_set_without_summaries(folder, shared_data):
    """SciTLDR has no system outputs; its keyword statistics are those of the ROUGE-K paper's Table 4."""
    dev = shared_data / "scitldr" / "dev.jsonl"
    analysis = analyzed(dev, "--tables", "dataset")
    assert list(analysis["tables"]) == ["dataset_keywords", "dataset_lengths"]
    [row] = analysis["tables"]["dataset_keywords"]["rows"]
    assert (row["documents"], row["references per document"]) == (619, pytest.approx(3.3, abs=0.06))
    assert row["keywords per document"] == pytest.approx(4.2, abs=0.2)
    assert {of for (of,) in rows_of(analysis, "dataset_lengths", "text")} == {
        "source", "reference", "title", "source : reference"
    }  # fmt: skip
    assert analysis["facts"]["file"] == "dev.jsonl"
    run("import", dev, "--name", "dev")
    assert analyzed("dev", "--tables", "dataset")["tables"] == analysis["tables"]
    assert refused("analyze", "dev") == "dev has no summaries; use relevance summarize, or ask for --tables dataset"


def test_data_set_tables_beside_others(folder):
    analysis = analyzed("small.jsonl", "--metrics", "rouge1", "--tables", "dataset_lengths,systems,keywords_by_length")
    assert list(analysis["tables"]) == ["systems", "keywords_by_length", "dataset_lengths"]


# --- systems --------------------------------------------------------------------------------------------------

THREE = [
    {
        "id": f"d{n}",
        "title": f"Cats of {n}",
        "source": "A cat sat.",
        "references": ["The cat ate mice.", f"Cats hunt mice at night {n}."],
        "summaries": [
            {"system": "good", "text": f"The cat ate {n} mice.", "human": {"relevance": 5}},
            {"system": "bad", "text": "A cat sat" + " there" * n, "human": {"relevance": 1 + n}},
            {"system": "reference:2", "text": f"Cats hunt mice at night {n}.", "human": {"relevance": 3}},
        ],
    }
    for n in range(8)
]


def test_every_table_can_be_restricted_to_some_systems(folder):
    write(folder / "three.jsonl", THREE)
    everything = analyzed("three.jsonl", "--tables", ",".join([*OF_A_FILE, "keywords", "dataset"]))
    some = analyzed(
        "three.jsonl", "--tables", ",".join([*OF_A_FILE, "keywords", "dataset"]), "--systems", "good,reference:2"
    )
    assert some["facts"]["systems"] == "good, reference:2"
    assert some["facts"]["summaries"] == "16"
    for table in ("systems", "keywords_by_source", "keywords_by_length"):
        assert some["tables"][table]["rows"] == [
            row for row in everything["tables"][table]["rows"] if row["system"] != "bad"
        ]
    # pairs of two systems are one a document, those of three are three
    assert {row["agreement"]["pairs"] for row in some["metrics"].values()} == {8}
    assert rows_of(some, "discrepancies", "n")[0] == (8,)
    assert rows_of(everything, "discrepancies", "n")[0] == (24,)
    assert rows_of(some, "wilcoxon", "first", "second")[0] == ("good", "reference:2")
    assert rows_of(some, "distinguishability", "systems")[0] == (2,)
    run("import", "three.jsonl", "--name", "three")
    of_dataset = analyzed("three", "--systems", "good,reference:2", "--tables", ",".join(OF_A_FILE))
    assert of_dataset["tables"] == {name: some["tables"][name] for name in OF_A_FILE}


@pytest.mark.exhaustive
def test_a_study_restricted_to_some_systems(sqlite_url, folder):
    write(folder / "three.jsonl", THREE)
    run("import", "three.jsonl", "--name", "three")
    run("study", "create", "T", "--dataset", "three", "--pairs", "all", "--per-document", "3")
    annotation = AnnotationStore(connect())
    annotator = annotation.join(study="T", name="Ann")
    while (task := annotation.next_task(annotator)) is not None:
        shown = now() - timedelta(seconds=2)
        annotation.judge(annotator=annotator, assignment_id=task.assignment_id, choice="left", presented_at=shown)
    assert sum(comparisons for (comparisons,) in rows_of(analyzed("--study", "T"), "ranking", "comparisons")) == 2 * 24
    some = analyzed("--study", "T", "--systems", "good,bad", "--baselines", "bad")
    assert some["facts"]["systems"] == "bad, good"
    assert {system for (system,) in rows_of(some, "ranking", "system")} == {"good", "bad"}
    assert sum(comparisons for (comparisons,) in rows_of(some, "ranking", "comparisons")) == 2 * 8
    assert rows_of(some, "systems", "system") == [("bad",), ("good",)]
    assert "†: beats bad: " in some["tables"]["systems"]["notes"][0]
    assert refused("analyze", "--study", "T", "--systems", "ugly") == (
        "--systems: there is no system ugly; there are bad, good, reference:2"
    )
    run("report", "T", "-o", "report", "--systems", "good,bad", "--baselines", "bad")
    assert json.loads((folder / "report" / "analysis.json").read_text()) == some
    assert "†</td>" in (folder / "report" / "report.html").read_text()


@pytest.mark.parametrize("of", ["file", "study"])
def test_one_number_for_one_system_under_one_signature(folder, of):
    """A reference stands as a system: it makes no keywords, in whichever table, whoever is asked for."""
    write(folder / "three.jsonl", THREE)
    arguments = ["three.jsonl", "--systems", "good,bad"]
    if of == "study":
        run("import", "three.jsonl", "--name", "three")
        run("study", "create", "S", "--dataset", "three", "--systems", "good,bad", "--pairs", "all")
        arguments = ["--study", "S"]
    analysis = analyzed(*arguments, "--tables", "systems,keywords")
    systems = dict(rows_of(analysis, "systems", "system", "rouge_k"))
    by_source = dict(rows_of(analysis, "keywords_by_source", "system", "ROUGE-K"))
    assert by_source == {system: pytest.approx(systems[system]) for system in ("good", "bad")}
    # title and first reference share the cat only: both have it; with the withheld reference there would be mice, too
    assert by_source == {"good": 1.0, "bad": 1.0}
    (signature,) = {text for text in run("analyze", *arguments, "--tables", "keywords").stdout.split() if "kw:" in text}
    assert signature in run("analyze", *arguments, "--tables", "systems").stdout


@pytest.mark.parametrize("shape", FORMATS)
def test_daggers_in_every_format(folder, shape):
    write(folder / "three.jsonl", THREE)
    arguments = ("three.jsonl", "--metrics", "rouge1", "--tables", "systems", "--baselines", "bad")
    output = run("analyze", *arguments, "--format", shape).stdout
    # by ROUGE-1, both are above bad in all 8 documents: p = 2 / 2^8; people prefer good in some of them only
    marks = {"text": "0.8889†", "json": '"marks": {', "csv": ",†,", "latex": r"0.889\dag{}"}
    assert marks[shape] in output
    rows = analyzed(*arguments)["tables"]["systems"]["rows"]
    assert {row["system"]: row.get("marks") for row in rows} == {
        "bad": None,
        "good": {"rouge1": "†"},
        "reference:2": {"rouge1": "†"},
    }


# --- what stands beside systems -------------------------------------------------------------------------------


def test_published_figures_come_where_they_are_asked_for(folder):
    write(folder / "three.jsonl", THREE)
    arguments = ("three.jsonl", "--metrics", "rouge1,rouge_k", "--tables", "systems,systems_published")
    assert "no table systems_published" in run("analyze", *arguments, code=2).stderr
    analysis = analyzed(*arguments, "--published", "scitldr")
    quoted = rows_of(analysis, "systems_published", "system", "rouge1", "OUT-SRC")
    assert quoted[0] == ("BART", 0.4393, 0.0092)
    assert [(system, value) for system, _, value in quoted if value is not None] == [
        ("BART", 0.0092), ("TDSum", 0.0137)
    ]  # fmt: skip
    assert len(quoted) == 10
    assert {system for system, *_ in quoted}.isdisjoint(system for (system,) in rows_of(analysis, "systems", "system"))
    assert {"IN-SRC", "OUT-SRC", "words"} <= set(analysis["tables"]["systems"]["rows"][0])
    csv = run("analyze", *arguments, "--published", "xsum", "--format", "csv").stdout
    assert "systems_published,BART,IN-SRC,0.7378" in csv
    latex = run("analyze", *arguments, "--published", "xsum", "--format", "latex").stdout
    assert "TDSum & 0.441 & 0.209 & 0.356 & 0.554 & 0.666 & 0.267 & Takeshita et al. 2024, Tables 8 and 9" in latex


def test_upper_bounds_that_are_stored_stand_below_the_systems_of_a_data_set(sqlite_url, folder):
    write(folder / "three.jsonl", THREE)
    run("import", "three.jsonl", "--name", "three")
    run("summarize", "three", "--system", "lead-1")
    result = evaluate_stored(
        DataStore(connect()), "three", OracleTask(algorithms=("exact",), length=SummaryLength(1)), processes=0
    )
    analysis = analyzed("three", "--metrics", "rouge1", "--tables", "systems")
    systems = dict(rows_of(analysis, "systems", "system", "rouge1"))
    assert [*systems][-1] == "best sentence"
    assert systems["best sentence"] == pytest.approx(np.mean([row.f1 for row in result.rows]))
    assert "†: beats lead-1: " in analysis["tables"]["systems"]["notes"][0]  # which nobody had to name
    assert "†" not in " ".join(
        analyzed("three", "--tables", "systems", "--baselines", "")["tables"]["systems"]["notes"]
    )
