"""How fast the upper bound of ROUGE is found, and what the heuristics leave of it.

    python -m benchmarks.oracles [summeval.jsonl] [--articles 100] [--made 20]

One process; the first reference of each SummEval article, then made documents of 250 sentences (articles joined)
against a reference of 160 words. Times are those of one document: its n-grams are counted anew for each search, its
words were tokenised and stemmed before. VNS runs beside a version of itself that asks `rouge-score` for the F1 of
every extract: the same moves by the same seed, so that both must end with the same sentences.
"""

import argparse
import os
import platform
import random
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import scipy
from rouge_score.rouge_scorer import RougeScorer

from relevance.data.importers import read_documents
from relevance.summarizers.oracles import ALGORITHMS, DEFINITIONS, Problem, Solution
from relevance.summarizers.oracles.problem import BETTER
from relevance.summarizers.oracles.vns import K_MAX, StopRule, draw_flips, random_start, vns
from relevance.summarizers.sentences import sentences_of

FILE = Path(__file__).resolve().parents[2] / "shared" / "data" / "summeval.jsonl"

SECONDS = 60.0
"""Time for one search."""


class Text(NamedTuple):
    """A document's sentences and what they are held against."""

    sentences: Sequence[str]
    reference: str


def made_texts(texts: Sequence[Text], count: int) -> list[Text]:
    """Articles joined, from different ones on, cut to 250 sentences; the first ones' references cut to 160 words."""
    made = []
    for number in range(count):
        first = number * len(texts) // count
        turned = [*texts[first:], *texts[:first]]
        sentences = [sentence for text in turned for sentence in text.sentences]
        words = " ".join(text.reference for text in turned[:8]).split()
        made.append(Text(sentences[:250], " ".join(words[:160])))
    return made


def timed(call: Callable[[], Solution]) -> tuple[Solution, float]:
    """A result and its seconds."""
    start = time.perf_counter()
    return call(), time.perf_counter() - start


def table(title: str, texts: Sequence[Text]) -> None:
    """All algorithms on the same documents: F1, what is missing to the optimum, seconds."""
    sentences = statistics.median(len(text.sentences) for text in texts)
    print(f"\n{title}: {len(texts)} documents, median {sentences:.0f} sentences")
    print(
        "metric          algorithm        mean F1  gap to optimum  at optimum  sentences  median ms    max ms  proven"
    )
    for n in (1, 2):
        for definition in DEFINITIONS:
            for text in texts:
                Problem(text.sentences, text.reference, n, definition)  # tokenises
            results = {name: [search(name, text, n, definition) for text in texts] for name in ALGORITHMS}
            optimum = [solution.f1 for solution, _ in results["exact"]]
            for name, rows in results.items():
                f1 = [solution.f1 for solution, _ in rows]
                gaps = [best - value for best, value in zip(optimum, f1, strict=True)]
                took = [1000 * seconds for _, seconds in rows]
                print(
                    f"rouge{n} {definition:8} {name:15} {statistics.mean(f1):8.4f} {statistics.mean(gaps):15.5f} "
                    f"{sum(gap < 1e-9 for gap in gaps) / len(gaps):10.0%} "
                    f"{statistics.mean(len(solution.sentences) for solution, _ in rows):10.1f} "
                    f"{statistics.median(took):10.1f} {max(took):9.1f} {sum(s.proven for s, _ in rows):7d}"
                )


def search(name: str, text: Text, n: int, definition: str) -> tuple[Solution, float]:
    """One algorithm on one document."""
    return timed(
        lambda: ALGORITHMS[name].search(Problem(text.sentences, text.reference, n, definition), seed=0, seconds=SECONDS)
    )


def vns_by_rouge_score(text: Text, seed: int, iterations: int) -> tuple[set[int], float]:
    """`relevance.summarizers.oracles.vns` with `rouge-score`'s F1 of the joined text: the sentences, and seconds."""
    scorer = RougeScorer(["rouge1"], use_stemmer=True)
    problem = Problem(text.sentences, text.reference)

    def f1(chosen: set[int]) -> float:
        joined = " ".join(text.sentences[place] for place in sorted(chosen))
        return float(scorer.score(text.reference, joined)["rouge1"].fmeasure)

    draw = random.Random(seed)
    start = time.perf_counter()
    chosen = set(random_start(problem, draw))
    best, k = f1(chosen), 1
    for _ in range(iterations):
        changed = chosen ^ set(draw_flips(problem.useful, chosen, k, draw))
        if (reached := f1(changed)) > best + BETTER:
            chosen, best, k = changed, reached, 1
        else:
            k = k % K_MAX + 1
    return chosen, time.perf_counter() - start


def beside_rouge_score(texts: Sequence[Text], iterations: int = 300) -> None:
    """Iterations a second of both."""
    ours = theirs = 0.0
    for seed, text in enumerate(texts):
        problem = Problem(text.sentences, text.reference)
        stop = StopRule(iterations=iterations, patience=iterations + 1)
        mine, seconds = timed(lambda problem=problem, seed=seed, stop=stop: vns(problem, seed, stop=stop))
        peer, peer_seconds = vns_by_rouge_score(text, seed, iterations)
        assert set(mine.sentences) == peer, (mine.sentences, peer)
        ours += seconds
        theirs += peer_seconds
    total = iterations * len(texts)
    print(f"\nVNS, {len(texts)} documents, {iterations} iterations each, the same sentences found")
    print(f"rouge-score in the loop {total / theirs:8.0f} iterations/s")
    print(f"relevance               {total / ours:8.0f} iterations/s   {theirs / ours:.0f} times as many")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=FILE)
    parser.add_argument("--articles", type=int, default=100)
    parser.add_argument("--made", type=int, default=20)
    options = parser.parse_args()
    documents = [document for document, _ in read_documents(options.file, "interchange")]
    texts = [Text(sentences_of(document), document.references[0]) for document in documents]
    print(f"Python {platform.python_version()}, SciPy {scipy.__version__}, {os.cpu_count()} cores")
    table("SummEval articles", texts[: options.articles])
    table("made documents", made_texts(texts, options.made))
    beside_rouge_score(texts[: min(10, options.articles)])


if __name__ == "__main__":
    main()
