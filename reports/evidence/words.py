"""Scores of several summaries in plain words: which one a metric prefers, by how much, and why.

Every number and every quotation comes from the score's evidence. The sentences are plain text: callers escape them
(`relevance.reports.escaping.in_markdown`, `literal`).
"""

from collections.abc import Sequence

from relevance.data.records import Example
from relevance.data.signatures import is_length, references_rule
from relevance.data.wording import format_count, join_items
from relevance.metrics.base import set_against
from relevance.metrics.explained import Explained
from relevance.metrics.notices import BrokenWords, describe_words
from relevance.metrics.registry import label_of
from relevance.reports.evidence.phrases import Seen, missing_sentences, rank_letters, verdict_sentence
from relevance.reports.evidence.renderers import renderer_of


def in_words(
    signature: str, examples: Sequence[Example], scores: Sequence[Explained], letters: Sequence[str] = "ABCD"
) -> list[str]:
    """Write sentences about one metric's scores of one to four summaries of a document, as plain text.

    They say which one is preferred, what the evidence shows for each, and why scores are missing. Raises ValueError if
    there are not as many scores as examples, or too few letters.
    """
    if len(examples) != len(scores) or len(letters) < len(scores):
        raise ValueError(f"{len(examples)} summaries, {len(scores)} scores and {len(letters)} letters do not fit")
    values = [score.value for score in scores]
    if is_length(signature):
        return [*lengths(values, letters), *missing_sentences(label_of(signature), scores, letters)]
    first = verdict_sentence(label_of(signature), values, letters)
    return [*filter(None, [first]), *explain_scores(signature, examples, scores, letters)]


def explain_scores(
    signature: str, examples: Sequence[Example], scores: Sequence[Explained], letters: Sequence[str] = "ABCD"
) -> list[str]:
    """Write what `in_words` says after the verdict, for use beside a table of the scores."""
    compared = set_against(examples, references_rule(signature))
    seen = [
        Seen(letter, example, score.evidence)
        for letter, example, score in zip(letters, examples, scores, strict=False)
        if score.value is not None and score.evidence is not None
    ]
    sentences = missing_sentences(label_of(signature), scores, letters)
    if is_length(signature):
        sentences += lengths([score.value for score in scores], letters)
    elif (renderer := renderer_of(signature)) is not None:
        sentences += renderer.describe(seen)
    cut = [letter for letter, score in zip(letters, scores, strict=False) if score.truncated]
    words = BrokenWords()
    for text in (*(compared[0].references if compared else ()), *(example.candidate for example in compared)):
        words.add(text)
    if broken := describe_words(words, [signature], f"summaries and {compared[0].against}s"):
        sentences.append(f"{label_of(signature)} and these texts do not fit: {broken[0].partition(': ')[2]}.")
    if cut:
        sentences.append(f"For {join_items(cut)}, a text was cut: it is longer than the model's limit.")
    return sentences


def lengths(values: Sequence[float | None], letters: Sequence[str]) -> list[str]:
    """Compare lengths in words, which are counts."""
    have = {letter: int(value) for letter, value in zip(letters, values, strict=False) if value is not None}
    order = rank_letters(values, letters)
    if not have:
        return []
    if len(have) == 1:
        return [f"{letter} has {format_count(words, 'word')}." for letter, words in have.items()]
    if len(order) == 1:
        return [f"Length is tied: {join_items(order[0])} have {format_count(have[order[0][0]], 'word')} each."]
    if len(have) == 2:
        (first,), (second,) = order
        return [f"Length prefers {first}, the longer one: {format_count(have[first], 'word')} against {have[second]}."]
    steps = [f"{join_items(same)} ({have[same[0]]}{' each' if len(same) > 1 else ''})" for same in order]
    return [f"Length, in words, puts {steps[0]} first, then {', then '.join(steps[1:])}."]
