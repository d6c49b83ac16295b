"""Every block of every page of docs/ runs and prints what the page says, or says why it is not run."""

import shutil
from contextlib import nullcontext
from pathlib import Path

import pytest
import yaml

from relevance.data.demo import FILE
from tests.docs.pages import DOCS, NOT_EXECUTED, PAGES, ROOT, SHOWN, assert_shown, execute, read

RUN = ("console", "python")
EXECUTED = [name for name in PAGES if any(block.executed and block.language in RUN for block in read(name).blocks)]


@pytest.mark.parametrize("name", PAGES)
def test_every_block_is_executed_shown_or_says_why_not(name: str) -> None:
    page = read(name)
    assert page.needs in ("", "shared")
    for block in page.blocks:
        where = f"{name}:{block.line}"
        if block.language in RUN and block.executed:
            continue
        if block.language in ("sh", *RUN):
            assert block.title.startswith(NOT_EXECUTED), f'{where}: title="{NOT_EXECUTED}REASON" or a console block'
        else:
            assert block.language in SHOWN, where
        if not block.executed:
            assert block.title.removeprefix(NOT_EXECUTED).strip(), f"{where}: say why it is not executed"


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", EXECUTED)
def test_what_stands_on_a_page_runs(
    name: str, tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    page = read(name)
    folder = tmp_path / "page"
    folder.mkdir()
    shutil.copy(FILE, folder / "demo.jsonl")
    if page.needs == "shared":
        shared: Path = request.getfixturevalue("shared_data")
        for path in shared.iterdir():
            (folder / path.name).symlink_to(path)
    monkeypatch.chdir(folder)
    execute(page)


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    named = yaml.safe_load(f"nav:\n{navigation}")["nav"]
    listed = {line for line in navigation.replace('"', "").split() if line.endswith(".md")}
    assert named
    assert {name for name in PAGES if name not in listed} == set()
    assert {name for name in listed if not (DOCS / name).exists() and not (ROOT / name).exists()} == set()


@pytest.mark.parametrize(
    ("printed", "same"), [("a\nb\nc\n", True), ("a\nc\n", True), ("b\n", False), ("a\nb\n", False)]
)
def test_three_dots_stand_for_any_lines(printed: str, same: bool) -> None:
    with nullcontext() if same else pytest.raises(AssertionError):
        assert_shown(printed, "a\n...\nc\n", "here")
