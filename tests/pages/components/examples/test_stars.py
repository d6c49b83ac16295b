"""Stars and notes on the Examples page: what is kept, and how it is found again."""

from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import make_url
from streamlit.testing.v1 import AppTest

from relevance.data.database import connect
from relevance.data.demo import AUTHOR, NAME
from relevance.data.store import DataStore, StarredExample
from relevance.pages.components.examples.pairs import PairFilter
from relevance.pages.components.examples.stars import starred_csv
from tests.pages.opening import address, html, open_page, page_text, pressed, sound

HOSTILE = "=1+1 <img src=x onerror=alert(1)> **x** [y](http://z.example) :red[w]"

opened = partial(open_page, "examples.py", dataset=NAME, aspect=AUTHOR)


@pytest.fixture
def store(demo_url: str) -> DataStore:
    return DataStore(connect(demo_url))


def example_of(app: AppTest, note: str = "") -> StarredExample:
    """The example that is open."""
    document, *systems = (address(app)[name] for name in ("document", "a", "b"))
    first, second = sorted(systems)
    return StarredExample(document, (first, second), note)


def write_note(app: AppTest, note: str) -> AppTest:
    (field,) = (element for element in app.text_input if element.label == "Note")
    return sound(field.set_value(note).run())


def note_of(app: AppTest) -> str | None:
    return next(element.value for element in app.text_input if element.label == "Note")


def chips(app: AppTest) -> list[str]:
    return list(app.button_group(key="example_preset").options)


def stars_of(app: AppTest) -> list[str]:
    """What the list calls the documents with a star."""
    (result,) = (element.value for element in app.dataframe if "how strongly" in element.value.columns)
    return list(result.loc[result["starred"] == "★", "document"]) if "starred" in result.columns else []


def says_saved(app: AppTest) -> bool:
    return '<span role="status">Saved</span>' in html(app)


def test_a_star_is_kept_and_counted_and_can_be_taken_back(store: DataStore) -> None:
    app = opened()
    assert not [chip for chip in chips(app) if "Starred" in chip]
    assert stars_of(app) == []
    pressed(app, "☆ Star")
    assert store.starred(NAME) == (example_of(app),)
    assert chips(app)[-1] == "Starred (1)"
    title = store.record(NAME, example_of(app).document)[0].title
    assert stars_of(app) == [title]
    sound(app.button(key="next").click().run())
    assert "☆ Star" in [button.label for button in app.button]  # another example
    pressed(app, "☆ Star")
    assert chips(app)[-1] == "Starred (2)"
    pressed(app, "★ Starred")
    assert len(store.starred(NAME)) == 1
    assert not [button for button in app.button if button.label == "Undo"]  # there was no note


def test_a_note_is_saved_with_a_star_and_stays_with_its_example(store: DataStore) -> None:
    app = write_note(opened(), "The number is wrong.")
    assert says_saved(app)
    kept = example_of(app, "The number is wrong.")
    assert store.starred(NAME) == (kept,)
    assert "★ Starred" in [button.label for button in app.button]
    sound(app.button(key="next").click().run())
    assert (note_of(app), says_saved(app)) == ("", False)
    sound(app.button(key="previous").click().run())
    assert note_of(app) == "The number is wrong."
    again = opened(document=kept.document, a=kept.systems[1], b=kept.systems[0])
    assert note_of(again) == "The number is wrong."
    write_note(again, "")
    assert store.starred(NAME) == (kept._replace(note=""),)


def test_what_is_starred_is_found_again_by_the_chip_and_by_its_address(store: DataStore) -> None:
    app = opened()
    sound(app.button(key="next").click().run())
    kept = example_of(write_note(app, "why?"), "why?")
    sound(app.button_group(key="example_preset").set_value(PairFilter("starred")).run())
    assert address(app)["show"] == "starred"
    assert "Starred: 1 of " in page_text(app)
    assert "**1 of 1**" in page_text(app)
    assert len(app.get("download_button")) == 1
    link = {name: address(app)[name] for name in ("show",)}
    again = opened(**link)
    assert again.selectbox(key="example_show").value == "starred"
    assert example_of(again, "why?") == kept
    assert note_of(again) == "why?"


def test_a_star_is_removed_with_its_note_and_both_come_back(store: DataStore) -> None:
    app = write_note(opened(), "why? **x**")
    kept = example_of(app, "why? **x**")
    sound(app.button_group(key="example_preset").set_value(PairFilter("starred")).run())
    pressed(app, "★ Starred")
    assert store.starred(NAME) == ()
    assert "Starred: no pair is left." in page_text(app)
    assert f"Removed the star of document {kept.document}, and its note." in page_text(app)
    pressed(app, "Undo")
    assert store.starred(NAME) == (kept,)
    assert note_of(app) == "why? **x**"
    assert "Removed the star" not in page_text(app)


def test_an_address_asks_for_stars_where_there_are_none(store: DataStore) -> None:
    app = opened(show="starred")
    assert "Starred: no pair is left." in page_text(app)
    assert chips(app)[-1] == "Starred (0)"


def test_a_note_is_text(store: DataStore) -> None:
    app = write_note(opened(), HOSTILE)
    assert store.starred(NAME) == (example_of(app, HOSTILE),)
    assert note_of(app) == HOSTILE
    assert HOSTILE not in page_text(app) + html(app)  # it stands in its field alone
    pressed(app, "★ Starred")
    assert "onerror" not in page_text(app) + html(app)


def test_starred_examples_as_csv(store: DataStore) -> None:
    starred = [StarredExample("d,1", ("a", "b"), HOSTILE), StarredExample("d2", ("a", "b"), "")]
    head, first, second = starred_csv("set", starred).splitlines()
    assert head == "data set,document,system 1,system 2,note"
    assert first == f'set,"d,1",a,b,\'{HOSTILE}'  # no spreadsheet takes it for a formula
    assert second == "set,d2,a,b,"


@pytest.mark.parametrize("change", ["star", "note", "unstar"])
def test_what_was_not_saved_is_said(store: DataStore, change: str) -> None:
    app = opened()
    if change == "unstar":
        pressed(app, "☆ Star")
    before = store.starred(NAME)
    store.engine.dispose()
    file = Path(str(make_url(str(store.engine.url)).database))
    away = file.rename(file.with_suffix(".away"))
    if change == "note":
        write_note(app, "typed")
    else:
        pressed(app, "☆ Star" if change == "star" else "★ Starred")
    assert "Everything that was shown as saved is kept" in page_text(app)
    away.rename(file)
    sound(app.run())
    what = {"star": "The star", "note": "The note on document", "unstar": "The change"}[change]
    assert what in app.warning[0].value
    assert "was not saved: the database cannot be used: its file is not in its place" in page_text(app)
    assert store.starred(NAME) == before
    assert not says_saved(app)
    if change == "note":
        assert note_of(app) == "typed"  # to be saved again
        write_note(app, "typed again")
        assert store.starred(NAME) == (example_of(app, "typed again"),)
        assert not app.warning


def test_a_note_that_cannot_be_kept_is_refused(store: DataStore) -> None:
    app = write_note(opened(), "\u202e" * 100)  # as long as it is shown: [U+202E]
    assert "A note has at most 500 characters, this one has 800." in page_text(app)
    assert store.starred(NAME) == ()
