"""All oracles over documents, in one process and in several, and the figures made of the rows."""

import os
import statistics as plain
import subprocess
import sys
from math import sqrt
from pathlib import Path

import numpy as np
import pandas
import pytest
import scipy.stats

from data.importers import read
from data.records import Document
from summarizers.base import REFERENCE_LENGTH, Length, count_words
from summarizers.oracles import ALGORITHMS, Target, find
from summarizers.oracles.evaluation import Row, Task, evaluate, statistics
from summarizers.sentences import sentences_of

ROOT = Path(__file__).resolve().parents[3]


def row(document, algorithm, f1, *, sentences=1, bound=None, proven=False, seconds=1.0):
    return Row(document, algorithm, f1, tuple(range(sentences)), 0, bound, proven, seconds)


@pytest.fixture(scope="module")
def articles(shared_data):
    return [document for document, _ in read(shared_data / "summeval.jsonl", "interchange")][:8]


def untimed(evaluation):
    return [found._replace(seconds=0.0) for found in evaluation.rows], evaluation.left_out


# --- rows --------------------------------------------------------------------------------------------------------


def test_rows_are_what_the_searches_find(articles):
    task = Task(Target(2, "set", "first"), ("greedy", "genetic", "exact"), seed=3)
    rows = evaluate(articles[:3], task, processes=0).rows
    assert [(r.document_id, r.algorithm) for r in rows] == [(d.id, a) for d in articles[:3] for a in task.algorithms]
    for document, found in zip([d for d in articles[:3] for _ in task.algorithms], rows, strict=True):
        solution = find(document, task.target, found.algorithm, seed=3).solution
        assert (found.f1, found.places, found.bound, found.proven) == (
            *solution[1::-1],
            solution.bound,
            solution.proven,
        )
        assert found.seconds > 0


def test_several_processes_find_the_same_and_tell_how_far_they_are(articles):
    task = Task(Target(references="first"))
    documents = [*articles, Document("bare", "", ("r",))]
    told, alone = [], []
    several = evaluate(documents, task, processes=2, progress=lambda *done: told.append(done))
    one = evaluate(documents, task, processes=0, progress=lambda *done: alone.append(done))
    assert untimed(several) == untimed(one)
    assert several.left_out == ("bare",)
    assert told == alone == [(done, 9) for done in range(10)]
    assert {found.algorithm for found in one.rows} == set(ALGORITHMS)


def test_what_is_left_out():
    documents = [
        Document("ok", "Red cars.", ("red",)),
        Document("empty", "", ("red",)),
        Document("no reference", "Red cars.", ()),
        Document("no token", "Red cars.", ("...",)),
        Document("nothing shared", "Red cars.", ("blue",)),
    ]
    found = evaluate(documents, processes=0)
    assert found.left_out == ("empty", "no reference", "no token")
    assert {r.f1 for r in found.rows if r.document_id == "nothing shared"} == {0.0}
    assert evaluate([]) == ((), ())


def test_lengths_are_kept(articles):
    for length in (Length(1), REFERENCE_LENGTH):
        rows = evaluate(articles[:3], Task(Target(references="first"), length=length), processes=0).rows
        assert len(rows) == 3 * len(ALGORITHMS)
        for found in rows:
            document = next(d for d in articles if d.id == found.document_id)
            words = sum(count_words(sentences_of(document)[place]) for place in found.places)
            assert len(found.places) <= 1 if length == Length(1) else words <= count_words(document.references[0])
    bare = Document("bare", "Red cars.", ("...", "red"))
    assert evaluate([bare], Task(length=REFERENCE_LENGTH), processes=0).left_out == ("bare",)


@pytest.mark.parametrize(
    ("task", "processes", "message"),
    [
        (Task(algorithms=("best",)), 1, "algorithm must be one of greedy, .*, not 'best'"),
        (Task(Target(references="mean")), 1, "references must be one of max, first, not 'mean'"),
        (Task(length=Length(0)), 1, "a summary has at least 1 sentence, not 0"),
        (Task(), -1, "the number of processes must be at least 0, not -1"),
    ],
)
def test_what_is_refused(task, processes, message):
    with pytest.raises(ValueError, match=message):
        evaluate([Document("d", "A.", ("a",))], task, processes=processes)


