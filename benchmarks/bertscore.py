"""BERTScore beside the `bert-score` package: the same pairs, encoder and layer, one run, each in a process of its own.

    python -m benchmarks.bertscore [summeval.jsonl]

Both score every summary of the SummEval file against all its references and must agree to 1e-4 on every pair. They take
turns twice and the better time of each counts. Models are loaded before the clock starts, no text is encoded before.
The encoder's rate is set beside that of a product of two 2048 x 2048 matrices in the same process; its own operations
are counted without attention and padding, so the true share is larger.
"""

import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from relevance.data.importers import read_documents
from relevance.data.records import Example, make_examples
from relevance.metrics.bertscore import BertScore
from relevance.metrics.models.encoder import Encoded, Encoder
from relevance.metrics.models.files import embedded_model

FILE = Path(__file__).resolve().parents[2] / "shared" / "data" / "summeval.jsonl"
LAYER = 5
SIZE = 2048
SAMPLE = 64
"""Examples that bfloat16 is compared with float32 on."""


def load(file: Path) -> list[Example]:
    """The summaries of a file, with their references."""
    return [
        e for document, summaries in read_documents(file, "interchange") for e in make_examples(document, summaries)
    ]


def pairs_of(batch: Sequence[Example]) -> list[Example]:
    """A summary and one reference each, in the order in which ours is fastest: a reference's candidates together."""
    by_document: dict[str, list[Example]] = {}
    for example in batch:
        by_document.setdefault(example.document_id, []).append(example)
    return [
        Example(e.document_id, e.system, e.candidate, (e.references[number],), e.title, e.source)
        for group in by_document.values()
        for number in range(len(group[0].references))
        for e in group
    ]


class Timed(Encoder):
    """An encoder that knows how long it encoded."""

    seconds = 0.0

    def encode(self, *args: Any) -> list[Encoded]:
        """Encode by the clock."""
        start = time.perf_counter()
        try:
            return super().encode(*args)
        finally:
            self.seconds += time.perf_counter() - start


