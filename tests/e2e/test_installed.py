"""The program as people install it: from a wheel, in a folder whose files have the names of ours."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from relevance.data.demo import FILE
from tests.building import INSTALLATION, bare_environment, build, copy_source
from tests.conftest import ROOT
from tests.driving import free_port, healthy, running
from tests.e2e.watching import settled
from tests.test_architecture import MAY_IMPORT
from tests.waiting import PATIENCE

pytestmark = pytest.mark.process

USE = """
import pandas as pd
import relevance

frame = pd.DataFrame({"document": ["d", "d"], "system": ["a", "b"], "summary": ["The cat sat.", "A dog ran."]})
frame["references"], frame["source"] = "The cat sat down.", "The cat sat down. A dog ran."
print(relevance.score(frame, ["rouge1", "rouge_k"])["rouge1"].round(3).tolist())
"""


START = """
import sys, time
from relevance.data.database import connect
from relevance.data.store import DataStore
from relevance.metrics.background.scoring import start_run

store = DataStore(connect())
run = start_run(store, "demo", ["length"])
while store.run(run.id).state == "going":
    time.sleep(0.05)
print(store.run(run.id).state, store.run(run.id).error)
"""
"""A run in a process of its own, as pages start one."""


def contents(wheel: Path) -> dict[str, bytes]:
    """The files of a wheel by name."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_source(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(source, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.mark.smoke
def test_the_wheel_has_one_package_and_in_it_every_file(source: Path, wheel: Path) -> None:
    names = contents(wheel)
    (top_level,) = (text for name, text in names.items() if name.endswith(".dist-info/top_level.txt"))
    assert top_level.decode().split() == ["relevance"]
    folders = [name for name in MAY_IMPORT if (source / name).is_dir()]
    files = {path.relative_to(source).as_posix() for name in folders for path in (source / name).rglob("*")}
    ours = {name for name in files if (source / name).is_file() and not (source / name).is_symlink()}
    expected = {name if name.startswith("relevance/") else f"relevance/{name}" for name in ours}
    assert {name for name in names if ".dist-info/" not in name} == {
        *expected,
        "relevance/app.py",
        "relevance/.streamlit/config.toml",
    }


