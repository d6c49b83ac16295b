"""The package of docs/example_metric, installed by pip as anybody would, wherever metrics are."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit
from streamlit.testing.v1.element_tree import Element

from relevance.data.database import connect
from relevance.data.demo import FILE, NAME
from relevance.data.store import DataStore
from relevance.metrics import METRICS, MatchedEvidence
from relevance.metrics.background.explaining import CannotExplain, Inspector
from relevance.metrics.from_signature import metric_of, signatures
from relevance.metrics.scoring import score_dataset
from relevance.pages.components.evidence.views import inspector
from relevance.pages.components.playground.draft import Draft
from relevance.pages.components.playground.sharing import to_link
from tests.pages.opening import html, open_page, page_text, sound
from tests.pages.test_playground import playground_of

EXAMPLE = Path(__file__).resolve().parents[1] / "docs" / "example_metric"
SIGNATURE = "coverage|shortest:1|version:1.0"

Relevance = Callable[..., "subprocess.CompletedProcess[str]"]

pytestmark = [pytest.mark.process, pytest.mark.page]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which pip has installed the package."""
    source, target = tmp_path_factory.mktemp("source") / "example", tmp_path_factory.mktemp("installed")
    shutil.copytree(EXAMPLE, source)
    arguments = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", target, source]
    subprocess.run([sys.executable, "-m", "pip", "install", *arguments], check=True)
    return target


@pytest.fixture
def relevance(installed: Path, tmp_path: Path) -> Relevance:
    """Run the command as somebody who has the package."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join(filter(None, (str(installed), os.environ.get("PYTHONPATH"))))
        return subprocess.run(
            [sys.executable, "-m", "relevance", *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path, "RELEVANCE_DATABASE_URL": f"sqlite:///{tmp_path / 'a.db'}"},
            capture_output=True,
            text=True,
            check=True,
        )

    return run


@pytest.fixture
def known(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package is known to this process and its children."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(installed), os.environ.get("PYTHONPATH")))))
    monkeypatch.setattr(sys, "path", [str(installed), *sys.path])

    def look_again() -> None:
        METRICS.__dict__.pop("plugins", None)
        signatures.cache_clear()
        streamlit.cache_data.clear()
        streamlit.cache_resource.clear()  # with the process that explains, which knows of what it was started with

    look_again()
    yield
    monkeypatch.undo()
    look_again()


def run_until(changed: Element, text: str) -> bool:
    """Run a page until it has a text, as it does by itself while another process computes; False after a minute."""
    app = sound(changed.run())
    for _ in range(60):
        if text in html(app):
            return True
        time.sleep(1)
        app = sound(app.run())
    return False


def test_commands_have_it(relevance: Relevance, tmp_path: Path) -> None:
    assert "coverage: share of the summary's words in fragments of the source\n    from relevance-coverage 1.0; " in (
        relevance("metrics").stdout
    )
    assert "from other packages: coverage" in " ".join(relevance("score", "--help").stdout.split())
    arguments = ("--metrics", "rouge1,coverage", "--shortest", "2", "--human", "author", "--format", "json")
    tables = json.loads(relevance("analyze", FILE, *arguments).stdout)["tables"]
    (row,) = (row for row in tables["agreement"]["rows"] if row["metric"] == "coverage")
    assert row["n"] > 100


@pytest.mark.parametrize("place", [[], ["--on", "ray", "--workers", "1"]])
def test_shards_have_it(relevance: Relevance, tmp_path: Path, place: list[str]) -> None:
    out = tmp_path / "out"
    out.mkdir()
    relevance("score", FILE, "--metrics", "coverage", "-o", out, *place)
    assert json.loads((out / "manifest.json").read_text())["signatures"] == {"coverage": SIGNATURE}
    printed = relevance("analyze", out, "--human", "author", "--tables", "agreement", "--format", "json").stdout
    assert "coverage" in [row["metric"] for row in json.loads(printed)["tables"]["agreement"]["rows"]]


def test_its_evidence_comes_from_another_process(known: None, demo_url: str) -> None:
    examples = DataStore(connect(demo_url)).examples(NAME)
    inspector = Inspector()
    try:
        for example in list(examples.values())[:8]:
            result = inspector.explain(SIGNATURE, example, timeout=120)
            assert result.value is not None
            assert isinstance(result.evidence, MatchedEvidence)
            covered = sum(len(example.candidate[slice(*match.candidate)].split()) for match in result.evidence.matches)
            assert covered > 0
            for match in result.evidence.matches:
                ours, theirs = example.candidate[slice(*match.candidate)], example.source[slice(*match.text)]
                assert [word.strip(".,") for word in ours.lower().split()] == [
                    word.strip(".,") for word in theirs.lower().split()
                ]
        with pytest.raises(CannotExplain, match="another version of this program"):
            inspector.explain(SIGNATURE.replace("1.0", "0.9"), example, timeout=120)
    finally:
        inspector.close()


def test_pages_have_it(known: None, demo_url: str) -> None:
    made = metric_of(SIGNATURE)
    assert made is not None
    score_dataset(DataStore(connect(demo_url)), NAME, [made])
    assert "Coverage" in list(open_page("agreement.py").dataframe[0].value["metric"])
    examples = open_page("examples.py")
    assert run_until(examples.button_group(key="evidence").set_value(["Coverage"]), "fragments of the source")
    draft = Draft(("Rain.",), "", "A storm hit the coast.", ("The storm hit the coast.", "Rain fell."), ("", ""))
    playground = open_page("playground.py", example=to_link(draft))
    assert 'data-score="coverage-A"' in html(playground)
    playground_of(playground).models.ask(inspector())  # as when nothing was typed for a while
    chosen = playground.button_group(key="playground_evidence").set_value("coverage")
    assert run_until(chosen, "5 of 5 words are in 2 fragments")
    assert "Coverage prefers A" in page_text(playground)
