"""`relevance oracle`: of files, of data sets, in every format."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pandas
import pytest

from relevance.cli.oracle import extract_length
from relevance.data.database import connect
from relevance.data.demo import FILE as CORPUS
from relevance.data.files import sha256
from relevance.data.importers import read_documents
from relevance.data.records import Example
from relevance.data.store import DataStore
from relevance.metrics.rouge import RougeN
from relevance.processes.mapping import map_in_processes
from relevance.reports.formats.latex import escape_latex as latex_text
from relevance.summarizers.oracles import BY_DEFAULT, Target, evaluation
from relevance.summarizers.oracles.evaluation import OracleTask, evaluate, summarize_algorithms
from relevance.summarizers.sentences import sentences_of
from tests.commands import refused, run, run_json, write
from tests.summarizers.oracles.loading import load_evaluation

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    {"id": "d1", "source": "Red cars drive. Blue cars stand. A cat sleeps.", "references": ["red cars and a cat", "x"]},
    {"id": "d2", "source": ["Two dogs bark.", "It rains."], "references": ["It rains and dogs bark."]},
    {"id": "dots", "source": "Red cars.", "references": ["... !"]},
    {"id": "d3", "source": "Snow falls. Nobody walks.", "references": ["nobody, snow"]},
    {"id": "no word", "source": "Red cars.", "references": ["..."]},
]
SHORT = ("--algorithms", "greedy,exact")


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """What `run` searches is searched here: a process would load the libraries again for every command."""
    monkeypatch.setattr(evaluation, "map_in_processes", lambda _, tick: map_in_processes(0, tick))


@pytest.fixture
def folder(tmp_path, monkeypatch, sqlite_url):
    """A working folder with a small file in it, which is also a data set of the database."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "small.jsonl", [record | {"summaries": []} for record in DOCUMENTS])
    run("import", "small.jsonl", "--name", "small")
    return tmp_path


def searched(*arguments):
    return run_json("oracle", *arguments)


def records_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# --- figures -----------------------------------------------------------------------------------------------------


@pytest.mark.smoke
@pytest.mark.process
def test_a_file_as_json(folder):
    result = searched("small.jsonl", *SHORT)
    assert result.pop("algorithms").keys() == {"greedy", "exact"}
    assert result.pop("lengths").keys() == {"documents", "sentences", "explained", "relations"}
    assert result == {
        "file": "small.jsonl",
        "SHA-256": sha256(folder / "small.jsonl"),
        "metric": "rouge1",
        "definition": "clipped",
        "ngrams": "within-sentences",
        "references": "max",
        "tokenizer": "ascii",
        "length": None,
        "seed": 0,
        "seconds": 60.0,
        "documents": 3,
        "left_out": [
            {"id": "dots", "reason": "it has no reference with a word"},
            {"id": "no word", "reason": "it has no reference with a word"},
        ],
        "signatures": OracleTask(algorithms=("greedy", "exact")).signatures,
    }


@pytest.mark.process
def test_figures_are_those_of_the_rows(folder):
    of = ("--metric", "rouge2", "--references", "first", "--documents", 8)
    result = searched(CORPUS, *of, "--output", "rows.jsonl")
    frame = pandas.DataFrame(records_of(folder / "rows.jsonl"))
    assert list(frame.algorithm[: len(BY_DEFAULT)]) == list(BY_DEFAULT) == list(result["algorithms"])
    for algorithm, rows in frame.groupby("algorithm"):
        figures = result["algorithms"][algorithm]
        described = rows.f1.describe()
        names = ["mean", "std", "min", "25%", "50%", "75%", "max"]
        assert [figures[name] for name in names] == pytest.approx([described[name] for name in names])
        assert figures["documents"] == result["documents"] == len(rows) == 8
        assert figures["variation"] == pytest.approx(described["std"] / described["mean"])
        low, high = figures["mean 95 %"]
        assert (low + high) / 2 == pytest.approx(figures["mean"])
        assert figures["sentences"] == pytest.approx(rows.sentences.map(len).mean())
        assert figures["longest"] == rows.seconds.max()
    exact = result["algorithms"]["exact"]
    assert (exact["proven"], exact["unproven"], exact["gap"]) == (1.0, 0, 0.0)
    assert all(exact["mean"] >= other["mean"] for other in result["algorithms"].values())
    greedy = result["algorithms"]["greedy"]
    assert greedy["gap"] == pytest.approx(exact["mean"] - greedy["mean"])
    assert greedy["proven"] is greedy["bound"] is None
    assert greedy["undefined"].keys() == {"proven", "unproven", "bound"}
    assert "undefined" not in exact


