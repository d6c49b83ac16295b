"""The evidence of ROUGE: matched words, bigrams, subsequences."""

from collections.abc import Sequence
from itertools import groupby

from relevance.data.records import Example
from relevance.data.wording import format_count, join_items
from relevance.metrics.rouge import Match, RougeEvidence
from relevance.metrics.text import UNICODE, Reading, Span, find_tokens, rouge_words
from relevance.reports.escaping import esc
from relevance.reports.evidence.blocks import (
    Passage,
    alternatives_html,
    block,
    counted_note,
    list_matches,
    mark_matches,
    quote_span,
)
from relevance.reports.evidence.phrases import (
    Seen,
    is_content,
    join_first_items,
    reference_heading,
    reference_name,
    sentence,
)

ROUGE_UNIT = {
    "rouge1": "unigram",
    "rouge2": "bigram",
    "rougeL": "word",
    "rougeLsum": "word",
    "rougeSU4": "unit",
}
"""The unit that each ROUGE counts."""

ROUGE_NOTES = {
    "rougeL": ", in the same order",
    "rougeLsum": ", in the order of a sentence",
    "rougeSU4": ", which are single words and pairs with at most four words between; the words are marked",
}
"""The notes added to the counts."""


def rouge_html(evidence: RougeEvidence, example: Example) -> str:
    """Write the candidate beside each counted reference as HTML, with matched units in both.

    Only what counted is shown; with the mean, all references.
    """
    units, note = f"{ROUGE_UNIT[evidence.metric]}s", ROUGE_NOTES.get(evidence.metric, "")
    blocks: list[str] = []
    names: list[str] = []
    rule = counted_note(evidence.counted, evidence.compared)
    if evidence.rule == "pooled" and rule:
        rule = [f"The score divides sums over these {len(evidence.compared)} references."]
    for place in evidence.counted:
        compared, (passages, rows) = evidence.compared[place], mark_rouge(evidence, example, place)
        name = passages[1][2]
        counted = (
            f"{name}: {compared.matched} of {compared.in_reference} {units} of the {example.against}, "
            f"{compared.matched} of {compared.in_candidate} of the summary{note}."
        )
        sentences = [*rule, counted] if not blocks else [counted]
        blocks.append(block(sentences, passages, list_matches(rows, name)))
        names.append(counted)
    return alternatives_html(blocks, names) + left_out_note(evidence.left_out, "a word to compare")


def mark_rouge(evidence: RougeEvidence, example: Example, place: int) -> tuple[list[Passage], list[tuple[str, str]]]:
    """Mark the matched units of a comparison, given by its place, and list them as in the summary and the reference."""
    index, only_words = evidence.compared[place].reference, evidence.metric == "rougeSU4"
    reference, name = example.references[index], reference_heading(index, example)
    return mark_matches(example.candidate, reference, name, evidence.matches[place], only_words=only_words)


def rouge_passages(evidence: RougeEvidence, example: Example) -> list[Passage]:
    """Return the marked texts of the first comparison that counted."""
    return mark_rouge(evidence, example, evidence.counted[0])[0]


def left_out_note(references: Sequence[int], why: str) -> str:
    """Write a line about references that were not compared, as HTML."""
    if not references:
        return ""
    names = ", ".join(str(index + 1) for index in references)
    line = f"Not compared, for lack of {why}: reference {names}."
    return f'<div class="evidence"><p class="note whole">{esc(line)}</p></div>'


