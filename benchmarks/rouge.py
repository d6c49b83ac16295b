"""ROUGE-1, ROUGE-2 and ROUGE-L beside the `rouge-score` package: the same pairs, one process, one run.

    python -m benchmarks.rouge [summeval.jsonl]

Both score every summary of the SummEval file against all its references (the best one counts) and must agree to
1e-9. Three runs of ours, one of the peer's; ours starts each time with empty caches, stemming included.
"""

import platform
import statistics
import sys
import time
from pathlib import Path

from rouge_score.rouge_scorer import RougeScorer

from relevance.data.importers import read_documents
from relevance.data.records import Example, make_examples
from relevance.metrics import make_metrics, text
from relevance.metrics.rouge import numbered_ngrams

FILE = Path(__file__).resolve().parents[2] / "shared" / "data" / "summeval.jsonl"
NAMES = ("rouge1", "rouge2", "rougeL")


def ours(batch: list[Example]) -> list[tuple[float, ...]]:
    """Our F1 values by example."""
    for cached in (text.rouge_words, text.stem, numbered_ngrams):
        cached.cache_clear()
    columns = [metric.score(batch) for metric in make_metrics(NAMES)]
    return [tuple(score.value or 0.0 for score in row) for row in zip(*columns, strict=True)]


def theirs(batch: list[Example]) -> list[tuple[float, ...]]:
    """rouge-score's F1 values by example."""
    scorer = RougeScorer(list(NAMES), use_stemmer=True)
    rows = (scorer.score_multi(example.references, example.candidate) for example in batch)
    return [tuple(row[name].fmeasure for name in NAMES) for row in rows]


def main() -> None:
    """Measure and print."""
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    batch = [
        e for document, summaries in read_documents(file, "interchange") for e in make_examples(document, summaries)
    ]
    pairs = sum(len(example.references) for example in batch)
    text.stemmer()  # loading NLTK is not scoring; the peer has loaded it too
    runs = []
    for _ in range(3):
        start = time.perf_counter()
        mine = ours(batch)
        runs.append(time.perf_counter() - start)
    start = time.perf_counter()
    peer = theirs(batch)
    seconds = time.perf_counter() - start
    apart = max(
        abs(a - b)
        for own_scores, peer_scores in zip(mine, peer, strict=True)
        for a, b in zip(own_scores, peer_scores, strict=True)
    )
    assert apart < 1e-9, apart
    median = statistics.median(runs)
    print(f"Python {platform.python_version()}; {len(batch)} summaries, {pairs} pairs, {', '.join(NAMES)}")
    print(f"rouge-score  {seconds:6.2f} s  {pairs / seconds:8.0f} pairs/s")
    print(f"relevance    {median:6.2f} s  {pairs / median:8.0f} pairs/s   {seconds / median:.0f} times as many")
    print(f"largest difference {apart:.1e}")


if __name__ == "__main__":
    main()
