"""Files that a process has mapped into its memory."""

from pathlib import Path
from typing import NamedTuple

import psutil


class Mapped(NamedTuple):
    """The bytes of a mapped file that are in memory, and how many of them are copies of this process alone."""

    held: int
    own: int


def find_mapped(file: Path) -> Mapped:
    """Find a mapped file by its path."""
    (results,) = [mapped for mapped in psutil.Process().memory_maps() if Path(mapped.path) == file]
    return Mapped(results.rss, results.anonymous)
