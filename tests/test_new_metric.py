"""A metric that is added by one file and one line of the registry is found wherever metrics are."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from relevance.data.database import connect
from relevance.data.demo import FILE, NAME
from relevance.data.records import Example
from relevance.data.signatures import signature
from relevance.data.store import DataStore
from relevance.metrics import Score, make_metrics
from relevance.metrics.from_signature import metric_of, signatures
from relevance.metrics.kind import MetricKind, option
from relevance.metrics.registry import OURS
from relevance.metrics.scoring import score_dataset
from tests.commands import run
from tests.pages.opening import html, open_page, page_text, sound

# --- the file -----------------------------------------------------------------------------------------------


class Vowels:
    """The share of a summary's letters that are vowels."""

    name = "vowels"

    def __init__(self, vowels: str = "aeiou") -> None:
        self.vowels = vowels
        self.signature = signature(self.name, "1", of=vowels)

    def score(self, examples: Sequence[Example]) -> list[Score]:
        return [Score(sum(e.candidate.count(vowel) for vowel in self.vowels) / len(e.candidate)) for e in examples]


@dataclass(frozen=True)
class VowelOptions:
    vowels: str = option("aeiou", "Vowels: the letters that count.")


VOWELS = MetricKind(
    "vowels",
    "Vowels",
    "share of letters that are vowels",
    make=Vowels,
    options=VowelOptions,
    options_of=lambda settings: {"vowels": settings["of"]},
    by_default=True,
)


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The line."""
    monkeypatch.setitem(OURS, "vowels", VOWELS)
    signatures.cache_clear()
    yield
    signatures.cache_clear()


# --- where it is found --------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["score", "analyze"])
def test_commands_name_it_and_its_option(command: str) -> None:
    words = " ".join(run(command, "--help").stdout.split())
    assert "[default: rouge1,rouge2,rougeL,rouge_k,length,vowels]" in words
    assert "--vowels TEXT Vowels: the letters that count. [default: aeiou]" in words


def test_it_scores_and_is_analyzed(tmp_path: Path) -> None:
    run("score", str(FILE), "--metrics", "vowels,rouge1", "--vowels", "xyz", "-o", str(tmp_path / "out.jsonl"))
    assert json.loads((tmp_path / "out.signatures.json").read_text())["vowels"] == "vowels|of:xyz|version:1"
    first = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
    assert first["metrics"].keys() == {"vowels", "rouge1"}
    arguments = ("--metrics", "vowels", "--human", "author", "--tables", "agreement", "--format", "json")
    table = json.loads(run("analyze", str(FILE), *arguments).stdout)["tables"]["agreement"]
    assert [row["metric"] for row in table["rows"]] == ["vowels", "length"]


def test_its_options_are_had_again_from_its_signature() -> None:
    made = metric_of("vowels|of:xyz|version:1")
    assert isinstance(made, Vowels)
    assert made.vowels == "xyz"
    assert metric_of("vowels|version:1") is None


@pytest.mark.smoke
@pytest.mark.process
def test_pages_have_it(demo_url: str) -> None:
    score_dataset(DataStore(connect(demo_url)), NAME, make_metrics(["vowels"]))
    agreement = open_page("agreement.py")
    assert "Vowels" in list(agreement.dataframe[0].value["metric"])
    examples = open_page("examples.py")
    assert "vowels|of:aeiou|version:1" in html(examples)
    sound(examples.button_group(key="evidence").set_value(["Vowels"]).run())
    assert "No evidence: the score has none" in html(examples)
    playground = open_page("playground.py")
    assert 'data-score="vowels-A"' in html(playground)
    sound(playground.button_group(key="playground_evidence").set_value("vowels").run())
    assert "Vowels prefers " in page_text(playground)
    assert "No evidence: the score has none" in html(playground)
