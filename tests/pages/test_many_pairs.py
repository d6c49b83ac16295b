"""Pages of ratings whose pairs are too many to be listed: figures count them all."""

import pytest

import relevance.data.preferences
from relevance.data.demo import AUTHOR, NAME
from tests.pages.opening import open_page, page_text
from tests.pages.world import ROUGE1, World, first, world

__all__ = ["world"]


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("overview.py", "agrees most often with the author's labels"),
        ("agreement.py", "These pairs are too many to be listed. Choose some systems under Filters and rules."),
        ("systems.py", "144 pairs of summaries"),
        ("examples.py", "These pairs are too many to be listed. All figures count them."),
    ],
)
def test_pages_count_pairs_that_are_not_listed(
    demo_url: str, page: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relevance.data.preferences, "MANY", 1)
    app = open_page(page, dataset=NAME, aspect=AUTHOR)
    assert words in page_text(app)


def test_two_kinds_of_ratings_are_compared_all_the_same(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [f"d{number}" for number in range(10)]
    for name in ("one", "two"):
        world.add(name, documents, ratings={"a": 3, "b": 2, "c": 1})
    world.score(ROUGE1, lambda _, system: {"a": 0.9, "b": 0.5, "c": 0.1}[system], "one")
    world.score(ROUGE1, lambda _, system: {"a": 0.9, "b": 0.5, "c": 0.7}[system], "two")
    monkeypatch.setattr(relevance.data.preferences, "MANY", 1)
    app = open_page("compare.py", dataset="one", aspect="relevance", with_dataset="two", with_aspect="relevance")
    assert "have too many pairs to say on how many they prefer the same summary" in page_text(app)
    (row,) = app.dataframe[0].value.to_dict("records")
    assert (row["first n"], row["second n"], row["first"]) == (30, 30, 1)
    assert row["difference"] == pytest.approx(1 / 3)


def test_a_study_is_compared_with_ratings_on_its_own_pairs(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.add(documents=[f"d{number}" for number in range(10)], ratings={"a": 3, "b": 2, "c": 1})
    world.score(ROUGE1, lambda _, system: {"a": 0.9, "b": 0.5, "c": 0.1}[system])
    world.ask(rule="random", count=4)
    world.judge("Ann", first)
    monkeypatch.setattr(relevance.data.preferences, "MANY", 29)  # more than those of the study's documents
    app = open_page("compare.py", study="Study", with_dataset="set", with_aspect="relevance")
    assert "Where both prefer a summary, it is the same one on 4 of 4 pairs" in page_text(app)
    assert "All pairs of each count, 4 and 30" in page_text(app)
