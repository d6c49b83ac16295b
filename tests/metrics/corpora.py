"""Summaries of real corpora on which metrics are tried."""

from pathlib import Path

from relevance.data.demo import FILE
from relevance.data.importers import read_documents
from relevance.data.records import Example, make_examples


def read_examples(shared_data: Path, step: int) -> list[Example]:
    """Every `step`-th summary of SummEval and the demo corpus, with one reference or several."""
    read = [read_documents(file, "interchange") for file in (shared_data / "summeval.jsonl", FILE)]
    every = [
        example for records in read for document, summaries in records for example in make_examples(document, summaries)
    ]
    return every[::step]
