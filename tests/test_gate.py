"""The gate holds what it promises: what is slow says so, and property tests draw the same examples each time."""

import importlib.util
import sys
from pathlib import Path

import hypothesis.internal.conjecture.providers as drawing
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import ROOT, is_never_local

pytest_plugins = ["pytester"]


@pytest.mark.process
@pytest.mark.smoke
def test_what_starts_a_process_bears_a_mark(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makepyfile("""
        import subprocess, sys
        import pytest

        def start():
            subprocess.run([sys.executable, "-c", ""], check=True)

        @pytest.fixture(scope="module")
        def started():
            start()

        def test_without(): start()
        def test_by_a_fixture(started): pass

        @pytest.mark.process
        def test_with(): start()

        def test_that_starts_nothing(): pass
    """)
    result = pytester.runpytest_subprocess("-p", "tests.marks", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["*it starts python*: mark it with one of browser, postgresql, process"])


def draw(monkeypatch: pytest.MonkeyPatch) -> list[int | str]:
    """The examples of a property test in the gate."""
    monkeypatch.setattr(drawing, "is_local_module_file", is_never_local)
    drawn: list[int | str] = []

    @settings(settings.get_profile("gate"), max_examples=1000)
    @given(st.integers() | st.text())
    def collect(example: int | str) -> None:
        drawn.append(example)

    collect()
    return drawn


def test_property_tests_draw_the_same_whatever_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = draw(monkeypatch)
    module = tmp_path / "constants.py"
    module.write_text("NUMBERS = 918273645546372819, 123454321234, 'a constant of ours'\n")
    spec = importlib.util.spec_from_file_location("constants", module)
    assert spec is not None
    assert spec.loader is not None
    imported = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(imported)
    monkeypatch.setitem(sys.modules, "constants", imported)
    assert draw(monkeypatch) == before
