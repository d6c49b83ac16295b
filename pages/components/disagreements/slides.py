"""Slides: an example in the order in which one thinks, from the document to what people and each metric prefer."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from relevance.data.signatures import labels, name_of
from relevance.data.wording import format_count
from relevance.hosting.rooms import QUESTION
from relevance.metrics.explained import Explained
from relevance.metrics.registry import label_of
from relevance.metrics.rouge_k import RougeKEvidence
from relevance.pages.components.disagreements.examples import BOTH, Disagreement
from relevance.pages.components.disagreements.presented import (
    IN_EITHER,
    ShownScore,
    camps_html,
    inside_a_sentence,
    keyword_marks,
    preference,
    summary_name,
    written_scores,
)
from relevance.pages.components.examples.texts import standing_of
from relevance.pages.components.shared.records import opening_of
from relevance.reports.escaping import esc
from relevance.reports.evidence.blocks import passage
from relevance.reports.evidence.highlighting import Mark, highlight, legend
from relevance.reports.evidence.phrases import say_preference, sentence
from relevance.reports.evidence.renderers import renderer_of
from relevance.reports.evidence.words import explain_scores

DOCUMENT, SUMMARIES, VOTE, PEOPLE, METRIC, ALL = "document", "summaries", "vote", "people", "metric", "all"

MOST_METRICS = 3
"""The most metrics that have a slide of their own: an audience follows no more."""
USUAL = ("rouge1", "bertscore", "rouge_k")
"""The metrics that have a slide of their own where nothing else is known: those of Table 1 in the ROUGE-K paper."""
MOST_KEYWORDS = 6
MOST_SENTENCES = 2
LONG, SMALLEST = 220, 0.55
"""The number of characters above which a slide's summaries are set smaller, and how small at most."""


class Step(NamedTuple):
    """A slide of an example."""

    shows: str
    signature: str = ""
    """The metric that it explains, if it is about one."""


def choose_metrics(shown: Disagreement, wanted_names: Sequence[str] = ()) -> list[str]:
    """Return the signatures of the metrics that have a slide of their own, at most `MOST_METRICS`.

    They are those of the labels `wanted_names`, or else those that the example was chosen for, or else `USUAL`.
    """
    named = labels(shown.signatures, label_of)
    of_label = {label: signature for signature, label in named.items()}
    usual = [signature for name in USUAL for signature in named if name_of(signature) == name]
    for wanted in (wanted_names, shown.metrics):
        if by_label := [of_label[label] for label in wanted if label in of_label]:
            return by_label[:MOST_METRICS]
    return (usual or list(named))[:MOST_METRICS]


def list_steps(metrics: Sequence[str]) -> list[Step]:
    """List the slides of an example, in order; `metrics` are the signatures of `choose_metrics`."""
    before = [Step(DOCUMENT), Step(SUMMARIES), Step(VOTE), Step(PEOPLE)]
    return [*before, *(Step(METRIC, signature) for signature in metrics), Step(ALL)]


class Votes(NamedTuple):
    """How the room votes on an example."""

    counts: Mapping[str, int]
    """Hands and phones by letter."""
    code: str = ""
    """The code by which phones vote, as HTML; empty where they cannot."""


def slide_html(shown: Disagreement, scores: Mapping[str, Sequence[ShownScore]], step: Step, votes: Votes) -> str:
    """Write a slide as HTML; `scores` holds the scores of A and B by signature."""
    marks, words, items = mark_texts(shown, step.signature, scores.get(step.signature, ()))
    example = shown.examples[0]
    title = example.title or opening_of(example)
    texts = []
    code = votes.code if step.shows == VOTE else ""
    if step.shows != ALL and not code:  # the list of metrics, or the code, needs the place
        texts.append(f'<div class="reference whole">{compared_html(shown, marks)}</div>')
    if step.shows != DOCUMENT:
        verdict_is_out = step.shows not in (SUMMARIES, VOTE)
        for letter, of_side in zip(BOTH, shown.examples, strict=True):
            preferred = " preferred" * (verdict_is_out and letter == shown.prefers)
            name = summary_name(shown, letter) if verdict_is_out else f"Summary {letter}"
            texts.append(f'<div class="summary{preferred}">{passage(of_side.candidate, marks[letter], name)}</div>')
    longest = max(len(example.candidate) for example in shown.examples)
    letters = min(1, max(SMALLEST, (LONG / max(1, longest)) ** 0.5))  # as the area of a text grows with its length
    in_sight = (*BOTH, title, compared_text(shown))
    seen = [mark.kind for text in in_sight for mark in marks.get(text, ())]
    hidden = sum(bool(mark) for text, mark in marks.items() if text not in in_sight)
    note = f'<p class="note whole">Marks in {format_count(hidden, "other text")} are not shown.</p>' if hidden else ""
    attributes = f'aria-label="Slide" data-shows="{step.shows}" style="--letters: {letters:.2f}"'
    return (
        f'<section class="presented slide" {attributes}>'
        f'<div class="evidence"><h2 class="whole" dir="auto">{highlight(title, marks.get(title, []))}</h2>'
        f"{''.join(texts)}{items}{legend(seen, words)}{note}</div>"
        f'<div class="band">{band_html(shown, scores, step, votes.counts)}{code}</div></section>'
    )