@pytest.mark.process
def test_rows_name_the_extract_whose_score_they_have(folder):
    run("oracle", CORPUS, "--algorithms", "exact", "--length", "2", "--output", "rows.jsonl")
    rows = records_of(folder / "rows.jsonl")
    documents = {document.id: document for document, _ in read_documents(CORPUS, "interchange")}
    assert [row["id"] for row in rows] == list(documents)
    for row in rows:
        document = documents[row["id"]]
        assert list(row) == [*("id", "algorithm", "f1", "sentences", "text", "reference", "bound", "proven", "seconds")]
        assert row["text"] == " ".join(sentences_of(document)[place] for place in row["sentences"])
        assert 1 <= len(row["sentences"]) <= 2
        [score] = RougeN(1).score([Example(row["id"], "oracle", row["text"], document.references, None, "")])
        assert score.value == pytest.approx(row["f1"])
        assert (row["proven"], row["bound"]) == (True, pytest.approx(row["f1"], abs=1e-6))


@pytest.mark.process
@pytest.mark.parametrize(
    ("options", "task"),
    [
        ([], OracleTask()),
        (["--metric", "rouge2", "--definition", "set"], OracleTask(Target(2, "set"))),
        (
            ["--references", "first", "--tokenizer", "unicode"],
            OracleTask(Target(references="first", tokenizer="unicode")),
        ),
        (["--seed", 7, "--seconds", 2.5], OracleTask(seed=7, seconds=2.5)),
        (["--length", "2"], OracleTask(length=extract_length("2"))),
        (["--length", "5w"], OracleTask(length=extract_length("5w"))),
        (["--length", "ref"], OracleTask(length=extract_length("ref"))),
    ],
)
def test_options_reach_the_searches(folder, options, task):
    result = searched("small.jsonl", *options)
    assert result["signatures"] == task.signatures
    assert result["length"] == (options[1] if options[:1] == ["--length"] else None)
    documents = [document for document, _ in read_documents(folder / "small.jsonl", "interchange")]
    expected = {
        figures.algorithm: figures.mean for figures in summarize_algorithms(evaluate(documents, task, processes=0).rows)
    }
    assert {name: figures["mean"] for name, figures in result["algorithms"].items()} == pytest.approx(expected)


@pytest.mark.process
def test_an_exact_search_that_the_time_ended_is_not_called_optimal(folder):
    documents = [document for document, _ in read_documents(CORPUS, "interchange")]
    sentences = [sentence for document in documents for sentence in sentences_of(document)]
    reference = " ".join(text for document in documents for text in document.references)
    write(folder / "long.jsonl", [{"id": "long", "source": sentences, "references": [reference], "summaries": []}])
    options = ("long.jsonl", "--algorithms", "greedy,exact", "--seconds", 0.001)
    exact = searched(*options)["algorithms"]["exact"]
    assert (exact["proven"], exact["unproven"]) == (0.0, 1)
    assert exact["bound"] > exact["mean"]
    assert exact["undefined"]["gap"] == "no optimum was proven before the time was over"
    shown = run("oracle", *options).stdout
    assert "exact (best found)" in shown
    assert "exact: the results of 1 of 1 documents are not proven. They are the best found" in shown
    assert "\nexact  " not in shown


# --- formats -----------------------------------------------------------------------------------------------------


