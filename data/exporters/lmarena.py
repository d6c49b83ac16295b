"""Judgments as battles of LMArena, which `relevance.data.importers.lmarena` can read."""

from typing import Any

from relevance.data.exporters.pairwise import JudgedTexts

BAD = "tie (bothbad)"
"""The winner of two bad answers."""


def record(judgment: JudgedTexts) -> dict[str, Any]:
    """Return a judgment as a battle of one turn: the document is the question, each summary a model's answer.

    `tstamp` is in seconds since 1970, null if the time is unknown.
    """
    first, second = judgment.systems
    return {
        "question_id": judgment.document_id,
        "model_a": first,
        "model_b": second,
        "winner": BAD if judgment.both_bad else {first: "model_a", second: "model_b", None: "tie"}[judgment.chosen],
        "judge": judgment.annotator,
        "conversation_a": conversation(judgment.source, judgment.texts[0]),
        "conversation_b": conversation(judgment.source, judgment.texts[1]),
        "turn": 1,
        "tstamp": None if judgment.decided_at is None else judgment.decided_at.timestamp(),
    }


def conversation(question: str, answer: str) -> list[dict[str, str]]:
    """Return a question with its answer."""
    return [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
