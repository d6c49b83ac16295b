"""The playground in a real browser: no letter is lost, numbers are the metrics' own, models answer later."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from relevance.data.database import connect
from relevance.data.records import Example
from relevance.data.store import DataStore
from relevance.metrics import lexical_metrics, metric
from relevance.pages.components.disagreements.examples import load_chosen_examples
from relevance.pages.components.playground.draft import LONGEST, Draft, examples_of, from_examples, from_records
from relevance.pages.components.playground.sharing import from_file, from_link, to_link
from relevance.pages.components.playground.what_if import swap_word, word_spans
from relevance.reports.evidence.phrases import figures
from tests.driving import serving
from tests.e2e.conftest import Opener
from tests.e2e.watching import HOSTILE, Watched

pytestmark = pytest.mark.browser

DEMO = from_examples(load_chosen_examples()[0].examples)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("playground") / "playground.db"


@pytest.fixture(scope="module")
def url(database: Path) -> Iterator[str]:
    with serving(f"sqlite:///{database}") as served:
        yield served


class Playground(Watched):
    """The page with its fields and scores."""

    def __init__(self, page: Page, url: str, draft: Draft | None = None) -> None:
        super().__init__(page, f"{url}/playground" + (f"?example={to_link(draft)}" if draft else ""))
        self.opened()

    def go(self, address: str) -> None:
        self.page.goto(address)
        self.opened()

    def opened(self) -> None:
        expect(self.summary("A")).to_be_visible()
        expect(self.page.get_by_role("radio", name="Evidence")).to_be_visible()

    def summary(self, letter: str) -> Locator:
        # the last: where other texts come, a new field stands beside the old one for a moment
        return self.page.get_by_label(re.compile(f"^Summary {letter}(:|$)")).and_(self.page.locator(".field")).last

    def score(self, name: str, letter: str) -> Locator:
        return self.page.locator(f"[data-score='{name}-{letter}']")

    def change(self, name: str, which: str) -> Locator:
        return self.page.locator(f"[data-what-if='{name}-{which}']")

    def open(self, form: str) -> None:
        self.page.get_by_role("button", name=form, exact=True).first.click()

    def has_scores(self, draft: Draft) -> None:
        """The lexical scores on the page are the metrics' own, of these texts."""
        examples = examples_of(draft)
        for name in lexical_metrics():
            for letter, number in zip(examples, written(name, list(examples.values())), strict=True):
                expect(self.score(name, letter)).to_contain_text(number)


def written(name: str, examples: Sequence[Example]) -> list[str]:
    """The scores of a row as the table has them: with as many decimals as tell them apart."""
    values = [score.value for score in metric(name).score(examples)]
    known = [value for value in values if value is not None]
    numbers = iter([f"{value:.0f}" for value in known] if name == "length" else figures(known))
    return ["missing" if value is None else next(numbers) for value in values]


def alone(name: str, example: Example) -> str:
    """A score as it stands before or after a change."""
    (score,) = metric(name).score([example])
    return "missing" if score.value is None else f"{score.value:.{0 if name == 'length' else 3}f}"


def test_no_letter_is_lost_however_fast(page: Page, url: str) -> None:
    playground = Playground(page, url)
    playground.has_scores(DEMO)
    for letter, place in (("A", 0), ("B", 1)):
        field = playground.summary(letter)
        typed = "The constrained decoder segments Inuktitut words, 84.1 F, from few labels. " * 2
        field.click()
        page.keyboard.press("Control+A")
        page.keyboard.type(typed, delay=20)
        expect(field).to_have_value(typed)
        draft = DEMO.put("summary", place, typed)
        playground.has_scores(draft)
        page.keyboard.press("Control+Home")
        page.keyboard.type("suffix ", delay=0)
        expect(playground.score("length", letter)).to_contain_text(str(len(typed.split()) + 1))
        expect(field).to_have_value("suffix " + typed)
        field.fill(DEMO.summaries[place])
        playground.has_scores(DEMO)
    playground.innocent()


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (360, 740)])
def test_scores_stay_in_sight_with_their_change_and_typing_is_undone(
    new_page: Opener, url: str, width: int, height: int
) -> None:
    draft = DEMO._replace(references=DEMO.references * 6)  # the summaries are far down
    playground = Playground(new_page(width, height), url, draft)
    page, field = playground.page, playground.summary("A")
    field.fill(f"{draft.summaries[0]} sarcasm")
    playground.has_scores(draft.put("summary", 0, f"{draft.summaries[0]} sarcasm"))
    expect(playground.score("rouge1", "A").locator(".moved")).to_have_text(re.compile(r"^\([+-]\.\d{3}\)$"))
    expect(playground.score("length", "A").locator(".moved")).to_have_text("(+1)")
    expect(field).to_be_in_viewport()
    expect(playground.score("rouge1", "A")).to_be_in_viewport()
    page.get_by_role("button", name="Undo").click()
    expect(playground.summary("A")).to_have_value(draft.summaries[0])
    playground.has_scores(draft)
    playground.innocent()


