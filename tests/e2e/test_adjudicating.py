"""Two adjudicators in a real browser: keys decide, what is typed is kept, votes come after the decision."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from relevance.annotation.adjudication import AdjudicationStore
from relevance.annotation.records import StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect, now
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore
from tests.driving import serving
from tests.e2e.conftest import Opener
from tests.e2e.watching import FITS, HOSTILE, NAME, READING, Watched, settled

pytestmark = pytest.mark.browser

STUDY = f"S {NAME}"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> AdjudicationStore:
    """A study of three pairs, each judged by two annotators who differ, in hostile words."""
    engine = connect(f"sqlite:///{tmp_path_factory.mktemp('adjudicating') / 'relevance.db'}")
    records = [
        (
            Document(f"d{n}", f"Source {n} {HOSTILE} " + "and so on " * 200, (f"Reference {n}",), HOSTILE),
            [Summary(f"d{n}", system, f"{n} by {system} {HOSTILE}") for system in "ab"],
        )
        for n in range(3)
    ]
    DataStore(engine).add_dataset(name="news", format="interchange", sha256="0", records=records)
    annotation = AnnotationStore(engine)
    annotation.create_study(StudySpec(name=STUDY, dataset="news", rule="all", judgments_per_pair=2, ties=True))
    for name, system in (("Ann", "a"), ("Bob", "b")):
        annotator = annotation.join(study=STUDY, name=name)
        while (task := annotation.next_task(annotator)) is not None:
            annotation.judge(
                annotator=annotator,
                assignment_id=task.assignment_id,
                choice="left" if f"by {system}" in task.left else "right",
                presented_at=now() - timedelta(seconds=2),
                rationale=f"because {HOSTILE}",
            )
    return AdjudicationStore(engine)


@pytest.fixture(scope="module")
def url(store: AdjudicationStore) -> Iterator[str]:
    with serving(f"sqlite:///{Path(str(store.engine.url.database))}") as served:
        yield served


def begin(page: Page, name: str) -> None:
    field = page.get_by_role("textbox", name="Your name")
    field.fill(name)
    field.press("Enter")
    expect(page.get_by_role("heading", name="Pair 1 of 3")).to_be_visible()
    settled(page)


def kept(store: AdjudicationStore, name: str) -> list[tuple[str, str | None]]:
    return [
        (adjudication.choice, adjudication.reason)
        for adjudication in store.adjudications(STUDY)
        if adjudication.adjudicator == name
    ]


def test_two_adjudicators(new_page: Opener, url: str, store: AdjudicationStore) -> None:
    page = new_page()
    watched = Watched(page, f"{url}/adjudicate")
    begin(page, "Ada")
    for button in ("Summary 1", "Equal", "Summary 2"):
        expect(page.get_by_role("button", name=button)).to_be_in_viewport()
    page.get_by_placeholder("Reason (optional)").fill("the better one, 1 or 2")  # 1 and 2 are letters here
    page.wait_for_timeout(READING)
    page.get_by_role("button", name="Summary 2").click()
    expect(page.get_by_role("heading", name="Pair 2 of 3")).to_be_visible()
    assert kept(store, "Ada") == [("right", "the better one, 1 or 2")]
    expect(page.get_by_role("heading", name="Pair 2 of 3")).to_be_focused()

    page.wait_for_timeout(READING)
    page.keyboard.press("1")
    expect(page.get_by_role("heading", name="Pair 3 of 3")).to_be_visible()
    assert [choice for choice, _ in kept(store, "Ada")] == ["right", "left"]
    page.get_by_role("button", name="See what annotators chose").click()
    expect(page.get_by_role("heading", name="Pair 2 of 3")).to_be_visible()
    votes = page.get_by_text("Summary 1: 1 · Summary 2: 1 (2 judgments)").first
    expect(votes).not_to_be_visible()
    page.get_by_text("What annotators chose").click()
    expect(votes).to_be_visible()
    expect(page.get_by_text("Ann", exact=True)).to_have_count(0)
    watched.innocent()


def test_on_a_phone(new_page: Opener, url: str, store: AdjudicationStore) -> None:
    page = new_page(390, 800, color_scheme="dark")
    watched = Watched(page, f"{url}/adjudicate")
    begin(page, "Ben")
    assert page.evaluate(FITS)
    page.evaluate("document.querySelector('.stMain').scrollTo(0, 400)")
    page.wait_for_timeout(READING)
    page.get_by_role("button", name="Equal").click()
    expect(page.get_by_role("heading", name="Pair 2 of 3")).to_be_in_viewport()  # it begins at its top
    assert kept(store, "Ben") == [("tie", None)]
    watched.innocent()
