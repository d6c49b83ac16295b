"""The output folder of training."""

from pathlib import Path


class OutputInUse(ValueError):
    """The output folder is not empty, or a file."""


def check_output(folder: Path, *, begun: bool = False) -> None:
    """Raise `OutputInUse` for a file or a folder with files; `begun`: the files are those of an unfinished run."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        rest = "; --resume goes on with it" if begun else ": name a new folder"
        raise OutputInUse(f"{folder} is {'not empty' if folder.is_dir() else 'a file'}{rest}")