def test_pasting_and_editing_in_the_middle(page: Page, url: str) -> None:
    playground = Playground(page, url)
    field = playground.summary("B")
    field.click()
    pasted = f"Pasted 👩‍🚀 é\n{DEMO.references[0]}\n"
    page.evaluate(
        """text => {
          const data = new DataTransfer();
          data.setData('text/plain', text);
          const area = [...document.querySelectorAll('*')].map((e) => e.shadowRoot?.activeElement).find(Boolean)
            ?? document.activeElement;
          area.setSelectionRange(5, 9);
          document.execCommand('insertText', false, text);
        }""",
        pasted,
    )
    text = DEMO.summaries[1][:5] + pasted + DEMO.summaries[1][9:]
    expect(field).to_have_value(text)
    playground.has_scores(DEMO.put("summary", 1, text))
    page.keyboard.type("!", delay=0)  # where one is writing, the caret stays
    text = DEMO.summaries[1][:5] + pasted + "!" + DEMO.summaries[1][9:]
    expect(field).to_have_value(text)
    page.keyboard.press("Control+Z")
    expect(field).not_to_have_value(text)
    assert len(field.input_value()) < len(text)  # the browser's own undo works
    playground.innocent()


def test_a_button_right_after_the_last_letter(page: Page, url: str) -> None:
    # A long summary keeps the server busy, so that the last letters and the press of the button come together.
    long = DEMO.put("summary", 0, " ".join(f"word{number % 700} thing" for number in range(1200)))
    playground = Playground(page, url)
    field = playground.summary("A")
    field.fill(long.summaries[0])
    playground.has_scores(long)
    text, references = long.summaries[0], len(DEMO.references)
    for number in range(6):
        field.click()
        page.keyboard.press("Control+End")
        page.keyboard.type(f" marker {number}", delay=15)
        text += f" marker {number}"
        page.get_by_role("button", name="Remove the last reference" if number % 2 else "Add a reference").click()
        shown = references + 1 - number % 2
        expect(page.get_by_role("textbox", name=f"Reference {shown}")).to_be_visible()
        expect(page.get_by_role("textbox", name=f"Reference {shown + 1}")).to_have_count(0)
        expect(field).to_have_value(text)
        expect(playground.score("length", "A")).to_contain_text(str(len(text.split())))
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("textbox", name=f"Reference {references + 1}")).to_be_visible()
    page.get_by_role("button", name="Redo").click()
    expect(page.get_by_role("textbox", name=f"Reference {references + 1}")).to_have_count(0)
    playground.has_scores(DEMO.put("summary", 0, text))
    playground.innocent()


