"""The chosen examples in which metrics disagree, each as one block of HTML to present or to print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from data.demo import AUTHOR, CHOSEN, FILE
from data.importers import read_documents
from data.one_line import in_one_line
from data.records import Example, make_examples
from data.signatures import is_length, name_of
from metrics import is_lexical
from metrics.explained import CannotExplain, Explained
from metrics.from_signature import signatures
from metrics.registry import label_of
from metrics.rouge_k import RougeKEvidence
from pages.components.evidence.blocks import details, passage
from pages.components.evidence.marks import Mark, highlight, legend
from pages.components.evidence.phrases import figures, join_items, overview, preferred_letter
from pages.components.evidence.words import explain_scores
from pages.components.shared.score_table import LETTERS, ScoreCell, ScoreLine, score_table_html, text_cells
from reports.escaping import esc, literal

BOTH = LETTERS[:2]
"""What the summaries of an example are called."""


TABLE_1 = (
    "In Table 1 of Takeshita et al. (2024), ROUGE-K: Do Your Summaries Have Keywords?, ROUGE-1 (0.2745 against 0.2609) "
    "and BERTScore (0.8718 against 0.8692) prefer a summary that lacks the keyword “Hawaiian” of a paper on old "
    "Hawaiian texts; the annotators and ROUGE-K prefer the other one."
)
"""What the paper shows, with its figures."""


# Large by the width of the screen, so that a projector shows it from afar; tables become lists where it is narrow.
PRESENTED_STYLE = """<style>
.presented { font-size: clamp(1rem, .7rem + .72vw, 1.6rem); line-height: 1.45; overflow-wrap: anywhere; }
@media screen { .presented + .presented { border-top: 2px solid; margin-top: 3em; padding-top: 1.5em; } }
.presented h2 { font-size: 1.45em; line-height: 1.25; margin: 0; padding: 0; }
.presented :is(p, ul, li, summary) { font-size: inherit; }
.presented .why { font-weight: 600; margin: 0 0 .2em; }
.presented .said { margin: .5em 0; font-weight: 700; }
.presented .evidence .name { font-size: .85em; }
.presented .legend { font-size: .75em; }
.presented .text { line-height: 1.45; white-space: pre-wrap; }
.presented .evidence > :is(.summary, .reference) { flex-basis: max(min(100%, 18rem), 40%); }
.presented .summary { border: 1px solid rgb(128 128 128 / .45); border-radius: .4em; padding: .5em .8em; }
.presented .summary .text { font-size: 1.08em; }
.presented .reference { font-size: .85em; padding: 0 .8em; }
.presented ul { margin: 0; padding-inline-start: 1.2em; }
.presented .keywords { display: flex; flex-wrap: wrap; gap: .1em 1.6em; list-style: none; padding: 0; }
.presented table { border-collapse: collapse; width: 100%; margin: .6em 0; font-variant-numeric: tabular-nums; }
.presented caption { caption-side: top; text-align: start; font-weight: 600; }
.presented th, .presented td { text-align: start; vertical-align: baseline; padding: .3em .9em .3em 0;
  border-bottom: 1px solid rgb(128 128 128 / .35); overflow-wrap: normal; }
