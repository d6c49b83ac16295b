"""What the processes that we start are told of the server that starts them."""

import ast
from pathlib import Path

import pytest

from relevance.data.environment import SECRETS, without_secrets
from relevance.hosting import settings
from tests.conftest import ROOT

KNOWING = {"cli/workers.py"}
"""What starts servers, which need the secrets."""


def test_the_secrets_are_those_of_the_settings() -> None:
    assert set(SECRETS) == {settings.SECRET, settings.METRICS_TOKEN, settings.OIDC[2]}


def test_an_environment_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*SECRETS, "RELEVANCE_HOSTED", "ANOTHER"):
        monkeypatch.setenv(name, "from outside")
    result = without_secrets(ANOTHER="given")
    assert not set(SECRETS) & set(result)
    assert (result["RELEVANCE_HOSTED"], result["ANOTHER"]) == ("from outside", "given")


def starts(path: Path) -> list[ast.Call]:
    """The calls in a file that start a process."""
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    return [call for call in calls if ast.unparse(call.func) in {"subprocess.run", "subprocess.Popen"}]


def test_every_process_is_started_without_secrets() -> None:
    """But for those that start servers; interpreters of our own are all started in one place."""
    packages = (
        "data",
        "processes",
        "metrics",
        "summarizers",
        "hosting",
        "pages",
        "cli",
        "distributed",
        "bundles",
        "llm",
    )
    by_name = {
        f"{path.relative_to(ROOT)}:{call.lineno}": ast.unparse(call)
        for package in packages
        for path in (ROOT / package).rglob("*.py")
        for call in starts(path)
        if str(path.relative_to(ROOT)) not in KNOWING
    }
    assert len(by_name) >= 5
    assert {where for where, call in by_name.items() if "without_secrets(" not in call} == set()
