"""The demo corpus, and the data set and study that show it."""

from __future__ import annotations

from pathlib import Path

from data.files import sha256
from data.importers import read
from data.store import DataStore

FILE = Path(__file__).with_name("demo.jsonl")
NAME = "demo"
AUTHOR = "author"
"""The aspect under which a corpus's author gives the intended preference: a label, not a judgment."""


def add_demo(store: DataStore) -> None:
    """Import the demo corpus unless it is there already."""
    if not store.has_dataset(NAME):
        store.add_dataset(name=NAME, format="interchange", sha256=sha256(FILE), records=read(FILE, "interchange"))
