"""Scores of several summaries said in plain words: which one a metric prefers, by how much, and what made it so.

Every number and every quotation comes from the score's evidence. The sentences are plain text: whoever shows them
escapes them (`pages.components.text.in_markdown`, `literal`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from data.records import Example
from metrics.apes.metric import ApesEvidence, Trace, earned
from metrics.base import TIE
from metrics.bertscore import BertScoreEvidence, Matches
from metrics.carouge import CarougeEvidence
from metrics.inspection import Explained
from metrics.keywords import STOP_WORDS
from metrics.rouge import Match, RougeEvidence
from metrics.rouge_k import RougeKEvidence
from metrics.text import UNICODE, Span, find, rouge_words
from pages.components.evidence import carouge_sum, count, quoted

NAMES = {
    "rouge1": "ROUGE-1",
    "rouge2": "ROUGE-2",
    "rougeL": "ROUGE-L",
    "rougeLsum": "ROUGE-Lsum",
    "rougeSU4": "ROUGE-SU4",
    "rouge_k": "ROUGE-K",
    "bertscore": "BERTScore",
    "carouge": "CAROUGE",
    "apes": "APES",
    "length": "Length",
}
"""The metrics as sentences call them."""

ROUGE_UNIT = {
    "rouge1": "unigram",
    "rouge2": "bigram",
    "rougeL": "word",
    "rougeLsum": "word",
    "rougeSU4": "unit",
}

MOST = 4
"""Quotations in one sentence; further ones are counted."""

WORST = 2
"""Words that are named as those which a summary covers worst."""

SAME = 1 - 1e-6
"""Vectors of equal words have similarity 1 but for rounding."""


# --- the parts of sentences ---------------------------------------------------------------------------------


def listing(items: Sequence[str], joint: str = "and") -> str:
    """Items as a sentence names them: `A, B and C`."""
    return f" {joint} ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))


def some(items: Iterable[str], joint: str = "and") -> str:
    """The first `MOST` distinct items, and how many more there are."""
    distinct = list(dict.fromkeys(items))
    more = len(distinct) - MOST
    return listing(distinct, joint) if more <= 0 else listing([*distinct[:MOST], f"{more} more"])


def is_content(word: str) -> bool:
    """Whether a word, in any case, is no function word."""
    return word.casefold() not in STOP_WORDS


def metric_name(signature: str) -> str:
    """What sentences call the metric of a signature."""
    name = signature.split("|", maxsplit=1)[0]
    return NAMES.get(name, name)


def figures(values: Sequence[float]) -> list[str]:
    """Values with three decimals, or with as many as tell those apart that are no tie."""
    ordered = sorted(values)
    for digits in range(3, 10):
        if all(b - a <= TIE or f"{a:.{digits}f}" != f"{b:.{digits}f}" for a, b in pairwise(ordered)):
            break
    return [f"{value:.{digits}f}" for value in values]


def reference_name(index: int | None, example: Example) -> str:
    """What a compared text is called; `None` is the source."""
    if index is None:
        return "the source"
    return "the reference" if len(example.references) == 1 else f"reference {index + 1}"


# --- who is preferred ---------------------------------------------------------------------------------------


def ranks(values: Sequence[float | None], letters: Sequence[str]) -> list[list[str]]:
    """The letters of the summaries that have a value, the best first, ties together."""
    have = sorted(
        ((value, letter) for value, letter in zip(values, letters, strict=False) if value is not None),
        key=lambda pair: -pair[0],
    )
    result: list[list[str]] = []
    last = 0.0
    for value, letter in have:
        if result and last - value <= TIE:
            result[-1].append(letter)
        else:
            result.append([letter])
        last = value
    return [sorted(same) for same in result]


def preferred(values: Sequence[float | None], letters: Sequence[str]) -> str:
    """The one letter that is preferred, `tie` where the best are several, `missing` where two cannot be compared."""
    order = ranks(values, letters)
    if sum(map(len, order)) < min(2, len(values)) or not order:
        return "missing"
    return order[0][0] if len(order[0]) == 1 else "tie"


def verdict(name: str, values: Sequence[float | None], letters: Sequence[str]) -> str:
    """One sentence: which summary is preferred, with the values. Without any value there is nothing to say: empty."""
    order = ranks(values, letters)
    have = {letter: value for letter, value in zip(letters, values, strict=False) if value is not None}
    shown = dict(zip(have, figures(list(have.values())), strict=True))
    if not order:
        return ""
    if len(have) == 1:
        ((letter, value),) = shown.items()
        return f"{name} gives {letter} {value}."
    if len(order) == 1:
        whole = "both" if len(have) == 2 else "all"
        return f"{name} is tied: {listing(order[0])} {whole} score {shown[order[0][0]]}."
    if len(have) == 2:
        (first,), (second,) = order
        return f"{name} prefers {first}: {shown[first]} against {shown[second]}."
    steps = [f"{listing(same)} ({shown[same[0]]}{' each' if len(same) > 1 else ''})" for same in order]
    return f"{name} puts {steps[0]} first, then {', then '.join(steps[1:])}."


def lacking(name: str, found: Sequence[Explained], letters: Sequence[str]) -> list[str]:
    """A sentence a reason why scores are missing."""
    reasons: dict[str, list[str]] = {}
    for letter, one in zip(letters, found, strict=False):
        if one.value is None:
            reasons.setdefault(one.missing or "no reason is known", []).append(letter)
    return [f"{name} has no score for {' or '.join(of)} ({reason})." for reason, of in reasons.items()]


def overview(people: tuple[str, str], metrics: Mapping[str, str], complete: bool = True) -> list[str]:
    """Who sides with whom: `people` are a name and what is preferred, `metrics` maps names to the same.

    What is preferred is a letter, `tie` or `missing`, as `preferred` tells it. Unless the metrics are `complete`,
    nothing is said of all of them.
    """
    who, choice = people
    said = {"tie": f"{who} has no preference.", "missing": f"{who} gives none."}
    sentences = [said.get(choice, f"{who} prefers {choice}.")]
    groups: dict[str, list[str]] = {}
    for name, prefers in metrics.items():
        groups.setdefault(prefers, []).append(name)
    order = sorted(groups, key=lambda prefers: (prefers == "missing", prefers == "tie", prefers != choice, prefers))
    for prefers in order:
        names = groups[prefers]
        one = len(names) == 1
        if prefers == "tie":
            sentences.append(f"{listing(names)} {'is' if one else 'are'} tied.")
        elif prefers == "missing":
            sentences.append(f"{listing(names)} {'has' if one else 'have'} no score to compare.")
        elif prefers == choice:
            sentences.append(f"So {'does' if one else 'do'} {listing(names)}.")
        else:
            sentences.append(f"{listing(names)} {'prefers' if one else 'prefer'} {prefers}.")
    if complete and groups and choice not in ("tie", "missing") and choice not in groups:
        sentences.insert(1, "No metric does.")
    return sentences


# --- one metric ---------------------------------------------------------------------------------------------


class Seen(NamedTuple):
    """One summary with what a metric saw in it."""

    letter: str
    example: Example
    evidence: object


def in_words(
    signature: str, examples: Sequence[Example], found: Sequence[Explained], letters: Sequence[str] = "ABCD"
) -> list[str]:
    """Sentences about one metric's scores of one to four summaries of a document, as plain text.

    First which one is preferred, then what the evidence says of each; missing scores with their reasons. Raises
    ValueError where examples and scores are not as many, or letters are fewer.
    """
    if len(examples) != len(found) or len(letters) < len(found):
        raise ValueError(f"{len(examples)} summaries, {len(found)} scores and {len(letters)} letters do not fit")
    values = [one.value for one in found]
    if signature.split("|", maxsplit=1)[0] == "length":
        return [*lengths(values, letters), *lacking(metric_name(signature), found, letters)]
    first = verdict(metric_name(signature), values, letters)
    return [*filter(None, [first]), *because(signature, examples, found, letters)]


def because(
    signature: str, examples: Sequence[Example], found: Sequence[Explained], letters: Sequence[str] = "ABCD"
) -> list[str]:
    """What `in_words` says after the verdict: for where the scores stand in a table already."""
    seen = [
        Seen(letter, example, one.evidence)
        for letter, example, one in zip(letters, examples, found, strict=False)
        if one.value is not None and one.evidence is not None
    ]
    sentences = lacking(metric_name(signature), found, letters)
    match signature.split("|", maxsplit=1)[0]:
        case kind if kind in ROUGE_UNIT:
            sentences += rouge_says(kind, seen)
        case "rouge_k":
            sentences += keyword_says(seen)
        case "bertscore":
            sentences += bertscore_says(seen)
        case "carouge":
            sentences += carouge_says(seen)
        case "apes":
            sentences += apes_says(seen)
        case "length":
            sentences += lengths([one.value for one in found], letters)
    cut = [letter for letter, one in zip(letters, found, strict=False) if one.truncated]
    if cut:
        sentences.append(f"Of {listing(cut)} not all was read: a text is longer than the model's limit.")
    return sentences


def lengths(values: Sequence[float | None], letters: Sequence[str]) -> list[str]:
    """Length in words, which is a count."""
    have = {letter: int(value) for letter, value in zip(letters, values, strict=False) if value is not None}
    order = ranks(values, letters)
    if not have:
        return []
    if len(have) == 1:
        return [f"{letter} has {count(words, 'word')}." for letter, words in have.items()]
    if len(order) == 1:
        return [f"Length is tied: {listing(order[0])} have {count(have[order[0][0]], 'word')} each."]
    if len(have) == 2:
        (first,), (second,) = order
        return [f"Length prefers {first}, the longer one: {count(have[first], 'word')} against {have[second]}."]
    steps = [f"{listing(same)} ({have[same[0]]}{' each' if len(same) > 1 else ''})" for same in order]
    return [f"Length, in words, puts {steps[0]} first, then {', then '.join(steps[1:])}."]


# --- ROUGE --------------------------------------------------------------------------------------------------


def rouge_says(kind: str, seen: Sequence[Seen]) -> list[str]:
    """How many units each summary shares with the reference that counts, and which of it only one of them has."""
    unit = ROUGE_UNIT[kind]
    single = [(one, one.evidence) for one in seen if isinstance(one.evidence, RougeEvidence)]
    if any(len(evidence.counted) != 1 for _, evidence in single):
        return rouge_means(unit, single)
    order = {"rougeL": " in the same order", "rougeLsum": " in the order of a sentence"}.get(kind, "")
    clauses = []
    places = [(one, evidence.compared[evidence.counted[0]]) for one, evidence in single]
    by_reference = sorted(places, key=lambda place: place[1].reference)
    for index, group in groupby(by_reference, key=lambda place: place[1].reference):
        together = list(group)
        size, name = together[0][1].in_reference, reference_name(index, together[0][0].example)
        if not size:
            clauses.append(f"{name} has no {unit} to share")
            continue
        of = f"of the {count(size, unit)} of {name}" if size > 1 else f"of the only {unit} of {name}"
        have = [
            f"{one.letter} has {place.matched}{order} (among {place.in_candidate} of its own)"
            for one, place in together
        ]
        clauses.append(f"{of}, {listing(have)}")
    sentences = [sentence("; ".join(clauses))] if clauses else []
    # One longest common subsequence stands for many of the same length: what it leaves out says nothing. Pairs with
    # other words between them are no stretches to quote.
    if len(single) == 2 and kind in ("rouge1", "rouge2"):
        sentences += only_one_has(single)
    return sentences


def rouge_means(unit: str, single: Sequence[tuple[Seen, RougeEvidence]]) -> list[str]:
    """The same where the value is the mean over all references."""
    parts = []
    for one, evidence in single:
        compared = [evidence.compared[place] for place in evidence.counted]
        shared = sum(place.matched for place in compared) / max(1, len(compared))
        parts.append(f"{one.letter} shares {shared:.1f} of its {count(compared[0].in_candidate, unit)}")
    return [f"With a reference, on average, {listing(parts)}."] if parts else []


def only_one_has(single: Sequence[tuple[Seen, RougeEvidence]]) -> list[str]:
    """What of the reference only one of two summaries has, where the same reference counts for both."""
    (one, first), (other, second) = single
    index, against = (evidence.compared[evidence.counted[0]].reference for evidence in (first, second))
    if index != against:
        return []
    text, name = one.example.references[index], reference_name(index, one.example)
    clauses = []
    for seen, mine, others in ((one, first, second), (other, second, first)):
        units = units_alone(text, mine, others)
        if alone := stretches(text, seen.example.candidate, units):
            clauses.append(f"only {seen.letter} has {some(quoted(text, span) for span in alone)}")
    return [sentence(f"of {name}, {'; '.join(clauses)}")] if clauses else []


def units_alone(text: str, mine: RougeEvidence, others: RougeEvidence) -> list[Match]:
    """The matched units of a reference that another summary shares nowhere, be it in another place or another form."""
    shared = {stems(text, match.reference) for match in others.matches[others.counted[0]]}
    own = sorted(mine.matches[mine.counted[0]], key=lambda match: match.reference)
    return [match for match in own if stems(text, match.reference) not in shared]


def stems(text: str, unit: Span) -> tuple[str, ...]:
    """The stemmed words of a unit, as ROUGE compares them."""
    return tuple(rouge_words(text[slice(*unit)], "unicode"))


def stretches(text: str, candidate: str, units: Sequence[Match]) -> list[Span]:
    """Where units stand in the reference, as one where they follow each other in both texts.

    Those of function words alone are left out.
    """
    joined: list[Match] = []
    for match in units:
        last = joined[-1] if joined else None
        if (
            last
            and follows(text, last.reference, match.reference)
            and follows(candidate, last.candidate, match.candidate)
        ):
            both = (last.candidate[0], match.candidate[1]), (last.reference[0], match.reference[1])
            joined[-1] = Match(*both)
        else:
            joined.append(match)
    spans = [match.reference for match in joined]
    return [span for span in spans if any(map(is_content, find(UNICODE, text[slice(*span)]).words))]


def follows(text: str, before: Span, after: Span) -> bool:
    """Whether a stretch begins inside another or right after it, with no letter between them."""
    return before[0] < after[0] and before[1] < after[1] and not any(map(str.isalnum, text[before[1] : after[0]]))


def sentence(words: str) -> str:
    """Words as a sentence: with a capital and a full stop."""
    return f"{words[:1].upper()}{words[1:]}."


# --- ROUGE-K ------------------------------------------------------------------------------------------------


def keyword_says(seen: Sequence[Seen]) -> list[str]:
    """How many keywords each summary has, and which it misses."""
    counted, missed = [], {}
    for one in seen:
        if not isinstance(one.evidence, RougeKEvidence):
            continue
        keywords = one.evidence.keywords
        hits = sum(bool(places) for _, places in keywords)
        counted.append(f"{one.letter} has {hits} of {count(len(keywords), 'keyword')}")
        missed[one.letter] = [
            quoted(one.evidence.texts[index], span)
            for keyword, places in keywords
            if not places
            for index, span in keyword.found[:1]  # one's own may stand nowhere: it is counted, not quoted
        ]
    return [*([f"{listing(counted)}."] if counted else []), *misses(missed)]


def misses(missed: Mapping[str, Sequence[str]]) -> list[str]:
    """One sentence about what each summary misses; those that miss the same are named together."""
    by_words: dict[tuple[str, ...], list[str]] = {}
    for letter, words in missed.items():
        by_words.setdefault(tuple(dict.fromkeys(words)), []).append(letter)
    clauses = []
    for words, letters in by_words.items():
        verb = "misses" if len(letters) == 1 else "miss"
        clauses.append(f"{listing(letters)} {verb} {some(words) if words else 'none'}")
    return [f"{'; '.join(clauses)}."] if clauses and any(missed.values()) else []


# --- BERTScore ----------------------------------------------------------------------------------------------


def bertscore_says(seen: Sequence[Seen]) -> list[str]:
    """Precision and recall beside the reference that counts, and the words of it that each summary covers worst."""
    sentences = []
    for one in seen:
        evidence = one.evidence
        if not isinstance(evidence, BertScoreEvidence) or not evidence.matches:
            continue
        counted = [evidence.matches[place] for place in evidence.counted]
        if len(counted) > 1:
            precision, recall = (
                sum(values) / len(counted)
                for values in ([matches.precision for matches in counted], [matches.recall for matches in counted])
            )
            sentences.append(
                f"{one.letter}, on average over {len(counted)} references: precision {precision:.3f}, "
                f"recall {recall:.3f}."
            )
            continue
        (matches,) = counted
        text, name = one.example.references[matches.reference], reference_name(matches.reference, one.example)
        worst = [f"{quoted(text, span)} ({value:.3f})" for value, span in worst_covered(evidence, matches, text)]
        verb = "is" if len(worst) == 1 else "are"
        least = (
            f"; of the content words of {name}, {listing(worst)} {verb} least like anything in {one.letter}"
            if worst
            else ""
        )
        sentences.append(
            f"{one.letter} beside {name}: precision {matches.precision:.3f}, recall {matches.recall:.3f}{least}."
        )
    return sentences


def worst_covered(evidence: BertScoreEvidence, matches: Matches, text: str) -> list[tuple[float, Span]]:
    """The `WORST` content words of a reference whose best similarity is lowest, with it, the lowest first.

    A word of several tokens has the mean of theirs.
    """
    side = evidence.references[matches.reference]
    best = {
        span: float(matches.similarity[matches.nearest_to_reference[token], token])
        for token, span in enumerate(side.spans)
        if span[0] < span[1] and side.weights[token]
    }
    words = find(UNICODE, text)
    found: dict[str, tuple[float, Span]] = {}
    for word, (start, end) in zip(words.words, words.spans, strict=True):
        tokens = [value for span, value in best.items() if start <= span[0] and span[1] <= end]
        if tokens and is_content(word):
            mean = sum(tokens) / len(tokens)
            found[word] = min(found.get(word, (mean, (start, end))), (mean, (start, end)))
    return sorted(found.values())[:WORST]


# --- CAROUGE ------------------------------------------------------------------------------------------------


def carouge_says(seen: Sequence[Seen]) -> list[str]:
    """How the similarities of each summary's words become its score, and the words that are furthest from all."""
    sentences = []
    for one in seen:
        evidence = one.evidence
        if not isinstance(evidence, CarougeEvidence) or not evidence.counted:
            continue
        if len(evidence.counted) > 1:
            sentences.append(f"{one.letter}: the mean over {len(evidence.counted)} references.")
            continue
        sentences.append(f"{carouge_detail(evidence, one)}.")
    return sentences