def compared_text(shown: Disagreement) -> str:
    """Return the text under the title: the first reference, or the document where there is none."""
    example = shown.examples[0]
    return example.references[0] if example.references else example.source


def compared_html(shown: Disagreement, marks: Mapping[str, Sequence[Mark]]) -> str:
    """Write the text under the title as HTML."""
    count = len(shown.examples[0].references)
    name = "Document" if not count else "Reference" if count == 1 else f"Reference 1 of {count}"
    text = compared_text(shown)
    return passage(text, marks.get(text, ()), name)


def mark_texts(
    shown: Disagreement, signature: str, both: Sequence[ShownScore]
) -> tuple[dict[str, list[Mark]], Mapping[str, str], str]:
    """Return the marks of a metric's evidence, the words of their legend, and the list of keywords as HTML.

    Marks are keyed by a summary's letter, or by the text itself for those that it was compared with.
    """
    evidence = [score.evidence if isinstance(score, Explained) else None for score in both]
    if any(isinstance(keywords, RougeKEvidence) for keywords in evidence):
        marks, items = keyword_marks(shown, evidence, MOST_KEYWORDS)
        return marks, IN_EITHER, items
    marks = {letter: [] for letter in BOTH}
    renderer = renderer_of(signature) if signature else None
    if renderer is not None:
        for letter, example, keywords in zip(BOTH, shown.examples, evidence, strict=False):
            if keywords is None:
                continue
            (_, ours, _), *others = renderer.passages(keywords, example)
            marks[letter] += ours
            for text, theirs, _ in others:
                marks.setdefault(text, []).extend(theirs)
    return marks, {} if renderer is None else renderer.legend, ""


class MetricWords(NamedTuple):
    """A metric's preference in words, which make a sentence in this order."""

    name: str
    side: str
    scores: str = ""
    standing: str = ""

    @property
    def sentence(self) -> str:
        """All of it, in one sentence."""
        return " ".join(filter(None, self))


# --- below the texts ----------------------------------------------------------------------------------------------


def band_html(
    shown: Disagreement, scores: Mapping[str, Sequence[ShownScore]], step: Step, votes: Mapping[str, int]
) -> str:
    """Write what stands below the texts as HTML."""
    if step.shows in (SUMMARIES, VOTE):
        room = f'<p class="room">{counts_html(votes)}</p>' if step.shows == VOTE else ""
        return f'<p class="asked">{QUESTION}</p>{room}'
    if step.shows == PEOPLE:
        sentence_of_people = sentence(say_preference(shown.judges, shown.prefers))
        room = f'<p class="room">This room: {counts_html(votes)}</p>' if any(votes.values()) else ""
        return f'<p class="verdict">{esc(sentence_of_people)}</p>{room}'
    if step.shows == METRIC:
        return metric_html(shown, step.signature, scores[step.signature])
    if step.shows == ALL:
        return f'<p class="why">{esc(shown.why)}</p>{camps_html(shown, scores)}'
    return ""


def counts_html(votes: Mapping[str, int]) -> str:
    """Write the room's votes as HTML; phones' votes are counted on the slide as they come (slides.js)."""
    return " · ".join(
        f'<b>{letter}</b> <span data-votes="{letter}">{format_count(votes[letter], "vote")}</span>' for letter in BOTH
    )


def metric_html(shown: Disagreement, signature: str, both: Sequence[ShownScore]) -> str:
    """Write a metric's preference with both scores, and why, as HTML."""
    name, side, numbers, standing = words = describe_metric(shown, signature, both)
    if any(score is None for score in both):
        return f'<p class="verdict waiting" role="status">{esc(words.sentence)}</p>'
    kind = standing_of(preference(both), shown.prefers).kind
    there = [score for score in both if isinstance(score, Explained)]
    sentences = 1 if name_of(signature) == "rouge_k" else MOST_SENTENCES  # whose keywords are listed above
    why = explain_scores(signature, shown.examples, there, BOTH)[:sentences] if len(there) == len(both) else []
    return (
        f'<p class="verdict {kind}"><b>{esc(name)}</b> {esc(side)} <small>{esc(numbers)}</small> {esc(standing)}</p>'
        f'<p class="words">{esc(" ".join(why))}</p>'
    )


def describe_metric(shown: Disagreement, signature: str, both: Sequence[ShownScore]) -> "MetricWords":
    """Say what a metric prefers, by which scores, and how that stands to people's preference."""
    name = labels(shown.signatures, label_of)[signature]
    if any(score is None for score in both):
        return MetricWords(f"{name}:", "being computed.")
    prefers = preference(both)
    standing = say_standing(standing_of(prefers, shown.prefers).kind, shown.judges)
    return MetricWords(name, say_side(prefers), " against ".join(written_scores(signature, both)), standing)


def say_side(prefers: str) -> str:
    """Say what a metric prefers, in a clause without its subject."""
    return {"tie": "is tied:", "missing": "has no score:"}.get(prefers, f"prefers {prefers}:")


def say_standing(kind: str, judges: str) -> str:
    """Say how a metric stands to people's preference; empty where there is nothing to compare."""
    named = inside_a_sentence(judges)
    return {"right": f"✓ as {named} did", "wrong": f"✗ unlike {named}"}.get(kind, "")
