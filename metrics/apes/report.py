"""A reader's answers as plain JSON values."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from relevance.data.records import Document, Summary
from relevance.metrics.apes.metric import Apes, Trace, question_credit
from relevance.metrics.scoring import Failures, score_records


def trace_records(
    apes: Apes, records: Iterable[tuple[Document, Sequence[Summary]]], failures: Failures
) -> Iterator[dict[str, Any]]:
    """Yield a record per summary: its score or why it is missing, and each question with its answer."""
    for example, scores in score_records(records, [apes], failures):
        score = scores[apes.name]
        record: dict[str, Any] = {
            "id": example.document_id,
            "system": example.system,
            "apes": score.value,
            "value": apes.value,
            "occurs": score.parts.get("occurs"),
        }
        if score.missing is not None:
            yield record | {"missing": score.missing, "questions": []}
        else:
            yield record | {"questions": [trace_record(trace, apes.value) for trace in score.evidence.traces]}


def trace_record(trace: Trace, value: str) -> dict[str, Any]:
    """Return a question with its answer; places are characters of the reference and of the summary."""
    return {
        "question": trace.question.text,
        "answer": trace.question.answer,
        "reference": trace.question.reference,
        "entity": trace.right,
        "chosen": None if trace.chosen is None else trace.candidates[trace.chosen],
        "right": trace.is_right,
        "occurs": trace.occurs,
        "credit": question_credit(trace, value),
        "rank": trace.rank,
        "words": trace.words,
        "shared": trace.shared,
        "span": trace.span,
        "sentence": trace.sentence,
        "candidates": dict(zip(trace.candidates, trace.scores, strict=True)),
    }
