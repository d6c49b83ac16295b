"""The README and docs/ are true: commands print what stands there, and every metric, command and format is named."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.documents import rouge1_against_length
from relevance.cli import main
from relevance.data.importers import IMPORTERS, LINES
from relevance.metrics import METRICS
from relevance.reports.tables.keywords import PUBLISHED
from relevance.summarizers.methods.base import Method
from relevance.summarizers.methods.registry import METHODS

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
DOCS = ROOT / "docs"
TRAINING = (DOCS / "training.md").read_text()
REFERENCE = {path.stem: path.read_text() for path in (DOCS / "reference").glob("*.md")}
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]


def console_block() -> str:
    (block,) = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    return str(block)


@pytest.mark.exhaustive
def test_the_command_line_example_prints_what_the_readme_shows(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    commands = re.split(r"^\$ relevance ", console_block(), flags=re.MULTILINE)[1:]
    assert commands
    for command in commands:
        line, _, shown = command.partition("\n")
        result = CliRunner().invoke(main, shlex.split(line))
        assert result.exit_code == 0, result.output
        assert without_versions(result.stdout) == without_versions(shown), line


@pytest.mark.process
@pytest.mark.exhaustive
def test_the_table_of_oracles_is_the_one_that_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    ((line, shown),) = re.findall(
        r"```text\n\$ relevance (oracle [^\n]*)\n(.*?)\.\.\.\n```", REFERENCE["upper-bounds"], re.DOTALL
    )
    result = CliRunner().invoke(main, shlex.split(line))
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(shown)


def without_versions(text: str) -> str:
    """The text without the line that says which Python and libraries made it."""
    return re.sub(r"^versions: .*$", "versions", text, flags=re.MULTILINE)


@pytest.mark.parametrize("name", [*METRICS, *IMPORTERS, LINES])
def test_every_metric_and_format_is_named(name: str) -> None:
    assert f"`{name}`" in (REFERENCE["metrics"] if name in METRICS else REFERENCE["formats"])


@pytest.mark.parametrize("name", main.places)
def test_every_command_is_named(name: str) -> None:
    assert f"`relevance {name}" in REFERENCE["commands"]


@pytest.mark.parametrize("method", METHODS.values(), ids=list(METHODS))
def test_every_training_method_is_named_with_what_writes_by_it(method: type[Method]) -> None:
    assert re.search(rf"^\| `{method.name}` \|.* \| `{method.kind}:` \|$", TRAINING, re.MULTILINE)


@pytest.mark.parametrize("path", PAGES, ids=[path.relative_to(ROOT).as_posix() for path in PAGES])
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text()):
        assert (path.parent / target).exists(), target


def test_the_readme_is_short() -> None:
    assert README.count("\n") <= 120


def test_p_values_that_are_told(shared_data: Path) -> None:
    result = rouge1_against_length("strict", shared_data / "summeval.jsonl")
    by_documents = f"{result.p_documents:.3f}".removeprefix("0")
    assert f"is p = {result.p_pairs:.0e} pair by pair and {by_documents} by documents" in REFERENCE["tables"]


def test_the_paper_s_false_discovery_rates_that_are_told() -> None:
    implied = [f"{of.keywords:.2f}" for of in PUBLISHED.values()]
    assert (
        f"they would make {implied[0]}, {implied[1]} and {implied[2]} keywords per document"
        in (DOCS / "how-to" / "pages.md").read_text()
    )


@pytest.mark.process
@pytest.mark.exhaustive
def test_the_diffs_of_contributing_apply_and_do_what_it_says(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    ignored = shutil.ignore_patterns(".*", "tests", "benchmarks", "docs", "*.egg-info")
    shutil.copytree(ROOT, copy, symlinks=True, ignore=ignored)
    diffs = re.findall(r"```diff\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)
    assert len(diffs) == 5
    for diff in diffs:
        command = ["git", "apply", "--unidiff-zero", "-"]
        applied = subprocess.run(command, cwd=copy, input=diff, text=True, capture_output=True, check=False)
        assert applied.returncode == 0, applied.stderr
    scores = ["score", "data/demo/demo.jsonl", "--metrics", "copied", "-o", str(tmp_path / "scores.jsonl")]
    analyze = ["analyze", "data/demo/demo.jsonl", "--human", "author", "--tables", "counts"]
    names = "from relevance.data.importers import IMPORTERS; from relevance.summarizers import summarizer as made; "
    for command, message in (
        (["-m", "relevance", *scores], "copied"),
        (["-m", "relevance", *analyze], "What is analysed"),
        (["-c", f"{names}print(made('tail-2').signature, *IMPORTERS)"], "tail|"),
    ):
        ran = subprocess.run([sys.executable, *command], cwd=copy, text=True, capture_output=True, check=False)
        assert ran.returncode == 0, ran.stderr
        assert message in ran.stdout + ran.stderr
