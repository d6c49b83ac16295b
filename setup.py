"""Refuses to build where a link of `relevance/` is none, as in a zip file or a clone without links.

The package would lack that part, and nothing would say so. Everything else of the build is in `pyproject.toml`.
"""

from pathlib import Path

from setuptools import setup

PACKAGE = Path(__file__).parent / "relevance"

if broken := sorted(path.name for path in PACKAGE.iterdir() if path.is_file() and "." not in path.name):
    raise SystemExit(
        f"relevance/{broken[0]} is a file and should be a link to ../{broken[0]}: clone with "
        "`git -c core.symlinks=true clone`, or unpack a tar archive instead of a zip file"
    )
setup()
