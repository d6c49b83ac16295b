"""A study with every phase in a real browser: agreed to, practised, judged with marked words, and left."""

from collections.abc import Iterator
from pathlib import Path
from shutil import copy
from typing import NamedTuple

import pytest
from playwright.sync_api import Locator, Page, expect
from sqlalchemy import Engine

from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.records import (
    Checks,
    Consent,
    Judging,
    Pinned,
    Sampling,
    StudyProtocol,
    SurveyQuestion,
    Surveys,
    Training,
    TrainingPair,
)
from relevance.annotation.results import export_judgments
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.demo import NAME
from relevance.data.store import DataStore
from tests.driving import serving
from tests.e2e.conftest import Opener
from tests.e2e.watching import FITS, READING, settled, wait_for_choices

pytestmark = pytest.mark.browser

TRAINING = Training(
    pairs=(
        TrainingPair(document="It rains.", better="Rain falls.", worse="The sun shines.", explanation="It *rains*."),
    ),
    pass_mark=1,
    attempts=2,
)


class Site(NamedTuple):
    """A server with a study that has every phase."""

    url: str
    engine: Engine

    @property
    def store(self) -> AnnotationStore:
        return AnnotationStore(self.engine)

    def invite(self, name: str) -> str:
        return f"{self.url}/annotate?invite={self.store.invite(study='Way', name=name).token}"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, scored_demo: Path) -> Iterator[Site]:
    url = f"sqlite:///{copy(scored_demo, tmp_path_factory.mktemp('phases') / 'relevance.db')}"
    engine = connect(url)
    protocol = StudyProtocol(
        name="Way",
        title="What matters",
        dataset=Pinned(name=NAME),
        sampling=Sampling(rule="random", count=6, per_document=1, seed=3),
        judging=Judging(judgments_per_pair=9, most_per_annotator=2, confidence=True, marks=True),
        checks=Checks(count=0),
        consent=Consent(text="Your answers are kept."),
        surveys=Surveys(before=(SurveyQuestion(name="l", ask="How well?", kind="radio", options=("well", "badly")),)),
        training=TRAINING,
    )
    AnnotationStore(engine).create_study(protocol.spec, write_protocol(protocol))
    with serving(url) as address:
        yield Site(address, engine)
    engine.dispose()


def press(page: Page, label: str) -> None:
    page.get_by_role("button", name=label, exact=True).click()


def practise(page: Page, *, right: bool) -> None:
    """Answer the practice pair, by a key."""
    expect(page.get_by_role("heading", name="Practice pair 1 of 1")).to_be_visible()
    settled(page)
    good = "Rain falls" in page.locator(".summary").first.inner_text()
    page.wait_for_timeout(READING)
    page.keyboard.press("1" if good == right else "2")


def come_to_the_pairs(page: Page) -> None:
    press(page, "I agree")
    press(page, "I have read this")
    page.get_by_text("badly", exact=True).click()
    press(page, "Go on")
    practise(page, right=False)
    expect(page.get_by_role("heading", name="That is not right")).to_be_visible()
    expect(page.get_by_text("You can try once more.")).to_be_visible()
    expect(page.get_by_role("button", name="Go on")).to_be_in_viewport(ratio=1)
    press(page, "Go on")
    practise(page, right=True)
    expect(page.get_by_role("heading", name="That is right")).to_be_visible()
    press(page, "Go on")
    expect(page.get_by_role("heading", name="Pair 1 of 2")).to_be_visible()
    settled(page)


