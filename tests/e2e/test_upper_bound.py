"""The page Upper bound in a real browser: by link, document by document, over all documents, and back."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlparse

import pytest
from playwright.sync_api import Page, expect

from relevance.data.database import connect
from relevance.data.demo import NAME as DEMO
from relevance.data.demo import add_demo
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore
from relevance.pages.components.upper_bound.choice import SEARCHES, BoundChoice
from relevance.summarizers.oracles import Target
from relevance.summarizers.oracles.evaluation import OracleTask, rows_of
from relevance.summarizers.oracles.standing import bounds_of, judged_all
from relevance.summarizers.sentences import sentences_of
from tests.driving import serving
from tests.e2e.conftest import Opener
from tests.e2e.watching import HOSTILE, NAME, Watched
from tests.summarizers.oracles.loading import load_evaluation

pytestmark = pytest.mark.browser

SET = f"set {NAME}"

MANY = "many"
"""The demo corpus four times: its search goes on for far longer than it takes to stop it."""

COUNT = 96
"""Documents of `MANY`."""

Record = tuple[Document, list[Summary]]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo corpus, once and four times, and a set of which every text and name is hostile."""
    path = tmp_path_factory.mktemp("bound") / "bound.db"
    engine = connect(f"sqlite:///{path}")
    data = DataStore(engine)
    add_demo(data)
    records = [
        (
            Document(f"d{n} {HOSTILE}", (f"Storm {n} {HOSTILE}", "Rain."), (f"a storm {HOSTILE}",), HOSTILE),
            [Summary(f"d{n} {HOSTILE}", f"system {HOSTILE}", f"The storm {n} {HOSTILE}")],
        )
        for n in range(3)
    ]
    data.add_dataset(name=SET, format="interchange", sha256="0", records=records)
    data.add_dataset(name=MANY, format="interchange", sha256="1", records=copies_of(data.records(DEMO), COUNT // 24))
    engine.dispose()
    return path


def copies_of(records: Sequence[Record], count: int) -> list[Record]:
    """Documents so many times, each time with longer references, so that no two have the same bound."""
    return [
        (
            replace(
                document,
                id=f"{copy} {document.id}",
                references=tuple(f"{text}{' indeed' * copy}" for text in document.references),
            ),
            [replace(summary, document_id=f"{copy} {document.id}") for summary in summaries],
        )
        for copy in range(count)
        for document, summaries in records
    ]


def data_of(database: Path, name: str = DEMO) -> list[Record]:
    """A data set as it is stored."""
    engine = connect(f"sqlite:///{database}")
    records = DataStore(engine).records(name)
    engine.dispose()
    return records


@pytest.fixture(scope="module")
def documents(database: Path) -> list[Document]:
    return [document for document, _ in data_of(database)]


@pytest.fixture(scope="module")
def url(database: Path) -> Iterator[str]:
    with serving(f"sqlite:///{database}") as served:
        yield served


class UpperBound(Watched):
    """The page with the sentences that are taken."""

    def __init__(self, page: Page, address: str) -> None:
        super().__init__(page, address)
        self.settled()

    def settled(self) -> None:
        expect(self.page.get_by_role("heading", name="Upper bound", exact=True)).to_be_visible()
        super().settled()

    def shows(self, document: Document, target: Target) -> None:
        """The sentences of a document's best extract are those that are marked as taken."""
        (row,) = rows_of(OracleTask(target, ("exact",)), document)
        sentences = sentences_of(document)
        expect(self.page.get_by_text(f"F1 {row.f1:.4f} against")).to_be_visible()
        taken = self.page.locator(".bound li.taken")
        expect(taken).to_have_count(len(row.places))
        for line, place in zip(taken.all(), row.places, strict=True):
            expect(line.locator(".number")).to_have_text(str(place + 1))
            expect(line.locator(".badge")).to_have_text("taken")
            assert line.locator(".text").inner_text() == sentences[place]
        assert self.page.locator(".bound li:not(.skip)").count() == len(sentences)


def test_from_a_link_through_documents_and_metrics_and_back(page: Page, url: str, documents: list[Document]) -> None:
    target = Target(2, "set")
    link = urlencode({**BoundChoice(DEMO, target).address, "document": documents[3].id})
    watched = UpperBound(page, f"{url}/upper_bound?{link}")
    watched.shows(documents[3], target)
    expect(page.get_by_text("Proven optimal")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page).to_have_url(re.compile(f"document={documents[4].id}(&|$)"))
    watched.settled()
    watched.shows(documents[4], target)
    page.keyboard.press("n")  # by keys alone
    expect(page).to_have_url(re.compile(f"document={documents[5].id}(&|$)"))
    watched.settled()
    watched.shows(documents[5], target)
    shared = page.url
    page.get_by_role("radio", name="ROUGE-1", exact=True).click()
    expect(page).to_have_url(re.compile("metric=rouge1"))
    watched.settled()
    watched.shows(documents[5], Target(1, "set"))

    page.go_back()
    expect(page).to_have_url(shared)
    watched.settled()
    expect(page.get_by_role("radio", name="ROUGE-2", exact=True)).to_be_checked()
    watched.shows(documents[5], target)
    page.go_back()
    expect(page).to_have_url(re.compile(f"document={documents[4].id}(&|$)"))
    watched.settled()
    watched.shows(documents[4], target)
    page.go_forward()
    expect(page).to_have_url(re.compile(f"document={documents[5].id}(&|$)"))
    watched.settled()
    watched.shows(documents[5], target)

    mark = page.locator(".bound .against mark[data-group]").first  # a covered word lights where it is taken
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    same = page.locator(f".bound li mark[data-group~='{mark.get_attribute('data-group')}']").first
    expect(same).to_have_css("outline-style", "solid")
    watched.innocent()


def test_folded_sentences_open_by_keys_and_are_printed(page: Page, url: str, documents: list[Document]) -> None:
    rows = {document.id: rows_of(OracleTask(Target(), ("exact",)), document)[0] for document in documents}
    # a document whose extract begins so late that at least two sentences are folded before it
    chosen = next(document for document in documents if min(rows[document.id].places, default=0) > 1)
    watched = UpperBound(page, f"{url}/upper_bound?{urlencode({'dataset': DEMO, 'document': chosen.id})}")
    (first, *_) = rows[chosen.id].places
    summary = page.locator(".bound summary").first
    expect(summary).to_have_text(f"{first} sentences not taken (1–{first})")
    hidden = page.locator(".bound li.skip li").first
    expect(hidden).to_be_hidden()
    page.emulate_media(media="print")
    expect(hidden).to_be_visible()
    page.emulate_media(media="screen")
    expect(hidden).to_be_hidden()
    summary.focus()
    page.keyboard.press("Enter")
    expect(hidden).to_be_visible()
    assert hidden.locator(".text").inner_text() == sentences_of(chosen)[0]
    watched.innocent()


def test_a_link_to_what_is_not_here_says_so(page: Page, url: str, documents: list[Document]) -> None:
    link = urlencode({"dataset": DEMO, "document": HOSTILE, "metric": "rouge9"})
    watched = UpperBound(page, f"{url}/upper_bound?{link}")
    warning = page.get_by_test_id("stAlert")
    expect(warning).to_contain_text("This link names a metric that is not here (“rouge9”): the first is shown.")
    expect(warning).to_contain_text("a document that is not here (“<img src=x")
    watched.shows(documents[0], Target())
    page.get_by_role("button", name="Next").click()
    watched.settled()
    expect(warning).to_have_count(0)
    watched.innocent()


def test_presses_count_while_a_search_still_runs(page: Page, url: str, documents: list[Document]) -> None:
    watched = UpperBound(page, f"{url}/upper_bound?dataset={DEMO}&document={documents[0].id}")
    for place in range(1, 5):
        page.get_by_role("button", name="Next").click()
        expect(page.get_by_role("combobox", name="Document")).to_have_value(re.compile(re.escape(documents[place].id)))
    watched.settled()
    watched.shows(documents[4], Target())
    watched.innocent()


def test_all_documents_are_computed_while_one_waits_and_go_on_after_leaving(
    new_page: Opener, page: Page, url: str, database: Path
) -> None:
    watched = UpperBound(page, f"{url}/upper_bound?dataset={MANY}&view=all")
    button = page.get_by_role("button", name="Compute for")
    expect(page.get_by_text(f"0 of {COUNT} documents have")).to_be_visible()
    expect(page.get_by_text("continue where it stopped")).to_be_visible()
    button.click()
    expect(page.get_by_text(re.compile(rf"^([3-9]|[1-8]\d) of {COUNT} documents$"))).to_be_visible()
    page.get_by_role("radio", name="One document", exact=True).click()  # which stops it
    expect(page.get_by_text("Proven optimal")).to_be_visible()
    page.get_by_role("radio", name="All documents", exact=True).click()
    # until the page says this, the search that was stopped may still store results
    expect(page.get_by_text(re.compile(rf"^([3-9]|[1-8]\d) of {COUNT} documents have"))).to_be_visible()
    watched.settled()
    engine = connect(f"sqlite:///{database}")
    data = DataStore(engine)
    task = BoundChoice(MANY).task
    before = load_evaluation(data, MANY, task).rows
    kept = len(before) // len(SEARCHES)
    assert 3 <= kept < COUNT
    expect(page.get_by_text(f"{kept} of {COUNT} documents have")).to_be_visible()
    button.click()
    expect(page.get_by_role("heading", name="Systems beside the bound")).to_be_visible()
    expect(button).to_have_count(0, timeout=300_000)  # a search of most documents, beside whatever else runs
    watched.settled()
    rows = load_evaluation(data, MANY, task).rows
    assert len(rows) == COUNT * len(SEARCHES)
    assert rows[: len(before)] == before  # nothing was done twice
    engine.dispose()
    expect(page.locator(".vega-embed")).to_be_visible()
    expect(page.get_by_text(re.compile(r"^No extracts exceed 0\.\d{3} on average; the best system, "))).to_be_visible()
    shared = page.url
    listed = page.locator(".st-key-section-documents").get_by_test_id("stDataFrame")
    listed.scroll_into_view_if_needed()
    listed.click(position={"x": 18, "y": 35 * 2 + 17})  # the box of the second row, drawn on a canvas
    expect(page.get_by_role("radio", name="One document", exact=True)).to_be_checked()
    watched.settled()
    opened = parse_qs(urlparse(page.url).query)["document"][0]
    scores = judged_all(data_of(database, MANY), Target())
    bounds = bounds_of(rows)
    gaps = {key: bound - max(of[key].f1 for of in scores.values() if key in of) for key, bound in bounds.items()}
    assert opened == sorted(gaps, key=lambda key: -gaps[key])[1]
    page.go_back()
    expect(page).to_have_url(shared)
    watched.settled()
    expect(page.locator(".vega-embed")).to_be_visible()
    with page.expect_download() as downloaded:
        page.get_by_role("button", name="Tables (LaTeX)").click()
    tables = Path(downloaded.value.path()).read_text()
    labels = ("distribution", "uncertainty", "effort", "proof", "lengths", "standings")
    assert re.findall(r"\\label\{(.*)\}", tables) == [f"tab:oracle-{name}" for name in labels]
    assert tables.count(r"\toprule") == len(labels)
    assert tables.startswith("% dataset: ")
    watched.innocent()

    narrow = new_page(360, 740, color_scheme="dark")
    phone = UpperBound(narrow, page.url)
    for view in ("All documents", "One document"):
        narrow.get_by_role("radio", name=view, exact=True).click()
        phone.settled()
        assert narrow.evaluate("document.documentElement.scrollWidth") <= 360
    phone.innocent()


def test_hostile_texts_and_names_stay_text(page: Page, url: str) -> None:
    watched = UpperBound(page, f"{url}/upper_bound?{urlencode({'dataset': SET})}")
    for place in range(3):
        expect(page.locator(".bound li .text").first).to_contain_text(f"Storm {place} <img src=x")
        assert page.locator(".bound li .text").first.inner_text() == f"Storm {place} {HOSTILE}"
        watched.settled()
        if place < 2:
            page.get_by_role("button", name="Next").click()
    watched.innocent()
    page.get_by_role("radio", name="All documents", exact=True).click()
    page.get_by_role("button", name="Compute for").click()
    expect(page.get_by_role("heading", name="Systems beside the bound")).to_be_visible()
    watched.settled()
    expect(page.locator(".vega-embed")).to_be_visible()
    watched.innocent()
