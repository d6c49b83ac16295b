"""What the entities' loss teaches at its published weight: the mean or the sum over a source's words, and the schedule.

    python -m benchmarks.entity_loss

A small pointer-generator learns twelve articles of SummEval by heart, each with its first reference; the system for
APES goes on from it, or begins from nothing. Epochs are those of the paper, with 30 updates each (the paper's have
18,000). Average precision ranks each source's words by what the entity attention expects: at random it is the share of
the words that are asked for. ROUGE-1 and loss are those of the learned texts. Everything is of the weights at the best
epoch on half of the articles, as training keeps them.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import torch

from benchmarks.prepared import SHARED
from relevance.data.importers import read_documents
from relevance.data.records import Document
from relevance.summarizers.methods.base import Network
from relevance.summarizers.methods.published import PUBLISHED
from relevance.summarizers.pointer.entities import WantedEntities, mark_words
from relevance.summarizers.pointer.losses import loss
from relevance.summarizers.pointer.method import ApesPointer, Lstm, Pointer
from relevance.summarizers.training.measuring import measure, write_all
from relevance.summarizers.training.run import train
from relevance.summarizers.training.task import Task

SIZES: Any = {"vocabulary": 10_000, "embedding": 64, "width": 128, "source_words": 200, "target_words": 40}
ARTICLES, COPIES = 12, 40

ASKED = WantedEntities()
"""What is asked for, which is found once."""


class FromNothing(ApesPointer):
    """The system for APES without a baseline."""

    def start(self, folder: Path | None, documents: Sequence[Document]) -> Network:
        """Begin as a pointer-generator does."""
        return super(ApesPointer, self).start(folder, documents)


def learn(method: Lstm, documents: Sequence[Document], output: Path, model: Path | None, epochs: int) -> Network:
    """Train, and return the network."""
    published = PUBLISHED[method.name]
    task = Task(
        method,
        model,
        tuple(documents) * COPIES,
        tuple(documents[: ARTICLES // 2]),
        replace(published.training, epochs=epochs),
        replace(published.decoding, max_new_tokens=45),
    )
    train(task, output)
    return method.load(output)


def average_precision(scores: Sequence[float], right: Sequence[float]) -> float:
    """Compute the average precision of a ranking."""
    hits = np.asarray(right)[np.argsort(np.negative(scores), kind="stable")]
    return float((np.cumsum(hits) / np.arange(1, len(hits) + 1) * hits).sum() / hits.sum())


def describe(name: str, method: Lstm, network: Network, documents: Sequence[Document]) -> str:
    """Measure a system; return its row."""
    losses, share = [], []
    with torch.inference_mode():
        for document, named in zip(documents, ASKED.find(documents), strict=True):
            source = network.tokenizer.read_source(document.source_text, SIZES["source_words"])
            marks = mark_words(source.spans, named)
            memory, _ = network.model.read(torch.tensor([source.ids]), torch.tensor([len(source.ids)]))
            if any(marks) and memory.entities is not None:
                losses.append(average_precision(memory.entities[0].tolist(), marks))
                share.append(fmean(marks))
        batch = Pointer(**SIZES).batch(network, documents, labels=True)
        likelihood = loss(network.model, batch, None).item()
    texts = write_all(method, network, documents, replace(PUBLISHED["pointer"].decoding, max_new_tokens=45))
    rouge = measure(documents, texts, "rouge1")
    attention = f"{fmean(losses):.2f} (at random {fmean(share):.2f})" if losses else "-"
    return f"| {name} | {attention} | {likelihood:.3f} | {rouge:.3f} |"


def main() -> None:
    """Print the table."""
    read = islice(read_documents(SHARED / "summeval.jsonl"), ARTICLES)
    documents = [replace(document, references=document.references[:1]) for document, _ in read]
    print("| trained | average precision of the entity attention | loss of the texts | ROUGE-1 |")
    print("| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        baseline = Pointer(**SIZES)
        network = learn(baseline, documents, folder / "baseline", None, 20)
        print(describe("baseline, 20 epochs", baseline, network, documents), flush=True)
        for kind, model, epochs, how in (
            (ApesPointer, folder / "baseline", 5, "then 5 epochs"),
            (FromNothing, None, 25, "from nothing, 25 epochs"),
        ):
            for delta, reduction in ((0.01, "sum"), (0.01, "mean"), (0.5, "mean")):
                method = kind(**SIZES, delta=delta, entity_loss=reduction)
                network = learn(method, documents, folder / f"{kind.__name__}-{delta}-{reduction}", model, epochs)
                print(describe(f"{how}, {delta:g} of the {reduction}", method, network, documents), flush=True)


if __name__ == "__main__":
    main()