def carouge_detail(evidence: CarougeEvidence, one: Seen) -> str:
    """What is said of the one comparison that counts."""
    compared = evidence.compared[evidence.counted[0]]
    name, candidate = reference_name(compared.reference, one.example), one.example.candidate
    unit = "n-gram" if any(" " in found.words for found in compared.nearest) else "word"
    same = sum(found.similarity > SAME for found in compared.nearest)
    size, verb = count(len(compared.nearest), unit), "stands" if same == 1 else "stand"
    clauses = [f"{same} of {one.letter}'s {size} {verb} in {name} as well"]
    if evidence.unknown:
        clauses.append(f"{count(len(evidence.unknown), 'word')} without a vector not counted")
    far: dict[str, str] = {}
    for found in sorted(compared.nearest, key=lambda found: found.similarity):
        text = candidate[slice(*found.candidate)]
        if found.similarity <= SAME and len(far) < WORST and is_content(text):
            far.setdefault(text.casefold(), f"{quote(text)} ({found.similarity:.3f})")
    if far:
        kind, verb = "n-grams" if unit == "n-gram" else "content words", "is" if len(far) == 1 else "are"
        clauses.append(
            f"of {one.letter}'s {kind}, {listing(list(far.values()))} {verb} furthest from all that stands there"
        )
    if evidence.norm != "summary":
        clauses.append(carouge_sum(evidence.norm, compared).rstrip("."))
    return "; ".join(clauses)


