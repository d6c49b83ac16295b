"""An annotator's way: by a name to the pairs, each from its top with the buttons in sight, and to the end."""

import re
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from playwright.sync_api import Locator, Page, expect

from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.records import Judging, protocol_of
from relevance.annotation.records import BOTH_BAD, CHANGED, StudySpec
from relevance.annotation.results import load_judgments
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect, now
from relevance.data.demo import NAME
from tests.driving import serving
from tests.e2e.conftest import Opener
from tests.e2e.watching import FITS, READING, settled, wait_for_choices
from tests.waiting import until

pytestmark = pytest.mark.browser

PAIRS = 24

SCROLLERS = "[...document.querySelectorAll('[data-testid=stMain], .pair [tabindex]')]"

CHARACTERS_IN_LINES = """text => {
  const range = document.createRange(), lines = new Map();
  for (let place = 0; place < text.length; place++) {
    range.setStart(text, place);
    range.setEnd(text, place + 1);
    const { top, width } = range.getBoundingClientRect();
    if (width) lines.set(top, (lines.get(top) ?? 0) + 1);
  }
  return [...lines.values()].slice(0, -1);
}"""
"""Of a node of text: how many characters each of its lines has, but for the last."""


def test_all_pairs_on_a_phone_each_from_its_top_to_the_end(new_page: Opener, demo_url: str) -> None:
    page = new_page(360, 568)  # low enough that the page scrolls, too
    with serving(demo_url) as url:
        page.goto(f"{url}/annotate")
        name = page.get_by_label("Your name", exact=True)
        name.fill("Ana")
        name.press("Enter")
        for number in range(1, PAIRS + 1):
            judge_on_a_phone(page, number)
        expect(page.get_by_role("heading", name="That was the last pair")).to_be_focused()
        expect(page.get_by_text(f"You judged {PAIRS} pairs").first).to_be_visible()
        row = page.get_by_role("row", name="ROUGE-K")
        expect(row).to_have_text(re.compile(rf"ROUGE-K\d+ of {PAIRS}"))
        assert page.evaluate(FITS)
        page.get_by_role("button", name="Leave").click()
        expect(page.get_by_label("Your name", exact=True)).to_be_visible()


def judge_on_a_phone(page: Page, number: int) -> None:
    """Look at a pair as it appears, read it to its end, and judge it."""
    expect(page.get_by_role("heading", name=f"Pair {number} of {PAIRS}")).to_be_focused()
    settled(page)
    if number > 1:
        expect(page.get_by_role("status").filter(has_text=f"{number - 1} judged")).to_have_count(1)
    assert page.evaluate(f"{SCROLLERS}.map(element => element.scrollTop)") == [0, 0, 0]
    document, summaries = (page.get_by_role("region", name=label) for label in ("Document", "Summaries"))
    expect(document).to_be_visible()
    expect(summaries).to_be_hidden()
    buttons = page.get_by_role("button", name="is more relevant")
    reading, tab = page.get_by_role("button", name="Read the summaries"), page.get_by_role("radio", name="Summaries")
    in_sight(page, reading)
    expect(buttons).to_have_count(0)  # nobody can choose who has seen the document only
    page.evaluate(f"{SCROLLERS}.forEach(element => {{ element.scrollTop = 1e6 }})")
    if number == 1:
        page.wait_for_timeout(READING)
        for key in "120":
            page.keyboard.press(key)
    if number == 1:
        reading.dblclick()  # its place is that of a choice then, which the second tap is not
    elif number % 2:
        reading.click()
        expect(tab).to_be_focused()
    else:
        tab.click()
    expect(reading).to_have_count(0)
    expect(summaries).to_be_visible()
    expect(document).to_be_hidden()
    page.evaluate(f"{SCROLLERS}.forEach(element => {{ element.scrollTop = 1e6 }})")
    assert page.get_by_test_id("stMain").evaluate("element => element.scrollTop") > 0
    in_sight(page, buttons.first, buttons.last)
    wait_for_choices(page)
    buttons.nth(number % 2).click()


def in_sight(page: Page, *buttons: Locator) -> None:
    """All of a button lies in the window."""
    for button in buttons:
        expect(button).to_be_in_viewport(ratio=1)