@pytest.mark.smoke
def test_the_sdist_builds_the_same_wheel(source: Path, wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(build(source, "sdist", tmp_path)) as archive:
        assert not [member.name for member in archive if member.issym() or member.islnk()]  # none is needed to install
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.glob("relevance_studies-*/")
    assert contents(build(unpacked, "wheel", tmp_path / "again")) == contents(wheel)


@pytest.mark.smoke
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_a_source_without_its_links_builds_nothing(source: Path, tmp_path: Path, kind: str) -> None:
    """As a clone on Windows has it, or a zip file that pip unpacks."""
    copied = Path(shutil.copytree(source, tmp_path / "source", symlinks=True))
    (copied / "relevance" / "data").unlink()
    (copied / "relevance" / "data").write_text("../data")
    with pytest.raises(subprocess.CalledProcessError) as refused:
        build(copied, kind, tmp_path / "built")
    assert "relevance/data is a file and should be a link to ../data: clone with" in refused.value.stderr
    assert list((tmp_path / "built").iterdir()) == []


class Installed(NamedTuple):
    """The program from a wheel, and where it is used."""

    program: Path
    folder: Path
    """The folder where a user stands, with files of names like ours, none of which can be imported."""
    environment: dict[str, str]

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a command there until it ends well."""
        ran = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert ran.returncode == 0, ran.stderr
        return ran


@pytest.fixture(scope="module")
def packages(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that pip has put the wheel in."""
    folder = tmp_path_factory.mktemp("packages")
    install = ["pip", "install", "--quiet", "--no-deps", "--no-index", "--target", folder, wheel]
    subprocess.run([sys.executable, "-m", *install], check=True, capture_output=True, timeout=PATIENCE)
    return folder


@pytest.fixture
def installed(packages: Path, tmp_path: Path) -> Installed:
    folder, home = tmp_path / "folder", tmp_path / "home"
    for name in (*MAY_IMPORT, "frames", "tables", "explaining"):
        if name != "relevance":
            (folder / name).mkdir(parents=True)
            for file in (folder / f"{name}.py", folder / name / "__init__.py"):
                file.write_text(f"raise RuntimeError('{name} of the user was imported')\n")
    home.mkdir()
    own = {"HOME": str(home), "PYTHONPATH": str(packages)}
    return Installed(packages / "bin" / "relevance", folder, bare_environment() | own)


@pytest.mark.smoke
def test_python_finds_it_beside_files_of_our_names(installed: Installed) -> None:
    (installed.folder / "use.py").write_text(USE)
    assert installed.run(sys.executable, "use.py").stdout == "[0.857, 0.0]\n"
    assert installed.run(sys.executable, "-m", "relevance", "--version").stdout == "relevance, version 0.2.0\n"


@pytest.mark.smoke
def test_the_demo_is_where_every_process_finds_it(installed: Installed) -> None:
    """In the user's data folder, also for a run that is started elsewhere, in a process of its own."""
    made = installed.run(installed.program, "demo")
    assert "the study Demo has 24 pairs" in made.stdout
    assert made.stderr == f"the new database is {installed.environment['HOME']}/.local/share/relevance/relevance.db\n"
    script = installed.folder.with_name("start.py")  # beside which there is no file of our names
    script.write_text(START)
    assert installed.run(sys.executable, script).stdout == "ended None\n"
    command = [installed.program, "analyze", "--study", "Demo with made-up judgments", "--tables", "agreement"]
    assert "Agreement of metrics with people" in installed.run(*command).stdout


def test_commands_run_beside_files_of_our_names(installed: Installed) -> None:
    (installed.folder / "random.py").write_text("raise RuntimeError('not the random of Python')\n")
    relevance, corpus = installed.program, installed.folder / "corpus.jsonl"
    corpus.write_bytes(FILE.read_bytes())
    assert installed.run(relevance, "--version").stdout == "relevance, version 0.2.0\n"
    installed.run(relevance, "score", corpus, "--metrics", "rouge1,rouge_k", "-o", "scores.jsonl")
    assert (installed.folder / "scores.jsonl").read_text().count("\n") == 96
    analyzed = installed.run(relevance, "analyze", corpus, "--human", "author", "--metrics", "rouge1").stdout
    assert "Agreement of" in analyzed
    installed.run(relevance, "oracle", corpus, "--documents", "2", "--processes", "2")


@pytest.mark.exhaustive
def test_the_first_way_in_of_the_readme(wheel: Path, on_disk: Path, page: Page) -> None:
    """A whole installation from the package index, with two programs beside it whose packages had names of ours."""
    (line,) = re.findall(r"^(pip install relevance-studies && .*?) +#", (ROOT / "README.md").read_text(), re.MULTILINE)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    subprocess.run([sys.executable, "-m", "venv", on_disk / "env"], check=True, timeout=PATIENCE)
    environment = bare_environment() | {
        "PATH": f"{on_disk}/env/bin:{os.environ['PATH']}",
        "HOME": str(on_disk),
        "TMPDIR": str(on_disk),
        "PIP_FIND_LINKS": str(wheel.parent),  # where the index has it once it is published
        "PIP_CONSTRAINT": str(ROOT / "constraints.txt"),
    }
    install, demo, serve = line.split(" && ")
    for command in (f"{install} distributed llm", demo):
        subprocess.run(["bash", "-ec", command], cwd=on_disk, env=environment, check=True, timeout=INSTALLATION)
    code = "import distributed, llm, relevance; print(distributed.Client.__name__, llm.hookimpl is not None)"
    installed = Installed(on_disk / "env" / "bin" / "relevance", on_disk, environment)
    assert installed.run("python", "-c", code).stdout == "Client True\n"
    assert "added 24 summaries" in installed.run("relevance", "summarize", "demo", "--system", "lead-1").stdout
    assert "rouge1" in installed.run("relevance", "score", "demo", "--metrics", "rouge1").stdout
    assert "Agreement" in installed.run("relevance", "analyze", "demo", "--human", "author").stdout
    installed.run("relevance", "judge", "--help")
    _, *options = serve.split()
    with running(
        port, *options[1:], ready=lambda: healthy(url), program=["relevance"], folder=on_disk, environment=environment
    ):
        page.goto(url)
        expect(page.get_by_role("heading", name="Which metric agrees with people?")).to_be_visible()


@pytest.mark.smoke
@pytest.mark.browser
def test_it_serves_pages_that_ask_nobody_else(installed: Installed, page: Page) -> None:
    """By its own settings of Streamlit, whatever those of the user and the folder are."""
    faulty = installed.program.parents[1] / "relevance" / "pages" / "playground.py"
    faulty.write_text("raise RuntimeError('a fault of ours, with a path of the server')\n")
    careless = "[client]\nshowErrorDetails = 'full'\ntoolbarMode = 'developer'\n[browser]\ngatherUsageStats = true\n"
    for folder in (installed.folder, Path(installed.environment["HOME"])):
        (folder / ".streamlit").mkdir()
        (folder / ".streamlit" / "config.toml").write_text(careless)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    arguments: list[str] = []
    page.on("request", lambda request: arguments.append(request.url))
    settings = installed.environment | {"STREAMLIT_CLIENT_SHOW_ERROR_DETAILS": "full"}
    with running(
        port, ready=lambda: healthy(url), program=[installed.program], folder=installed.folder, environment=settings
    ):
        page.goto(url)
        expect(page.get_by_role("heading", name="Which metric agrees with people?")).to_be_visible()
        settled(page)
        expect(page.get_by_text("Deploy")).to_have_count(0)
        page.goto(f"{url}/playground")
        fault = page.get_by_test_id("stException")
        expect(fault).to_be_visible()
        assert "a fault of ours" not in fault.inner_text()
        assert "Traceback" not in page.content()
    assert {
        request for request in arguments if not request.startswith((url, f"ws{url[4:]}", "data:", "blob:"))
    } == set()
