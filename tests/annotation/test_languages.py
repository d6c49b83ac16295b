"""What annotators read: every text in every language, whole and with its places, and a study's own wording first."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO

import pytest
from babel.messages.catalog import Message
from babel.messages.pofile import write_po

from relevance.annotation.languages import CATALOGUES, ENGLISH, PLACE, Wording, read_texts
from relevance.annotation.protocol.records import LANGUAGES
from tests.catalogues import TRANSLATED, WIDTH, find_in, update


def texts_of(language: str) -> Iterator[tuple[Message, list[tuple[str, str]]]]:
    """Each text of a catalogue, with its English form beside every translated one."""
    for message in read_texts(CATALOGUES / f"{language}.po"):
        if message.id:
            many = message.id if isinstance(message.id, str) else message.id[-1]
            translated = [message.string] if isinstance(message.string, str) else list(message.string)
            yield message, [(many, item) for item in translated]


@pytest.mark.parametrize("language", TRANSLATED)
def test_catalogues_have_all_texts_of_the_pages_and_no_others(language: str) -> None:
    """`make catalogues` writes nothing new; what it wrote is translated."""
    written = BytesIO()
    write_po(written, update(language), width=WIDTH, sort_output=True)
    assert (CATALOGUES / f"{language}.po").read_text() == written.getvalue().decode()
    untranslated = [message.id for message, forms in texts_of(language) if not all(message for _, message in forms)]
    assert not untranslated
    assert not [message.id for message, _ in texts_of(language) if message.fuzzy]


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_keep_places_and_markup(language: str) -> None:
    for message, forms in texts_of(language):
        for english, text in forms:
            lost = set(PLACE.findall(english)) ^ set(PLACE.findall(text))
            assert lost <= ({"count"} if message.pluralizable else set()), (
                text
            )  # "one pair", "two pairs" say it in words
            assert text.count("**") == english.count("**"), text
            assert text.count("`") == english.count("`"), text
            assert text.strip() == text


def test_chinese_has_its_own_punctuation() -> None:
    narrow = re.compile(r"[\u4e00-\u9fff”）][,:;?!]|[(,:;?!][\u4e00-\u9fff“]")
    assert not [message for _, forms in texts_of("zh") for _, message in forms if narrow.search(message)]


def test_every_language_of_a_study_has_its_catalogue() -> None:
    assert {file.stem for file in CATALOGUES.iterdir()} == set(LANGUAGES) - {"en"}


def test_numbers_and_moments_are_those_of_the_language() -> None:
    moment = datetime(2026, 11, 22, 17, 5, tzinfo=UTC)
    assert [Wording(language).number(12345) for language in ("en", "de", "zh", "ar")] == [
        *("12,345", "12.345", "12,345", "12,345")
    ]
    assert Wording("de").moment(moment) == "22.11.2026, 17:05:00 UTC"


def test_a_studys_own_wording_goes_first_and_is_text() -> None:
    own = Wording("de", {"Start": "Los, {name}! {name.__class__} {0} {other} {{}}", "{count} pair": "ein Paar"})
    assert own.say("Start", name="Ä {count}") == "Los, Ä {count}! {name.__class__} {0} {other} {{}}"
    assert own.say("Home") == Wording("de").say("Home") != "Home"
    assert own.say_count(1, "{count} pair", "{count} pairs") == "ein Paar"
    assert Wording("de").say("Nobody has translated this.") == "Nobody has translated this."
    assert ENGLISH.say("{a} of {b}", a=1, b=2) == "1 of 2"


def test_texts_are_found_wherever_they_are_said() -> None:
    code = """
f"<b>{esc(say('in markup'))}</b>"
CHOSEN = {"left": msgid("of a table")}
wording.say("with {place}, "
            "in two lines", place=say("within another"))
say(CHOSEN[choice])
say_count(len(pairs), "{count} pair", "{count} pairs", more=1)
"""
    result = {
        "in markup",
        "of a table",
        "with {place}, in two lines",
        "within another",
        ("{count} pair", "{count} pairs"),
    }
    assert set(find_in(code)) == result


def test_arabic_has_a_form_for_none_one_two_few_many_and_the_rest() -> None:
    first, second = "You judged one pair.", "You judged {count} pairs."
    by_name = {count: Wording("ar").say_count(count, first, second) for count in (0, 1, 2, 3, 11, 100, 102, 103, 1103)}
    shapes = {count: text.replace(Wording("ar").number(count), "#") for count, text in by_name.items()}
    assert len({shapes[count] for count in (0, 1, 2, 3, 11)}) == 5
    assert shapes[3] == shapes[103] == shapes[1103]
    assert shapes[100] == shapes[102] != shapes[2]
    assert "1,103" in by_name[1103]