def test_the_document_is_a_readable_column_beside_both_summaries(new_page: Opener, demo_url: str) -> None:
    token = AnnotationStore(connect(demo_url)).join(study="Demo", name="Ana").token
    page = new_page(1280, 800)
    with serving(demo_url) as url:
        page.goto(f"{url}/annotate?annotator={token}")
        page.get_by_role("button", name="Start").click()
        document, summaries = (page.get_by_role("region", name=label) for label in ("Document", "Summaries"))
        left, right = document.bounding_box(), summaries.bounding_box()
        assert left is not None
        assert right is not None
        assert left["x"] + left["width"] < right["x"]
        expect(summaries.get_by_role("heading")).to_have_text(["Summary 1", "Summary 2"])
        lines = document.evaluate_handle("element => element.lastChild").evaluate(CHARACTERS_IN_LINES)
        assert 65 <= sum(lines) / len(lines) <= 75
        labels = ("1 is more relevant", "Equally relevant", "2 is more relevant", "Back", "Skip", "Add a reason")
        in_sight(page, *(page.get_by_role("button", name=label) for label in labels))
        assert page.get_by_test_id("stMain").evaluate("main => main.scrollHeight <= main.clientHeight")
        expect(page.get_by_role("link", name="Overview")).to_have_count(0)  # their task and nothing else
        expect(page).to_have_title("Demo · Relevance")
        page.get_by_role("button", name="Leave").click()
        expect(page.get_by_role("link", name="Overview")).to_be_visible()


def test_a_reason_is_typed_and_judges_nothing(page: Page, demo_url: str) -> None:
    engine = connect(demo_url)
    token = AnnotationStore(engine).invite(study="Demo", name="Typing").token
    with serving(demo_url) as url:
        page.goto(f"{url}/annotate?invite={token}")
        page.get_by_role("button", name="Start").click()
        settled(page)
        page.wait_for_timeout(READING)
        for button, label in (("Skip", "Why can this pair"), ("Add a reason", "Why is it more relevant")):
            page.get_by_role("button", name=button, exact=True).press("Enter")
            field = page.get_by_role("textbox", name=label)
            expect(field).to_be_focused()
            page.keyboard.type("1 is cut off, 2 is not")
            expect(field).to_have_value("1 is cut off, 2 is not")
            page.keyboard.press("Escape")
            expect(field).to_have_count(0)
        settled(page)
        expect(page.get_by_text(f"0 of {PAIRS} judged")).to_be_visible()
        page.get_by_role("button", name="1 is more relevant").click()
        expect(page.get_by_text(f"1 of {PAIRS} judged")).to_be_visible()
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT rationale FROM judgments").scalars().all() == [
            "1 is cut off, 2 is not"
        ]
    engine.dispose()


REFUSALS = "[role=alert], .stAlert"
"""Where a press is refused: by the page before it goes out, or by the store."""


@pytest.mark.smoke
def test_every_press_is_kept_or_refused_in_sight(new_page: Opener, demo_url: str) -> None:
    """A second press after the first: while it is being saved, soon after the next pair has come, and later."""
    engine = connect(demo_url)
    store = AnnotationStore(engine)
    token = store.invite(study="Demo", name="Quick").token
    page = new_page(1280, 800)
    with serving(demo_url) as url:
        page.goto(f"{url}/annotate?invite={token}")
        page.get_by_role("button", name="Start").click()
        for wait in (0, 30, 60, 100, 200, 300, 450, 700):
            is_ready(page)
            before = len(load_judgments(store, "Demo"))
            page.keyboard.press("1")
            page.wait_for_timeout(wait)
            page.keyboard.press("2")
            until(partial(is_decided, page, store, before), seconds=10)
            page.reload()  # which takes what was refused before out of sight
        is_ready(page)
        before = len(load_judgments(store, "Demo"))
        page.keyboard.down("1")
        page.keyboard.down("1")  # a key that is held down comes again and again
        page.keyboard.up("1")
        expect(page.get_by_text("Only the first press was taken")).to_be_visible()
        expect(page.get_by_text(f"{before + 1} of {PAIRS} judged")).to_be_visible()
        page.wait_for_timeout(READING)
        assert len(load_judgments(store, "Demo")) == before + 1
    engine.dispose()


