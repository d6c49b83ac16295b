"""Reading the pages of docs/, and executing what stands on them."""

import contextlib
import io
import re
import shlex
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from click.testing import CliRunner

from relevance.cli import main

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))

FENCE = re.compile(r"^( *)(`{3,})(\w*)[ ]*([^\n`]*)\n(.*?)^\1\2$", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([^"]*)"')
NOT_EXECUTED = "not executed: "
PRINTED = "printed"
SHOWN = {"", "text", "diff", "html", "bibtex", "csv", "json", "toml", "yaml"}
"""Languages of blocks that are only shown, or kept as the file that their title names."""


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    title: str
    text: str
    line: int

    @property
    def executed(self) -> bool:
        return not self.title.startswith(NOT_EXECUTED)


class Page(NamedTuple):
    """A page: what it needs by its front matter, and its blocks."""

    needs: str
    blocks: tuple[Block, ...]


def read(name: str) -> Page:
    """Read a page of docs/."""
    text = (DOCS / name).read_text(encoding="utf-8")
    front = re.match(r"---\n(.*?)^---\n", text, re.MULTILINE | re.DOTALL)
    settings = yaml.safe_load(front[1]) if front else {}
    blocks = []
    for indent, _, language, info, body in FENCE.findall(text):
        title = TITLE.search(info)
        line = text[: text.index(body)].count("\n") if body else 0
        stripped = re.sub(rf"^{indent}", "", body, flags=re.MULTILINE)
        blocks.append(Block(language, title[1] if title else "", stripped, line))
    return Page(settings.get("needs", ""), tuple(blocks))


def execute(page: Page) -> None:
    """Execute the blocks of a page, in the working directory; raise AssertionError where one prints something else."""
    names: dict[str, Any] = {"__name__": "page"}
    printed = ""
    for block in page.blocks:
        if not block.executed:
            continue
        if block.language == "console":
            run_console(block)
        elif block.language == "python":
            printed = run_python(block, names)
        elif block.title == PRINTED:
            assert_shown(printed, block.text, f"line {block.line}")
        elif block.title:
            Path(block.title).write_text(block.text, encoding="utf-8")


def run_console(block: Block) -> None:
    """Run each `$ relevance ...` of a block, and hold what it prints to what follows it."""
    before, *commands = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    assert not before, f"line {block.line}: a console block begins with `$ relevance`"
    for command in commands:
        line, _, shown = command.replace("\\\n", " ").partition("\n")
        program, *arguments = shlex.split(line)
        assert program == "relevance", f"line {block.line}: only relevance is run, not {program}"
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, f"{line}{result.output}"
        assert_shown(result.stdout, shown, line)


def run_python(block: Block, names: dict[str, Any]) -> str:
    """Run a block in the page's namespace; returns what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.text, f"line {block.line}", "exec"), names)
    return printed.getvalue()


def assert_shown(printed: str, shown: str, where: str) -> None:
    """Hold what was printed to what a page shows, in which a line `...` stands for any lines."""
    expected = comparable(shown)
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in expected.splitlines())
    if not re.fullmatch(pattern, comparable(printed)):
        assert comparable(printed) == expected, where


def comparable(text: str) -> str:
    """The text without white space at the ends of lines, and without the versions of Python and libraries."""
    lines = [line.rstrip() for line in re.sub(r"^versions: .*$", "versions", text, flags=re.MULTILINE).splitlines()]
    return "".join(f"{line}\n" for line in lines)