.presented td.number, .presented td.prefers { white-space: nowrap; }
.presented td.best { font-weight: 700; }
.presented td.words { font-size: .8em; width: 62%; overflow-wrap: anywhere; }
.presented tr.people th, .presented tr.people td { border-bottom: 2px solid currentColor; }
.presented .waiting { font-style: italic; }
.presented details { font-size: .8em; }
.presented .signatures { font-size: .7em; overflow-wrap: anywhere; }
@media screen and (max-width: 900px) {
  .presented thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .presented table, .presented tbody { display: block; }
  .presented tr { display: flex; flex-wrap: wrap; gap: 0 1em; padding: .4em 0;
    border-bottom: 1px solid rgb(128 128 128 / .35); }
  .presented th, .presented td, .presented tr.people th, .presented tr.people td { border: 0; padding: 0; }
  .presented tr.people { border-bottom: 2px solid currentColor; }
  .presented th { flex-basis: 100%; }
  .presented td.number::before { content: attr(data-letter) " "; font-weight: 400; }
  .presented td.words { width: 100%; flex-basis: 100%; }
}
</style>"""


# Streamlit scrolls inside boxes of the window's height: on paper they must be as long as what is in them.
PRINT_STYLE = """<style>
@media print {
  @page { margin: 12mm; }
  :root, .stApp { color-scheme: light !important; }
  html, body, #root, .stApp, .stApp > div, [data-testid="stAppViewContainer"], [data-testid="stMain"],
  .stMainBlockContainer { position: static !important; display: block !important; height: auto !important;
    min-height: 0 !important; overflow: visible !important; background: #fff !important; }
  .stMainBlockContainer { padding: 0 !important; max-width: none !important; }
  .stMainBlockContainer * { color: #000 !important; }
  [data-testid="stVerticalBlock"], [data-testid="stLayoutWrapper"], [data-testid="stElementContainer"] {
    display: block !important; overflow: visible !important; height: auto !important; }
  .stMainBlockContainer .presented { font-size: 9.5pt; }
  .stMainBlockContainer h1 { font-size: 16pt !important; padding: 0 !important; }
  .stMainBlockContainer [data-testid="stMarkdownContainer"] p { font-size: 9.5pt; }
  .presented + .presented { break-before: page; }
  .presented .summary, .presented tr { break-inside: avoid; }
  .presented mark, .presented .summary { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  header, [data-testid="stHeader"], [data-testid="stToolbar"], [data-testid="stDecoration"],
  [data-testid="stStatusWidget"], [data-testid="stSidebar"], .stApp .st-key-presenting, .stApp .st-key-how_to_present,
  .presented details { display: none !important; }
}
</style>"""


class ChosenExample(NamedTuple):
    """A chosen example."""

    why: str
    """What it is an example of."""
    document_id: str
    examples: tuple[Example, ...]
    """Its two summaries, A and B."""
    author: tuple[float, ...]
    """What the corpus's author gave each of them, 1 (worst) to 4 (best)."""


Found = Explained | CannotExplain | None
"""A score with its evidence, why there is none to be had, or None while it is not there yet."""


@cache
def load_chosen_examples() -> tuple[ChosenExample, ...]:
    """The chosen examples of the packaged corpus, in the order in which they are presented."""
    records = {document.id: (document, list(summaries)) for document, summaries in read_documents(FILE, "interchange")}
    result = []
    for document_id, systems, why in CHOSEN:
        document, summaries = records[document_id]
        of_system = {example.system: example for example in make_examples(document, summaries)}
        author = {summary.system: summary.human[AUTHOR] for summary in summaries}
        result.append(
            ChosenExample(
                why,
                document_id,
                tuple(of_system[system] for system in systems),
                tuple(author[system] for system in systems),
            )
        )
    return tuple(result)


def with_models() -> list[str]:
    """The signatures of the metrics that ask a model."""
    return [signature for name, signature in signatures().items() if not is_lexical(name)]


def find_place(asked: str | None) -> int:
    """Where the example that an address asks for stands: by its document, or by its number from 1; else the first."""
    names = [shown.document_id for shown in load_chosen_examples()]
    if asked in names:
        return names.index(asked)
    number = int(asked) if asked and asked.isascii() and asked.isdigit() and len(asked) < 5 else 1
    return number - 1 if 1 <= number <= len(names) else 0


# --- as HTML ------------------------------------------------------------------------------------------------


def presented_html(shown: ChosenExample, number: int, found: Mapping[str, Sequence[Found]]) -> str:
    """One example whole; `number` counts from 1, `found` are the scores of A and B by signature."""
    keywords = next((both for signature, both in found.items() if name_of(signature) == "rouge_k"), ())
    source = f'<div class="text" dir="auto">{literal(shown.examples[0].source)}</div>'
    return (
        f'<section class="presented" aria-label="{esc(f"Example {number}")}">'
        f'<p class="why">{number}. {esc(shown.why)}</p>'
        f"{texts_html(shown, [one.evidence if isinstance(one, Explained) else None for one in keywords])}"
        f'<p class="said">{esc(" ".join(describe_preferences(shown, found)))}</p>'
        f"{table_html(shown, found)}"
        f"{details('Source', source)}"
        f"{details('Signatures', signatures_html(found))}"
        "</section>"
    )


def texts_html(shown: ChosenExample, evidence: Sequence[RougeKEvidence | None]) -> str:
    """The title, both summaries and the references, with the keywords marked in all of them, and as a list."""
    marks, items = keyword_marks(shown, evidence)
    title = shown.examples[0].title or shown.document_id
    references = shown.examples[0].references
    summaries = "".join(
        f'<div class="summary">{passage(example.candidate, marks[letter], f"Summary {letter}")}</div>'
        for letter, example in zip(BOTH, shown.examples, strict=True)
    )
    compared = "".join(
        f'<div class="reference">'
        f"{passage(text, marks[text], 'Reference' if len(references) == 1 else f'Reference {place}')}</div>"
        for place, text in enumerate(references, 1)
    )
    every = [mark for found in marks.values() for mark in found]
    words = {"matched": "in both, or in this summary", "missed": "missed by a summary"}
    return (
        f'<div class="evidence"><h2 class="whole" dir="auto">{highlight(title, marks.get(title, []))}</h2>'
        f"{summaries}{compared}{items}{legend((mark.kind for mark in every), words)}</div>"
    )


def keyword_marks(shown: ChosenExample, evidence: Sequence[RougeKEvidence | None]) -> tuple[dict[str, list[Mark]], str]:
    """The marks of each summary (by its letter) and of each text that keywords come from (by itself); and the list."""
    example = shown.examples[0]
    marks: dict[str, list[Mark]] = {name: [] for name in (*BOTH, *example.references, example.title or "")}
    both = [one for one in evidence if one is not None]
    if len(both) < len(BOTH):
        return marks, ""
    items = []
    for number, of_each in enumerate(zip(both[0].keywords, both[1].keywords, strict=True)):
        keyword, group = of_each[0].keyword, f"g{number}"
        having = [letter for letter, one in zip(BOTH, of_each, strict=True) if one.occurrences]
        lacking = [letter for letter in BOTH if letter not in having]
        word = in_one_line(both[0].texts[keyword.found[0][0]][slice(*keyword.found[0][1])])
        state = " and ".join(
            filter(None, [f"in {join_items(having)}" * bool(having), f"not in {join_items(lacking)}" * bool(lacking)])
        )
        for index, span in keyword.found:
            for kind in ("keyword", "missed" if lacking else "matched"):
                marks[both[0].texts[index]].append(Mark(*span, kind, f"keyword “{word}”, {state}", group))
        for letter, one in zip(BOTH, of_each, strict=True):
            for span in one.occurrences:
                for kind in ("keyword", "matched"):
                    marks[letter].append(Mark(*span, kind, f"keyword “{word}”", group))
        ticks = " ".join(f"{letter} {'✓' if letter in having else '✗'}" for letter in BOTH)
        items.append(f'<li data-group="{group}" aria-label="{esc(f"{word}: {state}")}"><b>{esc(word)}</b> {ticks}</li>')
    return marks, f'<ul class="keywords whole" aria-label="Keywords">{"".join(items)}</ul>'


def describe_preferences(shown: ChosenExample, found: Mapping[str, Sequence[Found]]) -> list[str]:
    """Who prefers what, in sentences; metrics that have not answered yet are left out."""
    known = {
        label_of(signature): preference(both)
        for signature, both in found.items()
        if all(one is not None for one in both)
    }
    complete = all(isinstance(one, Explained) for both in found.values() for one in both)
    return overview(("The corpus's author", preferred_letter(shown.author, BOTH)), known, complete)


def preference(both: Sequence[Found]) -> str:
    """What a metric prefers: a letter, `tie`, `missing`."""
    return preferred_letter([one.value if isinstance(one, Explained) else None for one in both], BOTH)


def table_html(shown: ChosenExample, found: Mapping[str, Sequence[Found]]) -> str:
    """A row for the author and for each metric: both scores, which it prefers, and why in plain words."""
    choice = preferred_letter(shown.author, BOTH)
    heads = ["metric", *BOTH, "prefers", "in plain words"]
    author = [f"{value:g} of 4" for value in shown.author]
    note = "1 is worst, 4 is best: the preference that whoever wrote these texts intended. No annotator was asked."
    lines = [score_line("Author", author, choice, choice, note, people=True)]
    lines += [metric_line(shown, signature, both, choice) for signature, both in found.items()]
    return score_table_html(text_cells(*heads), lines)


def metric_line(shown: ChosenExample, signature: str, both: Sequence[Found], choice: str) -> ScoreLine:
    """The row of one metric."""
    name = label_of(signature)
    if any(one is None for one in both):
        return score_line(name, ["…"] * len(both), "", choice, "The model is being asked.", waiting=True)
    failed = next((one for one in both if isinstance(one, CannotExplain)), None)
    if failed is not None:
        return score_line(name, ["–"] * len(both), "missing", choice, f"Not to be had: {failed}.")
    there = [one for one in both if isinstance(one, Explained)]
    values = [one.value for one in there if one.value is not None]
    written = iter([f"{value:.0f}" for value in values] if is_length(signature) else figures(values))
    numbers = ["–" if one.value is None else next(written) for one in there]
    return score_line(
        name, numbers, preference(both), choice, " ".join(explain_scores(signature, shown.examples, there, BOTH))
    )


def score_line(
    name: str,
    numbers: Sequence[str],
    prefers: str,
    choice: str,
    words: str,
    *,
    people: bool = False,
    waiting: bool = False,
) -> ScoreLine:
    """A row of the table."""
    cells = [
        ScoreCell(esc(number), f"number{' best' * (letter == prefers)}", f'data-letter="{letter}"')
        for letter, number in zip(BOTH, numbers, strict=True)
    ]
    said = {"tie": "= tie", "missing": "– no score", "": ""}.get(prefers, prefers)
    if not people and prefers in BOTH and prefers and choice in BOTH:
        said = f"✓ {prefers}" if prefers == choice else f"✗ {prefers}, against the author"
    cells += text_cells(said, classes=f"prefers{' best' * (prefers in BOTH)}")
    cells.append(ScoreCell(esc(words), f"words{' waiting' * waiting}", 'role="status"' * waiting))
    return ScoreLine(name, cells, "people" if people else "metric")


def signatures_html(found: Mapping[str, Sequence[Found]]) -> str:
    """The settings behind the numbers."""
    return "".join(f'<div class="signatures"><code>{esc(signature)}</code></div>' for signature in found)