@pytest.mark.process
def test_every_format_has_the_same_numbers(folder):
    algorithms = searched("small.jsonl", *SHORT)["algorithms"]
    text, table, latex = (run("oracle", "small.jsonl", *SHORT, "--format", f).stdout for f in ("text", "csv", "latex"))
    cells = {(row["table"], row["row"], row["column"]): row for row in csv.DictReader(io.StringIO(table))}
    for algorithm, figures in algorithms.items():
        assert float(cells["distribution", algorithm, "mean"]["value"]) == figures["mean"]
        ends = cells["uncertainty", algorithm, "mean 95 %"]
        assert [float(ends["low"]), float(ends["high"])] == figures["mean 95 %"]
        row = "  ".join(f"{figures[name]:.4f}" for name in ("mean", "std", "min", "25%", "50%", "75%", "max"))
        assert row in text
        assert f"{algorithm} & 3 & {figures['mean']:.3f} & {figures['std']:.3f} & " in latex
    for shape in (text, table, latex):
        assert "2 (2: it has no reference with a word)" in shape
    for signature in OracleTask(algorithms=("greedy", "exact")).signatures.values():
        assert signature in text
        assert signature in table
        assert f"% {signature}\n" in latex
        assert text.count(signature) == latex.count(signature) == 1
        assert latex_text(signature) not in latex
    assert latex.count("(small.jsonl, n = 3)}") == 5
    assert "signature" not in text
    assert latex.count(r"\begin{table}") == 5
    for line in ("2 documents are left out: it has no reference with a word.", "documents: 3", "seconds: 60"):
        assert line in text.splitlines()


@pytest.mark.process
@pytest.mark.parametrize("shape", ["json", "csv"])
def test_standard_output_is_the_result_alone(folder, shape):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    options = ["--algorithms", "greedy,exact", "--processes", "2", "--format", shape, "--output", "rows.jsonl"]
    command = [sys.executable, "-m", "relevance", "oracle", CORPUS, *options]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    if shape == "json":
        assert json.loads(done.stdout)["documents"] == 24
    else:
        assert {len(row) for row in csv.reader(io.StringIO(done.stdout))} == {8}
    assert "searching" in done.stderr
    assert "wrote rows.jsonl" in done.stderr


@pytest.mark.process
def test_nothing_to_search(folder):
    write(folder / "none.jsonl", [DOCUMENTS[2] | {"summaries": []}])
    result = searched("none.jsonl")
    assert (result["documents"], result["algorithms"], len(result["left_out"])) == (0, {}, 1)
    why = "no document has an oracle: each lacks a sentence, or a reference with a word"
    assert result["undefined"] == why
    assert f"undefined: {why}" in run("oracle", "none.jsonl").stdout
    assert why in run("oracle", "none.jsonl", "--format", "csv").stdout
    assert why in run("oracle", "none.jsonl", "--format", "latex").stdout
    run("oracle", "none.jsonl", "--output", "rows.jsonl")
    assert (folder / "rows.jsonl").read_text() == ""


@pytest.mark.process
def test_one_document(folder):
    greedy = searched("small.jsonl", "--documents", 1, *SHORT)["algorithms"]["greedy"]
    assert (greedy["documents"], greedy["std"], greedy["variation"], greedy["mean 95 %"]) == (1, None, None, None)
    assert greedy["undefined"]["std"] == "a single document has no spread"


# --- data sets ---------------------------------------------------------------------------------------------------


@pytest.fixture
def searches(monkeypatch):
    """Documents that are searched from now on, in this process."""
    evaluation.load_libraries()
    arguments = []
    rows_of = evaluation.rows_of

    def counted(task, document):
        if rows := rows_of(task, document):
            arguments.append((document.id, *task.algorithms))
        return rows

    monkeypatch.setattr(evaluation, "rows_of", counted)
    return arguments


def test_a_data_set_is_searched_once(folder, searches):
    first = searched("small", *SHORT)
    assert searches == [(key, "greedy", "exact") for key in ("d1", "d2", "d3")]
    of_file = searched("small.jsonl", *SHORT)
    assert first["data set"] == "small"
    for algorithm, figures in of_file["algorithms"].items():
        times = {"seconds", "longest"}
        same = first["algorithms"][algorithm]
        assert {k: v for k, v in same.items() if k not in times} == {k: v for k, v in figures.items() if k not in times}
    assert first["left_out"] == of_file["left_out"]
    searches.clear()
    assert searched("small", *SHORT) == first  # to the seconds
    assert searches == []
    searched("small", "--algorithms", "genetic,greedy,exact")
    assert searches == [(key, "genetic") for key in ("d1", "d2", "d3")]


