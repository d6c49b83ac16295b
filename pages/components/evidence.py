"""What each metric saw, as blocks of HTML: only the evidence is shown, nothing is scored again.

They are styled by `pages.components.highlight.HIGHLIGHT_STYLE`, which pages have once. Every function takes None for
evidence that there is not, with the reason as `missing`.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd

from metrics.apes.base import BLANK
from metrics.apes.metric import ApesEvidence, Trace, credit, earned
from metrics.bertscore import BertScoreEvidence, Matches, Side
from metrics.carouge import CarougeEvidence
from metrics.carouge import Compared as CarougeCompared
from metrics.rouge import RougeEvidence
from metrics.rouge_k import RougeKEvidence
from metrics.text import UNICODE, Span, find
from pages.components.formats import esc
from pages.components.highlight import GROUPS, Mark, highlight, legend
from pages.components.text import in_one_line, literal

ROUGE_UNITS = {
    "rouge1": "unigrams",
    "rouge2": "bigrams",
    "rougeL": "words",
    "rougeLsum": "words",
    "rougeSU4": "units",
}
"""What each ROUGE counts, as `rouge_html` says it."""

ROUGE_NOTES = {
    "rougeL": ", in the same order",
    "rougeLsum": ", in the order of a sentence",
    "rougeSU4": ", which are single words and pairs with at most four words between; the words are marked",
}
"""What is added to the counts."""

LARGEST = 60
"""Tokens of each text in a matrix that is drawn: with more, cells are too small to point at."""

LONGEST_LABEL = 60
"""Characters of a quotation inside a label."""


# --- the parts of a block -----------------------------------------------------------------------------------


def no_evidence(missing: str | None) -> str:
    """A paragraph that says why there is nothing to show."""
    return f'<p class="missing">No evidence: {esc(missing or "the score has none")}</p>'


def passage(text: str, marks: Sequence[Mark], name: str) -> str:
    """A text with its marks under its name."""
    label = html.escape(in_one_line(name))
    return (
        f'<div><div class="name" aria-hidden="true">{label}</div>'
        f'<div class="text" dir="auto" role="group" aria-label="{label}">{highlight(text, marks)}</div></div>'
    )


def block(
    said: Iterable[str],
    passages: Sequence[tuple[str, Sequence[Mark], str]],
    below: str = "",
    words: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """An evidence block: what is said in words, the marked texts side by side, a legend, and what goes below.

    `words` explain kinds of marks in the legend.
    """
    marks = [mark for _, found, _ in passages for mark in found]
    texts = "".join(passage(text, found, name) for text, found, name in passages)
    lines = "".join(f'<p class="whole">{esc(line)}</p>' for line in said)
    shown = legend((mark.kind for mark in marks), words)
    if any(int(mark.group[1:]) >= GROUPS for mark in marks if mark.group):
        light = f"Pointing at a word, or tapping it, lights its match for the first {GROUPS} matches only."
        shown += f'<p class="note whole">{light}</p>'
    return f'<div class="evidence">{lines}{texts}{shown}{below}</div>'


def counted_note(counted: Sequence[int], compared: Sequence[object]) -> list[str]:
    """A line that says how several references became one value; none where there was but one."""
    if len(compared) == 1:
        return []
    if len(counted) == len(compared):
        return [f"The score is the mean over these {len(compared)} references."]
    return [f"The best of {len(compared)} references makes the score; it is shown."]


def several(blocks: Sequence[str], names: Sequence[str]) -> str:
    """The first block, and the others to be opened by their names."""
    others = [
        f"<details><summary>{esc(name)}</summary>{body}</details>"
        for body, name in list(zip(blocks, names, strict=True))[1:]
    ]
    return "".join([*blocks[:1], *others])


def quoted(text: str, span: Span) -> str:
    """A stretch of a text inside quotation marks, cut where it is long."""
    found = in_one_line(text[slice(*span)])
    return f"“{found if len(found) <= LONGEST_LABEL else found[: LONGEST_LABEL - 1] + '…'}”"


def count(number: int, one: str, more: str | None = None) -> str:
    """A number of things in words."""
    return f"{number} {one if number == 1 else more or one + 's'}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], groups: Iterable[str] = ()) -> str:
    """A table that scrolls by itself where the screen is narrow; a row of a group lights it, as its marks do."""
    head = "".join(f'<th scope="col">{esc(name)}</th>' for name in heads)
    body = "".join(
        f"<tr{in_group(group)}>{''.join(f'<td>{esc(cell)}</td>' for cell in row)}</tr>"
        for row, group in zip_longest(rows, groups, fillvalue="")
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def in_group(group: str) -> str:
    """Attributes of an element that lights a group where it is pointed at or tapped."""
    return f' data-group="{group}" tabindex="-1"' if group else ""


def details(name: str, body: str) -> str:
    """What is opened by its name, across the whole block."""
    return f'<details class="whole"><summary>{esc(name)}</summary>{body}</details>'


# --- ROUGE --------------------------------------------------------------------------------------------------


def rouge_html(
    evidence: RougeEvidence | None,
    candidate: str,
    references: Sequence[str],
    metric: str,
    missing: str | None = None,
) -> str:
    """The candidate beside each counted reference, matched units in both; `metric` is one of `ROUGE_UNITS`.

    `references` are those of the example that was scored. Only what counted is shown, with the mean all of them.
    """
    if evidence is None:
        return no_evidence(missing)
    unit, note, only_words = ROUGE_UNITS[metric], ROUGE_NOTES.get(metric, ""), metric == "rougeSU4"
    blocks, names = [], []
    rule = counted_note(evidence.counted, evidence.compared)
    if evidence.rule == "pooled" and rule:
        rule = [f"The score divides sums over these {len(evidence.compared)} references."]
    for place in evidence.counted:
        compared, matches = evidence.compared[place], evidence.matches[place]
        reference, name = references[compared.reference], f"Reference {compared.reference + 1}"
        ours, theirs, rows = [], [], []
        for number, match in enumerate(matches):
            group, own, other = f"g{number}", quoted(candidate, match.candidate), quoted(reference, match.reference)
            rows.append((own, other))
            if only_words and " " in own:  # what stands between the two does not match
                continue
            ours.append(Mark(*match.candidate, "matched", f"{name}: {other}", group))
            theirs.append(Mark(*match.reference, "matched", f"summary: {own}", group))
        counted = (
            f"{name}: {compared.matched} of {compared.in_reference} {unit} of the reference, "
            f"{compared.matched} of {compared.in_candidate} of the summary{note}."
        )
        pairs = table(["of the summary", f"of reference {compared.reference + 1}"], rows, grouped(len(rows)))
        below = details(f"All {count(len(rows), 'match', 'matches')}", pairs) if rows else ""
        said = [*rule, counted] if not blocks else [counted]
        blocks.append(block(said, [(candidate, ours, "Summary"), (reference, theirs, name)], below))
        names.append(counted)
    return several(blocks, names) + left_out(evidence.left_out, "a word to compare")


def grouped(number: int) -> list[str]:
    """The groups of matches that are numbered through."""
    return [f"g{place}" for place in range(number)]


def left_out(references: Sequence[int], why: str) -> str:
    """A line about references that were not compared."""
    if not references:
        return ""
    names = ", ".join(str(index + 1) for index in references)
    line = f"Not compared, being without {why}: reference {names}."
    return f'<div class="evidence"><p class="note whole">{esc(line)}</p></div>'


# --- ROUGE-K ------------------------------------------------------------------------------------------------


def rouge_k_html(
    evidence: RougeKEvidence | None, candidate: str, title: str | None = None, missing: str | None = None
) -> str:
    """The keywords, matched and missed, as a list, in the summary and in every text that was compared.

    `title` is the document's: the last compared text is called so where it is this one.
    """
    if evidence is None:
        return no_evidence(missing)
    names = [f"Reference {number}" for number in range(1, len(evidence.texts) + 1)]
    if title is not None and evidence.texts[-1] == title:
        names[-1] = "Title"
    ours: list[Mark] = []
    theirs: list[list[Mark]] = [[] for _ in evidence.texts]
    items = []
    for number, (keyword, places) in enumerate(evidence.keywords):
        group, word = f"g{number}", in_one_line(str(keyword))
        found = "matched" if places else "missed"
        for index, span in keyword.found:
            for kind in ("keyword", found):
                theirs[index].append(Mark(*span, kind, f"keyword “{word}”, {found} by the summary", group))
        for span in places:
            for kind in ("keyword", "matched"):
                ours.append(Mark(*span, kind, f"keyword “{word}”", group))
        # One's own keywords may stand in no text.
        where = f" ({esc(' and '.join(names[index] for index, _ in keyword.found))})" if keyword.found else ""
        symbol = "✓" if places else "✗"
        items.append(f"<li{in_group(group)}>{symbol} {found}: <b>{esc(word)}</b>{where}</li>")
    hits = sum(bool(places) for _, places in evidence.keywords)
    said = f"{hits} of {count(len(evidence.keywords), 'keyword')} in the summary."
    passages = [(candidate, ours, "Summary"), *zip(evidence.texts, theirs, names, strict=True)]
    return block([said], passages, f'<ul class="whole">{"".join(items)}</ul>')


# --- BERTScore ----------------------------------------------------------------------------------------------


class Matrix(NamedTuple):
    """Similarities of tokens for a heatmap."""

    frame: pd.DataFrame
    """A row a cell: `candidate place`, `candidate token`, `reference place`, `reference token` (places count from 1
    and keep the order, as tokens repeat), `similarity`, `matched` (the candidate's token has its best match there) and
    `matched back` (the reference's token has)."""
    reference: int
    """Index of the reference."""
    note: str
    """What the matrix leaves out; empty where it is whole."""


def closest(evidence: BertScoreEvidence, reference: int | None) -> Matches:
    """The comparison with a reference, or with the one of the highest F1, the first of equals.

    Raises ValueError for a reference that was not compared.
    """
    if reference is None:
        return max(evidence.matches, key=lambda matches: matches.f1)
    for matches in evidence.matches:
        if matches.reference == reference:
            return matches
    raise ValueError(f"reference {reference + 1} was not compared")


def in_text(side: Side) -> list[int]:
    """The tokens that stand in the text, without those that the encoder adds."""
    return [token for token, (start, end) in enumerate(side.spans) if start < end]


def bertscore_html(
    evidence: BertScoreEvidence | None,
    candidate: str,
    references: Sequence[str],
    reference: int | None = None,
    missing: str | None = None,
) -> str:
    """Each token with the most similar one of the other text; pointing at a word lights those matched with it.

    Shown is the reference of this index, or those that counted. Two tokens that are each other's best are *matched*,
    one-sided bests *nearest*, reference tokens that are nobody's best *missed*.
    """
    if evidence is None:
        return no_evidence(missing)
    if reference is not None:
        return bertscore_block(evidence, closest(evidence, reference), candidate, references)
    rule = counted_note(evidence.counted, evidence.matches)
    blocks, names = [], []
    for place in evidence.counted:
        matches = evidence.matches[place]
        blocks.append(bertscore_block(evidence, matches, candidate, references, rule if not blocks else ()))
        names.append(bertscore_line(matches))
    return several(blocks, names)


def bertscore_line(matches: Matches) -> str:
    """The values of one comparison."""
    name = f"Reference {matches.reference + 1}"
    return f"{name}: precision {matches.precision:.4f}, recall {matches.recall:.4f}, F1 {matches.f1:.4f}."


def bertscore_block(
    evidence: BertScoreEvidence, matches: Matches, candidate: str, references: Sequence[str], rule: Iterable[str] = ()
) -> str:
    """One comparison; `rule` are the lines that go before it."""
    text, name = references[matches.reference], f"Reference {matches.reference + 1}"
    left, right = evidence.candidate, evidence.references[matches.reference]
    forth, back, similarity = matches.nearest_to_candidate, matches.nearest_to_reference, matches.similarity
    our_tokens, their_tokens = in_text(left), in_text(right)
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
    said = [
        *rule,
        bertscore_line(matches),
        *truncations([("summary", left.truncated), (name.lower(), right.truncated)]),
    ]
    heads = ["word of the summary", "most similar in the reference", "similarity", "each other's best"]
    passages = [(candidate, ours, "Summary"), (text, theirs, name)]
    words = {"matched": "each other's best", "nearest": "best of one side", "missed": "nobody's best"}
    return block(said, passages, details(f"Matches of {count(len(rows), 'token')}", table(heads, rows, groups)), words)


def token_name(text: str, span: Span) -> str:
    """A token as labels call it."""
    return quoted(text, span) if span[0] < span[1] else "(a token of the encoder's own)"


def weightless(side: Side, token: int) -> str:
    """What is said of a token that does not count."""
    return "" if side.weights[token] else ", weighs nothing"


def truncations(sides: Iterable[tuple[str, bool]]) -> Iterator[str]:
    """A line for each text whose end did not count."""
    for name, truncated in sides:
        if truncated:
            yield f"The end of the {name} is beyond the model's limit and did not count."


def bertscore_matrix(
    evidence: BertScoreEvidence, candidate: str, references: Sequence[str], reference: int | None = None
) -> Matrix:
    """The similarities of the first `LARGEST` tokens of both texts.

    The reference is the one of this index, or of those that counted the one of the highest F1.
    """
    matches = closest(evidence, reference)
    text = references[matches.reference]
    left, right = evidence.candidate, evidence.references[matches.reference]
    ours, theirs = in_text(left), in_text(right)
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
        for name, tokens in (("summary", ours), ("reference", theirs))
        if len(tokens) > LARGEST
    ]
    columns = ["candidate place", "candidate token", "reference place", "reference token", "similarity", "matched"]
    frame = pd.DataFrame(rows, columns=[*columns, "matched back"])
    return Matrix(frame, matches.reference, f"The first {' and the first '.join(cut)}." if cut else "")


# --- CAROUGE ------------------------------------------------------------------------------------------------


def carouge_html(
    evidence: CarougeEvidence | None, candidate: str, texts: Sequence[str], missing: str | None = None
) -> str:
    """Each word of the summary (or n-gram) with the nearest important one and its similarity.

    `texts` are the references, or the source alone where its n-grams are the important ones.
    """
    if evidence is None:
        return no_evidence(missing)
    blocks, names = [], []
    for place in evidence.counted:
        compared = evidence.compared[place]
        text = texts[compared.reference or 0]
        name = "Source" if compared.reference is None else f"Reference {compared.reference + 1}"
        said = f"{name}: {carouge_sum(evidence.norm, compared)}"
        rule = counted_note(evidence.counted, evidence.compared) if not blocks else []
        blocks.append(carouge_block(evidence, compared, candidate, text, (name, *rule, said)))
        names.append(said)
    return several(blocks, names) + left_out(evidence.left_out, "a word with a vector")


def carouge_sum(norm: str, compared: CarougeCompared) -> str:
    """How the similarities become the score of a comparison."""
    nearest = compared.nearest
    unit = "n-gram" if any(" " in found.words for found in nearest) else "word"
    total, m, k = sum(found.similarity for found in nearest), len(nearest), compared.important
    divisor = {"summary": m, "reference": k, "paper": m * k}[norm]
    by = {
        "summary": f"the summary's {count(m, unit)}",
        "reference": f"the {k} important",
        "paper": f"the summary's {count(m, unit)} times the {k} important",
    }[norm]
    return f"similarities add up to {total:.3f}; divided by {by}, that is {total / divisor:.4f}."


def carouge_block(
    evidence: CarougeEvidence, compared: CarougeCompared, candidate: str, text: str, named: tuple[str, ...]
) -> str:
    """One comparison; `named` are the name of the text, and the lines that are said of it."""
    name, *lines = named
    groups: dict[Span, str] = {}
    ours, theirs, rows, lit = [], [], [], []
    for found in compared.nearest:
        group = groups.setdefault(found.important, f"g{len(groups)}")
        # Vectors of equal words have similarity 1 but for rounding.
        kind = "matched" if found.similarity > 1 - 1e-6 else "nearest"
        label = f"{name}: {quoted(text, found.important)} {found.similarity:.3f}"
        ours.append(Mark(*found.candidate, kind, label, group))
        partner = f"summary: {quoted(candidate, found.candidate)} {found.similarity:.3f}"
        theirs.append(Mark(*found.important, kind, partner, group))
        rows.append((in_one_line(candidate[slice(*found.candidate)]), found.words, f"{found.similarity:.3f}"))
        lit.append(group)
    without = "a word without a vector, which does not count"
    ours += [Mark(*span, "unknown", without) for span in evidence.unknown]
    theirs += [Mark(*span, "unknown", without) for span in compared.unknown]
    if evidence.unknown:
        lines.append(f"{count(len(evidence.unknown), 'word')} of the summary without a vector.")
    listed = table(["of the summary", "nearest important", "similarity"], rows, lit)
    passages = [(candidate, ours, "Summary"), (text, theirs, name)]
    words = {"matched": "the same", "nearest": "nearest, not the same"}
    return block(lines, passages, details(f"All {count(len(rows), 'similarity', 'similarities')}", listed), words)


# --- APES ---------------------------------------------------------------------------------------------------


def apes_html(evidence: ApesEvidence | None, candidate: str, missing: str | None = None) -> str:
    """The summary with the sentences that answers were read from, and every question with what became of it."""
    if evidence is None:
        return no_evidence(missing)
    marks = []
    for number, trace in enumerate(evidence.traces):
        group = f"g{number}"
        for span, kind, role in ((trace.sentence, "sentence", "read"), (trace.span, "answer", "the answer")):
            if span is not None:
                marks.append(Mark(*span, kind, f"{role} for question {number + 1}", group))
    right, occurs = sum(t.is_right for t in evidence.traces), sum(t.occurs for t in evidence.traces)
    questions = count(len(evidence.traces), "question")
    said = [f"{right} of {questions} answered rightly; the summary mentions {occurs} of the right answers."]
    if evidence.value != "share":
        said.append(f"Their credit is {earned(evidence.traces, evidence.value):.3f} of {len(evidence.traces)}.")
    items = "".join(
        trace_html(trace, candidate, f"g{number}", evidence.value) for number, trace in enumerate(evidence.traces)
    )
    return block(said, [(candidate, marks, "Summary")], f'<ol class="whole">{items}</ol>')


def trace_html(trace: Trace, candidate: str, group: str, value: str) -> str:
    """One question as an item of a list."""
    before, _, after = trace.question.text.partition(BLANK)
    blank = '<span class="blank" role="img" aria-label="blank">_____</span>'
    verdict = "✓ right" if trace.is_right else "✗ wrong"
    lines = [f'<span dir="auto">{literal(before)}{blank}{literal(after)}</span>']
    if trace.chosen is None or trace.span is None or trace.sentence is None:
        lines.append(f"<b>{verdict}</b>: no answer, the summary mentions no name of the document")
    else:
        answer = trace.candidates[trace.chosen]
        # The trace does not say which: an entity of the same name, or a mention that the reader did not get to see.
        unseen = " (the name is right, but it was not read where it counts)" if answer == trace.right else ""
        lines.append(f"<b>{verdict}</b>: {esc(answer)}{'' if trace.is_right else unseen}")
    mentioned = "" if trace.occurs or trace.is_right else ", which the summary does not mention"
    reference = trace.question.reference
    origin = "a question of the data set" if reference is None else f"from reference {reference + 1}"
    lines.append(f"right answer: {esc(trace.right)}{mentioned} ({origin})")
    if value != "share":
        lines.append(credit_says(trace, value))
    if trace.sentence is not None and trace.span is not None:
        # A mention may reach beyond the sentence that it begins in.
        start, end = trace.sentence[0], max(trace.sentence[1], trace.span[1])
        mark = Mark(trace.span[0] - start, trace.span[1] - start, "answer", "the answer")
        lines.append(f'read from: <span dir="auto">{highlight(candidate[start:end], [mark])}</span>')
    scored = sorted(zip(trace.scores, trace.candidates, strict=False), reverse=True, key=lambda pair: pair[0])
    if scored:
        rows = [(name, f"{score:.3f}") for score, name in scored]
        lines.append(details(f"Scores of {count(len(scored), 'candidate')}", table(["candidate", "score"], rows)))
    return f"<li{in_group(group)}>{''.join(f'<div>{line}</div>' for line in lines)}</li>"


def credit_says(trace: Trace, value: str) -> str:
    """What a question earns, and why."""
    if value == "strict" and not trace.is_right:
        return "credit 0: the answer is wrong"
    if trace.rank is None:
        return "credit 0: the right answer is not among those that the reader chose from"
    ranked = "" if value == "strict" else f"the right answer is number {trace.rank} of {len(trace.candidates)}, and "
    had = f"has {trace.shared} of the {count(trace.words, 'word')}" if trace.words else "can lack no word"
    return f"credit {credit(trace, value):.3f}: {ranked}the summary {had} around the blank"


# --- novelty ------------------------------------------------------------------------------------------------


def novelty_html(source: str, candidate: str, missing: str | None = None) -> str:
    """The summary's words that the source does not have; to be opened, the source with the words that both have.

    Words are runs of letters and digits of any script, compared in lower case, without stemming.
    """
    ours, theirs = find(UNICODE, candidate), find(UNICODE, source)
    if missing or not theirs.words or not ours.words:
        nothing = "there is no source" if not source else "there are no words to compare"
        return no_evidence(missing or nothing)
    in_source, in_summary = set(theirs.words), set(ours.words)
    tokens = list(zip(ours.words, ours.spans, strict=True))
    new = [Mark(*span, "new", "not in the source") for word, span in tokens if word not in in_source]
    said = f"{len(new)} of {count(len(tokens), 'word')} of the summary are not in the source."
    if len(tokens) == 1:
        said = f"The one word of the summary is {'not ' if new else ''}in the source."
    words = zip(theirs.words, theirs.spans, strict=True)
    runs = ([span for _, span in run] for has, run in groupby(words, lambda one: one[0] in in_summary) if has)
    kept = [Mark(run[0][0], run[-1][1], "matched", "") for run in runs]  # browsers are slow with a mark a word
    lacking = len(in_source - in_summary)
    of_source = f"Source: the summary does not have {lacking} of its {count(len(in_source), 'distinct word')}"
    below = details(
        of_source, passage(source, kept, "Source") + legend({mark.kind for mark in kept}, {"matched": "in the summary"})
    )
    return block([said], [(candidate, new, "Summary")], below)
