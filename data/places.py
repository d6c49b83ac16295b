"""Where the files lie that nobody named: the database and the record of calls to language models."""

from pathlib import Path

BESIDE = Path(__file__).parents[2].resolve()
"""The folder with the package, a checkout or an environment's site-packages: earlier versions had their files there."""

DATABASE = "relevance.db"
CALLS = "relevance.calls.db"


class NoFolder(ValueError):
    """The folder for data cannot be made; the message says what to do."""


def default_file(name: str) -> Path:
    """Return the file of this name in the working folder, in the user's data folder or beside the package.

    The first that exists counts. If there is none, it is to be made in the data folder, after `make_folder_of`.
    """
    for folder in (Path(), data_folder(), BESIDE):
        if (folder / name).is_file():
            return (folder / name).absolute()
    return data_folder() / name


def data_folder() -> Path:
    """Return the user's folder for our data, whether or not it is there, such as `~/.local/share/relevance`."""
    from platformdirs import user_data_path

    return user_data_path("relevance", appauthor=False)


def make_folder_of(file: Path) -> None:
    """Make the user's folder for our data if the file is to lie in it; no other folder is made. Raises `NoFolder`."""
    folder = data_folder()
    if file.parent.resolve() != folder.resolve():
        return
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # judgments and links are for nobody else
    except OSError as error:
        raise NoFolder(
            f"{folder} cannot be made ({error.strerror}): name a database in RELEVANCE_DATABASE_URL"
        ) from error


def left_in_environment() -> Path | None:
    """Return the database that an earlier version made among the installed packages; None if there is none.

    Whoever deletes the environment deletes it. In a checkout it is in its place.
    """
    file = BESIDE / DATABASE
    return file if file.is_file() and not (BESIDE / "pyproject.toml").is_file() else None