def test_a_data_set_goes_on_where_it_was_stopped(folder, searches, monkeypatch):
    counted = evaluation.rows_of

    def stopped(task, document):
        if document.id == "d3":
            raise KeyboardInterrupt
        return counted(task, document)

    with monkeypatch.context() as context:
        context.setattr(evaluation, "rows_of", stopped)
        result = run("oracle", "small", *SHORT, code=1)
    assert result.stdout == ""
    assert result.stderr.endswith("stopped; the results so far are stored, and the same command continues from there\n")
    task = OracleTask(algorithms=("greedy", "exact"))
    store = DataStore(connect(os.environ["RELEVANCE_DATABASE_URL"]))
    assert [row.document_id for row in load_evaluation(store, "small", task).rows] == ["d1", "d1", "d2", "d2"]
    searches.clear()
    assert searched("small", *SHORT)["documents"] == 3
    assert searches == [("d3", "greedy", "exact")]


def test_who_stops_the_search_of_a_file_is_told_that_nothing_is_kept(folder, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluation, "search_documents", stopped)
    result = run("oracle", "small.jsonl", *SHORT, code=1)
    assert result.stdout == ""
    assert result.stderr.endswith("stopped; nothing is kept, unlike for a data set\n")


@pytest.mark.process
def test_notes_are_as_wide_as_the_terminal_and_whole_elsewhere(folder, monkeypatch):
    whole = run("oracle", "small.jsonl", *SHORT).stdout
    monkeypatch.setattr("relevance.cli.printing.screen_width", lambda: 50)
    broken = run("oracle", "small.jsonl", *SHORT).stdout
    note = "The interval is cut to [0, 1], where F1 ends: Student's t knows no limits."
    assert note in whole.splitlines()
    assert note not in broken.splitlines()
    assert note in " ".join(broken.split())
    rows = [line for line in whole.splitlines() if line.startswith(("greedy ", "exact ")) and "." in line]
    assert rows
    assert all(row.split()[:-2] in [line.split()[:-2] for line in broken.splitlines()] for row in rows)  # but for times


def test_help_says_from_where_is_counted():
    text = " ".join(run("oracle", "--help").stdout.split())
    assert "`sentences` and `reference` are counted from 0" in text
    assert "as ROUGE counts" not in text
    assert "across sentence ends" in text


