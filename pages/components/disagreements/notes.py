"""The presenter's notes on a slide: what it is, what there is to say, and what follows."""

from collections.abc import Mapping, Sequence

from relevance.data.signatures import labels
from relevance.hosting.rooms import Shown
from relevance.metrics.explained import Explained
from relevance.metrics.registry import label_of
from relevance.pages.components.disagreements.examples import BOTH, Disagreement
from relevance.pages.components.disagreements.presented import ShownScore
from relevance.pages.components.disagreements.presenting import Slide, after, steps_of
from relevance.pages.components.disagreements.slides import DOCUMENT, METRIC, PEOPLE, SUMMARIES, VOTE, describe_metric
from relevance.reports.evidence.phrases import say_preference, sentence
from relevance.reports.evidence.words import explain_scores

NAMES = {DOCUMENT: "The document", SUMMARIES: "Both summaries", VOTE: "The room votes", PEOPLE: "What people preferred"}
"""The titles of slides; the slide of a metric is called by the metric, and the last one of an example `All metrics`."""


def note_slide(examples: Sequence[Disagreement], slide: Slide, scores: Mapping[str, Sequence[ShownScore]]) -> Shown:
    """Return the notes on a slide; `scores` holds the scores of its two summaries by signature."""
    example = examples[slide.place]
    step = steps_of(example)[slide.at]
    notes: tuple[str, ...] = (sentence(example.why), sentence(say_preference(example.judges, example.prefers)))
    if step.shows == METRIC:
        both = scores[step.signature]
        notes = (describe_metric(example, step.signature, both).sentence,)
        if (there := [explained for explained in both if isinstance(explained, Explained)]) and len(there) == len(both):
            notes += tuple(explain_scores(step.signature, example.examples, there, BOTH))
    follows = after(examples, slide)
    return Shown(
        slide=name_slide(examples, slide),
        example=example.name,
        notes=notes,
        follows="" if follows is None else name_slide(examples, follows, after_another=follows.place != slide.place),
        votes=step.shows == VOTE,
    )


def name_slide(examples: Sequence[Disagreement], slide: Slide, *, after_another: bool = False) -> str:
    """Call a slide by what it shows, and by its example, too, after another example."""
    example = examples[slide.place]
    step = steps_of(example)[slide.at]
    if step.shows == METRIC:
        return labels(example.signatures, label_of)[step.signature]
    name = NAMES.get(step.shows, "All metrics")
    return f"{name} of {example.name}" if after_another else name