def test_what_is_too_long_is_said_and_stays(page: Page, url: str) -> None:
    playground = Playground(page, url)
    field = playground.summary("A")
    # an emoji is two of JavaScript's characters, and one of Python's
    fitting = "👩 " * (LONGEST // 2)
    field.fill(fitting)
    playground.has_scores(DEMO.put("summary", 0, fitting))
    message = page.get_by_role("status").filter(has_text="characters count")
    expect(message).to_have_count(0)
    text = f"{'storm ' * (LONGEST // 6)}👩👩👩 beyond"
    field.fill(text)
    expect(message).to_have_text(
        f"Only the first {LONGEST:,} of these {len(text):,} characters count: the rest is not scored, shared or saved."
    )
    playground.has_scores(DEMO.put("summary", 0, text[:LONGEST]))
    expect(field).to_have_value(text)
    field.fill("A storm.")
    expect(message).to_have_count(0)
    playground.has_scores(DEMO.put("summary", 0, "A storm."))
    playground.innocent()


@pytest.mark.smoke
def test_references_title_and_source_count(page: Page, url: str) -> None:
    two_references = from_examples(load_chosen_examples()[1].examples)
    playground = Playground(page, url, two_references)
    page.get_by_role("textbox", name="Reference 1").fill("Filtering the beam by known suffixes.")
    draft = two_references.put("reference", 0, "Filtering the beam by known suffixes.")
    playground.has_scores(draft)
    page.get_by_text("Title and source (optional)").click()
    page.get_by_label("Title", exact=True).fill("The beam of suffixes")
    draft = draft.put("title", 0, "The beam of suffixes")
    playground.has_scores(draft)
    page.get_by_role("button", name="Remove the last reference").click()
    expect(page.get_by_role("textbox", name="Reference 2")).to_have_count(0)
    playground.has_scores(draft.drop_reference())
    expect(playground.score("rouge_k", "A")).to_contain_text(re.compile(r"\d|missing"))
    page.get_by_role("button", name="Undo").click()
    playground.has_scores(draft)
    expect(page.get_by_role("textbox", name="Reference 1")).to_have_value(draft.references[0])
    playground.innocent()


def test_models_answer_after_a_pause_and_typing_goes_on(page: Page, url: str) -> None:
    playground = Playground(page, url)
    for name in ("bertscore", "carouge"):
        expect(playground.score(name, "A")).to_contain_text(re.compile(r"0\.\d{3}"))
    before = playground.score("bertscore", "A").inner_text()
    field = playground.summary("A")
    field.click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" More", delay=20)
    text = f"{DEMO.summaries[0]} More"
    expect(playground.score("bertscore", "A")).to_contain_text("computing")  # and not what it was
    for word in ("words", "while", "models", "compute"):
        page.wait_for_timeout(900)
        page.keyboard.type(f" {word}", delay=20)
        text += f" {word}"
        playground.has_scores(DEMO.put("summary", 0, text))
    expect(playground.score("bertscore", "A")).to_contain_text(re.compile(r"0\.\d{3}"))
    assert playground.score("bertscore", "A").inner_text() != before
    page.get_by_role("radio", name="BERTScore").click()
    expect(page.locator(".evidence").first).to_contain_text("precision")
    expect(field).to_have_value(text)
    # a preference needs all scores: the last cell of each row says so
    expect(page.locator(".scores").first).not_to_contain_text("computing")
    playground.innocent()


def test_what_if_by_pointer_and_by_keys(page: Page, url: str) -> None:
    playground = Playground(page, url)
    page.get_by_role("radio", name="What if").click()
    words = page.locator(".words button")
    spans = word_spans(DEMO.summaries[0])
    expect(words).to_have_count(len(spans))
    example = examples_of(DEMO)["A"]
    words.nth(4).click()
    left = replace(example, candidate=swap_word(example.candidate, spans[4]))
    for name in lexical_metrics():
        expect(playground.change(name, "before")).to_have_text(alone(name, example))
        expect(playground.change(name, "after")).to_have_text(alone(name, left))
    expect(words.nth(4)).to_have_attribute("aria-pressed", "true")

    words.nth(4).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(words.nth(6)).to_have_attribute("aria-pressed", "true")
    # by its word: the field of the word before may still stand beside it
    page.get_by_label(f"Replace “{example.candidate[slice(*spans[6])]}”").fill("segmentation")
    swapped_text = swap_word(example.candidate, spans[6], "segmentation")
    other = replace(example, candidate=swapped_text)
    for name in lexical_metrics():
        expect(playground.change(name, "after")).to_have_text(alone(name, other))
    for name in ("bertscore", "carouge"):
        expect(playground.change(name, "difference")).to_have_text(re.compile(r"^(0|[+-]\.\d{3})$"))

    page.get_by_role("button", name="Make this change").click()
    expect(playground.summary("A")).to_have_value(swapped_text)
    playground.has_scores(DEMO.put("summary", 0, swapped_text))
    page.get_by_role("button", name="Undo").click()
    expect(playground.summary("A")).to_have_value(DEMO.summaries[0])
    playground.has_scores(DEMO)
    playground.innocent()


