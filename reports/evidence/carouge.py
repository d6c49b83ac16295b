"""The evidence of CAROUGE: for every n-gram of the summary, the nearest important one."""

from collections.abc import Sequence

from relevance.data.one_line import in_one_line
from relevance.data.records import Example
from relevance.data.wording import format_count, join_items
from relevance.metrics.carouge import CarougeComparison as CarougeCompared
from relevance.metrics.carouge import CarougeEvidence
from relevance.metrics.text import Span
from relevance.reports.evidence.bertscore import SAME, WORST
from relevance.reports.evidence.blocks import (
    Passage,
    alternatives_html,
    block,
    counted_note,
    details,
    quote_span,
    table_html,
)
from relevance.reports.evidence.highlighting import Mark
from relevance.reports.evidence.phrases import Seen, is_content, quote, reference_heading, reference_name
from relevance.reports.evidence.rouge import left_out_note

NEAREST = {"matched": "the same", "nearest": "nearest, not the same"}
"""The meanings of marks of words, in the legend."""


def carouge_html(evidence: CarougeEvidence, example: Example) -> str:
    """Write each word of the summary (or n-gram) with the nearest important one of the other text as HTML."""
    blocks: list[str] = []
    names: list[str] = []
    for place in evidence.counted:
        compared = evidence.compared[place]
        name = reference_heading(compared.reference, example)
        heading = f"{name}: {carouge_sum(evidence.norm, compared)}"
        rule = counted_note(evidence.counted, evidence.compared) if not blocks else []
        blocks.append(carouge_block(evidence, compared, example, [*rule, heading]))
        names.append(heading)
    return alternatives_html(blocks, names) + left_out_note(evidence.left_out, "a word with a vector")


def carouge_sum(norm: str, compared: CarougeCompared) -> str:
    """Say how the similarities become the score of a comparison."""
    nearest = compared.nearest
    unit = "n-gram" if any(" " in neighbour.words for neighbour in nearest) else "word"
    total, m, k = sum(neighbour.similarity for neighbour in nearest), len(nearest), compared.important
    divisor = {"summary": m, "reference": k, "paper": m * k}[norm]
    by = {
        "summary": f"the summary's {format_count(m, unit)}",
        "reference": f"the {k} important",
        "paper": f"the summary's {format_count(m, unit)} times the {k} important",
    }[norm]
    return f"similarities add up to {total:.3f}; divided by {by}, that is {total / divisor:.4f}."


def carouge_block(evidence: CarougeEvidence, compared: CarougeCompared, example: Example, lines: Sequence[str]) -> str:
    """Write one comparison as HTML under the lines about it."""
    passages, rows, lit = mark_carouge(evidence, compared, example)
    if evidence.unknown:
        lines = [*lines, f"{format_count(len(evidence.unknown), 'word')} of the summary without a vector."]
    listed = table_html(["of the summary", "nearest important", "similarity"], rows, lit)
    return block(
        lines, passages, details(f"All {format_count(len(rows), 'similarity', 'similarities')}", listed), NEAREST
    )


def mark_carouge(
    evidence: CarougeEvidence, compared: CarougeCompared, example: Example
) -> tuple[list[Passage], list[tuple[str, str, str]], list[str]]:
    """Mark the words of a comparison, and list those of the summary with the nearest ones; also the rows' groups."""
    candidate, name = example.candidate, reference_heading(compared.reference, example)
    text = example.source if compared.reference is None else example.references[compared.reference]
    groups: dict[Span, str] = {}
    ours, theirs, rows, lit = [], [], [], []
    for neighbour in compared.nearest:
        group = groups.setdefault(neighbour.important, f"g{len(groups)}")
        # Vectors of equal words have similarity 1 but for rounding.
        kind = "matched" if neighbour.similarity > 1 - 1e-6 else "nearest"
        label = f"{name}: {quote_span(text, neighbour.important)} {neighbour.similarity:.3f}"
        ours.append(Mark(*neighbour.candidate, kind, label, group))
        partner = f"summary: {quote_span(candidate, neighbour.candidate)} {neighbour.similarity:.3f}"
        theirs.append(Mark(*neighbour.important, kind, partner, group))
        rows.append(
            (in_one_line(candidate[slice(*neighbour.candidate)]), neighbour.words, f"{neighbour.similarity:.3f}")
        )
        lit.append(group)
    without = "a word without a vector, which does not count"
    ours += [Mark(*span, "unknown", without) for span in evidence.unknown]
    theirs += [Mark(*span, "unknown", without) for span in compared.unknown]
    return [(candidate, ours, "Summary"), (text, theirs, name)], rows, lit


def carouge_passages(evidence: CarougeEvidence, example: Example) -> list[Passage]:
    """Return the marked texts of the first comparison that counted."""
    return mark_carouge(evidence, evidence.compared[evidence.counted[0]], example)[0]


def describe_carouge(seen: Sequence[Seen]) -> list[str]:
    """Say how the similarities of each summary's words become its score, and which words are furthest from all."""
    sentences = []
    for summary in seen:
        evidence = summary.evidence
        if not isinstance(evidence, CarougeEvidence) or not evidence.counted:
            continue
        if len(evidence.counted) > 1:
            sentences.append(f"{summary.letter}: the mean over {len(evidence.counted)} references.")
            continue
        sentences.append(f"{carouge_detail(evidence, summary)}.")
    return sentences


def carouge_detail(evidence: CarougeEvidence, seen: Seen) -> str:
    """Describe the one comparison that counts."""
    compared = evidence.compared[evidence.counted[0]]
    name, candidate = reference_name(compared.reference, seen.example), seen.example.candidate
    unit = "n-gram" if any(" " in neighbour.words for neighbour in compared.nearest) else "word"
    same = sum(neighbour.similarity > SAME for neighbour in compared.nearest)
    size, verb = format_count(len(compared.nearest), unit), "stands" if same == 1 else "stand"
    clauses = [f"{same} of {seen.letter}'s {size} {verb} in {name} as well"]
    if evidence.unknown:
        clauses.append(f"{format_count(len(evidence.unknown), 'word')} without a vector not counted")
    far: dict[str, str] = {}
    for neighbour in sorted(compared.nearest, key=lambda neighbour: neighbour.similarity):
        text = candidate[slice(*neighbour.candidate)]
        if neighbour.similarity <= SAME and len(far) < WORST and is_content(text):
            far.setdefault(text.casefold(), f"{quote(text)} ({neighbour.similarity:.3f})")
    if far:
        kind, verb = "n-grams" if unit == "n-gram" else "content words", "is" if len(far) == 1 else "are"
        clauses.append(
            f"of {seen.letter}'s {kind}, {join_items(list(far.values()))} {verb} furthest from everything there"
        )
    if evidence.norm != "summary":
        clauses.append(carouge_sum(evidence.norm, compared).rstrip("."))
    return "; ".join(clauses)