# --- APES ---------------------------------------------------------------------------------------------------


def apes_says(seen: Sequence[Seen]) -> list[str]:
    """How many questions a reader answers from each summary, what they earn, and what went wrong with the others."""
    answered, credits, sentences = [], [], []
    for one in seen:
        if not isinstance(one.evidence, ApesEvidence):
            continue
        traces = one.evidence.traces
        right = sum(trace.is_right for trace in traces)
        answered.append(f"{right} of {count(len(traces), 'question')} from {one.letter}")
        if one.evidence.value != "share":
            credits.append(f"{earned(traces, one.evidence.value):.3f} of {len(traces)} for {one.letter}")
        sentences += wrong_answers(one.letter, traces, one.example.candidate)
    said = [f"The reader answers {listing(answered)}."] if answered else []
    if credits:
        said.append(f"Together the questions earn {listing(credits)}.")
    return said + sentences


def wrong_answers(letter: str, traces: Sequence[Trace], candidate: str) -> list[str]:
    """A sentence about the names that a summary does not have, and one about those that were not answered with."""
    wrong = [trace for trace in traces if not trace.is_right]
    lacked = [trace.right for trace in wrong if not trace.occurs]
    # Letters may stand there that are part of another name: "Talvik" in "Talvik University".
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
        sentences.append(f"{letter} does not say {some(absent, 'or')}.")
    if hidden:
        names = some((quote(name) for name in lacked if name in hidden), "or")
        sentences.append(f"{letter} does not say {names} as a name of its own.")
    if mistaken:
        sentences.append(f"From {letter} the reader takes {some(mistaken)}.")
    if unread:
        sentences.append(f"{letter} says {some(unread)}, but it was not read where it counts.")
    return sentences


def quote(name: str) -> str:
    """A name inside quotation marks, cut where it is long."""
    return quoted(name, (0, len(name)))