@pytest.mark.process
def test_a_killed_run_goes_on_where_it_was(folder, searches):
    """Killed with no chance to write: what was found over a second before is there."""
    records = [
        {"id": f"d{number}", "source": DOCUMENTS[0]["source"], "references": ["red cars"], "summaries": []}
        for number in range(3)
    ]
    write(folder / "three.jsonl", records)
    run("import", "three.jsonl", "--name", "three")
    script = (
        "import os, signal, time\n"
        "from relevance.cli import main\n"
        "from relevance.summarizers.oracles import evaluation\n"
        "rows_of, mapping = evaluation.rows_of, evaluation.map_in_processes\n"
        "def slow(task, document):\n"
        "    if document.id == 'd2':\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    found = rows_of(task, document)\n"
        "    time.sleep(evaluation.EVERY)\n"
        "    return found\n"
        "evaluation.rows_of = slow\n"
        "evaluation.map_in_processes = lambda processes, tick: mapping(0, tick)\n"
        "main(['oracle', 'three', '--algorithms', 'greedy'])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    killed = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, check=False)
    assert killed.returncode == -9, killed.stderr
    assert searched("three", "--algorithms", "greedy")["documents"] == 3
    assert searches == [("d2", "greedy")]


def test_first_documents_of_a_data_set(folder, searches):
    result = searched("small", *SHORT, "--documents", 3)
    assert (result["documents"], [left["id"] for left in result["left_out"]]) == (2, ["dots"])
    assert searched("small", *SHORT)["documents"] == 3
    assert [key for key, *_ in searches] == ["d1", "d2", "d3"]


def test_documents_are_chosen_by_their_sentences(folder, searches):
    result = searched("small", *SHORT, "--sentences", "3-")
    assert (result["documents"], result["sentences"]) == (1, "3-")
    assert [left["reason"] for left in result["left_out"]] == ["it has fewer than 3 sentences"] * 4
    assert [key for key, *_ in searches] == ["d1"]
    searched("small", *SHORT)
    again = searched("small", *SHORT, "--sentences", "-2")  # what is stored of others stays out
    assert (again["documents"], again["left_out"][0]["id"]) == (2, "d1")
    assert again["left_out"][0]["reason"] == "it has more than 2 sentences"
    assert searched("small.jsonl", *SHORT, "--sentences", "-2")["left_out"] == again["left_out"]


@pytest.mark.process
def test_rouge_2_and_lengths_are_told(folder):
    of = (CORPUS, "--documents", 8)
    result = searched(*of, "--algorithms", "greedy,exact")
    assert all(0 < figures["rouge2"] < figures["mean"] for figures in result["algorithms"].values())
    assert len(result["lengths"]["relations"]) == 4
    assert "rouge2" not in searched(*of, "--algorithms", "greedy", "--metric", "rouge2")["algorithms"]["greedy"]
    told = run("oracle", *of, "--algorithms", "exact").stdout
    assert "What the length of the optimum goes with" in told


@pytest.mark.process
def test_a_long_text_of_one_sentence_is_said_once(folder):
    long = {"id": "long", "source": "red cars drive and " * 40, "references": ["red cars"], "summaries": []}
    listed = long | {"id": "listed", "source": ["red cars drive and " * 40]}
    write(folder / "long.jsonl", [long, listed, long | {"id": "other"}])
    warning = (
        "warning: 2 of 3 documents are one sentence of over 100 words each, as no sentence end was found: an extract "
        "has all of it or nothing. Where there are sentences, give `source` as a list of them. The first is 'long'."
    )
    assert run("oracle", "long.jsonl", *SHORT).stderr.count(warning) == 1
    run("import", "long.jsonl", "--name", "long")
    assert run("summarize", "long", "--system", "lead,random").stderr.count(warning) == 1
    assert "warning" not in run("summarize", "small", "--system", "lead").stderr


# --- refusals ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none"], "there is no file none, and there is no data set 'none'; there are small"),
        (
            ["small.jsonl", "--algorithms", "best"],
            "--algorithms: there is no 'best'; there are greedy, vns@paper, vns_greedy@paper, vns@code, ",
        ),
        (["small.jsonl", "--algorithms", "exact,greedy, exact"], "--algorithms names 'exact' twice"),
        (["none", "--algorithms", "best"], "--algorithms: there is no 'best'"),  # before anything is read
        (["small.jsonl", "--algorithms", " , "], "--algorithms names no algorithm"),
        (["small.jsonl", "--metric", "rougeL"], "'rougeL' is not one of 'rouge1', 'rouge2'"),
        (["small.jsonl", "--references", "mean"], "'mean' is not one of 'max', 'first'"),
        (["small.jsonl", "--seconds", "0"], "0.0 is not in the range 0<x<=86400"),
        (["small.jsonl", "--seconds", "nan"], "--seconds must be a number of seconds, not nan"),
        (["small.jsonl", "--documents", "0"], "0 is not in the range 1<=x"),
        (["small.jsonl", "--output", "away/rows.jsonl"], "there is no folder away"),
        (["small.jsonl", "--output", "small.jsonl"], "name another --output"),
        *(
            (
                ["small.jsonl", "--sentences", name],
                f"--sentences must be FROM-TO, FROM- or -TO, such as 20-200, not '{name}'",
            )
            for name in ("-", "3", "5-2", "0-2", "a-b")
        ),
        (["small", "--input-format", "csv"], "--input-format goes with a file"),
        *(
            (["small.jsonl", "--length", length], f"such as 3 or 100w, not '{length}'")
            for length in ("0", "0w", "w", "-1", "3.5", "words", "²", "9999999999")
        ),
    ],
)
def test_what_is_refused(folder, arguments, message):
    assert message in refused("oracle", *arguments)


def test_a_broken_file_is_refused(folder):
    (folder / "broken.jsonl").write_text('{"id": "a"\n')
    assert "broken.jsonl" in refused("oracle", "broken.jsonl")
