"""METEOR: the values of NLTK with the rules for several references, with places of what was matched."""

import pickle
import shutil
from pathlib import Path

import nltk.data
import pytest
from nltk.translate.meteor_score import meteor_score

from relevance.data.demo import FILE
from relevance.data.importers import read_documents
from relevance.data.records import Example, make_examples
from relevance.metrics.evidence import MatchedEvidence, check_evidence
from relevance.metrics.libraries import find_lacking, find_libraries
from relevance.metrics.meteor import METEOR, Meteor, data_folders, find_words, wordnet_version
from tests.metrics.wordnet import write_wordnet


@pytest.fixture(scope="module", autouse=True)
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A WordNet that NLTK finds first; it is read once a process."""
    folder = write_wordnet(
        tmp_path_factory.mktemp("nltk"), noun=[("car", "auto"), ("cat",)], verb=[("buy", "get"), ("purchase", "buy")]
    )
    nltk.data.path.insert(0, str(folder))
    return folder


@pytest.fixture
def examples(shared_data: Path) -> list[Example]:
    """Summaries with one reference or several."""
    read = [read_documents(file, "interchange") for file in (shared_data / "summeval.jsonl", FILE)]
    return [
        example for records in read for document, summaries in records for example in make_examples(document, summaries)
    ][::97]


def make_example(candidate: str, *references: str, source: str = "") -> Example:
    return Example("d", "s", candidate, references, None, source)


def test_values_are_nltk_s(examples: list[Example]) -> None:
    for example, best, mean, first, source in zip(
        examples, *(Meteor(rule).score(examples) for rule in ("max", "mean", "first", "source")), strict=True
    ):
        words, references = find_words(example.candidate), list(map(find_words, example.references))
        each = [meteor_score([reference], words) for reference in references]
        assert best.value == meteor_score(references, words) == max(each)
        assert mean.value == pytest.approx(sum(each) / len(each))
        assert first.value == each[0]
        assert source.value == meteor_score([find_words(example.source)], words)
    assert len(examples) > 15


def test_stems_and_synonyms_match() -> None:
    example = make_example("She purchased two autos.", "No match", "she  buys a car")
    (score,) = Meteor().score([example])
    matches = {
        (example.candidate[slice(*m.candidate)], example.references[m.reference][slice(*m.text)])
        for m in score.evidence.matches
    }
    assert matches == {("She", "she"), ("autos", "car")}
    example = make_example("They buy an auto.", "no match", "They get the cars and a car.")
    (score,) = Meteor().score([example])
    matches = [
        (example.candidate[slice(*m.candidate)], example.references[m.reference][slice(*m.text)])
        for m in score.evidence.matches
    ]
    assert matches == [("They buy", "They get"), ("auto.", "car.")]
    assert score.evidence.sentence == "4 of 5 words matched in 2 stretches"
    assert all(match.reference == 1 for match in score.evidence.matches)
    (score,) = Meteor().score([make_example("They purchase", "They buy")])
    assert score.evidence.sentence == "1 of 2 words matched in 1 stretch"  # NLTK looks up the stem, purchas


@pytest.mark.parametrize("rule", ["max", "mean", "first", "source"])
def test_evidence_lies_in_the_texts_that_count(examples: list[Example], rule: str) -> None:
    result = 0
    for example, score in zip(examples, Meteor(rule).score(examples), strict=True):
        check_evidence(score.evidence, MatchedEvidence, example)
        used = {match.reference for match in score.evidence.matches}
        assert used <= {"source": {None}, "first": {0}}.get(rule, set(range(len(example.references))))
        assert rule == "mean" or len(used) == 1
        result += len(score.evidence.matches)
    assert result > 5 * len(examples)


def test_without_a_text_to_compare_there_is_no_value() -> None:
    bare = make_example("a b c")
    assert [item.missing for item in Meteor().score([bare, make_example("a", " ")])] == ["there is no reference"] * 2
    assert Meteor("source").score([bare])[0].missing == "there is no source"
    with pytest.raises(ValueError, match="references of METEOR must be one of max, mean, first, source, not 'best'"):
        Meteor("best")


def test_letters_of_two_characters_are_those_of_one() -> None:
    example = make_example("the caf\u00e9 car", "a caf\u00e9 auto")
    two = make_example("the cafe\u0301 car", "a cafe\u0301 auto")
    (whole,), (apart,) = Meteor().score([example]), Meteor().score([two])
    assert whole.value == apart.value > 0.5
    (match,) = apart.evidence.matches
    assert two.candidate[slice(*match.candidate)] == "cafe\u0301 car"
    assert two.references[0][slice(*match.text)] == "cafe\u0301 auto"


def test_workers_can_be_given_it() -> None:
    example = make_example("the cat", "a cat")
    made = pickle.loads(pickle.dumps(Meteor("mean")))
    assert made.score([example]) == Meteor("mean").score([example])


def test_folders_are_nltk_s(monkeypatch: pytest.MonkeyPatch, wordnet: Path) -> None:
    monkeypatch.delenv("NLTK_DATA", raising=False)
    assert list(map(str, data_folders())) == [item for item in nltk.data.path if item != str(wordnet)]


@pytest.mark.parametrize("packed", [False, True])
def test_it_is_there_where_wordnet_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, packed: bool) -> None:
    monkeypatch.setattr("relevance.metrics.meteor.data_folders", lambda: [tmp_path / "none", tmp_path])
    assert wordnet_version() is None
    assert find_lacking()["meteor"] == "WordNet: python -m nltk.downloader wordnet"
    assert "meteor" not in [name for name, _, _ in find_libraries()]
    write_wordnet(tmp_path)
    if packed:
        shutil.make_archive(str(tmp_path / "corpora" / "wordnet"), "zip", tmp_path / "corpora", "wordnet")
        shutil.rmtree(tmp_path / "corpora" / "wordnet")
    assert wordnet_version() == "3.0"
    assert "meteor" not in find_lacking()
    assert [load() for name, _, load in find_libraries() if name == "meteor"] == [METEOR]
    made = Meteor("mean")
    assert made.signature == f"meteor|refs:mean|wordnet:3.0|version:nltk-{nltk.__version__}"
    assert METEOR.options_of({"refs": "mean"}) == {"references": "mean"}
