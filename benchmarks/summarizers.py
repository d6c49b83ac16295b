"""Summarizers on SciTLDR: documents a second, memory, and the time that training takes.

    python -m benchmarks.summarizers [scitldr] [--systems lead-1,lexrank-1,...] [--training linear,minilm]

Each system has a process of its own, whose memory at its largest is told (.06 GiB of it is Python with numpy), and as
many threads as there are processors. What it loads is loaded before the clock starts, by the first three documents.
Training is that of the embedded extractors, by their own command; it is measured only where it is asked for.
"""

import argparse
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from relevance.data.importers import read_documents
from relevance.data.records import Document
from relevance.summarizers import summarizer

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "scitldr"


def read_split(folder: Path, split: str) -> list[Document]:
    """The documents of one of the files of SciTLDR."""
    return [document for document, _ in read_documents(folder / f"{split}.jsonl")]


def memory() -> float:
    """GiB that this process had at its largest."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def write(folder: Path, name: str) -> None:
    """Measure a system on the test documents and print it."""
    documents = read_split(folder, "test")
    system = summarizer(name)
    system.summarize(documents[:3])
    started, worked = time.perf_counter(), time.process_time()
    written = system.summarize(documents)
    seconds, processor = time.perf_counter() - started, time.process_time() - worked
    print(
        f"{name:<14} {len(written) / seconds:10,.1f} documents a second ({1000 * processor / len(written):.1f} ms of "
        f"processor each), {memory():.2f} GiB",
        flush=True,
    )


def train(folder: Path, kind: str) -> None:
    """Measure the training of an extractor and print it."""
    from relevance.summarizers.learned.training import train_extractor

    parts = [read_split(folder, split) for split in ("train", "dev", "test")]
    with tempfile.TemporaryDirectory() as place:
        started, worked = time.perf_counter(), time.process_time()
        trained = train_extractor(parts[0], parts[1], Path(place) / kind, kind, without=parts[2])
        seconds, processor = time.perf_counter() - started, time.process_time() - worked
    print(
        f"training {kind}: {seconds:.0f} s ({processor:.0f} s of processor), {memory():.2f} GiB, ROUGE-1 "
        f"{100 * trained.rouge1:.2f} on dev ({trained.chosen})",
        flush=True,
    )


def main() -> None:
    """Measure each system in a process of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--systems", default="lead-1,lexrank-1,tldr-linear,tldr-minilm")
    parser.add_argument("--training", default="")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)  # in this process
    args = parser.parse_args()
    jobs = [("--systems", name) for name in args.systems.split(",") if name]
    jobs += [("--training", kind) for kind in args.training.split(",") if kind]
    if args.here:
        for job, name in jobs:
            (write if job == "--systems" else train)(args.folder, name)
        return
    print(f"Python {platform.python_version()}, {platform.machine()}, SciTLDR test", flush=True)
    for job, name in jobs:
        other = {"--systems": "--training", "--training": "--systems"}[job]
        command = [sys.executable, "-m", "benchmarks.summarizers", str(args.folder), "--here", job, name, other, ""]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
