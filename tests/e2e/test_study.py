"""A whole study of SciTLDR dev in a real browser: from the file to the agreement table."""

import re
import sqlite3
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from relevance.analysis.agreement.counts import count_agreement
from relevance.annotation.results import load_judgments
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.pages.components.datasets.systems import FIRST
from tests.driving import serving
from tests.e2e.conftest import Opener
from tests.e2e.watching import READING, press, settled

pytestmark = pytest.mark.browser


def fill(page: Page, label: str, text: str) -> None:
    field = page.get_by_label(label, exact=True)
    field.fill(text)
    field.press("Tab")


def shown(page: Page) -> tuple[str, str]:
    """The texts of the two summaries."""
    left, right = (page.get_by_label(f"Summary {number}", exact=True).inner_text() for number in "12")
    return left, right


def test_a_whole_study(new_page: Opener, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELEVANCE_DEVICE", "none")  # the models take minutes, and nothing here is about them
    database = tmp_path / "e2e.db"
    with serving(f"sqlite:///{database}") as url:
        researcher = new_page()
        researcher.goto(f"{url}/datasets")
        import_and_score(researcher, shared_data / "scitldr" / "dev.jsonl")
        create(researcher, url)

        chosen: dict[str, list[str]] = {}
        for name, key in (("Ana", False), ("Ben", True)):
            chosen[name] = annotate(new_page(), url, name, key=key)

        # What was chosen on the screen is what the database says.
        assert chosen == stored_choices(database)

        researcher.goto(f"{url}/agreement")
        expect(researcher.get_by_text("40 judgments of 40 pairs")).to_be_visible()
        expect(researcher.get_by_test_id("stDataFrame").first).to_be_visible()
        expect(researcher.locator(".vega-embed svg, .vega-embed canvas").first).to_be_visible()

    # The table itself is drawn on a canvas: its counts are taken as the page takes them, and by plain SQL.
    preferences = load_judgments(AnnotationStore(connect(f"sqlite:///{database}")), "SciTLDR")
    assert len(preferences) == 40
    differences = preferences.differences()
    for metric in ("rouge1", "rouge_k"):
        (signature,) = (s for s in preferences.scores if s.startswith(f"{metric}|"))
        counts = count_agreement(preferences.choices, differences[signature])
        assert (counts.concordant, counts.discordant, counts.tied) == counted_by_sql(database, signature)
        assert counts.pairs + counts.missing == 40


def import_and_score(page: Page, file: Path) -> None:
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_text("619 documents, 0 summaries")).to_be_visible()
    fill(page, "Name of the data set", "scitldr-dev")
    press(page.get_by_role("button", name="Import", exact=True))
    expect(page.get_by_test_id("stAlert").get_by_text("Imported 619 documents and no summaries")).to_be_visible()
    page.get_by_role("button", name="Add systems").click()  # what comes next
    systems = page.get_by_role("combobox", name="Systems to add")
    for system in reversed(FIRST):  # what stands there first; a field that is drawn anew forgets what is typed
        settled(page)
        systems.press("Backspace")
        expect(page.get_by_role("button", name=f"Remove {system}", exact=True)).to_be_hidden()
    for name in ("lead-1", "textrank-1"):
        settled(page)
        systems.fill(name)
        page.get_by_role("option", name=f"Add: {name}").click()
        systems.press("Escape")
        expect(page.get_by_role("button", name=f"Remove {name}", exact=True)).to_be_visible()
    page.get_by_role("tabpanel").get_by_role("button", name="Add systems").click()
    expect(page.get_by_text("Added 619 summaries of textrank-1 to scitldr-dev")).to_be_visible()
    page.get_by_role("button", name="Score by all metrics").click()
    expect(page.get_by_text(re.compile(r"Scoring scitldr-dev by .*:"))).to_be_visible()


