"""Where the database lies that nobody named: found where it is, made where it stays, and said."""

import os
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlalchemy import make_url

from relevance.data.database import connect, database_url, file_url, fix_database
from relevance.data.places import NoFolder, default_file
from relevance.llm.calls import Calls, default_path
from tests.commands import run


class Folders(NamedTuple):
    """The folders that a file may lie in, the first before the others."""

    here: Path
    data: Path
    beside: Path


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folders:
    """Where a user stands, their data folder, which is not there yet, and installed packages."""
    made = Folders(tmp_path / "a%20b?c#é", tmp_path / "home" / "data" / "relevance", tmp_path / "site-packages")
    made.here.mkdir()
    made.beside.mkdir()
    monkeypatch.chdir(made.here)
    monkeypatch.delenv("RELEVANCE_DATABASE_URL")
    monkeypatch.setenv("XDG_DATA_HOME", str(made.data.parent))
    monkeypatch.setattr("relevance.data.places.BESIDE", made.beside)
    return made


def add(folder: Path, name: str = "relevance.db") -> Path:
    """A database there."""
    folder.mkdir(parents=True, exist_ok=True)
    connect(file_url(folder / name)).dispose()
    return folder / name


def output_of(*arguments: str) -> str:
    """What a command says beside its output."""
    return str(run(*arguments).stderr)


@pytest.mark.parametrize("name", ["relevance.db", "relevance.calls.db"])
def test_the_first_folder_that_has_the_file_counts(folders: Folders, name: str) -> None:
    for folder in reversed(folders):
        file = add(folder, name)
        assert default_file(name) == file
    (folders.here / name).unlink()
    (folders.here / name).mkdir()  # no file
    assert default_file(name) == folders.data / name


def test_a_new_file_is_for_its_user_alone(folders: Folders) -> None:
    connect().dispose()
    assert folders.data.stat().st_mode & 0o777 == 0o700
    assert (folders.data / "relevance.db").is_file()


def test_a_folder_is_made_with_its_first_file_and_not_before(folders: Folders) -> None:
    assert f"there is no {folders.data}/relevance.db yet" in run("doctor").stdout
    empty = folders.here / "empty"
    empty.touch()
    run("restore", empty, code=2)
    run("backup", empty, code=2)
    assert (make_url(database_url()).database, default_path().parent) == (f"{folders.data}/relevance.db", folders.data)
    assert not folders.data.parent.exists()
    Calls(default_path()).close()
    assert folders.data.is_dir()


def test_a_folder_behind_a_link_is_made(folders: Folders) -> None:
    copy, moved = folders.here / "copy", folders.here / "moved"
    run("datasets")
    run("backup", copy)
    folders.data.parent.rename(moved)
    shutil.rmtree(moved / "relevance")
    folders.data.parent.symlink_to(moved)
    run("restore", copy)
    assert (moved / "relevance" / "relevance.db").is_file()


def test_a_data_folder_that_cannot_be_made_is_named(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    folders.data.parent.parent.write_text("a file")
    for needs in (connect, lambda: Calls(default_path())):
        with pytest.raises(NoFolder, match=r"relevance cannot be made \(Not a directory\): name a database in REL"):
            needs()
    add(folders.here)
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", "")  # names nothing
    assert make_url(database_url()).database == str(folders.here / "relevance.db")


def test_where_one_stands_may_be_gone(folders: Folders) -> None:
    folders.here.rmdir()
    assert default_file("relevance.db") == folders.data / "relevance.db"


def test_the_record_of_calls_lies_beside_the_database_or_in_its_own_place(
    folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert default_path() == folders.data / "relevance.calls.db"
    file = add(folders.here)
    assert default_path() == file.with_name("relevance.calls.db")
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", "postgresql://somewhere/x")
    assert default_path() == folders.data / "relevance.calls.db"
    paid = add(folders.beside, "relevance.calls.db")
    assert default_path() == paid


@pytest.mark.parametrize("named", [None, "sqlite:///named.db", "postgresql://u:p%40ss@h/d"])
def test_what_a_process_starts_has_its_database(
    folders: Folders, monkeypatch: pytest.MonkeyPatch, named: str | None
) -> None:
    if named:
        monkeypatch.setenv("RELEVANCE_DATABASE_URL", named)
    before = fix_database()
    monkeypatch.chdir(folders.beside)
    add(folders.beside)
    assert os.environ["RELEVANCE_DATABASE_URL"] == before == fix_database() == database_url()
    assert make_url(before).database == {
        None: str(folders.data / "relevance.db"),
        "sqlite:///named.db": str(folders.here / "named.db"),
    }.get(named, "d")


def test_a_command_that_makes_a_database_says_where_once(folders: Folders) -> None:
    assert output_of("datasets") == f"the new database is {folders.data}/relevance.db\n"
    assert output_of("datasets") == ""
    (folders.here / "relevance.db").touch()  # which is asked for
    assert output_of("datasets") == f"{folders.here}/relevance.db was an empty file and is a database now\n"
    copy = folders.here / "copy"
    run("backup", copy)
    (folders.here / "relevance.db").unlink()
    (folders.data / "relevance.db").unlink()
    assert run("restore", copy).stdout.splitlines()[1:] == [f"the new database is {folders.data}/relevance.db"]


def test_a_database_in_an_environment_is_used_and_can_be_moved_by_a_command(folders: Folders) -> None:
    file = add(folders.beside)
    use = f"relevance backup {folders.data}/relevance.db"
    assert output_of("datasets") == (
        f"the database {file} goes when the environment is deleted: {use} makes one that stays\n"
    )
    run("import", "--name", "mine", write_corpus(folders.here))
    assert f"warning  place        the database {file} goes when" in run("doctor").stdout
    run(*use.split()[1:])
    assert "mine" in run("datasets").stdout
    assert output_of("datasets") == (
        f"{file}, of an earlier version, is not in use, but {folders.data}/relevance.db is; "
        f"RELEVANCE_DATABASE_URL=sqlite:///{file} opens it\n"
    )


def test_a_database_of_a_checkout_is_in_its_place(folders: Folders) -> None:
    add(folders.beside)
    (folders.beside / "pyproject.toml").touch()
    assert output_of("datasets") == ""
    assert "place" not in run("doctor").stdout


def write_corpus(folder: Path) -> str:
    file = folder / "corpus.csv"
    file.write_text("document,reference,summary_a,summary_b\nOne day. Two days.,One.,One day.,Two days.\n")
    return str(file)
