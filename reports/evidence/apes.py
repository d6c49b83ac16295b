"""The evidence of APES: each question with the answer read from the summary."""

from collections.abc import Sequence

from relevance.data.records import Example
from relevance.data.wording import format_count, join_items
from relevance.metrics.apes.base import BLANK
from relevance.metrics.apes.metric import ApesEvidence, Trace, question_credit, total_credit
from relevance.reports.escaping import esc, literal
from relevance.reports.evidence.blocks import Passage, block, details, in_group, table_html
from relevance.reports.evidence.highlighting import Mark, highlight
from relevance.reports.evidence.phrases import Seen, join_first_items, quote, reference_heading


def apes_html(evidence: ApesEvidence, example: Example) -> str:
    """Write the summary as HTML with the sentences that answers were read from, and the result of every question."""
    right, occurs = sum(t.is_right for t in evidence.traces), sum(t.occurs for t in evidence.traces)
    questions = format_count(len(evidence.traces), "question")
    sentences = [f"{right} of {questions} answered rightly; the summary mentions {occurs} of the right answers."]
    if evidence.value != "share":
        sentences.append(
            f"Their credit is {total_credit(evidence.traces, evidence.value):.3f} of {len(evidence.traces)}."
        )
    items = "".join(
        trace_html(trace, example, f"g{number}", evidence.value) for number, trace in enumerate(evidence.traces)
    )
    return block(sentences, apes_passages(evidence, example), f'<ol class="whole">{items}</ol>')


def apes_passages(evidence: ApesEvidence, example: Example) -> list[Passage]:
    """Return the summary with the sentences that answers were read from."""
    marks = []
    for number, trace in enumerate(evidence.traces):
        group = f"g{number}"
        for span, kind, role in ((trace.sentence, "sentence", "read"), (trace.span, "answer", "the answer")):
            if span is not None:
                marks.append(Mark(*span, kind, f"{role} for question {number + 1}", group))
    return [(example.candidate, marks, "Summary")]


def trace_html(trace: Trace, example: Example, group: str, value: str) -> str:
    """Write one question as HTML, as an item of a list."""
    before, _, after = trace.question.text.partition(BLANK)
    blank = '<span class="blank" role="img" aria-label="blank">_____</span>'
    verdict = "✓ right" if trace.is_right else "✗ wrong"
    lines = [f'<span dir="auto">{literal(before)}{blank}{literal(after)}</span>']
    if trace.chosen is None or trace.span is None or trace.sentence is None:
        lines.append(f"<b>{verdict}</b>: no answer, the summary mentions no name of the document")
    else:
        answer = trace.candidates[trace.chosen]
        # An entity of the same name, or a mention that the reader did not see: the trace does not tell which.
        unseen = " (the name is right, but it was not read where it counts)" if answer == trace.right else ""
        lines.append(f"<b>{verdict}</b>: {esc(answer)}{'' if trace.is_right else unseen}")
    mentioned = "" if trace.occurs or trace.is_right else ", which the summary does not mention"
    reference = trace.question.reference
    origin = (
        "a question of the data set" if reference is None else f"from {reference_heading(reference, example).lower()}"
    )
    lines.append(f"right answer: {esc(trace.right)}{mentioned} ({origin})")
    if value != "share":
        lines.append(describe_credit(trace, value))
    if trace.sentence is not None and trace.span is not None:
        # A mention may reach beyond the sentence that it begins in.
        start, end = trace.sentence[0], max(trace.sentence[1], trace.span[1])
        mark = Mark(trace.span[0] - start, trace.span[1] - start, "answer", "the answer")
        lines.append(f'read from: <span dir="auto">{highlight(example.candidate[start:end], [mark])}</span>')
    scored = sorted(zip(trace.scores, trace.candidates, strict=False), reverse=True, key=lambda pair: pair[0])
    if scored:
        rows = [(name, f"{score:.3f}") for score, name in scored]
        lines.append(
            details(f"Scores of {format_count(len(scored), 'candidate')}", table_html(["candidate", "score"], rows))
        )
    return f"<li{in_group(group)}>{''.join(f'<div>{line}</div>' for line in lines)}</li>"


def describe_credit(trace: Trace, value: str) -> str:
    """Say how much credit a question earns, and why."""
    if value == "strict" and not trace.is_right:
        return "credit 0: the answer is wrong"
    if trace.rank is None:
        return "credit 0: the right answer is not among those that the reader chose from"
    ranked = "" if value == "strict" else f"the right answer is number {trace.rank} of {len(trace.candidates)}, and "
    had = f"has {trace.shared} of the {format_count(trace.words, 'word')}" if trace.words else "can lack no word"
    return f"credit {question_credit(trace, value):.3f}: {ranked}the summary {had} around the blank"


def describe_apes(seen: Sequence[Seen]) -> list[str]:
    """Say how many questions a reader answers from each summary, what they earn, and what went wrong with the rest."""
    answered, credits, sentences = [], [], []
    for summary in seen:
        if not isinstance(summary.evidence, ApesEvidence):
            continue
        traces = summary.evidence.traces
        right = sum(trace.is_right for trace in traces)
        answered.append(f"{right} of {format_count(len(traces), 'question')} from {summary.letter}")
        if summary.evidence.value != "share":
            credits.append(f"{total_credit(traces, summary.evidence.value):.3f} of {len(traces)} for {summary.letter}")
        sentences += wrong_answers(summary.letter, traces, summary.example.candidate)
    parts = [f"The reader answers {join_items(answered)}."] if answered else []
    if credits:
        parts.append(f"Together the questions earn {join_items(credits)}.")
    return parts + sentences


def wrong_answers(letter: str, traces: Sequence[Trace], candidate: str) -> list[str]:
    """Write a sentence about the names that a summary lacks, and one about those that were not given as answers."""
    wrong = [trace for trace in traces if not trace.is_right]
    lacked = [trace.right for trace in wrong if not trace.occurs]
    # The letters may be part of another name: "Talvik" in "Talvik University".
    hidden = {name for name in lacked if name.casefold() in candidate.casefold()}
    absent = [quote(name) for name in lacked if name not in hidden]
    mistaken = [
        f"{quote(trace.candidates[trace.chosen])} where {quote(trace.right)} is right"
        for trace in wrong
        if trace.occurs and trace.chosen is not None and trace.candidates[trace.chosen] != trace.right
    ]
    unread = [
        quote(trace.right)
        for trace in wrong
        if trace.occurs and (trace.chosen is None or trace.candidates[trace.chosen] == trace.right)
    ]
    sentences = []
    if absent:
        sentences.append(f"{letter} does not say {join_first_items(absent, 'or')}.")
    if hidden:
        names = join_first_items((quote(name) for name in lacked if name in hidden), "or")
        sentences.append(f"{letter} does not say {names} as a name of its own.")
    if mistaken:
        sentences.append(f"From {letter} the reader takes {join_first_items(mistaken)}.")
    if unread:
        sentences.append(f"{letter} says {join_first_items(unread)}, but it was not read where it counts.")
    return sentences
