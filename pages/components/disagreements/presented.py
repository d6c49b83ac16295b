"""An example as one block of HTML, to present or to print."""

from collections.abc import Mapping, Sequence

from relevance.data.one_line import in_one_line
from relevance.data.signatures import is_computed, is_length, labels, name_of
from relevance.data.wording import join_items
from relevance.metrics.explained import CannotExplain, Explained
from relevance.metrics.registry import label_of
from relevance.metrics.rouge_k import RougeKEvidence
from relevance.pages.components.disagreements.examples import BOTH, Disagreement
from relevance.pages.components.examples.texts import standing_of
from relevance.pages.components.shared.records import opening_of
from relevance.pages.components.shared.score_table import ScoreCell, ScoreLine, score_table_html, text_cells
from relevance.reports.escaping import esc, literal
from relevance.reports.evidence.blocks import details, passage
from relevance.reports.evidence.highlighting import Mark, highlight, legend
from relevance.reports.evidence.phrases import figures, preferred_letter, say_preference, sentence
from relevance.reports.evidence.words import explain_scores

ShownScore = Explained | CannotExplain | None
"""A score with its evidence, or the reason why there is none, or None while it is being computed."""

CAMPS = {"right": "✓ Prefer {}, as {} did", "wrong": "✗ Prefer {}", "tie": "= Tied", "missing": "— No score"}
"""The names of the camps of metrics."""

IN_EITHER = {"matched": "found in this summary, or in both", "missed": "missing from a summary"}
"""The meanings of marks of keywords beside two summaries, in the legend."""


# --- as HTML ------------------------------------------------------------------------------------------------


def presented_html(
    shown: Disagreement,
    number: int,
    scores: Mapping[str, Sequence[ShownScore]],
    *,
    detailed: bool = False,
) -> str:
    """Write one example as HTML; `number` counts from 1, `scores` holds the scores of A and B by signature.

    Who sides with whom comes first. If it is `detailed`, the references, every metric in plain words, the source and
    the signatures follow.
    """
    keywords = next((both for signature, both in scores.items() if name_of(signature) == "rouge_k"), ())
    seen = [score.evidence if isinstance(score, Explained) else None for score in keywords]
    more = ""
    if detailed:
        source = f'<div class="text" dir="auto">{literal(shown.examples[0].source)}</div>'
        more = f"{table_html(shown, scores)}{details('Source', source)}{details('Signatures', signatures_html(scores))}"
    return (
        f'<section class="presented" aria-label="{esc(f"Example {number}")}">'
        f'<p class="why">{number}. {esc(shown.why)}</p>{camps_html(shown, scores)}'
        f"{texts_html(shown, seen, references=detailed)}{more}</section>"
    )


def texts_html(shown: Disagreement, evidence: Sequence[RougeKEvidence | None], *, references: bool) -> str:
    """Write the title, both summaries and their keywords, marked and listed, as HTML; with `references`, these too."""
    marks, items = keyword_marks(shown, evidence)
    example = shown.examples[0]
    title = example.title or opening_of(example)
    summaries = "".join(
        f'<div class="summary{" preferred" * (letter == shown.prefers)}">'
        f"{passage(example.candidate, marks[letter], summary_name(shown, letter))}</div>"
        for letter, example in zip(BOTH, shown.examples, strict=True)
    )
    compared = ""
    if references:
        compared = "".join(
            f'<div class="reference">'
            f"{passage(text, marks[text], 'Reference' if len(example.references) == 1 else f'Reference {place}')}</div>"
            for place, text in enumerate(example.references, 1)
        )
    unseen = (example.source,) if references else (example.source, *example.references)
    every = [mark for name, marks_of_kind in marks.items() if name not in unseen for mark in marks_of_kind]
    return (
        f'<div class="evidence"><h2 class="whole" dir="auto">{highlight(title, marks.get(title, []))}</h2>'
        f"{summaries}{compared}{items}{legend((mark.kind for mark in every), IN_EITHER)}</div>"
    )


def summary_name(shown: Disagreement, letter: str) -> str:
    """Return a summary's heading, with its rating and people's preference."""
    ratings = shown.ratings[BOTH.index(letter)] if shown.ratings else ""
    preferred = "★ preferred" if letter == shown.prefers else ""
    return " · ".join(filter(None, [f"Summary {letter}", ratings, preferred]))


def camps_html(shown: Disagreement, scores: Mapping[str, Sequence[ShownScore]]) -> str:
    """Write who sides with whom as HTML: people's preference, and the metrics as chips in camps, with both scores."""
    named = labels(list(scores), label_of)
    camps: dict[tuple[str, str], list[str]] = {}
    waiting = []
    for signature, both in scores.items():
        if any(score is None for score in both):
            waiting.append(named[signature])
            continue
        prefers = preference(both)
        kind = prefers if prefers in CAMPS else "right" if prefers == shown.prefers else "wrong"
        numbers = " : ".join(written_scores(signature, both))
        camps.setdefault((kind, prefers), []).append(
            f'<span class="chip">{esc(named[signature])} <small>{esc(numbers)}</small></span>'
        )
    preferred = sentence(say_preference(shown.judges, shown.prefers))
    blocks = [f'<div class="camp people"><b>{esc(preferred)}</b></div>']
    for kind, prefers in sorted(camps, key=lambda camp: (list(CAMPS).index(camp[0]), camp[1])):
        name = CAMPS[kind].format(prefers, inside_a_sentence(shown.judges))
        chips = "".join(camps[kind, prefers])
        blocks.append(f'<div class="camp {kind}"><b>{esc(name)}:</b> {chips}</div>')
    if waiting:
        blocks.append(f'<div class="camp waiting" role="status">{esc(join_items(waiting))}: being computed.</div>')
    return f'<div class="camps">{"".join(blocks)}</div>'


