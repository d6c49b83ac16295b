"""Made lines of battles and comparisons, in the form in which these are published."""

import json
from pathlib import Path
from typing import Any


def turns(*texts: str) -> list[dict[str, str]]:
    return [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(texts)]


def battle(question: str, winner: str = "model_a", **fields: Any) -> dict[str, Any]:
    """A battle of 33,000, of `alpha` against `beta` unless `fields` say something else."""
    return {
        "question_id": question,
        "model_a": "alpha",
        "model_b": "beta",
        "winner": winner,
        "judge": "arena_user_1",
        "conversation_a": turns("What is rain?", "Water."),
        "conversation_b": turns("What is rain?", "Wet."),
        "turn": 1,
        "anony": True,
        "language": "English",
        "tstamp": 1682351591.1322,
    } | fields


def late_battle(number: str, winner: str = "model_b", **fields: Any) -> dict[str, Any]:
    """A battle of 140,000, whose contents are lists."""

    def parts(text: str) -> list[dict[str, Any]]:
        return [{"type": "text", "text": text, "image": None, "mimeType": None}]

    def conversation(answer: str) -> list[dict[str, Any]]:
        return [{"role": "user", "content": parts("Sum up é.")}, {"role": "assistant", "content": parts(answer)}]

    return {
        "id": number,
        "model_a": "alpha",
        "model_b": "beta",
        "winner": winner,
        "evaluation_session_id": "session",
        "evaluation_order": 1,
        "conversation_a": conversation("One."),
        "conversation_b": conversation("Two."),
        "timestamp": "2025-06-11 10:00:00.5",
    } | fields


def comparison(post: str, choice: int = 0, **fields: Any) -> dict[str, Any]:
    """A comparison of Stiennon et al. (2020)."""
    return {
        "info": {"id": post, "post": f"Post {post}.", "title": "A title", "subreddit": "tifu"},
        "split": "train",
        "summaries": [
            {"text": " A dog ran.", "policy": "sup4", "note": "ok"},
            {"text": " Dogs run é.", "policy": "ref", "note": None},
        ],
        "choice": choice,
        "worker": "w1",
        "batch": "batch3",
        "extra": {"confidence": 7},
    } | fields


def policies(*summaries: tuple[str, str]) -> list[dict[str, str]]:
    return [{"policy": policy, "text": text} for policy, text in summaries]


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path
