"""Studies in German and Arabic in a real browser: from the link to the way back to the panel, in their language."""

from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import select
from sqlalchemy.orm import Session

from relevance.annotation.languages import CATALOGUES, Wording, read_texts
from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.records import Judging, Panel, protocol_of
from relevance.annotation.records import StudySpec
from relevance.annotation.tables import AssignmentRow
from relevance.data.demo import NAME as DEMO
from tests.e2e.conftest import Opener
from tests.e2e.test_hosted import house  # noqa: F401
from tests.e2e.watching import FITS, READING, settled
from tests.hosting.house import House

pytestmark = pytest.mark.browser

PANEL = Panel(kind="prolific", completed="C1DONE")
PERSON = "PROLIFIC_PID=5f1e60ab0c9d4a0012345678&STUDY_ID=6123456789abcdef01234567&SESSION_ID=65a0b1c2d3e4f5a6b7c8d9e0"


def create(house: House, language: str) -> str:  # noqa: F811
    """A study in a language whose annotators come from Prolific and judge two pairs; returns the link's token."""
    spec = StudySpec(name=f"Study {language}", dataset=DEMO, rule="random", ties=True, count=4)
    protocol = replace(
        protocol_of(spec), language=language, panel=PANEL, judging=Judging(ties=True, most_per_annotator=2)
    )
    house.studies.create_study(protocol.spec, write_protocol(protocol))
    return house.links.add_link(spec.name, kind="panel").token


def english_on(page: Page) -> list[str]:
    """English texts of the catalogues that stand on the page, which a reader of another language would stumble over."""
    shown = page.locator("body").inner_text()
    texts = [message.id for message in read_texts(CATALOGUES / "de.po") if isinstance(message.id, str)]
    return [text for text in texts if len(text) > 8 and text in shown]


@pytest.mark.parametrize(("language", "direction"), [("de", "ltr"), ("ar", "rtl")])
def test_a_study_speaks_its_language_from_the_link_to_the_way_back(
    house: House,  # noqa: F811
    new_page: Opener,
    language: str,
    direction: str,
) -> None:
    token, wording = create(house, language), Wording(language)
    page = new_page(1280, 800, ignore_https_errors=True)
    page.goto(f"{house.url}/p/{token}?{PERSON}")
    frame = page.locator("html")
    expect(frame).to_have_attribute("lang", language)
    expect(frame).to_have_attribute("dir", direction)
    assert not english_on(page)
    page.get_by_role("button", name=wording.say("Go on")).click()
    settled(page)
    expect(frame).to_have_attribute("lang", language)
    expect(frame).to_have_attribute("dir", direction)
    assert page.evaluate(FITS)
    assert not english_on(page)

    page.get_by_role("button", name=wording.say("Start")).click()
    settled(page)
    sides = [wording.say(f"{number} is more relevant") for number in (1, 2)]
    boxes = [page.get_by_role("button", name=label).bounding_box() for label in sides]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert (boxes[0]["x"] > boxes[1]["x"]) == (direction == "rtl")  # the first summary comes first in reading
    for block in page.locator(".pair .text").all():
        assert block.get_attribute("dir") == "auto"  # texts have a direction of their own
        assert block.evaluate("element => getComputedStyle(element).direction") == "ltr"

    page.wait_for_timeout(READING)
    page.keyboard.press("1")
    expect(page.get_by_text(wording.say("Pair {number} of {total}", number=2, total=2))).to_be_visible()
    page.wait_for_timeout(READING)
    page.get_by_role("button", name=sides[1]).click()
    back = page.get_by_role("link", name=wording.say("Back to Prolific"))
    expect(back).to_have_attribute("href", "https://app.prolific.com/submissions/complete?cc=C1DONE")
    assert not english_on(page)
    assert stored_sides(house, f"Study {language}") == ["left", "right"]


def stored_sides(house: House, study: str) -> list[str]:  # noqa: F811
    """Which side each judgment of a study chose, as it is stored."""
    with Session(house.engine) as session:
        rows = session.scalars(select(AssignmentRow).order_by(AssignmentRow.id)).all()
        return [
            "left" if row.judgment.chosen_id == row.left_id else "right"
            for row in rows
            if row.judgment is not None and row.pair.study.name == study
        ]