def test_from_consent_to_a_code_and_out_again(new_page: Opener, site: Site) -> None:
    page = new_page(1280, 860)
    page.goto(site.invite("Ana"))
    come_to_the_pairs(page)
    told = mark_by_mouse_and_keys(page)
    page.wait_for_timeout(READING)
    page.keyboard.press("1")
    expect(page.get_by_text("Say how sure you are")).to_be_visible()  # and nothing was saved
    expect(page.locator(".word[aria-pressed=true]")).to_have_count(5)
    page.get_by_role("radio", name="4", exact=True).click()
    settled(page)
    page.get_by_role("button", name="1 is more relevant").click()
    expect(page.get_by_role("heading", name="Pair 2 of 2")).to_be_visible()
    expect(page.locator(".word[aria-pressed=true]")).to_have_count(0)
    page.get_by_role("button", name="Back Shortcut").click()
    expect(page.locator(".word[aria-pressed=true]")).to_have_count(5)  # what was marked is seen again
    press(page, "Keep and go on")
    expect(page.get_by_role("heading", name="Pair 2 of 2")).to_be_visible()
    settled(page)
    page.get_by_role("radio", name="2", exact=True).click()
    settled(page)
    page.wait_for_timeout(READING)
    page.get_by_role("button", name="2 is more relevant").click()
    expect(page.get_by_role("heading", name="You have finished")).to_be_focused()
    expect(page.get_by_text("You judged 2 pairs.").first).to_be_visible()
    assert page.evaluate(FITS)
    check_stored(site, told)
    page.get_by_role("button", name="Withdraw").click()
    press(page, "Withdraw for good")
    expect(page.get_by_role("heading", name="You have withdrawn")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="You have withdrawn")).to_be_visible()


def words(page: Page, text: str) -> Locator:
    return page.locator(f'.pair [data-text="{text}"] .word')


def mark_by_mouse_and_keys(page: Page) -> list[tuple[str, str]]:
    """Draw over three words of the document and press two of summary 2 by keys; returns what they say."""
    document, right = words(page, "document"), words(page, "right")
    notes = [("document", " ".join(document.nth(n).inner_text() for n in range(3)))]
    document.nth(0).hover()
    page.mouse.down()
    document.nth(2).hover()
    page.mouse.up()
    expect(page.locator(".word[aria-pressed=true]")).to_have_count(3)
    right.first.focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator(".word[aria-pressed=true]")).to_have_count(5)
    page.keyboard.press("ArrowRight")
    for _ in range(2):
        page.keyboard.press("Space")  # on, and off again
    expect(page.locator(".word[aria-pressed=true]")).to_have_count(5)
    settled(page)
    return [*notes, ("right", " ".join(right.nth(n).inner_text() for n in range(2)))]


def check_stored(site: Site, told: list[tuple[str, str]]) -> None:
    """What was marked on the page is what is stored, character by character."""
    (record,) = (judgment for judgment in export_judgments(site.store, "Way") if judgment["marks"])
    document, summaries = DataStore(site.engine).record(NAME, record["document_id"])
    texts = {summary.system: summary.text for summary in summaries}
    stored = {"document": document.source_text, "first": texts[record["system_a"]]}
    stored["second"] = texts[record["system_b"]]
    assert record["confidence"] == 4
    right = "second" if record["left"] == record["system_a"] else "first"
    by_name = {text: " ".join(stored[text][start:end].split()) for text, start, end in record["marks"]}
    assert by_name == {"document": told[0][1], right: told[1][1]}


def test_a_finger_marks_words_and_scrolls(new_page: Opener, site: Site) -> None:
    page = new_page(390, 844, has_touch=True, is_mobile=True)
    page.goto(site.invite("Tom"))
    come_to_the_pairs_on_a_phone(page)
    words(page, "document").nth(1).tap()
    expect(page.locator(".word[aria-pressed=true]")).to_have_count(1)
    settled(page)
    words(page, "document").nth(1).tap()
    expect(page.locator(".word[aria-pressed=true]")).to_have_count(0)
    assert page.evaluate(FITS)


def come_to_the_pairs_on_a_phone(page: Page) -> None:
    press(page, "I agree")
    press(page, "I have read this")
    page.get_by_text("well", exact=True).click()
    press(page, "Go on")
    expect(page.get_by_role("heading", name="Practice pair 1 of 1")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Read the summaries").click()
    summaries = page.get_by_role("region", name="Summaries")
    expect(summaries).to_be_visible()
    good = "Rain falls" in summaries.locator(".summary").first.inner_text()
    choice = page.get_by_role("button", name=f"{1 if good else 2} is more relevant")
    expect(choice).to_be_visible()
    wait_for_choices(page)
    choice.click()
    expect(page.get_by_role("heading", name="That is right")).to_be_visible()
    press(page, "Go on")
    expect(page.get_by_role("heading", name="Pair 1 of 2")).to_be_visible()
    settled(page)


def test_no_is_respected(page: Page, site: Site) -> None:
    page.goto(site.invite("Nora"))
    press(page, "I do not agree")
    expect(page.get_by_role("heading", name="You do not take part")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="You do not take part")).to_be_visible()
