"""Wheels and sdists, as pip builds them from a checkout."""

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT
from tests.waiting import PATIENCE

BUILD = "import sys; from setuptools import build_meta; print(getattr(build_meta, sys.argv[1])(sys.argv[2]))"
"""What pip runs to build a distribution, without an environment of its own, for which it would need a network."""

INSTALLATION = 540
"""Seconds that an installation with all dependencies may take."""


def bare_environment() -> dict[str, str]:
    """This process's environment without its settings of ours, of Streamlit's and of where Python looks for modules."""
    ours = ("RELEVANCE_", "STREAMLIT_", "PYTHON", "VIRTUAL_ENV", "XDG_")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def build(source: Path, kind: str, folder: Path) -> Path:
    """A wheel or an sdist of a checkout or of an unpacked sdist."""
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-c", BUILD, f"build_{kind}", str(folder)]
    built = subprocess.run(command, cwd=source, capture_output=True, text=True, check=True, timeout=PATIENCE)
    return folder / built.stdout.splitlines()[-1]


def copy_source(folder: Path) -> Path:
    """A copy of the source, as building writes beside it; links stay links."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        if not os.path.lexists(ROOT / name):  # deleted, and not yet committed
            continue
        to = folder / name
        to.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_symlink():
            to.symlink_to((ROOT / name).readlink())
        else:
            to.write_bytes((ROOT / name).read_bytes())
    return folder
