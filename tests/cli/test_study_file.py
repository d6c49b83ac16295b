"""The commands that check, apply and export study files."""

import dataclasses
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from relevance.annotation.protocol import records
from relevance.annotation.protocol.file import EXAMPLE, read_protocol
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from tests.commands import refused, run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, demo_url: str) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_bytes(EXAMPLE.read_bytes())
    return tmp_path


def write(folder: Path, old: str, new: str) -> None:
    """Change the file in one place."""
    text = (folder / "study.toml").read_text()
    assert text.count(old) == 1
    (folder / "study.toml").write_text(text.replace(old, new))


def test_the_example_has_every_key_there_is() -> None:
    protocol = read_protocol(EXAMPLE.read_text(), EXAMPLE.name)
    given: dict[type, set[str]] = {}

    def walk(record: Any) -> None:
        fields = {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
        given.setdefault(type(record), set()).update(key for key, value in fields.items() if value not in (None, ()))
        for value in fields.values():
            for item in value if isinstance(value, tuple) else (value,):
                if dataclasses.is_dataclass(item):
                    walk(item)

    walk(protocol)
    given[records.Panel].add("parameters")  # which only a comment shows: Prolific has its own
    assert given == {
        kind: set(get_type_hints(kind))
        for kind in vars(records).values()
        if dataclasses.is_dataclass(kind) and kind.__module__ == records.__name__
    }


def test_a_study_file_is_checked_applied_changed_and_exported(folder: Path) -> None:
    checked = run("study", "check", "study.toml").stdout
    assert checked.splitlines()[1:] == [
        "the texts of the data set demo are the pinned ones",
        "applying it makes the study Example",
    ]
    assert " are drawn, and 4 attention checks" in checked
    assert "Example" not in run("study", "list").stdout
    assert run("study", "apply", "study.toml").stdout.startswith("made Example: ")
    assert run("study", "check", "study.toml").stdout == "it is the same as the file of the study Example\n"
    first = (folder / "study.toml").read_bytes()
    write(folder, "places = 12", "places = 24")
    write(folder, "seed = 0", "seed = 1")
    assert run("study", "check", "study.toml").stdout.splitlines()[-1] == (
        "applying it changes sampling.seed, links of the study Example; the pairs are drawn again"
    )
    changed = run("study", "apply", "study.toml").stdout
    assert changed == "Example is as its study file, version 2; changed: sampling.seed, links\n"
    assert run("study", "export-config", "Example").stdout_bytes == (folder / "study.toml").read_bytes()
    run("study", "export-config", "Example", "--version", "1", "-o", "first.toml")
    assert (folder / "first.toml").read_bytes() == first
    AnnotationStore(connect()).invite(study="Example", name="Ada")
    write(folder, "seed = 1", "seed = 2")
    for command in ("check", "apply"):
        assert "so that sampling.seed stays as it is; nothing was changed" in refused("study", command, "study.toml")


def test_what_is_hardly_meant_is_said_with_its_line(folder: Path) -> None:
    write(folder, "2099-12-31", "2020-12-31")
    write(folder, '"Judge summaries"', '"Judge summary"')
    for command in ("check", "apply"):
        assert run("study", command, "study.toml").stderr.splitlines() == [
            "study.toml:15: 'closes' has passed, so that the study is closed",
            "study.toml:123: the pages of annotators never say 'Judge summary'; did you mean 'Judge summaries'?",
        ]


@pytest.mark.parametrize(
    ("old", "new", "doubt"),
    [
        ("second = ", "# second = ", "study.toml:117: the rule 'conflicts' is for telling two metrics apart; "),
        (
            'second = "rouge1|',
            'second = "rouge2|',
            "study.toml:118: pairs are drawn for the conflicts of other metrics",
        ),
    ],
)
def test_what_pairs_of_conflicts_tell_a_stopping_rule_is_said_where_it_is_chosen(
    folder: Path, old: str, new: str, doubt: str
) -> None:
    assert run("study", "check", "study.toml").stderr == ""
    write(folder, old, new)
    assert run("study", "check", "study.toml").stderr.startswith(doubt)


def test_what_a_stopping_rule_compares_is_scored(folder: Path) -> None:
    write(folder, 'second = "rouge1|refs:max', 'second = "rouge1|refs:mean')
    result = run("study", "check", "study.toml")
    assert "can be applied, which computes missing scores" in result.stdout
    assert run("study", "apply", "study.toml").stdout.startswith("made Example: ")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("sha256 = ", "# sha256 = ", "study.toml:24: the study file does not pin the texts of the data set 'demo': "),
        ('"df01', '"ef01', "study.toml:27: the data set 'demo' has other texts than those that the study file pins: "),
        ('name = "demo"', 'name = "news"', "study.toml:25: there is no data set 'news'; there are demo"),
        ('"copycat", ', '"copykat", ', "data set 'demo' has no system 'copykat'; it has copycat, "),
        (
            '    "rouge_k|kw:overlap10|title:always|lemma:lemminflect0.2.3+simplemma2.0.0+rules2|version:0.2.0"',
            '"rouge_k"',
            "study.toml:38: 'rouge_k' is not a signature of scores; write 'rouge_k|",
        ),
        ('second = "rouge1|refs:max|', 'second = "rouge1" #', "study.toml:118: 'rouge1' is not a signature of scores"),
        ('    "rouge_k|kw:overlap10', '"rogue|x:y', "data set 'demo' has summaries without a score under rogue|"),
    ],
)  # fmt: skip
def test_a_mistake_is_said_with_its_line(folder: Path, old: str, new: str, message: str) -> None:
    write(folder, old, new)
    assert refused("study", "check", "study.toml").startswith(message)


def test_a_file_with_a_mistake_is_not_applied(folder: Path) -> None:
    write(folder, "[sampling]", "[sampeling]")
    message = "study.toml:30: unknown key 'sampeling'; did you mean 'sampling'?"
    for command in ("check", "apply"):
        assert refused("study", command, "study.toml") == message
    assert "Example" not in run("study", "list").stdout