def describe_rouge(seen: Sequence[Seen]) -> list[str]:
    """Say how many units each summary shares with the counted reference, and which of them only one of them has."""
    single = [(summary, summary.evidence) for summary in seen if isinstance(summary.evidence, RougeEvidence)]
    if not single:
        return []
    kind = single[0][1].metric
    unit = ROUGE_UNIT[kind]
    if any(len(evidence.counted) != 1 for _, evidence in single):
        return rouge_means(unit, single)
    order = {"rougeL": " in the same order", "rougeLsum": " in the order of a sentence"}.get(kind, "")
    clauses = []
    places = [(summary, evidence.compared[evidence.counted[0]]) for summary, evidence in single]
    by_reference = sorted(places, key=lambda place: place[1].reference)
    for index, group in groupby(by_reference, key=lambda place: place[1].reference):
        together = list(group)
        size, name = together[0][1].in_reference, reference_name(index, together[0][0].example)
        if not size:
            clauses.append(f"{name} has no {unit} to share")
            continue
        of = f"of the {format_count(size, unit)} of {name}" if size > 1 else f"of the only {unit} of {name}"
        have = [
            f"{summary.letter} has {place.matched}{order} (among {place.in_candidate} of its own)"
            for summary, place in together
        ]
        clauses.append(f"{of}, {join_items(have)}")
    sentences = [sentence("; ".join(clauses))] if clauses else []
    # There can be other longest common subsequences, so that what one leaves out says nothing. Pairs with other words
    # between them cannot be quoted.
    if len(single) == 2 and kind in ("rouge1", "rouge2"):
        sentences += only_one_has(single)
    return sentences


def rouge_means(unit: str, single: Sequence[tuple[Seen, RougeEvidence]]) -> list[str]:
    """Say how many units each summary shares if the value is the mean over all references."""
    parts = []
    for summary, evidence in single:
        compared = [evidence.compared[place] for place in evidence.counted]
        shared = sum(place.matched for place in compared) / max(1, len(compared))
        parts.append(f"{summary.letter} shares {shared:.1f} of its {format_count(compared[0].in_candidate, unit)}")
    return [f"With a reference, on average, {join_items(parts)}."] if parts else []


def only_one_has(single: Sequence[tuple[Seen, RougeEvidence]]) -> list[str]:
    """Say what of the reference only one of two summaries has, if the same reference counts for both."""
    (left, first), (right, second) = single
    index, against = (evidence.compared[evidence.counted[0]].reference for evidence in (first, second))
    if index != against:
        return []
    text, name = left.example.references[index], reference_name(index, left.example)
    clauses = []
    for seen, mine, others in ((left, first, second), (right, second, first)):
        units = units_alone(text, mine, others)
        if alone := join_stretches(text, seen.example.candidate, units):
            clauses.append(f"only {seen.letter} has {join_first_items(quote_span(text, span) for span in alone)}")
    return [sentence(f"of {name}, {'; '.join(clauses)}")] if clauses else []


def units_alone(text: str, mine: RougeEvidence, others: RougeEvidence) -> list[Match]:
    """Return the matched units of a reference that another summary shares nowhere, in no place and no form."""
    shared = {stem_unit(text, match.reference) for match in others.matches[others.counted[0]]}
    own = sorted(mine.matches[mine.counted[0]], key=lambda match: match.reference)
    return [match for match in own if stem_unit(text, match.reference) not in shared]


def stem_unit(text: str, unit: Span) -> tuple[str, ...]:
    """Return the stemmed words of a unit, as ROUGE compares them."""
    return tuple(rouge_words(text[slice(*unit)], Reading("unicode")))


def join_stretches(text: str, candidate: str, units: Sequence[Match]) -> list[Span]:
    """Return the spans of units in the reference, joined if they follow each other in both texts.

    Those of function words alone are left out.
    """
    joined: list[Match] = []
    for match in units:
        last = joined[-1] if joined else None
        if (
            last
            and follows(text, last.reference, match.reference)
            and follows(candidate, last.candidate, match.candidate)
        ):
            both = (last.candidate[0], match.candidate[1]), (last.reference[0], match.reference[1])
            joined[-1] = Match(*both)
        else:
            joined.append(match)
    spans = [match.reference for match in joined]
    return [span for span in spans if any(map(is_content, find_tokens(UNICODE, text[slice(*span)]).words))]


def follows(text: str, before: Span, after: Span) -> bool:
    """Tell whether a span begins inside another or right after it, with no letter between them."""
    return before[0] < after[0] and before[1] < after[1] and not any(map(str.isalnum, text[before[1] : after[0]]))
