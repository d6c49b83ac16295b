"""Systems and formats of packages: installed, used by commands, and held to what they promise."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from relevance.data.importers import IMPORTERS, read_documents
from relevance.data.plugins import OURS, Registry
from relevance.data.records import BadRecord, Document, Summary
from relevance.summarizers import SUMMARIZERS, UnknownSummarizer, summarizer
from relevance.summarizers.registry import guide
from tests.commands import run

MODULE = '''
from relevance.data.records import BadRecord, Document, Summary
from relevance.summarizers.base import SummaryLength


class Last:
    """The last words of the source."""

    name = "last"

    def __init__(self, words):
        self.words = words
        self.signature = f"last|words:{words}|version:1"

    def summarize(self, documents):
        print("talking")
        return [Summary(one.id, "last", " ".join(one.source_text.split()[-self.words:])) for one in documents]


def last(length=SummaryLength(5, "words")):
    return Last(length.amount)


class Wrong(Last):
    def __init__(self, given, signature="wrong|version:1"):
        self.given, self.signature = given, signature

    def summarize(self, documents):
        return self.given(documents)


def unsigned():
    return Wrong(list, "unsigned")


def others():
    return Wrong(lambda documents: [Summary("x", "s", "text")])


def turned():
    return Wrong(lambda documents: [Summary(one.id, "s", "text") for one in reversed(documents)])


def twice():
    return Wrong(lambda documents: [Summary(one.id, "s", "text") for one in documents for _ in range(2)])


def texts():
    return Wrong(lambda documents: ["text" for one in documents])


def fails():
    raise RuntimeError("no file")


def leaves():
    raise SystemExit(3)


class Leaving(Last):
    def summarize(self, documents):
        raise SystemExit(3)


def leaving():
    return Leaving(1)


def read_bars(path, say):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line == "bad":
            raise BadRecord(f"{path.name}:{number}: a bad line")
        name, source, reference, text = line.split("|")
        yield Document(name, source, (reference,)), (Summary(name, "theirs", text),)
    say("bars were read")


def read_talking(path, say):
    print("talking")
    for document in read_bars(path, say):
        print("talking on")
        yield document


def read_nothing(path, say):
    yield from read_bars(path, say)
    yield None
    yield from read_bars(path, say)


def read_leaving(path, say):
    yield from read_bars(path, say)
    raise SystemExit(3)


NUMBER = 3
'''

SYSTEMS = ("last", "unsigned", "others", "turned", "twice", "texts", "fails", "leaves", "leaving")
DOCUMENTS = [Document("d1", "one two three four five six", ("a b",)), Document("d2", "seven eight", ("c",))]


def write_package(folder: Path) -> None:
    """Write a package with systems and formats, as pip would leave it."""
    folder.mkdir()
    (folder / "brought.py").write_text(MODULE)
    about = folder / "brought-3.2.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: brought\nVersion: 3.2\n")
    lines = ["[relevance.summarizers]", *(f"{name} = brought:{name}" for name in SYSTEMS)]
    lines += ["lead = brought:last", "number = brought:NUMBER", "gone = brought:gone"]
    lines += ["[relevance.importers]", "bars = brought:read_bars", "csv = brought:read_bars", "number = brought:NUMBER"]
    lines += ["talking = brought:read_talking", "leaving = brought:read_leaving"]
    lines += ["nothing = brought:read_nothing"]
    (about / "entry_points.txt").write_text("\n".join([*lines, ""]))


def look_again() -> None:
    for registry in (IMPORTERS, SUMMARIZERS):
        registry.__dict__.pop("plugins", None)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the package, which is installed."""
    folder = tmp_path / "site"
    write_package(folder)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    look_again()
    yield folder
    monkeypatch.undo()
    sys.modules.pop("brought", None)
    look_again()


@pytest.mark.process
def test_commands_read_their_files_and_write_their_summaries(tmp_path: Path) -> None:
    write_package(tmp_path / "site")
    (tmp_path / "texts.bars").write_text("d1|one two three four five six|a b|a\nd2|seven eight nine|c|c d\n")

    path = os.pathsep.join(filter(None, (str(tmp_path / "site"), os.environ.get("PYTHONPATH"))))

    def relevance(*arguments: object) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-P", "-m", "relevance", *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "RELEVANCE_DATABASE_URL": "sqlite:///own.db", "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        )

    imported = relevance("import", "texts.bars", "--format", "bars", "--name", "mine")
    assert "bars were read" in imported.stderr
    added = relevance("summarize", "mine", "--system", "last,last-2w,lead-1")
    assert "added 2 summaries of last-2w to mine" in added.stdout
    assert "talking" not in added.stdout
    relevance("convert", "texts.bars", "texts.jsonl", "--to", "interchange", "--input-format", "bars")
    assert '"theirs"' in (tmp_path / "texts.jsonl").read_text()
    (tmp_path / "out").mkdir()
    relevance("summarize", "texts.bars", "--input-format", "bars", "--system", "last-2w", "-o", "out")
    (written,) = (tmp_path / "out").glob("*.parquet")
    assert "five six" in pd.read_parquet(written).to_string()


