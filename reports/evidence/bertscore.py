"""The evidence of BERTScore: the best match of every token."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pandas as pd

from relevance.data.one_line import in_one_line
from relevance.data.records import Example
from relevance.data.wording import format_count, join_items
from relevance.metrics.bertscore import BertScoreEvidence, Matches, Side
from relevance.metrics.text import UNICODE, Span, find_tokens
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
from relevance.reports.evidence.phrases import Seen, is_content, reference_heading, reference_name

LARGEST = 60
"""The most tokens of each text in the matrix that is drawn: with more, cells are too small to point at."""


BEST = {"matched": "each other's best", "nearest": "best of one side", "missed": "no best match"}
"""The meanings of marks of tokens, in the legend."""


class Matrix(NamedTuple):
    """Similarities of tokens for a heatmap."""

    frame: pd.DataFrame
    """A row for each cell: `candidate place`, `candidate token`, `reference place`, `reference token` (places count
    from 1 and keep the order, as tokens repeat), `similarity`, `matched` (it is the best match of the candidate's
    token) and `matched back` (of the reference's token).
    """
    beside: str
    """The name of the compared text, such as `reference 1`."""
    note: str
    """A sentence on what the matrix leaves out; empty if it is complete."""


def text_tokens(side: Side) -> list[int]:
    """List the tokens that occur in the text, without those that the encoder adds."""
    return [token for token, (start, end) in enumerate(side.spans) if start < end]


def bertscore_html(evidence: BertScoreEvidence, example: Example) -> str:
    """Write each token with the most similar one of the other text as HTML; pointing at a word lights its matches.

    It shows the references that counted. Two tokens that are each other's best are *matched*, one-sided bests
    *nearest*, and reference tokens that are nobody's best *missed*.
    """
    rule = counted_note(evidence.counted, evidence.matches)
    blocks: list[str] = []
    names: list[str] = []
    for place in evidence.counted:
        matches = evidence.matches[place]
        blocks.append(bertscore_block(evidence, matches, example, rule if not blocks else ()))
        names.append(bertscore_line(matches, example))
    return alternatives_html(blocks, names)


def bertscore_line(matches: Matches, example: Example) -> str:
    """Write the values of one comparison."""
    name = reference_heading(matches.reference, example)
    return f"{name}: precision {matches.precision:.4f}, recall {matches.recall:.4f}, F1 {matches.f1:.4f}."


def bertscore_block(evidence: BertScoreEvidence, matches: Matches, example: Example, rule: Iterable[str] = ()) -> str:
    """Write one comparison as HTML; `rule` are the lines that precede it."""
    passages, rows, groups = mark_bertscore(evidence, matches, example)
    left, right, name = evidence.candidate, evidence.references[matches.reference], passages[1][2]
    sentences = [
        *rule,
        bertscore_line(matches, example),
        *(
            f"The end of the {which} is beyond the model's limit and did not count."
            for which, truncated in (("summary", left.truncated), (name.lower(), right.truncated))
            if truncated
        ),
    ]
    heads = ["word of the summary", "most similar in the " + example.against, "similarity", "each other's best"]
    return block(
        sentences,
        passages,
        details(f"Matches of {format_count(len(rows), 'token')}", table_html(heads, rows, groups)),
        BEST,
    )


def mark_bertscore(
    evidence: BertScoreEvidence, matches: Matches, example: Example
) -> tuple[list[Passage], list[tuple[str, str, str, str]], list[str]]:
    """Mark the tokens of a comparison, and list those of the summary with their matches; also the rows' groups."""
    candidate, text = example.candidate, example.references[matches.reference]
    name = reference_heading(matches.reference, example)
    left, right = evidence.candidate, evidence.references[matches.reference]
    forth, back, similarity = matches.nearest_to_candidate, matches.nearest_to_reference, matches.similarity
    our_tokens, their_tokens = text_tokens(left), text_tokens(right)
    chosen, known = {forth[token] for token in our_tokens}, {*their_tokens}
    mutual = {forth[token] for token in our_tokens if forth[token] in known and back[forth[token]] == token}
    ours, theirs, rows, groups = [], [], [], []
    for token in our_tokens:
        best = forth[token]
        value, partner = f"{similarity[token, best]:.3f}", token_name(text, right.spans[best])
        both = best in mutual and back[best] == token
        label = f"{name}: {partner} {value}{weightless(left, token)}"
        groups.append(f"g{best}" if best in known else "")
        ours.append(Mark(*left.spans[token], "matched" if both else "nearest", label, groups[-1]))
        rows.append((in_one_line(candidate[slice(*left.spans[token])]), partner, value, "yes" if both else "no"))
    for token in their_tokens:
        best = back[token]
        kind = "matched" if token in mutual else "nearest" if token in chosen else "missed"
        label = f"summary: {token_name(candidate, left.spans[best])} {similarity[best, token]:.3f}"
        theirs.append(Mark(*right.spans[token], kind, f"{label}{weightless(right, token)}", f"g{token}"))
    return [(candidate, ours, "Summary"), (text, theirs, name)], rows, groups


def bertscore_passages(evidence: BertScoreEvidence, example: Example) -> list[Passage]:
    """Return the marked texts of the first comparison that counted."""
    return mark_bertscore(evidence, evidence.matches[evidence.counted[0]], example)[0]


def token_name(text: str, span: Span) -> str:
    """Return the name of a token in labels."""
    return quote_span(text, span) if span[0] < span[1] else "(a token of the encoder's own)"


def weightless(side: Side, token: int) -> str:
    """Return the remark on a token that does not count; empty for others."""
    return "" if side.weights[token] else ", weighs nothing"


def bertscore_matrix(evidence: BertScoreEvidence, example: Example) -> Matrix:
    """Return the similarities of the first `LARGEST` tokens of the summary and of the reference of the highest F1."""
    matches = max(evidence.matches, key=lambda matches: matches.f1)  # the first one in a tie
    candidate, text = example.candidate, example.references[matches.reference]
    left, right = evidence.candidate, evidence.references[matches.reference]
    ours, theirs = text_tokens(left), text_tokens(right)
    rows = [
        {
            "candidate place": row,
            "candidate token": in_one_line(candidate[slice(*left.spans[i])]),
            "reference place": column,
            "reference token": in_one_line(text[slice(*right.spans[j])]),
            "similarity": float(matches.similarity[i, j]),
            "matched": matches.nearest_to_candidate[i] == j,
            "matched back": matches.nearest_to_reference[j] == i,
        }
        for row, i in enumerate(ours[:LARGEST], 1)
        for column, j in enumerate(theirs[:LARGEST], 1)
    ]
    cut = [
        f"{LARGEST} of {len(tokens)} tokens of the {name}"
        for name, tokens in (("summary", ours), (example.against, theirs))
        if len(tokens) > LARGEST
    ]
    columns = ["candidate place", "candidate token", "reference place", "reference token", "similarity", "matched"]
    frame = pd.DataFrame(rows, columns=[*columns, "matched back"])
    name = reference_heading(matches.reference, example).lower()
    return Matrix(frame, name, f"The first {' and the first '.join(cut)}." if cut else "")


WORST = 2
"""The number of words named as those that a summary covers worst."""

SAME = 1 - 1e-6
"""The similarity from which words count as equal: vectors of equal words have 1, but for rounding."""


def describe_bertscore(seen: Sequence[Seen]) -> list[str]:
    """Give precision and recall for the counted reference, and its words that each summary covers worst."""
    sentences = []
    for summary in seen:
        evidence = summary.evidence
        if not isinstance(evidence, BertScoreEvidence) or not evidence.matches:
            continue
        counted = [evidence.matches[place] for place in evidence.counted]
        if len(counted) > 1:
            precision, recall = (
                sum(values) / len(counted)
                for values in ([matches.precision for matches in counted], [matches.recall for matches in counted])
            )
            sentences.append(
                f"{summary.letter}, on average over {len(counted)} references: precision {precision:.3f}, "
                f"recall {recall:.3f}."
            )
            continue
        (matches,) = counted
        text, name = summary.example.references[matches.reference], reference_name(matches.reference, summary.example)
        worst = [
            f"{quote_span(text, span)} ({value:.3f})" for value, span in find_worst_covered(evidence, matches, text)
        ]
        verb = "is" if len(worst) == 1 else "are"
        least = (
            f"; of the content words of {name}, {join_items(worst)} {verb} least like anything in {summary.letter}"
            if worst
            else ""
        )
        sentences.append(
            f"{summary.letter} beside {name}: precision {matches.precision:.3f}, recall {matches.recall:.3f}{least}."
        )
    return sentences


def find_worst_covered(evidence: BertScoreEvidence, matches: Matches, text: str) -> list[tuple[float, Span]]:
    """Find the `WORST` content words of a reference with the lowest best similarities, the lowest first.

    A word of several tokens has the mean of theirs.
    """
    side = evidence.references[matches.reference]
    best = {
        span: float(matches.similarity[matches.nearest_to_reference[token], token])
        for token, span in enumerate(side.spans)
        if span[0] < span[1] and side.weights[token]
    }
    words = find_tokens(UNICODE, text)
    worst: dict[str, tuple[float, Span]] = {}
    for word, (start, end) in zip(words.words, words.spans, strict=True):
        tokens = [value for span, value in best.items() if start <= span[0] and span[1] <= end]
        if tokens and is_content(word):
            mean = sum(tokens) / len(tokens)
            worst[word] = min(worst.get(word, (mean, (start, end))), (mean, (start, end)))
    return sorted(worst.values())[:WORST]