def test_a_link_and_a_file_show_the_same_to_somebody_else(
    new_page: Opener, page: Page, url: str, tmp_path: Path
) -> None:
    playground = Playground(page, url)
    text = f"Written here 👩‍🚀 {HOSTILE}"
    playground.summary("A").fill(text)
    draft = DEMO.put("summary", 0, text)
    playground.has_scores(draft)
    playground.open("Share")
    link = page.get_by_test_id("stCode").inner_text().strip()
    assert from_link(link.partition("?example=")[2]) == draft
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as a file").click()
    file = tmp_path / "shared.jsonl"
    download.value.save_as(file)
    assert from_records(*from_file(file.name, file.read_bytes())[0]) == draft

    other = Playground(new_page(), url)
    other.go(link)
    expect(other.summary("A")).to_have_value(text)
    other.has_scores(draft)
    other.open("Open")
    other.settled()  # a press that meets a new drawing of the form is lost
    other.page.get_by_role("radio", name="file").click()
    other.page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        files=[{"name": "bad.jsonl", "mimeType": "application/json", "buffer": b'{"id": "x"}\n'}]
    )
    expect(
        other.page.get_by_text("bad.jsonl:1: the document has no source, references, summaries or title")
    ).to_be_visible()
    other.page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(file)
    other.page.get_by_test_id("stPopoverBody").get_by_test_id("stBaseButton-primary").click()
    expect(other.summary("A")).to_have_value(text)
    other.has_scores(draft)
    other.innocent()
    playground.innocent()


def test_a_link_that_is_none(page: Page, url: str) -> None:
    playground = Playground(page, url)
    playground.go(f"{url}/playground?example=<script>document.title='pwned'</script>")
    expect(page.get_by_text("The example in the address cannot be opened")).to_be_visible()
    expect(playground.summary("A")).to_have_value("")
    expect(page.get_by_text("Write a summary to see its scores.")).to_be_visible()
    playground.summary("B").fill("A storm.")
    expect(playground.score("length", "B")).to_contain_text("2")
    expect(playground.score("rouge1", "B")).to_contain_text("missing")
    playground.innocent()


def test_saved_it_is_found_among_the_examples(page: Page, url: str, database: Path) -> None:
    playground = Playground(page, url)
    playground.summary("A").fill(f"Typed {HOSTILE}")
    playground.open("Save")
    page.get_by_label("Document", exact=True).fill(f"mine {HOSTILE[:40]}".strip())
    page.get_by_test_id("stPopoverBody").get_by_test_id("stRadioOption").filter(has_text=re.compile("^B$")).click()
    page.get_by_test_id("stFormSubmitButton").get_by_role("button").click()
    expect(page.get_by_text("Saved as mine")).to_be_visible()
    engine = connect(f"sqlite:///{database}")
    ((document, summaries),) = DataStore(engine).records("playground")
    engine.dispose()
    assert document.references == DEMO.references
    assert [summary.text for summary in summaries] == [f"Typed {HOSTILE}", *DEMO.summaries[1:]]
    playground.innocent()
    page.goto(f"{url}/examples")
    expect(page.get_by_text("What metrics saw")).to_be_visible()
    expect(page.get_by_text("Ratings of preference")).to_be_visible()
    playground.innocent()


@pytest.mark.parametrize("view", ["Evidence", "What if"])
def test_hostile_texts_everywhere(page: Page, url: str, view: str) -> None:
    texts = (f"storm coast {HOSTILE}", f"coast storm {HOSTILE} again")
    draft = Draft(texts, f"Storm {HOSTILE}", f"A storm. {HOSTILE}", texts, (HOSTILE[:60], "x"))
    playground = Playground(page, url, draft)
    playground.has_scores(draft)
    page.get_by_role("radio", name=view).click()
    if view == "Evidence":
        page.get_by_role("radio", name="All metrics").click()
        expect(page.locator(".evidence").first).to_contain_text("onerror")
        expect(page.locator(".scores").first).not_to_contain_text("computing")
    else:
        page.locator(".words button").nth(2).click()
        expect(playground.change("rouge1", "after")).to_be_visible()
        page.get_by_label("Replace “").fill(HOSTILE)
        expect(page.get_by_role("group", name="Summary A, changed")).to_contain_text("coast <<img src=x onerror")
    playground.settled()
    playground.innocent()


def test_a_narrow_screen(new_page: Opener, url: str) -> None:
    playground = Playground(new_page(360, 780, has_touch=True, is_mobile=True), url)
    page = playground.page
    playground.has_scores(DEMO)
    for view in ("What if", "Evidence"):
        page.get_by_role("radio", name=view).tap()
        expect(page.get_by_role("radio", name=view)).to_be_checked()
        playground.settled()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.get_by_role("radio", name="What if").tap()
    page.locator(".words button").nth(1).tap()
    expect(playground.change("rouge1", "after")).to_be_visible()
    playground.innocent()