def test_a_stopped_evaluation_ends_its_processes(articles):
    def stop(done, total):
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(articles, Task(algorithms=("greedy",)), processes=2, progress=stop)


@pytest.mark.parametrize("processes", [1, 2])
def test_standard_output_of_processes_is_kept_clean(tmp_path, processes):
    script = tmp_path / "script.py"
    script.write_text(
        "import os, sys\n"
        "from data.records import Document\n"
        "from summarizers.oracles import evaluation\n"
        "def noisy():\n"
        "    evaluation_keep()\n"
        "    os.write(1, b'stray')\n"
        "evaluation_keep = evaluation.keep_stdout_clean\n"
        "evaluation.keep_stdout_clean = noisy\n"
        "if __name__ == '__main__':\n"
        "    documents = [Document(str(n), 'Red cars.', ('red',)) for n in range(4)]\n"
        "    print(len(evaluation.evaluate(documents, processes=int(sys.argv[1])).rows))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, script, str(processes)], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout == f"{4 * len(ALGORITHMS)}\n"
    assert set(done.stderr.split("stray")) == {""}
    assert "stray" in done.stderr


# --- figures -----------------------------------------------------------------------------------------------------


def test_figures_by_hand():
    rows = [
        row("a", "greedy", 0.2, sentences=1, seconds=1.0),
        row("a", "exact", 0.5, sentences=2, bound=0.5, proven=True),
        row("b", "greedy", 0.4, sentences=2, seconds=3.0),
        row("b", "exact", 0.6, sentences=2, bound=0.9),
        row("c", "greedy", 0.6, sentences=6, seconds=2.0),
        row("c", "exact", 0.7, sentences=5, bound=0.7, proven=True),
    ]
    greedy, exact = statistics(rows)
    assert (greedy.algorithm, greedy.documents) == ("greedy", 3)
    assert (exact.algorithm, exact.documents) == ("exact", 3)
    assert (greedy.mean, greedy.std) == (pytest.approx(0.4), pytest.approx(0.2))  # squares .04 + 0 + .04, over 2
    assert greedy[4:9] == pytest.approx((0.2, 0.3, 0.4, 0.5, 0.6))
    assert greedy.variation == pytest.approx(0.5)
    # t of 2 degrees of freedom at .975 is 4.302653
    assert (greedy.low, greedy.high) == pytest.approx((0.4 - 4.302653 * 0.2 / sqrt(3), 0.4 + 4.302653 * 0.2 / sqrt(3)))
    assert greedy.sentences == 3
    assert greedy.gap == pytest.approx((0.3 + 0.1) / 2)  # b is not proven
    assert (greedy.proven, exact.proven, exact.gap) == (None, pytest.approx(2 / 3), 0.0)
    assert (greedy.seconds, greedy.longest) == (2.0, 3.0)


def test_figures_are_those_of_other_libraries(articles):
    rows = evaluate(articles, Task(Target(references="first")), processes=0).rows
    for found in statistics(rows):
        f1 = [r.f1 for r in rows if r.algorithm == found.algorithm]
        described = pandas.Series(f1).describe()
        assert [found.documents, *found[2:9]] == pytest.approx(described.tolist())
        assert found.variation == pytest.approx(scipy.stats.variation(f1, ddof=1))
        interval = scipy.stats.t.interval(0.95, len(f1) - 1, plain.mean(f1), scipy.stats.sem(f1))
        assert (found.low, found.high) == pytest.approx(interval)
        assert found.gap == pytest.approx(
            np.mean([r.f1 for r in rows if r.algorithm == "exact"]) - found.mean, abs=1e-12
        )


def test_few_documents():
    [single] = statistics([row("a", "vns", 0.5)])
    assert (single.mean, single.minimum, single.maximum) == (0.5, 0.5, 0.5)
    assert (single.std, single.variation, single.low, single.high, single.gap) == (None,) * 5
    [zero] = statistics([row("a", "vns", 0.0), row("b", "vns", 0.0)])
    assert (zero.mean, zero.std, zero.variation, zero.low) == (0, 0, None, 0)
    assert statistics([]) == []