def inside_a_sentence(judges: str) -> str:
    """Write those who judged, whose name begins a sentence, as they are called inside of one."""
    return f"{judges[0].lower()}{judges[1:]}"


def written_scores(signature: str, both: Sequence[ShownScore]) -> list[str]:
    """Format the scores of A and B."""
    values = [score.value for score in both if isinstance(score, Explained) and score.value is not None]
    if is_length(signature) or not is_computed(signature):  # words; verdicts: 1 and 0, or .5 each; any scale
        written = iter([f"{value:g}" for value in values])
    else:
        written = iter(figures(values))
    return [next(written) if isinstance(score, Explained) and score.value is not None else "—" for score in both]


def keyword_marks(
    shown: Disagreement, evidence: Sequence[RougeKEvidence | None], most: int | None = None
) -> tuple[dict[str, list[Mark]], str]:
    """Return the marks of each text, and the list of keywords as HTML.

    Marks are keyed by a summary's letter, or by the text itself for those that keywords come from. The list begins with
    the keywords that only one summary has, and names at most `most`.
    """
    example = shown.examples[0]
    marks: dict[str, list[Mark]] = {name: [] for name in (*BOTH, *example.references, example.title or "")}
    both = [keywords for keywords in evidence if keywords is not None]
    if len(both) < len(BOTH):
        return marks, ""
    items: list[tuple[bool, str]] = []
    for number, of_each in enumerate(zip(both[0].keywords, both[1].keywords, strict=True)):
        keyword, group = of_each[0].keyword, f"g{number}"
        having = [letter for letter, keywords in zip(BOTH, of_each, strict=True) if keywords.occurrences]
        lacking = [letter for letter in BOTH if letter not in having]
        word = in_one_line(both[0].texts[keyword.places[0][0]][slice(*keyword.places[0][1])])
        state = " and ".join(
            filter(None, [f"in {join_items(having)}" * bool(having), f"not in {join_items(lacking)}" * bool(lacking)])
        )
        for index, span in keyword.places:
            for kind in ("keyword", "missed" if lacking else "matched"):
                marks.setdefault(both[0].texts[index], []).append(
                    Mark(*span, kind, f"keyword “{word}”, {state}", group)
                )
        for letter, keywords in zip(BOTH, of_each, strict=True):
            for span in keywords.occurrences:
                for kind in ("keyword", "matched"):
                    marks[letter].append(Mark(*span, kind, f"keyword “{word}”", group))
        ticks = " ".join(f"{letter} {'✓' if letter in having else '✗'}" for letter in BOTH)
        item = f'<li data-group="{group}" aria-label="{esc(f"{word}: {state}")}"><b>{esc(word)}</b> {ticks}</li>'
        items.append((len(having) != 1, item))
    listed = [item for _, item in sorted(items, key=lambda item: item[0])]
    if most is not None and len(listed) > most:
        listed[most:] = [f"<li>+{len(listed) - most} more</li>"]
    return marks, f'<ul class="keywords whole" aria-label="Keywords">{"".join(listed)}</ul>'


def preference(both: Sequence[ShownScore]) -> str:
    """Return a metric's preference: a letter, `tie`, `missing`."""
    return preferred_letter([score.value if isinstance(score, Explained) else None for score in both], BOTH)


def table_html(shown: Disagreement, scores: Mapping[str, Sequence[ShownScore]]) -> str:
    """Write a table as HTML with a row for each metric: both scores, its preference, and why in plain words."""
    named = labels(list(scores), label_of)
    lines = [metric_line(shown, named[signature], signature, both) for signature, both in scores.items()]
    return score_table_html(text_cells("Metric", *BOTH, "Prefers", "In plain words"), lines)


def metric_line(shown: Disagreement, name: str, signature: str, both: Sequence[ShownScore]) -> ScoreLine:
    """Make the row of one metric."""
    if any(score is None for score in both):
        return score_line(shown, name, ["…"] * len(both), "", "The model is being asked.", waiting=True)
    failed = next((score for score in both if isinstance(score, CannotExplain)), None)
    if failed is not None:
        return score_line(shown, name, ["—"] * len(both), "missing", f"Not available: {failed}.")
    there = [score for score in both if isinstance(score, Explained)]
    words = " ".join(explain_scores(signature, shown.examples, there, BOTH))
    return score_line(shown, name, written_scores(signature, both), preference(both), words)


def score_line(
    shown: Disagreement, name: str, numbers: Sequence[str], prefers: str, words: str, *, waiting: bool = False
) -> ScoreLine:
    """Make a row of the table."""
    cells = [
        ScoreCell(esc(number), f"number{' best' * (letter == prefers)}", f'data-letter="{letter}"')
        for letter, number in zip(BOTH, numbers, strict=True)
    ]
    sentence = standing_of(prefers, shown.prefers).text if prefers else ""
    cells += text_cells(sentence, classes=f"prefers{' best' * (prefers in BOTH)}")
    cells.append(ScoreCell(esc(words), f"words{' waiting' * waiting}", 'role="status"' * waiting))
    return ScoreLine(name, cells, "metric")


def signatures_html(scores: Mapping[str, Sequence[ShownScore]]) -> str:
    """Write the metrics' signatures as HTML."""
    return "".join(f'<div class="signatures"><code>{esc(signature)}</code></div>' for signature in scores)
