"""Names and numbers that are guessed open nothing, nor does what pages keep for others."""

import re
import time
from datetime import timedelta

import pytest

from relevance.annotation.records import Annotator
from relevance.data.database import now
from relevance.data.rights import Right
from tests.hosting.house import HERS, HIS, House
from tests.hosting.tabs import Tab
from tests.hosting.test_open_pages import READING, judged
from tests.pages.opening import HOSTED, PAGES

pytestmark = pytest.mark.process

NAMES = {"overview.py": "", "account.py": "who"}
PATHS = sorted(NAMES.get(name, name.removesuffix(".py")) for name in {*PAGES, *HOSTED})
"""The addresses of all pages."""
TELLING = {"", "agreement", "annotators", "compare", "correlation", "examples", "studies", "systems"}
"""Pages that show something of a study whose address they are opened at."""

WHO, WHY = "Wilhelmina", "because the second one is dull"


@pytest.fixture(scope="module")
def judge(house: House) -> Annotator:
    """An annotator who has judged Rita's study."""
    judge = house.studies.invite(study=HERS, name=WHO)
    shown = now() - timedelta(seconds=9)
    while (task := house.studies.next_task(judge)) is not None:
        house.studies.judge(
            annotator=judge, assignment_id=task.assignment_id, choice="left", presented_at=shown, rationale=WHY
        )
    return judge


QUOTES = (("“", "”"), (r"\\u201c", r"\\u201d"))
"""Quotation marks as texts and data of components have them."""


@pytest.fixture(scope="module")
def seen_by_rita(house: House, judge: Annotator) -> dict[str, str]:
    """What the pages show Rita of her study; from now on, they keep it."""
    return {path: open_alone(house, house.sign_in("Rita"), path, f"study={HERS}") for path in PATHS}


def open_alone(house: House, token: str, path: str, address: str) -> str:
    """What a page shows in a session of its own."""
    with Tab(house.url, token) as tab:
        shown = tab.open(path, address)
        assert not tab.failures, tab.failures
        return shown


def test_pages_tell_whose_study_it_is(seen_by_rita: dict[str, str]) -> None:
    assert {path for path, shown in seen_by_rita.items() if HERS in shown or WHO in shown} >= TELLING
    assert WHO in seen_by_rita["annotators"]


@pytest.mark.parametrize("path", PATHS)
def test_others_see_nothing_of_a_study(house: House, seen_by_rita: dict[str, str], path: str) -> None:
    people = [house.sign_in("Paul"), house.annotate(HIS, "Bert")]
    for token in people:
        for address in (f"study={HERS}", f"study={HERS}&dataset=demo&metrics=ROUGE-1&a=1&document=1", ""):
            shown = open_alone(house, token, path, address)
            for echo in (
                f"There is no study {HERS}.",
                *(f"There is no study {a}{HERS}{b}" for a, b in QUOTES),
                f"study={HERS}",
                f"study={HERS.replace(' ', '+')}",
            ):
                shown = shown.replace(echo, "")
            for of_hers in (HERS, WHO, WHY, "12 judgments", "12 of 12", "12 of 108"):
                assert of_hers not in shown, (path, address)
            if token != people[0]:
                assert "Before you start" in shown, path


def test_a_member_sees_a_study_until_it_is_taken_away(house: House, seen_by_rita: dict[str, str]) -> None:
    with Tab(house.url, house.sign_in("Paul")) as tab:
        for right in (Right.READ, None):
            house.accounts.grant(HERS, "Paul", right)
            for path in ("annotators", "overview"):
                assert (HERS in tab.open(path, f"study={HERS}").replace(f"study={HERS}", "")) == (right is not None)


def test_a_pair_of_somebody_else_is_not_judged(house: House, judge: Annotator) -> None:
    """Neither by a button that carries its number, nor by one that was another's."""
    bert, cleo = "Bert the second", "Cleo"
    with Tab(house.url, house.annotate(HERS, bert)) as his, Tab(house.url, house.annotate(HERS, cleo)) as hers:
        his.open_work()
        hers.open_work()
        time.sleep(READING)
        theirs, fragment = hers.button("1 is more relevant")
        mine, own = his.button("1 is more relevant")
        assert theirs.split(":")[-1] != mine.split(":")[-1]
        guessed = re.sub(r"\d+$", theirs.split(":")[-1], mine)
        for number in (theirs, guessed):
            for part in (own, fragment, ""):
                his.send(pressed=number, fragment=part)
                his.heard()
        his.open("annotate")
        assert judged(house, bert) == judged(house, cleo) == 0