def is_ready(page: Page) -> None:
    """Wait until a pair is there, and has been long enough to be judged."""
    expect(page.get_by_role("button", name="1 is more relevant")).to_be_visible()
    settled(page)
    page.wait_for_timeout(READING)


def is_decided(page: Page, store: AnnotationStore, before: int) -> bool:
    """Whether the second of two presses was kept, or is refused where it can be seen."""
    saved = len(load_judgments(store, "Demo")) - before
    assert saved <= 2
    return saved == 2 or (saved == 1 and page.locator(REFUSALS).filter(visible=True).count() > 0)


def test_a_list_of_ones_pairs_corrects_two_of_24_on_a_phone(new_page: Opener, demo_url: str) -> None:
    engine = connect(demo_url)
    store = AnnotationStore(engine)
    ann = store.invite(study="Demo", name="Ann")
    for _ in range(PAIRS - 1):
        task = store.next_task(ann)
        assert task is not None
        shown = now() - timedelta(seconds=20)
        store.judge(annotator=ann, assignment_id=task.assignment_id, choice="left", presented_at=shown)
    page = new_page(360, 740)
    with serving(demo_url) as url:
        page.goto(f"{url}/annotate?invite={ann.token}")
        for number in (3, 21):
            page.get_by_role("button", name="Your pairs").click()
            expect(page.get_by_role("heading", name="Your pairs")).to_be_focused()
            settled(page)
            assert page.evaluate(FITS)
            page.get_by_role("button", name=re.compile(rf"^{number} ·")).click()
            expect(page.get_by_role("heading", name=f"Pair {number} of {PAIRS}")).to_be_focused()
            expect(page.get_by_text("You chose summary 1.")).to_be_visible()
            settled(page)
            page.wait_for_timeout(READING)
            page.get_by_role("button", name="2 is more relevant").click()
            expect(page.get_by_role("heading", name=f"Pair {PAIRS} of {PAIRS}")).to_be_visible()
    changed = {pair.number: pair.choice for pair in store.answered(ann, CHANGED, count=PAIRS)}
    assert changed == {3: "right", 21: "right"}
    engine.dispose()


def test_four_choices_by_keys_and_on_a_phone(new_page: Opener, demo_url: str) -> None:
    engine = connect(demo_url)
    store = AnnotationStore(engine)
    protocol = protocol_of(StudySpec(name="Four", dataset=NAME, rule="random", count=6))
    protocol = replace(protocol, judging=Judging(ties=True, both_bad=True))
    store.create_study(protocol.spec, write_protocol(protocol))
    ann = store.invite(study="Four", name="Ann")
    keys = {"1": "left", "0": "tie", "9": BOTH_BAD, "2": "right"}
    with serving(demo_url) as url:
        page = new_page(1280, 740)
        page.goto(f"{url}/annotate?invite={ann.token}")
        page.get_by_role("button", name="Start").click()
        for number, key in enumerate(keys, 1):
            expect(page.get_by_role("heading", name=f"Pair {number} of 6")).to_be_focused()
            settled(page)
            page.wait_for_timeout(READING)
            page.keyboard.press(key)
        expect(page.get_by_role("heading", name="Pair 5 of 6")).to_be_focused()
        page.close()
        phone = new_page(360, 740)
        phone.goto(f"{url}/annotate?invite={ann.token}")
        reading = phone.get_by_role("button", name="Read the summaries")
        reading.click()
        expect(reading).to_have_count(0)
        wait_for_choices(phone)
        in_sight(phone, *phone.locator(".st-key-choices button").all())
        assert phone.evaluate(FITS)
        phone.get_by_role("button", name="Both are bad").click()
        expect(phone.get_by_role("heading", name="Pair 6 of 6")).to_be_focused()
    judged = store.answered(ann, count=6)
    assert [pair.choice for pair in reversed(judged)] == [*keys.values(), BOTH_BAD]
    engine.dispose()
