"""The notebook of the documentation runs, and shows what it says it does."""

from typing import Any

import nbformat
import pytest

from benchmarks.notebook import CELLS, NOTEBOOK, as_page, make


def shown(notebook: Any) -> list[str]:
    """What the cells show, as plain text."""
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return [output["text"] if "text" in output else output["data"]["text/plain"] for output in outputs]


@pytest.mark.process
def test_the_notebook_shows_what_it_shows_when_it_is_run() -> None:
    saved = nbformat.read(NOTEBOOK, 4)
    nbformat.validate(saved)
    assert tuple(cell.source for cell in saved.cells) == CELLS
    assert shown(saved) == shown(make())


def test_an_example_is_shown_with_its_texts_marked() -> None:
    data = nbformat.read(NOTEBOOK, 4).cells[-1].outputs[0]["data"]
    assert '<div class="relevance">' in data["text/html"]
    assert "<mark" in data["text/html"]
    assert data["text/plain"].startswith("Document science-01")


def test_the_page_of_the_site_is_the_notebook() -> None:
    assert NOTEBOOK.with_suffix(".md").read_text(encoding="utf-8") == as_page(nbformat.read(NOTEBOOK, 4))
