"""A whole study in a real browser: twelve annotators of a panel, from a study file to a bundle that is run again."""

import json
import os
import subprocess
import sys
import zipfile
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from relevance.annotation.people import Person
from relevance.annotation.phases import FINISHED, SCREENED_OUT, TIMED_OUT
from relevance.annotation.results import load_judgments
from relevance.data.database import now
from tests.conftest import ROOT
from tests.e2e.test_hosted import house  # noqa: F401
from tests.e2e.watching import READING, choose_option, press, settled
from tests.hosting.house import House
from tests.waiting import PATIENCE

pytestmark = pytest.mark.browser

STUDY = "whole"
PEOPLE, PAIRS, EACH = 12, 60, 11
"""Annotators, pairs with two judgments each, and how many pairs one annotator judges."""

LATE, OUT, ERASED = "Annotator 9", "Annotator 10", "Annotator 11"
"""Whose time is out, who is excluded, who is erased; the last one fails the training."""

FILE = f'''
format = 1
name = "{STUDY}"
title = "Which summary tells more?"

[dataset]
name = "demo"
sha256 = "df01ad9a4b55a311384fd32e4f7405cef867212b12e7e8b9bd022a78ba50f6a0"

[sampling]
rule = "random" # of all pairs
count = {PAIRS}
per_document = 6
seed = 3

[judging]
judgments_per_pair = 2
most_per_annotator = {EACH}
idle_minutes = 30
confidence = true
marks = true

[checks]
count = 1
warn_after = 1

[consent]
text = "I agree that my choices are kept without my name."

[training]
pass_mark = 2

[[training.pairs]]
document = "The ferry stops for the winter. From Monday a bus takes people over the bridge."
better = "The ferry stops; a bus takes its place."
worse = "Winter is cold."
explanation = "Only the first says what the document says."

[[training.pairs]]
document = "The town library opens on Sundays from May on."
better = "The library opens on Sundays."
worse = "Books are made of paper."
explanation = "Only one of the two is about the library."

[[surveys.before]]
name = "english"
ask = "How well do you read English?"
kind = "radio"
options = ["well", "a little"]

[[surveys.before]]
name = "age"
ask = "How old are you?"
kind = "number"
least = 18
most = 120

[[surveys.after]]
name = "remarks"
ask = "Is there anything else?"
kind = "text"
required = false

[panel]
kind = "prolific"
completed = "C1DONE"
screened_out = "C2OUT"
'''


@dataclass
class Whole:
    """What there is at the end, and what each annotator saw last."""

    house: House
    bundle: Path
    verified: str
    last: dict[str, str] = field(default_factory=dict)

    @property
    def people(self) -> dict[str, Person]:
        return {person.name: person for person in self.house.people.people(STUDY)}