def peak_memory() -> float:
    """The most memory that this process had so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def matrix_rate(dtype: str) -> float:
    """Operations per second of a matrix product, the best of ten."""
    import torch

    left, right = (torch.randn(SIZE, SIZE).to(getattr(torch, dtype)) for _ in range(2))
    seconds = []
    for _ in range(10):
        start = time.perf_counter()
        torch.mm(left, right)
        seconds.append(time.perf_counter() - start)
    return 2 * SIZE**3 / min(seconds)


def ours(batch: list[Example], dtype: str, values: Path) -> dict[str, float]:
    """Score by the clock; then, off the clock, each pair by itself for the comparison."""
    encoder = Timed(dtype=dtype)
    encoder.load(LAYER)
    encoder.forward([[101, 102]], [LAYER])  # the first run of a network sets up threads and memory
    rate = matrix_rate(dtype)
    loaded = peak_memory()
    metric = BertScore(encoder=encoder)
    start = time.perf_counter()
    metric.score(batch)
    seconds, encoding, tokens = time.perf_counter() - start, encoder.seconds, encoder.tokens
    peak = peak_memory()
    rate = max(rate, matrix_rate(dtype))
    scores = metric.score(pairs_of(batch))
    np.save(values, [(s.parts["precision"], s.parts["recall"], s.value) for s in scores])
    width = encoder.network.config.hidden_size
    operations = tokens * LAYER * 2 * (4 * width * width + 2 * width * 4 * width)
    return {
        "seconds": seconds,
        "encoding": encoding,
        "tokens": tokens,
        "peak": peak,
        "loaded": loaded,
        "share": operations / encoding / rate,
    }


def theirs(batch: list[Example], values: Path) -> dict[str, float]:
    """bert-score by the clock."""
    from bert_score import BERTScorer

    scorer = BERTScorer(model_type=str(embedded_model().folder), num_layers=LAYER, device="cpu")
    scorer.score(["Set up."], ["Threads and memory."])
    pairs = pairs_of(batch)
    start = time.perf_counter()
    columns = scorer.score([e.candidate for e in pairs], [e.references[0] for e in pairs])
    seconds = time.perf_counter() - start
    np.save(values, np.stack([column.numpy() for column in columns], axis=1))
    return {"seconds": seconds, "peak": peak_memory()}


def bfloat16_apart(batch: list[Example]) -> dict[str, float]:
    """The largest difference in F1 between the two types."""
    exact, rounded = (
        BertScore(encoder=Encoder(dtype=dtype)).score(batch[:SAMPLE]) for dtype in ("float32", "bfloat16")
    )
    return {"apart": max(abs(a.value - b.value) for a, b in zip(exact, rounded, strict=True))}


def measure(what: str, file: Path, values: Path) -> dict[str, float]:
    """Run one of the above in a process of its own: this one stays small and so does not count in its memory."""
    command = [sys.executable, "-m", "benchmarks.bertscore", str(file), what, str(values)]
    completed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(completed.stdout.splitlines()[-1])


def child(file: Path, what: str, values: Path) -> None:
    """What such a process does."""
    batch = load(file)
    if what == "bert-score":
        result = theirs(batch, values)
    elif what == "apart":
        result = bfloat16_apart(batch)
    else:
        result = ours(batch, what, values)
    print(json.dumps(result))


def has_bfloat16() -> bool:
    """Whether the processor multiplies bfloat16 matrices itself; elsewhere that is slower than float32."""
    cpuinfo = Path("/proc/cpuinfo")
    return cpuinfo.exists() and not {"avx512_bf16", "amx_bf16", "bf16"}.isdisjoint(cpuinfo.read_text().split())


def main() -> None:
    """Measure and print."""
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    if len(sys.argv) > 2:
        child(file, sys.argv[2], Path(sys.argv[3]))
        return
    batch = load(file)
    pairs = sum(len(example.references) for example in batch)
    kinds = ["bert-score", "float32", *(["bfloat16"] if has_bfloat16() else [])]
    best: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            for kind in kinds:
                measured = measure(kind, file, Path(folder) / f"{kind}.npy")
                if kind not in best or measured["seconds"] < best[kind]["seconds"]:
                    best[kind] = measured
        peer, mine = (np.load(Path(folder) / f"{kind}.npy") for kind in ("bert-score", "float32"))
        apart = np.abs(peer - mine).max()
        rounding = measure("apart", file, Path(folder) / "none.npy")["apart"]
    assert peer.shape == mine.shape == (pairs, 3)
    assert apart < 1e-4, apart
    print(f"Python {platform.python_version()}; {len(batch)} summaries, {pairs} pairs, layer {LAYER}")
    peer_run = best["bert-score"]
    seconds = peer_run["seconds"]
    print(f"bert-score            {seconds:6.2f} s  {pairs / seconds:6.0f} pairs/s  peak {peer_run['peak']:.0f} MiB")
    for kind in kinds[1:]:
        run = best[kind]
        print(
            f"relevance, {kind:9}  {run['seconds']:6.2f} s  {pairs / run['seconds']:6.0f} pairs/s  "
            f"peak {run['peak']:.0f} MiB, {run['loaded']:.0f} of it loaded  "
            f"{seconds / run['seconds']:.2f} times as many\n"
            f"    of these {run['encoding']:.2f} s encoding {run['tokens']:.0f} tokens: "
            f"{run['tokens'] / run['encoding']:.0f} tokens/s, {run['share']:.2f} of a matrix product's rate"
        )
    if "bfloat16" not in kinds:
        print("relevance, bfloat16   not timed: this processor has no units for it")
    print(f"largest difference to bert-score {apart:.1e}; of F1 between bfloat16 and float32 {rounding:.1e}")


if __name__ == "__main__":
    main()
