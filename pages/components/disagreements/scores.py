"""The scores of an example: the stored ones, and those that metrics compute now."""

import math
from collections.abc import Collection

from relevance.metrics import is_lexical
from relevance.metrics.explained import CannotExplain, Explained
from relevance.pages.components.disagreements.examples import Disagreement
from relevance.pages.components.disagreements.presented import ShownScore
from relevance.pages.components.evidence.model_scores import ModelScores, ScoreRequest
from relevance.pages.components.evidence.views import explain_lexical


def list_questions(example: Disagreement, explained: Collection[str]) -> list[ScoreRequest]:
    """List the requests to models: stored scores need no model, unless they are to be `explained` by evidence."""
    return [
        (signature, example_of_side)
        for signature in example.with_models
        if signature in explained or signature not in example.stored
        for example_of_side in example.examples
    ]


def find_scores(example: Disagreement, models: ModelScores) -> dict[str, list[ShownScore]]:
    """Return the scores of A and B by signature: with evidence, or as stored, or None while they are computed."""
    return {
        signature: [find_score(example, models, signature, place) for place in range(len(example.examples))]
        for signature in example.signatures
    }


def find_score(example: Disagreement, models: ModelScores, signature: str, place: int) -> ShownScore:
    """Return one score of an example."""
    of_side = example.examples[place]
    if is_lexical(signature):
        try:
            return explain_lexical(signature, of_side)
        except CannotExplain as error:
            score: ShownScore = error
    else:
        score = models.answer(signature, of_side)
    if isinstance(score, Explained) or signature not in example.stored:
        return score
    value = example.stored[signature][place]
    if math.isnan(value):
        return Explained(None, "it has none", False, None)
    return Explained(value, None, False, None)
