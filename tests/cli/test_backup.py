"""What `relevance backup` and `restore` print."""

import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from relevance.data.database import schema_versions
from tests.commands import refused, run


def test_a_backup_and_back(demo_url: str, tmp_path: Path) -> None:
    file = tmp_path / "two\nlines.backup"
    shown = str(file).replace("\n", " ")
    made = run("backup", file)
    size = f"{file.stat().st_size / 1e6:.1f} MB"
    assert made.stdout == f"wrote {shown}: 0 judgments, {size}, schema {schema_versions()[-1]}\n"
    assert made.stderr == ""
    assert refused("backup", file) == f"{shown} is there already; --force replaces it"
    assert run("backup", "--force", file).stdout == made.stdout
    restored = run("restore", file)
    (kept,) = tmp_path.glob("relevance.db.before-restore-*")
    assert restored.stdout.splitlines() == [
        f"restored 0 judgments from {shown}",
        f"the previous database is kept as {kept}",
    ]
    assert "demo" in run("datasets").stdout


def test_what_is_refused(sqlite_url: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no backup")
    assert refused("restore", tmp_path / "notes.txt") == (
        f"{tmp_path}/notes.txt is not an SQLite database, or its beginning is damaged"
    )
    assert "does not exist" in refused("restore", tmp_path / "nowhere")
    assert refused("backup", tmp_path / "no" / "a") == (
        f"{tmp_path}/no/a cannot be written: there is no folder {tmp_path}/no"
    )


@pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
def test_what_is_no_file_or_holds_others(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is waited for, and nothing is unpacked to where its name says."""
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", database_url)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "toc.dat").write_bytes(b"PGDMP\x01\x0e\x00\x04\x08\x03")  # as pg_dump begins a folder
    with zipfile.ZipFile(tmp_path / "zipped", "w") as archive:
        archive.writestr("../pwned", "x")
        archive.writestr("/tmp/pwned", "x")
    with tarfile.open(tmp_path / "tarred", "w") as tape:
        tape.add(folder / "toc.dat", "toc.dat")
        tape.add(folder / "toc.dat", "../pwned")
    for name in ("pipe", "link", "endless", "folder", "zipped", "tarred"):
        assert name in refused("restore", "--force", tmp_path / name)
        assert (tmp_path / "pwned").exists() is Path("/tmp/pwned").exists() is False
    for name in ("pipe", "link", "endless", "folder"):
        assert "is not an ordinary file" in refused("backup", "--force", tmp_path / name)
    assert run("datasets").exit_code == 0