def relevance(house: House, *arguments: str) -> str:  # noqa: F811
    """Run a command on the server's database, or on none that there is."""
    environment = os.environ | {"RELEVANCE_DATABASE_URL": house.engine.url.render_as_string(hide_password=False)}
    run = subprocess.run(
        [sys.executable, "-m", "relevance", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


# --- an annotator's way -------------------------------------------------------------------------------------


def enter(page: Page, url: str, token: str, number: int) -> None:
    """Come from the panel, and agree to take part."""
    ids = f"PROLIFIC_PID={number:024x}&STUDY_ID={7:024x}&SESSION_ID={number + 99:024x}"
    page.goto(f"{url}/p/{token}?{ids}")
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="I agree", exact=True).click()
    page.get_by_role("button", name="I have read this").click()
    page.get_by_text("well", exact=True).click()
    page.get_by_label("How old are you?").fill(str(20 + number))
    page.get_by_role("button", name="Go on").click()


def practise(page: Page, *, well: bool) -> None:
    """Answer both practice pairs, rightly or wrongly."""
    for number in (1, 2):
        expect(page.get_by_role("heading", name=f"Practice pair {number} of 2")).to_be_visible()
        settled(page)
        first = page.locator(".summary").first.inner_text()
        is_better = any(words in first for words in ("takes its place", "opens on Sundays"))
        page.wait_for_timeout(READING)
        page.keyboard.press("1" if is_better == well else "2")
        expect(page.get_by_role("heading", name="That is right" if well else "That is not right")).to_be_visible()
        settled(page)
        page.get_by_role("button", name="Go on").click()


def judge(page: Page, number: int, pairs: int) -> None:
    """Judge so many pairs, the attention check among them: the longer summary, but for every fifth annotator."""
    turn = "0"
    for place in range(pairs):
        shown = page.locator(f".pair:not([data-turn^='-']):not([data-turn='{turn}'])")
        expect(shown).to_be_visible()
        settled(page)
        turn = shown.get_attribute("data-turn") or ""
        shown = page.locator(f".pair[data-turn='{turn}']")
        if not place:
            shown.locator(".summary .word").first.click()
            expect(shown.locator(".summary .word[aria-pressed=true]")).to_have_count(1)
        first, second = (len(text) for text in shown.locator(".summary .text").all_inner_texts())
        page.get_by_role("radio", name="4", exact=True).click()
        settled(page)
        page.wait_for_timeout(READING)
        page.keyboard.press("1" if (first > second) == bool(number % 5) else "2")


def finish(page: Page) -> None:
    """Answer the last questions."""
    expect(page.get_by_text("Some last questions")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("heading", name="You have finished")).to_be_visible()


def take_part(page: Page, url: str, token: str, number: int) -> str:
    """One annotator's way; returns where the panel's link at its end leads to, empty for who is still judging."""
    name = f"Annotator {number}"
    enter(page, url, token, number)
    if number == PEOPLE:
        practise(page, well=False)
        expect(page.get_by_role("heading", name="Your part ends here")).to_be_visible()
    else:
        practise(page, well=True)
        judge(page, number, 3 if name == LATE else EACH + 1)  # and an attention check
        if name == LATE:
            expect(page.get_by_text("3 judged").first).to_be_visible()
            return ""
        finish(page)
    return page.get_by_role("link", name="Back to Prolific").get_attribute("href") or ""


# --- the researcher's -------------------------------------------------------------------------------------------


def press_decision(page: Page, number: int, key: str) -> None:
    expect(page.get_by_role("heading", name=f"Pair {number} of")).to_be_visible()
    settled(page)
    page.wait_for_timeout(READING)
    page.keyboard.press(key)


def look_after(page: Page, url: str) -> None:
    """Exclude one annotator and erase another on the page Annotators, then decide two pairs."""
    page.goto(f"{url}/annotators?study={STUDY}")
    settled(page)
    choose(page, OUT)
    page.get_by_text("Exclude", exact=True).first.click()
    settled(page)
    page.get_by_label("Reason").fill("pressed one key all the time")
    press(page.get_by_role("button", name="Exclude", exact=True))
    expect(page.get_by_text(f"{OUT} is excluded.")).to_be_visible()
    settled(page)
    choose(page, ERASED)
    page.get_by_text("Erase", exact=True).first.click()
    settled(page)
    page.get_by_label("Type the name of the annotator").fill(ERASED)
    press(page.get_by_role("button", name="Erase for ever"))
    expect(page.get_by_text("Erased an annotator")).to_be_visible()
    page.goto(f"{url}/adjudicate?study={STUDY}")
    for number in (1, 2):
        press_decision(page, number, "1")
    expect(page.get_by_role("heading", name="Pair 3 of")).to_be_visible()


def choose(page: Page, annotator: str) -> None:
    box = page.get_by_role("combobox", name="Annotator", exact=True)
    choose_option(box, page.get_by_role("option", name=annotator, exact=True))
    expect(box).to_have_value(annotator)
    settled(page)


def hold_study(house: House, browser: Browser, folder: Path) -> Whole:  # noqa: F811
    file, bundle = folder / "study.toml", folder / "study.zip"
    file.write_text(FILE)
    relevance(house, "study", "apply", str(file))
    assert relevance(house, "study", "export-config", STUDY) == FILE
    relevance(house, "bundle", "register", STUDY)
    token = house.links.add_link(STUDY, kind="panel").token
    whole = Whole(house, bundle, "")
    with closing(browser.new_context()) as context:
        context.set_default_timeout(PATIENCE * 1000)
        for number in range(1, PEOPLE + 1):
            context.clear_cookies()
            with closing(context.new_page()) as page:
                whole.last[f"Annotator {number}"] = take_part(page, house.url, token, number)
        long_ago = (now() - timedelta(hours=1)).replace(tzinfo=None).isoformat(sep=" ")
        house.execute("UPDATE annotators SET seen_at = ? WHERE name = ?", long_ago, LATE)
        context.clear_cookies()
        context.add_cookies([{"name": "relevance", "value": house.sign_in("Olga"), "url": house.url}])
        with closing(context.new_page()) as page:
            page.set_viewport_size({"width": 1280, "height": 2000})  # the list of annotators is long
            look_after(page, house.url)
    house.studies.close_study(STUDY)
    relevance(house, "bundle", STUDY, "-o", str(bundle))
    return whole


def who_finishes_is_sent_back_with_the_code(whole: Whole) -> None:
    finished = [name for name, person in whole.people.items() if person.phase == FINISHED]
    assert len(finished) == PEOPLE - 2
    ends = Counter(whole.last.values())
    assert ends == {
        "https://app.prolific.com/submissions/complete?cc=C1DONE": PEOPLE - 2,
        "https://app.prolific.com/submissions/complete?cc=C2OUT": 1,
        "": 1,
    }


def who_fails_the_training_judges_nothing(whole: Whole) -> None:
    last = whole.people[f"Annotator {PEOPLE}"]
    assert last.phase == SCREENED_OUT
    assert last.progress.judged == 0


def whose_time_is_out_keeps_what_was_judged(whole: Whole) -> None:
    late = whole.people[LATE]
    assert late.phase == TIMED_OUT
    assert late.progress.judged + late.progress.checks == 3


def who_is_excluded_is_left_out_and_counted(whole: Whole) -> None:
    study = whole.house.studies.study(STUDY)
    assert (study.excluded_annotators, study.excluded_judgments) == (1, EACH)
    judged = load_judgments(whole.house.studies, STUDY)
    assert OUT not in set(judged.annotators)
    assert len(judged) == study.judgments


def who_is_erased_is_a_pseudonym_whose_judgments_stay(whole: Whole) -> None:
    assert ERASED not in whole.people
    (gone,) = [person for person in whole.people.values() if person.erased_at is not None]
    assert gone.progress.judged == EACH
    with zipfile.ZipFile(whole.bundle) as bundle:
        texts = b"".join(map(bundle.read, bundle.namelist()))
    assert ERASED.encode() not in texts
    assert f"{ERASED.removeprefix('Annotator ')!s:0>24}".encode() not in texts  # the panel's id


def judgments_have_confidence_and_marked_words(whole: Whole) -> None:
    with zipfile.ZipFile(whole.bundle) as bundle:
        given = [json.loads(line)["judgment"] for line in bundle.read("judgments.jsonl").splitlines()]
    judged = [judgment for judgment in given if judgment is not None]
    assert len(judged) > 10 * EACH
    assert {row["confidence"] for row in judged} == {4}
    assert sum(bool(row["marks"]) for row in judged) == PEOPLE - 1


def two_pairs_are_adjudicated_and_nothing_is_overwritten(whole: Whole) -> None:
    with zipfile.ZipFile(whole.bundle) as bundle:
        decided = [json.loads(line) for line in bundle.read("adjudications.jsonl").splitlines()]
    assert len(decided) == 2


def the_bundle_is_confirmed_on_a_fresh_database(whole: Whole) -> None:
    relevance(whole.house, "bundle", "verify", str(whole.bundle))
    result = relevance(whole.house, "bundle", "rerun", str(whole.bundle))
    assert "confirmed" in result


FOUND = (
    who_finishes_is_sent_back_with_the_code,
    who_fails_the_training_judges_nothing,
    whose_time_is_out_keeps_what_was_judged,
    who_is_excluded_is_left_out_and_counted,
    who_is_erased_is_a_pseudonym_whose_judgments_stay,
    judgments_have_confidence_and_marked_words,
    two_pairs_are_adjudicated_and_nothing_is_overwritten,
    the_bundle_is_confirmed_on_a_fresh_database,
)


@pytest.mark.timeout(1500)  # five minutes on an idle machine: its people judge one after another
def test_a_whole_study(house: House, browser: Browser, tmp_path: Path, subtests: pytest.Subtests) -> None:  # noqa: F811
    whole = hold_study(house, browser, tmp_path)
    for result in FOUND:
        with subtests.test(result.__name__):
            result(whole)
