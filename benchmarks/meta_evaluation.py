"""All tables of a study of 100,000 judgments and 8 metrics, with 2,000 resamples: seconds by table, peak memory.

Two shapes: the one of SummEval (100 documents, 16 systems), and one of many documents (1,000 documents, 8 systems).
Judgments and scores are made up with a seed. What is timed is what `relevance analyze --study` computes once judgments
and scores are read; reading 100,000 judgments from SQLite is not part of it.
"""

import resource
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from relevance.analysis.correlation.coefficients import METHODS
from relevance.analysis.study import Inputs, Results, analyze_judgments
from relevance.data.cells import Cells
from relevance.data.preferences import Preferences, to_name_column
from relevance.reports import formats
from relevance.reports.presentation import Presentation
from relevance.reports.tables.registry import make_table, table_names

JUDGMENTS, ANNOTATORS = 100_000, 20
METRICS = ("rouge1", "rouge2", "rougeL", "rouge_k", "bertscore", "carouge", "apes", "length")
PARTS = {
    "agreement, tests, by difference": "agreement",
    "the same by majority": "majority",
    "human ceiling": "ceiling",
    "reliability, position, ranking": "reliability",
}
CORRELATIONS = ("correlations", "discrepancies", "correlation_tests", "systems")
SHAPES = {"100 documents, 16 systems": (100, 16), "1,000 documents, 8 systems": (1_000, 8)}


def made_up(documents: int, systems: int) -> tuple[Preferences, Cells]:
    """Scores of all cells, and judgments of all or some of their pairs by several annotators each."""
    random = np.random.default_rng(0)
    quality = random.normal(size=(documents, systems)) + random.normal(size=systems) / 2
    scores = {
        f"{name}|version:0": np.round(quality + random.normal(size=quality.shape) * noise, 1 if "_k" in name else 6)
        for name, noise in zip(METRICS, np.linspace(0.5, 4, len(METRICS)), strict=True)
    }
    pairs = np.array(
        [(d, a, b) for d in range(documents) for a, b in combinations(range(systems), 2)], dtype=np.intp
    )  # in the order of the documents
    document, first, second = pairs[np.sort(random.permutation(len(pairs))[:20_000])].T
    # each pair by about as many annotators, nobody twice
    times = np.full(len(document), JUDGMENTS // len(document))
    times[: JUDGMENTS - times.sum()] += 1
    pair = np.repeat(np.arange(len(document)), times)
    turn = np.concatenate([np.arange(n) for n in times])
    annotator = (random.integers(ANNOTATORS, size=len(document))[pair] + turn) % ANNOTATORS
    felt = quality[document, first] - quality[document, second]
    heard = felt[pair] + random.normal(size=len(pair)) * np.linspace(0.5, 2, ANNOTATORS)[annotator]
    choices = np.where(np.abs(heard) < 0.1, 0.0, np.sign(heard))
    system_names, document_names = (
        to_name_column([f"s{n}" for n in range(systems)]),
        to_name_column([f"d{n}" for n in range(documents)]),
    )
    preferences = Preferences(
        documents=document_names[document],
        firsts=system_names[first],
        seconds=system_names[second],
        inclusion=np.full(len(document), np.nan),
        scores={
            name: np.stack([values[document, first], values[document, second]], axis=1)
            for name, values in scores.items()
        },
        pair=pair,
        choices=choices,
        annotators=to_name_column([f"a{n:02}" for n in range(ANNOTATORS)])[annotator],
        left=np.where(choices == 0, np.nan, random.integers(2, size=len(pair)).astype(np.float64)),
        took=random.uniform(3, 30, len(pair)),
    )
    cells = Cells(
        tuple(np.repeat(document_names, systems)),
        tuple(np.tile(system_names, documents)),
        {},
        {name: values.ravel() for name, values in scores.items()},
    )
    return preferences, cells


def timed(what: str, work: Callable[[], Any]) -> tuple[Any, float]:
    """Do some work once and print what it took."""
    start = time.perf_counter()
    result = work()
    took = time.perf_counter() - start
    print(f"  {what:<44} {took:6.2f} s")
    return result, took


def main() -> None:
    """Print the figures."""
    for shape, (documents, systems) in SHAPES.items():
        preferences, cells = made_up(documents, systems)
        print(f"{shape}: {len(preferences)} judgments of {len(preferences.documents)} pairs by {ANNOTATORS} annotators")
        results, total = timed(
            "judgments won by each summary", lambda p=preferences, c=cells: analyze_judgments(Inputs(p, c))
        )
        for what, part in PARTS.items():
            _, took = timed(what, lambda r=results, p=part: getattr(r, p))
            total += took
        for methods in (("pearson",), METHODS):
            inputs = replace(results.inputs, settings=replace(results.inputs.settings, methods=methods))
            of_study = Results(inputs)
            _, took = timed(
                f"correlations, systems ({', '.join(methods)})",
                lambda r=of_study: [getattr(r, p) for p in CORRELATIONS],
            )
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            print(f"  all tables, {len(methods)} coefficient(s): {total + took:.2f} s, peak {peak:.2f} GiB")
        shown = Presentation(of_study)
        assert sum(len(formats.as_text(make_table(name, shown))) for name in table_names(shown)) > 10_000


if __name__ == "__main__":
    main()
