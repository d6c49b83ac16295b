"""APES with its embedded parts on SummEval: summaries per second, the ranks of the conditions, agreement with people.

    python -m benchmarks.apes [summeval.jsonl] [--all]

Models are loaded before the clock starts; entities, questions and everything else are found from nothing. The paper's
figure beside it: 11,490 summaries in 40 minutes, one process. With `--all` also the questions of all references, the
conditions of each value and one reference at a time, which takes minutes.
"""

import argparse
import platform
import time
from functools import partial
from pathlib import Path

import numpy as np

from relevance.analysis.agreement.counts import count_agreement as held_against
from relevance.analysis.agreement.counts import within_document_pairs
from relevance.analysis.correlation.levels import correlate
from relevance.analysis.metrics_and_people import LEVELS
from relevance.analysis.trials import hold_trials, summarize_trials
from relevance.data.importers import read_documents
from relevance.data.records import make_examples
from relevance.metrics.apes import Apes
from relevance.metrics.apes.assessors import score_by_assessor
from relevance.metrics.apes.conditions import NAMES, conditions
from relevance.metrics.apes.metric import VALUES, total_credit
from relevance.metrics.base import Score
from relevance.metrics.models.encoder import shared_encoder

FILE = Path(__file__).resolve().parents[2] / "shared" / "data" / "summeval.jsonl"
PAPER = 11490 / (40 * 60)


def agreement(scores: list[Score], values: list[float], ratings: list[float], keys: list[tuple[str, str]]) -> str:
    """Pearson's r at three levels and the half-credit agreement of one column."""
    documents, systems = [document for document, _ in keys], [system for _, system in keys]
    pearson = correlate(ratings, values, documents, systems)
    levels = "  ".join(f"{name} {level.r:.3f}" for name, level in zip(LEVELS, pearson, strict=True))
    first, second = within_document_pairs(documents)
    human, metric = np.array(ratings), np.array(values)
    counts = held_against(human[first] - human[second], metric[first] - metric[second])
    return f"Pearson {levels}  half {counts.half:.4f}  tied {counts.tied / counts.pairs:.2f}  n {len(scores)}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=FILE)
    parser.add_argument("--all", action="store_true", help="also what takes minutes")
    asked_for = parser.parse_args()
    say = partial(print, flush=True)
    records = list(read_documents(asked_for.file, "interchange"))
    batch = [example for document, summaries in records for example in make_examples(document, summaries)]
    ratings = [summary.human["relevance"] for _, summaries in records for summary in summaries]
    keys = [(example.document_id, example.system) for example in batch]
    Apes().score(batch[:1])  # loads the models
    say(f"Python {platform.python_version()}; {len(batch)} summaries")
    for questions in ("first", "all") if asked_for.all else ("first",):
        shared_encoder().forget()
        start = time.perf_counter()
        scores = Apes(questions).score(batch)
        seconds = time.perf_counter() - start
        count = sum(score.parts["questions"] for score in scores if score.value is not None)
        say(
            f"\nquestions of {questions}: {len(batch) / seconds:.1f} summaries/s, {seconds:.1f} s, {count:.0f} asked"
            f" ({len(batch) / seconds / PAPER:.1f} times the paper's {PAPER:.1f} a second)"
        )
        kept = [row for row in zip(scores, ratings, keys, strict=True) if row[0].parts]
        answered, rated, places = (list(column) for column in zip(*kept, strict=True))
        values_of = {"occurs": [score.parts["occurs"] for score in answered]}
        for value in VALUES:
            every = [score.evidence.traces for score in answered]
            values_of[value] = [total_credit(traces, value) / len(traces) for traces in every]
        for name, values in values_of.items():
            say(f"  {name:7s}", agreement(answered, values, rated, places))
    if not asked_for.all:
        return
    for value in VALUES:
        say(f"\nconditions, questions of the first reference, {value}")
        for row in conditions(Apes("first", value=value), records, seeds=5):
            if row.name in NAMES:
                columns = zip(row._fields[1:], row[1:], strict=True)
                figures = (f"{column} {figure:.3f}" for column, figure in columns if figure is not None)
                say(f"  {row.name:17s} {'  '.join(figures)}")
    say("\none reference at a time, mean and standard deviation: Pearson pooled, within documents, of systems; half")
    for spread in summarize_trials(hold_trials(score_by_assessor(Apes(), records, "relevance"), "relevance")):
        levels = zip(spread.means, spread.sds, strict=True)
        say(f"  {spread.metric:7s}", "  ".join(f"{mean:.3f} ({sd:.3f})" for mean, sd in levels))


if __name__ == "__main__":
    main()
