"""The tables of oracles: what stands in each cell, what is undefined and why, and what is said of unproven results."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from relevance.data.records import Document, Example
from relevance.metrics.rouge import RougeN
from relevance.reports.formats import as_csv, as_json, as_latex, as_one_latex, as_text
from relevance.reports.formats.latex import escape_latex
from relevance.reports.tables.oracles import (
    DEFINITIONS,
    facts_of,
    figures_of,
    length_label,
    oracle_as_latex,
    oracle_tables,
    oracles_as_json,
    reasons_left_out,
    row_records,
)
from relevance.reports.tables.table import Range, Undefined
from relevance.summarizers.base import REFERENCE_LENGTH, SummaryLength
from relevance.summarizers.oracles import BY_DEFAULT, Target
from relevance.summarizers.oracles.evaluation import OracleRow, OracleTask, evaluate, summarize_algorithms
from relevance.summarizers.oracles.problem import is_proven

ROOT = Path(__file__).resolve().parents[3]
TASK = OracleTask(algorithms=("greedy", "exact"))
NAMES = ["distribution", "uncertainty", "effort", "proof"]


def row(document, algorithm, f1, bound=None, sentences=1, seconds=1.0):
    return OracleRow(document, algorithm, f1, tuple(range(sentences)), 0, bound, is_proven(f1, bound), seconds)


# Two documents: the optimum of the second is not proven.
ROWS = [
    row("a", "greedy", 0.25, sentences=1, seconds=0.5),
    row("a", "exact", 0.5, 0.5, sentences=2, seconds=2.0),
    row("b", "greedy", 0.75, sentences=2, seconds=1.5),
    row("b", "exact", 0.75, 1.0, sentences=4, seconds=60.0),
]
PROVEN = [*ROWS[:3], row("b", "exact", 0.75, 0.75, sentences=4, seconds=60.0)]


def tables(rows, task=TASK, **options):
    return {section.name: section for section in oracle_tables(summarize_algorithms(rows), task, **options)}


def test_the_tables_of_the_paper():
    result = tables(PROVEN)
    assert list(result) == NAMES
    signatures = TASK.signatures
    # mean (.25 + .75) / 2; squares of the deviations .0625 each, over 1; quartiles between the two
    greedy = {"documents": 2, "mean": 0.5, "std": 0.125**0.5, "min": 0.25, "25%": 0.375, "50%": 0.5, "75%": 0.625}
    assert result["distribution"].rows[0] == (
        {"algorithm": "greedy"} | greedy | {"max": 0.75, "signature": signatures["greedy"]}
    )
    variation, ends = (result["uncertainty"].rows[0][name] for name in ("coefficient of variation", "mean 95 %"))
    assert variation == pytest.approx(0.125**0.5 / 0.5)
    # Student's t of 1 degree of freedom at .975 is 12.7062, and the standard error is .25: beyond both ends of F1
    assert ends == Range(0.0, 1.0)
    assert "The interval is cut to [0, 1], where F1 ends: Student's t knows no limits." in result["uncertainty"].notes
    assert result["effort"].rows == [
        {
            "algorithm": "greedy",
            "sentences": 1.5,
            "gap to the optimum": 0.125,
            "at the optimum": 0.5,
            "seconds": 1.0,
            "longest seconds": 1.5,
            "signature": signatures["greedy"],
        },
        {
            "algorithm": "exact",
            "sentences": 3.0,
            "gap to the optimum": 0.0,
            "at the optimum": 1.0,
            "seconds": 31.0,
            "longest seconds": 60.0,
            "signature": signatures["exact"],
        },
    ]
    assert result["proof"].rows == [
        {
            "algorithm": "exact",
            "documents": 2,
            "proven": 1.0,
            "unproven": 0,
            "mean": 0.625,
            "mean bound": 0.625,
            "signature": signatures["exact"],
        }
    ]
    assert not any("best found" in as_text(section) for section in result.values())


def test_how_far_the_papers_steps_are_from_ours_and_from_the_optimum():
    named = ["genetic", "genetic@paper", "vns@paper", "exact"]
    rows = [row("a", name, f1) for name, f1 in zip(named, [0.5, 0.25, 0.125, 0.75], strict=True)]
    message = "Mean F1, the paper's steps beside ours and the optimum: 0.250 by genetic@paper, 0.500 by genetic, "
    assert f"{message}0.125 by vns@paper, 0.750 by exact." in tables(rows)["distribution"].notes
    for only in (rows[:1], rows[1:3]):  # nothing to compare
        assert not any(note.startswith("Mean F1") for note in tables(only)["distribution"].notes)


def test_unproven_results_are_the_best_found():
    result = tables(ROWS)
    for section in result.values():
        [*_, exact] = section.rows
        assert exact["algorithm"] == "exact (best found)"
        assert exact["signature"] == TASK.signatures["exact"]
        assert (
            "exact: the results of 1 of 2 documents are not proven. They are the best found before the time was over, "
            "no more; the mean of the optima is at most 0.7500."
        ) in section.notes
    assert result["proof"].rows[0]["proven"] == 0.5
    assert result["proof"].rows[0]["unproven"] == 1
    # The gap is that of a, whose optimum is proven.
    assert [line["gap to the optimum"] for line in result["effort"].rows] == [0.25, 0.0]
    assert [line["at the optimum"] for line in result["effort"].rows] == [0.0, 1.0]
    assert [line["algorithm"] for line in result["effort"].rows] == ["greedy", "exact (best found)"]


def test_nothing_is_proven():
    result = tables(ROWS[2:])
    no_gap = Undefined("no optimum was proven before the time was over")
    assert [line["gap to the optimum"] for line in result["effort"].rows] == [no_gap, no_gap]
    assert [line["at the optimum"] for line in result["effort"].rows] == [no_gap, no_gap]
    single = Undefined("a single document has no spread")
    assert result["distribution"].rows[0]["std"] == single
    assert (
        result["uncertainty"].rows[0]["coefficient of variation"]
        == result["uncertainty"].rows[0]["mean 95 %"]
        == single
    )


def test_without_the_exact_search():
    result = tables([row("a", "vns", 0.0), row("b", "vns", 0.0)], OracleTask(algorithms=("vns",)))
    [effort] = result["effort"].rows
    assert effort["gap to the optimum"] == effort["at the optimum"] == Undefined("the exact search was not asked for")
    assert result["uncertainty"].rows[0]["coefficient of variation"] == Undefined("the mean is 0")
    assert result["uncertainty"].rows[0]["mean 95 %"] == Range(0.0, 0.0)
    assert list(result) == NAMES[:3]  # nothing that could prove
    assert list(tables([], OracleTask(algorithms=("vns",)))) == NAMES[:3]
    effort_said = " ".join(result["effort"].notes)
    assert effort_said.endswith(
        "For a reference, vns stops at the first check after 60 s; how often that cut vns short is not recorded."
    )
    greedy = tables([row("a", "greedy", 0.5)], OracleTask(algorithms=("greedy",)))
    assert "first check" not in " ".join(greedy["effort"].notes)


def test_no_document_at_all():
    result = tables([], left_out={"the document has no sentence": 1, "it has no reference with a word": 2})
    assert list(result) == NAMES
    for section in result.values():
        assert section.rows == []
        assert section.empty.startswith("no document has an oracle")
        assert section.notes[-2:] == [
            "1 document is left out: the document has no sentence.",
            "2 documents are left out: it has no reference with a word.",
        ]
        assert section.empty in as_text(section)
        assert section.empty in as_csv(section)


@pytest.mark.parametrize("rows", [ROWS, PROVEN, ROWS[2:], []])
def test_every_format_can_write_them(rows):
    for section in tables(rows).values():
        assert json.loads(json.dumps(as_json(section), allow_nan=False))["title"] == section.title
        assert section.title in as_text(section)
        assert rf"\label{{tab:{section.name}}}" in as_latex(section)
        assert "signature" not in as_text(section, without=["signature"])
        header = as_csv(section).splitlines()[0].split(",")
        assert len(header) == len(set(header))


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (
            OracleTask(),
            ["clipped counts", "the reference against which most is reached", "the length of extracts is not limited"],
        ),
        (
            OracleTask(Target(2, "set", "first"), length=SummaryLength(1)),
            ["set definition", "the first reference counts", "1 sentence."],
        ),
        (OracleTask(length=SummaryLength(100, "words")), ["at most 100 words."]),
        (OracleTask(length=REFERENCE_LENGTH), ["at most the words of the first reference."]),
    ],
)
def test_the_settings_are_said(task, message):
    section = oracle_tables([], task)[0]
    assert section.title == f"ROUGE-{task.target.n} F1 that extracts reach, by algorithm"
    assert all(words in section.notes[0] for words in message)
    assert length_label(task.length) in section.notes[0]


def test_latex_names_its_origin_and_signs_once():
    signatures = [*TASK.signatures.values()]
    algorithms = summarize_algorithms(PROVEN)
    written = as_one_latex(
        oracle_tables(algorithms, TASK),
        [*signatures, "line\nbreak"],
        lambda table: oracle_as_latex(table, "a_b.jsonl", algorithms),
    )
    assert written.startswith(f"% {signatures[0]}\n% {signatures[1]}\n% line break\n\\begin{{table}}")
    for signature in signatures:
        assert written.count(signature) == 1
        assert escape_latex(signature) not in written
    labels = re.findall(r"\\label\{(.*?)\}", written)
    assert labels == [f"tab:oracle-{name}" for name in NAMES]
    assert written.count(r"(a\_b.jsonl, n = 2)}") == len(NAMES)
    # four digits of gaps and seconds, three of all others
    assert r"greedy & 1.500 & 0.1250 & 0.500 & 1.0000 & 1.5000 \\" in written
    assert "n = 0" in oracle_as_latex(oracle_tables([], TASK)[0], "x", [])


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_what_is_not_the_rouge_that_everybody_reports_is_said(definition):
    """ROUGE-2 of the joined text may be higher than the optimum inside sentences; ROUGE-1 may not."""
    document = Document("d", ("Red cars", "drive fast"), ("red cars drive fast",))
    for n in (1, 2):
        task = OracleTask(Target(n, definition), ("exact",))
        [optimum] = evaluate([document], task, processes=0).rows
        [ordinary] = RougeN(n).score([Example("d", "x", "Red cars drive fast", document.references, None, "")])
        text = " ".join(oracle_tables(summarize_algorithms([optimum]), task)[0].notes)
        assert "as ROUGE counts" not in text
        assert ("not bounds of it" in text) == (n == 2 or definition == "set")
        assert ("across sentence ends" in text) == (n == 2)
        assert (optimum.f1 < ordinary.value) == (n == 2)


def test_facts_and_json_name_the_settings_and_the_documents():
    task = OracleTask(Target(2, "set", "first", "unicode"), TASK.algorithms, SummaryLength(50, "words"), 3, 2.5)
    left_out = {
        "x": "the document has no sentence",
        "y": "it has no reference with a word",
        "z": "the document has no sentence",
    }
    algorithms = summarize_algorithms(ROWS)
    assert facts_of(task, algorithms, left_out) == {
        "metric": "rouge2",
        "definition": "set",
        "ngrams": "within-sentences",
        "references": "first",
        "tokenizer": "unicode",
        "length": "50w",
        "seed": "3",
        "seconds": "2.5",
        "documents": "2",
        "left out": "3 (2: the document has no sentence; 1: it has no reference with a word)",
    }
    assert facts_of(TASK, [], {})["left out"] == facts_of(TASK, [], {})["documents"] == "0"
    written = oracles_as_json(task, algorithms, left_out, {"data set": "set"})
    assert written["left_out"][0] == {"id": "x", "reason": "the document has no sentence"}
    assert (written["data set"], written["length"], written["documents"]) == ("set", "50w", 2)
    assert written["signatures"] == task.signatures
    exact = written["algorithms"]["exact"]
    assert (exact["mean"], exact["unproven"], exact["bound"]) == (0.625, 1, 0.75)
    assert "undefined" not in exact
    heuristic = written["algorithms"]["greedy"]
    why = "only the exact search can tell how far it is from the optimum"
    assert heuristic["undefined"] == {"proven": why, "unproven": why, "bound": why}
    assert figures_of(algorithms[0], algorithms)["bound"] == Undefined(why)


def test_real_searches():
    documents = [
        Document("one", "Red cars drive. Blue cars stand. Red cars drive.", ("blue cars", "red cars drive")),
        Document("two", ("It rains.", "Dogs bark."), ("...", "dogs bark and it rains")),
        Document("none", "", ("red",)),
        Document("dots", "It rains.", ("...",)),
    ]
    task = OracleTask()
    result = evaluate(documents, task, processes=0)
    assert reasons_left_out(documents, result, task) == {
        "none": "the document has no sentence",
        "dots": "it has no reference with a word",
    }
    records = list(row_records(result.rows, documents))
    assert [(record["id"], record["algorithm"]) for record in records] == [
        (key, algorithm) for key in ("one", "two") for algorithm in BY_DEFAULT
    ]
    exact = [record for record in records if record["algorithm"] == "exact"]
    assert [(r["text"], r["sentences"], r["reference"], r["proven"]) for r in exact] == [
        ("Red cars drive.", [exact[0]["sentences"][0]], 1, True),
        ("It rains. Dogs bark.", [0, 1], 1, True),
    ]
    assert exact[0]["f1"] == 1.0
    assert all(
        len(section.rows) == len(BY_DEFAULT) for section in oracle_tables(summarize_algorithms(result.rows), task)[:3]
    )


@pytest.mark.process
def test_the_tables_need_no_streamlit():
    code = "import sys, relevance.reports.tables.oracles; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"streamlit", "torch", "nltk", "simplemma"} & set(loaded.stdout.split())