def test_they_stand_beside_ours(package: Path) -> None:
    assert list(IMPORTERS.others) == ["bars", "leaving", "nothing", "talking"]
    assert IMPORTERS.origin("bars") == "brought 3.2"
    assert IMPORTERS.origin("csv") == SUMMARIZERS.origin("lead") == OURS
    assert set(SUMMARIZERS.others) == set(SYSTEMS)
    assert "Systems of other packages:\n  fails\n  last\n" in guide()
    made = summarizer("last-2w")
    assert (made.name, made.signature) == ("last-2w", "last|words:2|version:1")
    assert made.summarize(DOCUMENTS) == [Summary("d1", "last-2w", "five six"), Summary("d2", "last-2w", "seven eight")]
    assert summarizer("last").summarize(DOCUMENTS)[0].text == "two three four five six"


def test_what_cannot_be_used_is_left_out_with_the_reason(package: Path) -> None:
    assert IMPORTERS.left_out == {
        "csv": "brought 3.2: the name 'csv' is taken: use another one",
        "number": "brought 3.2: number is a int, not a function",
    }
    assert SUMMARIZERS.left_out["lead"] == "brought 3.2: the name 'lead' is taken: use another one"
    assert SUMMARIZERS.left_out["gone"].startswith("brought 3.2: AttributeError: ")
    with pytest.raises(UnknownSummarizer, match=r"'gone-2', left out because of brought 3\.2: AttributeError"):
        summarizer("gone-2")
    with pytest.raises(BadRecord, match=r"unknown format 'number', left out because of brought 3\.2: number is a int"):
        list(read_documents(package / "brought.py", "number"))
    assert SUMMARIZERS.tell_why("never_heard_of") == ""


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("last-seed3", "the system last-seed3 cannot be made: it takes no seed"),
        ("unsigned", "the system unsigned cannot be made: it has the signature 'unsigned', which must end with"),
        ("fails", "the system fails cannot be made: RuntimeError: no file"),
        ("leaves", "the system leaves cannot be made: RuntimeError: it ended its program"),
    ],
)
def test_a_system_that_cannot_be_made_says_why(package: Path, name: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        summarizer(name)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("others", "others must give at most one summary for each document, in their order"),
        ("turned", "turned must give at most one summary for each document, in their order"),
        ("twice", "twice must give at most one summary for each document, in their order"),
        ("texts", "texts gave a str, which is not a relevance.data.records.Summary"),
    ],
)
def test_summaries_are_held_to_the_contract(package: Path, name: str, reason: str) -> None:
    made = summarizer(name)
    with pytest.raises(ValueError, match=reason):
        made.summarize(DOCUMENTS)


def test_a_system_that_ends_its_program_ends_no_other(package: Path) -> None:
    made = summarizer("leaving")
    with pytest.raises(RuntimeError, match="it ended its program"):
        made.summarize(DOCUMENTS)


def test_what_a_format_prints_is_not_among_results(
    package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "texts.bars"
    file.write_text("d1|a source|a reference|a summary\nd2|b|c|d\n")
    records = IMPORTERS["talking"](file, lambda text: None)
    assert next(records)[0].id == "d1"
    print("ours")  # between two records, standard output is that of whoever reads them
    assert [document.id for document, _ in records] == ["d2"]
    assert capsys.readouterr() == ("ours\n", "talking\ntalking on\ntalking on\n")


@pytest.mark.parametrize(
    ("name", "reason"), [("leaving", "RuntimeError: it ended its program"), ("nothing", "TypeError: cannot unpack")]
)
def test_a_format_that_goes_wrong_after_some_records_refuses_the_file(
    package: Path, tmp_path: Path, name: str, reason: str
) -> None:
    file = tmp_path / "texts.bars"
    file.write_text("d1|a source|a reference|a summary\n")
    with pytest.raises(BadRecord, match=rf"texts\.bars: the format {name} cannot read it: {reason}"):
        list(read_documents(file, name))


def test_a_file_that_a_format_cannot_read_is_refused(package: Path, tmp_path: Path) -> None:
    file = tmp_path / "texts.bars"
    score = ("score", file, "--format", "bars", "-o", tmp_path / "out.jsonl")
    file.write_text("d1|a source|a reference|a summary\nbad\n")
    assert "texts.bars:2: a bad line" in run(*score, code=2).stderr
    file.write_text("d1|a source|a reference|a summary\nd2\n")
    refused = run(*score, code=2).stderr
    assert "texts.bars: the format bars cannot read it: " in refused
    assert "not enough values to unpack" in refused


def test_ours_are_found_without_a_look_at_those_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Registry[object]) -> None:
        raise AssertionError("others were looked for")

    monkeypatch.setattr(Registry, "find", fail)
    look_again()
    try:
        assert summarizer("lead-2").name == "lead-2"
        assert callable(IMPORTERS["csv"])
    finally:
        monkeypatch.undo()
        look_again()
