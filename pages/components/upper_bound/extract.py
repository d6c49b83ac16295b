"""A document with the sentences of its best extract marked."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from relevance.data.records import Document
from relevance.data.wording import format_count
from relevance.metrics.text import count_words
from relevance.pages.components.upper_bound.choice import BoundChoice
from relevance.reports.escaping import esc
from relevance.reports.evidence.blocks import passage
from relevance.reports.evidence.highlighting import Mark, highlight, legend
from relevance.summarizers.oracles import Target
from relevance.summarizers.oracles.coverage import Coverage, NgramOccurrence, coverage
from relevance.summarizers.oracles.evaluation import OracleRow
from relevance.summarizers.oracles.problem import is_proven
from relevance.summarizers.sentences import sentences_of

UNITS = {1: "words", 2: "pairs of words"}

ONE = {1: "word", 2: "pair of words"}

WORDS = {"matched": "covered", "missed": "missed"}
"""The names of the kinds of marks."""

SHOWN_WHOLE = 40
"""The most lines of a source that does not scroll by itself."""

FOLDED = 2
"""The least number of consecutive sentences not taken that are folded into one line."""

MANY = 20
"""The most numbers of sentences that are listed."""


# A sentence that is taken has a thick line and a badge, so that colour is not needed to tell it.
EXTRACT_STYLE = """<style>
.bound { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); margin-bottom: .5rem; }
@media (min-width: 900px) { .bound { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); } }
.bound > div { border: 1px solid rgb(128 128 128 / .4); border-radius: .5rem; padding: .75rem 1rem; min-width: 0; }
.bound .long { max-height: min(40rem, 75vh); overflow-y: auto; }
@media (min-width: 900px) { .bound .against { position: sticky; top: 4.5rem; align-self: start; } }
.bound .name { font-weight: 600; margin-bottom: .5rem; }
.bound .badge { user-select: none; }
.evidence.bound ol { list-style: none; padding: 0; margin: 0; }
.evidence.bound .note { margin-top: .75rem; }
@media (max-width: 899px) { .bound .against { order: -1; } }
.evidence.bound li { display: grid; grid-template-columns: 1.75rem minmax(0, 1fr); column-gap: .5rem; padding: .2rem;
  margin: 0; border-inline-start: 5px solid transparent; }
.bound li .number { text-align: end; font-variant-numeric: tabular-nums; opacity: .8; font-size: .875rem;
  line-height: 1.7; }
.bound li.taken { border-inline-start-color: rgb(37 99 235); background: rgb(37 99 235 / .08); }
.bound li.taken .number { font-weight: 700; opacity: 1; }
.evidence.bound .k-matched { background: light-dark(rgb(37 99 235 / .2), rgb(96 165 250 / .4)); }
.bound li .text { white-space: pre-wrap; }
.evidence.bound li.skip { display: block; padding-inline-start: 2.4rem; }
.evidence.bound li.skip ol { margin-inline-start: -2.4rem; }
.bound li.skip summary { font-size: .875rem; padding-block: .25rem; }
@media print {
  .bound .long { max-height: none; }
  .bound details::details-content { content-visibility: visible; display: block; block-size: auto; }
}
.bound .badge { display: inline-block; border: 1px solid currentColor; border-radius: .6em; padding: 0 .5em;
  font-size: .75rem; font-weight: 600; }
