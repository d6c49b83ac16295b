"""The evidence of ROUGE-K: the keywords that the summary has, and those that it lacks."""

from collections.abc import Mapping, Sequence

from relevance.data.one_line import in_one_line
from relevance.data.records import Example
from relevance.data.wording import format_count, join_items
from relevance.metrics.rouge_k import RougeKEvidence
from relevance.reports.escaping import esc
from relevance.reports.evidence.blocks import Passage, block, in_group, quote_span
from relevance.reports.evidence.highlighting import Mark
from relevance.reports.evidence.phrases import Seen, join_first_items, reference_heading

FOUND_OR_MISSING = {"matched": "found in this summary", "missed": "missing from this summary"}
"""The meanings of marks of keywords, in the legend."""


def rouge_k_html(evidence: RougeKEvidence, example: Example) -> str:
    """Write the keywords, matched and missed, as HTML: listed, and marked in the summary and the compared texts."""
    passages = rouge_k_passages(evidence, example)
    names = [name for _, _, name in passages[1:]]
    items = []
    for number, (keyword, places) in enumerate(evidence.keywords):
        word, state = in_one_line(str(keyword)), "matched" if places else "missed"
        # A user's own keywords may occur in no text.
        where = f" ({esc(' and '.join(names[index] for index, _ in keyword.places))})" if keyword.places else ""
        symbol = "✓" if places else "✗"
        items.append(f"<li{in_group(f'g{number}')}>{symbol} {state}: <b>{esc(word)}</b>{where}</li>")
    hits = sum(bool(places) for _, places in evidence.keywords)
    sentence = f"{hits} of {format_count(len(evidence.keywords), 'keyword')} in the summary."
    return block([sentence], passages, f'<ul class="whole">{"".join(items)}</ul>', FOUND_OR_MISSING)


def rouge_k_passages(evidence: RougeKEvidence, example: Example) -> list[Passage]:
    """Return the summary and the texts that keywords come from, with the keywords marked."""
    names = [reference_heading(index, example) for index in range(len(evidence.texts))]
    if example.title is not None and evidence.texts[-1] == example.title:
        names[-1] = "Title"
    ours: list[Mark] = []
    theirs: list[list[Mark]] = [[] for _ in evidence.texts]
    for number, (keyword, places) in enumerate(evidence.keywords):
        group, word, state = f"g{number}", in_one_line(str(keyword)), "matched" if places else "missed"
        for index, span in keyword.places:
            for kind in ("keyword", state):
                theirs[index].append(Mark(*span, kind, f"keyword “{word}”, {state} by the summary", group))
        for span in places:
            for kind in ("keyword", "matched"):
                ours.append(Mark(*span, kind, f"keyword “{word}”", group))
    return [(example.candidate, ours, "Summary"), *zip(evidence.texts, theirs, names, strict=True)]


def describe_keywords(seen: Sequence[Seen]) -> list[str]:
    """Say how many keywords each summary has, and which it misses."""
    counted, missed = [], {}
    for summary in seen:
        if not isinstance(summary.evidence, RougeKEvidence):
            continue
        keywords = summary.evidence.keywords
        hits = sum(bool(places) for _, places in keywords)
        counted.append(f"{summary.letter} has {hits} of {format_count(len(keywords), 'keyword')}")
        missed[summary.letter] = [
            quote_span(summary.evidence.texts[index], span)
            for keyword, places in keywords
            if not places
            for index, span in keyword.places[:1]  # a user's own keyword may occur nowhere: it is counted, not quoted
        ]
    return [*([f"{join_items(counted)}."] if counted else []), *misses(missed)]


def misses(missed: Mapping[str, Sequence[str]]) -> list[str]:
    """Write one sentence about what each summary misses; those that miss the same are named together."""
    by_words: dict[tuple[str, ...], list[str]] = {}
    for letter, words in missed.items():
        by_words.setdefault(tuple(dict.fromkeys(words)), []).append(letter)
    clauses = []
    for words, letters in by_words.items():
        verb = "misses" if len(letters) == 1 else "miss"
        clauses.append(f"{join_items(letters)} {verb} {join_first_items(words) if words else 'none'}")
    return [f"{'; '.join(clauses)}."] if clauses and any(missed.values()) else []
