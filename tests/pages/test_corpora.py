"""The page Corpora: metrics beside what people said of each data set."""

import pytest

from tests.pages.opening import open_page, page_text, sound
from tests.pages.world import LENGTH, ROUGE1, ROUGE2, World, first, known, known_file, world

__all__ = ["known", "known_file", "world"]

DOCUMENTS = tuple(f"d{number}" for number in range(10))


def right_on(world: World, name: str, count: int, signature: str) -> None:
    """Scores by which the system `a` is the best in the first documents only."""
    world.score(signature, lambda document, system: float((system == "a") == (DOCUMENTS.index(document) < count)), name)


@pytest.fixture
def several(world: World) -> World:
    """Three rated data sets of 30 pairs, in two of which another metric is the better one, and one without scores."""
    for name, by_rouge1, by_rouge2 in (("Ä", 2, 10), ("B", 10, 1), ("C", 9, 9)):
        world.add(name, DOCUMENTS, ratings={"a": 3, "b": 2, "c": 2})
        right_on(world, name, by_rouge1, ROUGE1)
        right_on(world, name, by_rouge2, ROUGE2)
    world.add("unscored", DOCUMENTS, ratings={"a": 3, "b": 2, "c": 1})
    return world


def names(app: object) -> list[str]:
    return list(app.dataframe[0].value["data set"])  # type: ignore[attr-defined]


def test_every_data_set_that_was_judged_is_a_row(several: World) -> None:
    app = sound(open_page("corpora.py"))
    shown = app.dataframe[0].value
    assert names(app) == ["B", "C", "Ä"]  # by the metric that leads most often
    assert dict(zip(shown["data set"], shown["ROUGE-1"], strict=True)) == {"B": "1.000*", "C": "0.900*", "Ä": "0.200"}
    assert dict(zip(shown["data set"], shown["ROUGE-2"], strict=True)) == {"B": "0.100", "C": "0.900*", "Ä": "1.000*"}
    assert set(shown["n"]) == {20}
    assert "Judged, but without scores, and so not here: unscored" in page_text(app)
    assert "Rows in which a metric leads" in page_text(app)


def test_the_order_is_chosen(several: World) -> None:
    app = sound(open_page("corpora.py"))
    app = sound(app.selectbox(key="corpora_order").set_value(ROUGE2).run())
    assert names(app) == ["Ä", "C", "B"]
    app = sound(app.selectbox(key="corpora_order").set_value("name").run())
    assert names(app) == ["B", "C", "Ä"]


def test_the_metrics_are_chosen(several: World) -> None:
    app = sound(open_page("corpora.py"))
    app = sound(app.multiselect(key="corpora_metrics").set_value(["rouge2"]).run())
    shown = app.dataframe[0].value
    assert "ROUGE-1" not in shown
    assert list(shown["ROUGE-2"]) == ["1.000", "0.900", "0.100"]  # a metric alone is compared with none


def test_judgments_of_a_study_stand_beside_ratings(known: World) -> None:
    app = sound(open_page("corpora.py"))
    assert sorted(app.dataframe[0].value["judged by"]) == ["judgments in Study", "ratings of relevance"]
    known.judge("Dora", first)
    known.score(LENGTH, lambda _, system: {"a": 1, "b": 2, "c": 3}[system])
    assert len(names(sound(app.run()))) == 2


def test_a_metric_without_values_is_no_dot_and_says_why(world: World) -> None:
    world.add(documents=DOCUMENTS, ratings={"a": 3, "b": 2, "c": 1})
    world.score(ROUGE1, lambda *_: None)
    app = sound(open_page("corpora.py"))
    assert app.dataframe[0].value["ROUGE-1"].isna().all()
    assert "no scores" in page_text(app)


def test_nothing_to_compare(sqlite_url: str) -> None:
    app = sound(open_page("corpora.py"))
    assert "No data set here has both: what people said, and scores." in app.info[0].value
    assert not app.dataframe
