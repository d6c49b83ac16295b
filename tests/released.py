"""Judged corpora as they were released, read by the mappings of the documentation."""

from pathlib import Path

from relevance.data.importers.mapping import Columns, read_columns
from tests.commands import run

MAPPINGS = Path(__file__).parents[1] / "docs" / "corpora"
FOLDERS = {"mslr": "mslr", "mslr-facets": "mslr", "goyal2022": "goyal2022", "squality": "squality"}
"""By mapping: the folder of the files."""


def read_mapping(corpus: str) -> Columns:
    return read_columns(MAPPINGS / f"{corpus}.toml")


def find_released(corpus: str, shared_data: Path) -> Path:
    return shared_data / "judged" / FOLDERS[corpus]


def import_released(corpus: str, shared_data: Path, name: str) -> str:
    """Import a corpus by one command; return what it says."""
    folder, mapping = find_released(corpus, shared_data), MAPPINGS / f"{corpus}.toml"
    told = run("import", folder, "--columns", mapping, "--name", name)
    return str(told.stderr + told.stdout)
