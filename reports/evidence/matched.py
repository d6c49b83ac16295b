"""The evidence of metrics of others: what they matched in the references or the source, marked in both texts."""

from collections.abc import Sequence

from relevance.data.records import Example
from relevance.data.wording import format_count, join_items
from relevance.metrics.evidence import MatchedEvidence, TextMatch
from relevance.reports.evidence.blocks import Passage, alternatives_html, block, list_matches, mark_matches
from relevance.reports.evidence.phrases import Seen, reference_heading, sentence

NOTHING = "nothing was matched"


def matched_html(evidence: MatchedEvidence, example: Example) -> str:
    """Write the summary beside each text in which something was matched as HTML, that with the most matches first.

    Where nothing was matched, it is not known with what: the summary stands alone.
    """
    if not evidence.matches:
        return block([sentence(evidence.sentence or NOTHING)], matched_passages(evidence, example))
    blocks: list[str] = []
    names: list[str] = []
    for index, matches in by_text(evidence):
        passages, rows = mark_text(matches, index, example)
        name = passages[1][2]
        counted = f"{name}: {format_count(len(matches), 'match', 'matches')}."
        sentences = [sentence(evidence.sentence)] if evidence.sentence and not blocks else []
        blocks.append(block([*sentences, counted], passages, list_matches(rows, name)))
        names.append(counted)
    return alternatives_html(blocks, names)


def matched_passages(evidence: MatchedEvidence, example: Example) -> list[Passage]:
    """Return the marked texts of the comparison with the most matches; the summary alone where there is none."""
    if not evidence.matches:
        return [(example.candidate, [], "Summary")]
    index, matches = by_text(evidence)[0]
    return mark_text(matches, index, example)[0]


def describe_matched(seen: Sequence[Seen]) -> list[str]:
    """Say what each summary's evidence says of itself, or else how much was matched."""
    matched = [(summary.letter, summary.evidence) for summary in seen if isinstance(summary.evidence, MatchedEvidence)]
    if not matched:
        return []
    if any(evidence.sentence for _, evidence in matched):
        return [
            sentence(
                "; ".join(f"{letter}: {evidence.sentence or count_matches(evidence)}" for letter, evidence in matched)
            )
        ]
    return [sentence(join_items([f"{letter} has {count_matches(evidence)}" for letter, evidence in matched]))]


def count_matches(evidence: MatchedEvidence) -> str:
    """Count what was matched, in words."""
    return format_count(len(evidence.matches), "match", "matches")


def by_text(evidence: MatchedEvidence) -> list[tuple[int | None, list[TextMatch]]]:
    """Return the matches by reference, or None for the source, those with the most matches first."""
    by_text: dict[int | None, list[TextMatch]] = {}
    for match in sorted(evidence.matches, key=lambda match: match.candidate):
        by_text.setdefault(match.reference, []).append(match)
    return sorted(by_text.items(), key=lambda item: (-len(item[1]), item[0] is None, item[0] or 0))


def mark_text(
    matches: Sequence[TextMatch], index: int | None, example: Example
) -> tuple[list[Passage], list[tuple[str, str]]]:
    """Mark matches with one text, given by the index of the reference, and list them as in the summary and there."""
    text = example.source if index is None else example.references[index]
    spans = [(match.candidate, match.text) for match in matches]
    return mark_matches(example.candidate, text, reference_heading(index, example), spans)