</style>"""


def extract_words(row: OracleRow, document: Document, choice: BoundChoice) -> str:
    """Describe the result of the exact search, as plain text: its score and length, and whether it is proven."""
    if row.proven and not row.places:
        return f"Nothing can be taken, and the highest F1 is 0: {why_nothing(document, choice)}."
    plain = choice.target.n == 1 and choice.target.definition == "clipped"
    references = len(document.references)
    against = f"reference {row.reference + 1} of {references}" if references > 1 else "the reference"
    sentences = sentences_of(document)
    words = count_words(" ".join(sentences[place] for place in row.places))
    seconds = f"{row.seconds:.2f} s"
    if row.proven:
        known = f"Proven optimal in {seconds}: no extract scores higher{'' if plain else ' by this count'}."
    else:
        known = f"Best found so far, the time was over after {seconds}: no extract is above {row.bound:.4f}."
    length = f"{format_count(len(row.places), 'sentence')}, {format_count(words, 'word')}"
    return f"F1 {row.f1:.4f} against {against}, {length}. {known}"


def greedy_words(greedy: OracleRow, optimum: OracleRow) -> str:
    """Compare the greedy extract with the result of the exact search, as plain text; empty if nothing can be taken."""
    if not optimum.places:
        return ""
    if is_proven(greedy.f1, optimum.f1):
        return "The greedy search finds one that is as good."
    size = format_count(len(greedy.places), "sentence")
    return f"The greedy search reaches {greedy.f1:.4f} with {size}, {optimum.f1 - greedy.f1:.4f} less."


def why_nothing(document: Document, choice: BoundChoice) -> str:
    """Say why the best extract of a document is empty: no sentence is short enough, or none shares anything."""
    length, sentences = choice.length, sentences_of(document)
    most = length.words(document) if length and length.unit != "sentences" else None
    short = [sentence for sentence in sentences if most is None or count_words(sentence) <= most]
    among = "no sentence" if most is None or len(short) == len(sentences) else f"no sentence of at most {most} words"
    if not short:
        return f"no sentence has {format_count(most or 0, 'word')} or fewer"
    several = len(document.references) > 1 and choice.target.references == "max"
    return f"{among} shares a {ONE[choice.target.n]} with {'a' if several else 'the'} reference"


def extract_html(document: Document, row: OracleRow, target: Target) -> str:
    """Write the source's sentences beside the reference as HTML, with the n-grams that the extract covers or misses.

    Consecutive sentences that are not taken are folded into a line to unfold.
    """
    sentences, reference = sentences_of(document), document.references[row.reference]
    covered = coverage(sentences, row.places, reference, target)
    lines = source_lines(sentences, covered)
    theirs = [*marks(reference, covered.covered, "matched"), *marks(reference, covered.missed, "missed")]
    name = f"Reference {row.reference + 1}" if len(document.references) > 1 else "Reference"
    numbers = f" ({format_sentence_numbers(row.places)})" if row.places else ""
    head = f"Source: {len(row.places)} of {format_count(len(sentences), 'sentence')} taken{numbers}"
    scrolls = len(lines) > SHOWN_WHOLE
    within = ' class="long" role="region" aria-label="Source, sentence by sentence" tabindex="0"' if scrolls else ""
    return (
        f'<div class="evidence bound"><div><div class="name">{head}</div>'
        f"<div{within}>"
        f"<ol>{''.join(lines)}</ol></div></div>"
        f'<div class="against">{passage(reference, theirs, name)}'
        f'<p class="note">{esc(covered_words(covered, target))}</p>'
        f"{legend((mark.kind for mark in theirs), WORDS)}</div></div>"
    )


def source_lines(sentences: Sequence[str], covered: Coverage) -> list[str]:
    """Write the sentences of a source as list items of HTML; those between taken ones, if any, are folded."""
    lines = []
    for is_taken, run in groupby(range(len(sentences)), covered.extract.__contains__):
        places = list(run)
        items = [sentence_html(place, sentences[place], covered.extract.get(place)) for place in places]
        if is_taken or not covered.extract or len(places) < FOLDED:
            lines += items
        else:
            skipped = f"{len(places)} sentences not taken ({places[0] + 1}–{places[-1] + 1})"
            body = f'<ol start="{places[0] + 1}">{"".join(items)}</ol>'
            lines.append(f'<li class="skip"><details><summary>{skipped}</summary>{body}</details></li>')
    return lines


def format_sentence_numbers(places: Sequence[int]) -> str:
    """List sentences by their numbers, which count from 1."""
    more = f" and {len(places) - MANY} more" if len(places) > MANY else ""
    return ", ".join(str(place + 1) for place in places[:MANY]) + more


def sentence_html(place: int, sentence: str, covered: Sequence[NgramOccurrence] | None) -> str:
    """Write a sentence of the source with its number as HTML; a taken one has marks on what it covers, if anything."""
    taken = covered is not None
    kind, badge = (' class="taken"', '<span class="badge">taken</span> ') if taken else ("", "")
    body = highlight(sentence, marks(sentence, covered or (), "matched"))
    return (
        f'<li{kind}><span class="number">{place + 1}</span>'
        f'<span>{badge}<span class="text" dir="auto">{body}</span></span></li>'
    )


def marks(text: str, places: Iterable[NgramOccurrence], kind: str) -> list[Mark]:
    """Mark the n-grams of a sentence or reference; those that match light each other."""
    return [
        Mark(
            *place.span,
            kind,
            f"{WORDS[kind]}: “{text[slice(*place.span)]}”",
            f"g{place.ngram}" if kind == "matched" else "",
        )
        for place in places
    ]


def covered_words(covered: Coverage, target: Target) -> str:
    """Derive the F1 from the counts of what is marked, in a sentence."""
    what = f"{'different ' if target.definition == 'set' else ''}{UNITS[target.n]}"
    matched, ours, theirs = covered.matched, covered.in_extract, covered.in_reference
    f1 = 2 * matched / (ours + theirs) if matched else 0.0
    return (
        f"{matched} of the {theirs} {what} that ROUGE counts in the reference are covered; it counts {ours} in the "
        f"extract: F1 = 2 × {matched} / ({ours} + {theirs}) = {f1:.4f}."
    )
