"""The words of a summary that its document does not have."""

from itertools import groupby

from relevance.data.wording import format_count
from relevance.metrics.text import UNICODE, find_tokens
from relevance.reports.evidence.blocks import block, details, no_evidence, passage
from relevance.reports.evidence.highlighting import Mark, legend

NOVELTY = "Words not in the source"
"""The name of this view among those of metrics."""

ALL = "All metrics"
"""The name of the view of all metrics."""


def novelty_html(source: str, candidate: str) -> str:
    """Write the summary as HTML with the words that the source lacks; to unfold, the source with those that both have.

    Words are runs of letters and digits of any script, compared in lower case, without stemming.
    """
    ours, theirs = find_tokens(UNICODE, candidate), find_tokens(UNICODE, source)
    if not theirs.words or not ours.words:
        return no_evidence("there are no words to compare" if source else "there is no source")
    in_source, in_summary = set(theirs.words), set(ours.words)
    tokens = list(zip(ours.words, ours.spans, strict=True))
    new = [Mark(*span, "new", "not in the source") for word, span in tokens if word not in in_source]
    sentence = f"{len(new)} of {format_count(len(tokens), 'word')} of the summary are not in the source."
    if len(tokens) == 1:
        sentence = f"The one word of the summary is {'not ' if new else ''}in the source."
    words = zip(theirs.words, theirs.spans, strict=True)
    runs = ([span for _, span in run] for has, run in groupby(words, lambda word: word[0] in in_summary) if has)
    kept = [Mark(run[0][0], run[-1][1], "matched", "") for run in runs]  # browsers are slow with a mark per word
    lacking = len(in_source - in_summary)
    of_source = f"Source: the summary does not have {lacking} of its {format_count(len(in_source), 'distinct word')}"
    below = details(
        of_source, passage(source, kept, "Source") + legend({mark.kind for mark in kept}, {"matched": "in the summary"})
    )
    return block([sentence], [(candidate, new, "Summary")], below)
