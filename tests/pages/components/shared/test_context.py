"""What pages are about: chosen once, kept from page to page, in the address, and by default what says most."""

import pytest

from relevance.analysis.agreement.evaluation import ENOUGH_JUDGMENTS
from relevance.data.records import Document, Summary
from tests.pages.opening import address, new_session, open_page, page_text, sound, turn_to
from tests.pages.world import ROUGE1, ROUGE2, World, first, known, known_file, world

__all__ = ["known", "known_file", "world"]

RESULTS = ("overview.py", "agreement.py", "correlation.py", "systems.py")


def two_datasets(world: World) -> None:
    world.add("other", ratings={"a": 1, "b": 2, "c": 3})
    for signature in (ROUGE1, ROUGE2):
        world.score(signature, lambda _, system: float(ord(system)), name="other")


def test_what_is_chosen_goes_from_page_to_page_and_into_the_address(known: World) -> None:
    two_datasets(known)
    app = open_page("overview.py")
    box = app.selectbox(key="dataset")
    sound(box.select("other").run())
    sound(app.button_group(key="metrics").set_value(["ROUGE-2"]).run())
    for page in RESULTS:
        sound(turn_to(app, page).run())
        assert app.selectbox(key="dataset").value == "other"
        assert app.selectbox(key="source").value.aspect == "relevance"
        assert address(app) == {"dataset": "other", "aspect": "relevance", "metrics": "ROUGE-2"}
    assert [name for name in app.dataframe[1].value.columns if name.startswith("ROUGE")] == ["ROUGE-2"]


def test_an_address_leads_to_what_it_names(known: World) -> None:
    two_datasets(known)
    for page in RESULTS:
        app = open_page(page, study="Study")
        assert app.selectbox(key="source").value.study == "Study"
        assert "36 judgments" in page_text(app)
        app = open_page(page, dataset="other", aspect="relevance", metrics=["ROUGE-1"])
        assert app.selectbox(key="dataset").value == "other"
        assert app.button_group(key="metrics").value == ["ROUGE-1"]
    gone = open_page("agreement.py", study="no such study", metrics=["no such metric"])
    assert gone.button_group(key="metrics").value == []


def test_going_back_to_an_address_shows_what_it_named(known: World) -> None:
    app = open_page("agreement.py", dataset="set", aspect="relevance")
    sound(app.selectbox(key="source").select_index(0).run())
    assert address(app) == {"study": "Study"}
    app.query_params.clear()
    for name, value in {"dataset": "set", "aspect": "relevance"}.items():
        app.query_params[name] = value
    assert sound(app.run()).selectbox(key="source").value.aspect == "relevance"


def test_a_study_is_shown_by_default_when_it_has_enough_judgments(world: World) -> None:
    world.add(ratings={"a": 3, "b": 2, "c": 1})
    world.score(ROUGE1, lambda _, system: float(ord(system)))
    world.ask()
    world.judge("Ana", first)
    assert world.annotation.study("Study").judgments == 12 < ENOUGH_JUDGMENTS
    assert open_page("overview.py").selectbox(key="source").value.aspect == "relevance"
    world.judge("Ben", first)
    assert open_page("overview.py").selectbox(key="source").value.study == "Study"


def test_relevance_comes_first(world: World) -> None:
    records = [
        (Document("d", "Text.", ("Words.",)), [Summary("d", s, s, {"coherence": n, "relevance": n}) for n, s in pair])
        for pair in [list(enumerate("ab"))]
    ]
    world.data.add_dataset(name="set", format="interchange", sha256="0", records=records)
    assert open_page("overview.py").selectbox(key="source").options == ["Ratings of relevance", "Ratings of coherence"]


@pytest.mark.parametrize("page", RESULTS[1:])
def test_an_empty_database_offers_the_way_on(sqlite_url: str, page: str) -> None:
    assert "no data set yet" in page_text(open_page(page))


def test_overview_of_an_empty_database_loads_the_demo(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(
        "relevance.metrics.background.scoring.start_run", lambda store, dataset, metrics: started.append(dataset)
    )  # models are scored in a process of their own, which other tests run
    app = sound(new_session().run())
    assert "This database is empty" in page_text(app)
    sound(app.button(key="load_demo").click().run())
    assert started == ["demo"]
    assert "ROUGE-K agrees most often with the author's labels" in page_text(app)
    assert "The demo is loaded" in page_text(app)


@pytest.mark.parametrize("page", ["overview.py", "agreement.py"])
def test_one_reference_and_no_title_are_explained_with_the_way_out(world: World, page: str) -> None:
    records = [
        (
            Document(name, f"A storm hit the coast in {name}.", ("A storm hit.",)),
            [Summary(name, system, f"{system} storm", {"relevance": rated}) for system, rated in (("a", 2), ("b", 1))],
        )
        for name in ("d0", "d1")
    ]
    world.data.add_dataset(name="bare", format="interchange", sha256="0", records=records)
    world.score(ROUGE1, lambda _, system: float(ord(system)), name="bare")
    app = open_page(page)
    assert "ROUGE-K has no keywords in any document" in page_text(app)
    sound(app.button(key="score_extracted:bare").click().run())
    assert "ROUGE-K has no keywords" not in page_text(app)
    assert "Scored bare by ROUGE-K with TF-IDF keywords" in page_text(app)
    assert [signature.metric for signature in world.data.signatures("bare")] == ["rouge1", "rouge_k"]