def create(page: Page, url: str) -> None:
    page.goto(f"{url}/new_study?dataset=scitldr-dev")
    fill(page, "Pairs in all", "45")
    fill(page, "Name of the study", "SciTLDR")
    page.get_by_role("button", name="Create the study").click()
    expect(page.get_by_text("Random pairs: 45 pairs drawn")).to_be_visible()


def annotate(page: Page, url: str, name: str, *, key: bool) -> list[str]:
    """Judge 20 pairs with a reload in the middle; nothing that could sway the judgment reaches the browser."""
    frames: list[bytes] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(as_bytes(frame))))
    page.goto(f"{url}/annotate")
    fill(page, "Your name", name)
    page.get_by_role("button", name="Start").click()
    total = 45 if name == "Ana" else 24  # one judgment a pair: Ana has judged 20 and is looking at one
    expect(page.get_by_text(f"0 of {total} judged")).to_be_visible()
    chosen = []
    for turn in range(20):
        settled(page)  # until then the last pair's buttons may stand beside the new ones
        if turn == 10:
            page.wait_for_timeout(READING)
            before = shown(page)
            page.reload()
            expect(page.get_by_role("button", name="2 is more relevant")).to_have_count(1)
            settled(page)
            assert shown(page) == before
        side = "12"[turn % 3 % 2]
        expect(page.get_by_role("button", name="2 is more relevant")).to_have_count(1)
        page.wait_for_timeout(READING)
        texts = shown(page)
        if key:
            page.keyboard.press(side)
        else:
            page.get_by_role("button", name=f"{side} is more relevant").click()
        expect(page.get_by_text(f"{turn + 1} of {total} judged")).to_be_visible()
        if turn + 1 < total:
            page.wait_for_function(
                "before => document.querySelector('[aria-label=\"Summary 1\"]')?.innerText !== before", arg=texts[0]
            )
        chosen.append(texts[int(side) - 1])
    received = b"".join(frames)
    assert b"Instructions" in received
    for secret in (b"textrank-1", b"lead-1", b"rouge"):
        assert secret not in received
    return chosen


def as_bytes(frame: str | bytes) -> bytes:
    return frame.encode() if isinstance(frame, str) else frame


def stored_choices(database: Path) -> dict[str, list[str]]:
    """The chosen texts by annotator, as the page shows them: white space folded."""
    choices: dict[str, list[str]] = {}
    with sqlite3.connect(database) as connection:
        for name, text in connection.execute(
            "SELECT annotators.name, summaries.text FROM judgments JOIN assignments ON assignments.id = assignment_id "
            "JOIN annotators ON annotators.id = annotator_id JOIN summaries ON summaries.id = chosen_id "
            "ORDER BY judgments.id"
        ):
            choices.setdefault(name, []).append(text.strip())
    return choices


def counted_by_sql(database: Path, signature: str) -> tuple[int, int, int]:
    """Concordant, discordant and tied judgments, counted without the project's code."""
    with sqlite3.connect(database) as connection:
        rows = connection.execute(
            "SELECT chosen.value - other.value FROM judgments JOIN assignments ON assignments.id = assignment_id "
            "JOIN pairs ON pairs.id = pair_id "
            "JOIN summaries c ON c.id = chosen_id JOIN summaries o ON o.id = first_id + second_id - chosen_id "
            "JOIN signatures ON signatures.text = ? "
            "JOIN scores chosen ON chosen.signature_id = signatures.id AND chosen.example = c.example "
            "JOIN scores other ON other.signature_id = signatures.id AND other.example = o.example "
            "WHERE chosen.value IS NOT NULL AND other.value IS NOT NULL",  # a text without keywords has no ROUGE-K
            [signature],
        ).fetchall()
    differences = [difference for (difference,) in rows]
    concordant = sum(d > 1e-9 for d in differences)
    discordant = sum(d < -1e-9 for d in differences)
    return concordant, discordant, len(differences) - concordant - discordant
