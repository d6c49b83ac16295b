"""The folder that training writes a system into."""

from pathlib import Path


class OutputInUse(ValueError):
    """The folder holds something already."""


def check_output(folder: Path, *, begun: bool = False) -> None:
    """Raise `OutputInUse` for a folder with files in it, or a file; `begun`: the files are of an unfinished run."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        rest = "; --resume goes on with it" if begun else ": name a new folder"
        raise OutputInUse(f"{folder} is {'not empty' if folder.is_dir() else 'a file'}{rest}")
