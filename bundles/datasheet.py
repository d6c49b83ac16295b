"""The datasheet of a study's data (Gebru et al. 2021): facts that can be counted, and questions for the researchers."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from relevance.annotation.protocol.file import read_protocol
from relevance.annotation.protocol.records import StudyProtocol
from relevance.annotation.sampling import GIVEN
from relevance.annotation.study_data import StudyData
from relevance.bundles import records
from relevance.bundles.contents import DATA, SCORES, STUDY_FILE
from relevance.bundles.reading import Bundle
from relevance.data.cleaning import describe_cleaning
from relevance.data.signatures import is_computed, name_of
from relevance.data.sorting import natural_order
from relevance.data.wording import format_count
from relevance.metrics import METRICS
from relevance.reports.escaping import in_markdown

ASKED = "**To be filled in:**"
"""The mark of questions that only the researchers can answer."""

Answers = Iterator[tuple[str, str]]
"""Questions, each with its answer in Markdown."""


def make_datasheet(bundle: Bundle, study: StudyData, facts: Mapping[str, str], *, texts: bool) -> Iterator[str]:
    """Yield the datasheet as Markdown.

    `bundle` has the texts, even if the bundle that is written does not (`texts`).
    """
    protocol = read_protocol(bundle.text(STUDY_FILE))
    sections = {
        "Motivation": motivation(study, protocol),
        "Composition": composition(bundle, study, texts=texts),
        "Collection": collection(bundle, study, protocol, facts),
        "Annotators": annotators(bundle, protocol),
        "Exclusions": exclusions(bundle),
        "Uses": uses(bundle),
        "Distribution and maintenance": distribution(study, texts=texts),
    }
    yield f"# Datasheet of the study {in_markdown(study.study.name)}\n\n"
    yield "After Gebru et al. (2021), Datasheets for Datasets. Facts without a mark were counted by a program.\n"
    for title, answers in sections.items():
        yield f"\n## {title}\n\n"
        for question, answer in answers:
            yield f"- {question}: {answer}\n"


def motivation(study: StudyData, protocol: StudyProtocol) -> Answers:
    """Yield the purpose of the data."""
    yield "Question to annotators", in_markdown(study.study.question)
    if protocol.stopping is not None:
        first, second = protocol.stopping.first, protocol.stopping.second
        against = "one half" if second is None else in_markdown(second)
        yield "Comparison that ends the study", f"{in_markdown(first)} against {against}"
    yield "Why the data were collected, by whom, and who paid", ASKED


def composition(bundle: Bundle, study: StudyData, *, texts: bool) -> Answers:
    """Yield the contents of the data, with counts."""
    documents = [record for _, record in bundle.records(DATA, records.DOCUMENT)]
    systems = Counter(summary["system"] for document in documents for summary in document["summaries"])
    references = Counter(len(document["references"]) for document in documents)
    lengths = [
        len(document["source"] if isinstance(document["source"], str) else " ".join(document["source"]))
        for document in documents
    ]
    dataset = study.dataset
    yield (
        "Data set",
        f"{in_markdown(dataset.name)} ({dataset.format}), SHA-256 of its file {dataset.sha256 or 'unknown'}"
        + ("" if dataset.cleaned is None else f"; its texts are {describe_cleaning(dataset.cleaned)}"),
    )
    yield "Documents", f"{len(documents)}, of {median(lengths or [0]):.0f} characters (median)"
    yield "References", ", ".join(f"{many} in {count} documents" for many, count in sorted(references.items()))
    yield (
        "Summaries",
        ", ".join(f"{in_markdown(name)} {systems[name]}" for name in sorted(systems, key=natural_order)) or "none",
    )
    yield "Ratings that came with the data set", ", ".join(map(in_markdown, dataset.aspects)) or "none"
    yield "Pairs", f"{study.study.pairs}, and {format_count(study.study.checks, 'attention check')}"
    yield "Texts", "included" if texts else "replaced by their hashes"
    yield "Scores", "; ".join(describe_scores(bundle)) or "none"
    yield "Whether texts name people, or may offend", ASKED


def describe_scores(bundle: Bundle) -> Iterator[str]:
    """Yield the number of scores under each signature, and of missing ones."""
    counts: dict[str, Counter[bool]] = {}
    for _, record in bundle.records(SCORES, records.SCORE):
        counts.setdefault(record["signature"], Counter())[record["value"] is None] += 1
    for signature, scores in counts.items():
        by = describe_origin(signature)
        yield f"`{signature.replace('`', ' ')}` {scores.total()}, of which {scores[True]} are missing{by}"


def describe_origin(signature: str) -> str:
    """Say what computes a metric of others, in words that follow the counts of its scores; empty for ours."""
    name = name_of(signature)
    if name in METRICS.ours or not is_computed(signature):
        return ""
    origin = METRICS.origin(name) if name in METRICS else "a metric that is not installed here"
    return f"; computed by {in_markdown(origin)}, which is needed to compute them again"


def collection(bundle: Bundle, study: StudyData, protocol: StudyProtocol, facts: Mapping[str, str]) -> Answers:
    """Yield how the judgments were collected."""
    given = list(assignments(bundle))
    judged = [assignment["judgment"] for assignment in given if assignment["judgment"] is not None]
    setup = study.study
    by_seed = "the pairs came with their judgments" if setup.rule == GIVEN else f"seed {setup.seed}"
    drawn = "; ".join((f"rule {setup.rule}, {by_seed}", *setup.notes))
    yield "Draw", f"{drawn}; left out {setup.identical} of identical texts and {setup.unscored} without a score"
    yield "Judgments wanted per pair", f"{setup.judgments_per_pair}{setup.about_twice}, ties {setup.about_ties}"
    yield "Judgments", f"{len(judged)}, those of attention checks included"
    if judged:
        yield "Made", ", ".join(describe_times(judged)) or "at times that are not known"
        bad = f", of which {sum(judgment['both_bad'] for judgment in judged)} call both bad" if setup.both_bad else ""
        yield "Ties", f"{sum(judgment['chosen'] is None for judgment in judged)}{bad}"
        yield "Changed afterwards", f"{sum(judgment['revision'] > 1 for judgment in judged)}, with all earlier choices"
        yield "With a reason", str(sum(bool(judgment["rationale"]) for judgment in judged))
    yield (
        "Skipped",
        str(sum(assignment["skipped_at"] is not None and assignment["judgment"] is None for assignment in given)),
    )
    adjudicated = {record["pair"] for _, record in bundle.records("adjudications.jsonl", records.ADJUDICATION)}
    yield "Adjudicated pairs", str(len(adjudicated))
    models = [record["name"] for _, record in bundle.records("models.jsonl", records.MODEL)]
    yield "Language models that judged", ", ".join(map(in_markdown, models)) or "none"
    yield "Versions of the protocol", str(max(1, len(bundle.protocols)))
    yield "Language", protocol.language
    yield "Registration", "; ".join(f"{name}: {in_markdown(fact)}" for name, fact in facts.items()) or "none"


def describe_times(judged: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the dates of the judgments and the time that they took, as far as these are known."""
    if times := [judgment["decided_at"] for judgment in judged if judgment["decided_at"] is not None]:
        yield f"{min(times):%Y-%m-%d} to {max(times):%Y-%m-%d}"
    timed = [
        judgment for judgment in judged if judgment["decided_at"] is not None and judgment["presented_at"] is not None
    ]
    if timed:
        took = median((judgment["decided_at"] - judgment["presented_at"]).total_seconds() for judgment in timed)
        yield f"in {took:.1f} seconds each (median)"


def assignments(bundle: Bundle) -> Iterator[dict[str, Any]]:
    """Yield the pairs assigned to annotators, with their choices."""
    return (record for _, record in bundle.records("judgments.jsonl", records.ASSIGNMENT))


def annotators(bundle: Bundle, protocol: StudyProtocol) -> Answers:
    """Yield facts about the annotators: phases, consent, training and surveys."""
    people = [record for _, record in bundle.records("people.jsonl", records.PERSON)]
    phases = Counter(person["phase"] for person in people)
    yield (
        "Annotators",
        f"{len(people)} came: " + (", ".join(f"{n} {name}" for name, n in sorted(phases.items())) or "none"),
    )
    yield "Names", "left out; people are numbered in the order in which they came"
    panel = "none" if protocol.panel is None else protocol.panel.kind
    yield "Panel", panel
    if protocol.consent is None:
        yield "Consent", f"not asked for by the program. How it was obtained: {ASKED}"
    else:
        digest = hashlib.sha256(protocol.consent.text.encode()).hexdigest()
        answered = [person["consent"] for person in people if person["consent"] is not None]
        agreed = sum(consent["agreed"] for consent in answered)
        same = sum(consent["sha256"] == digest for consent in answered)
        yield "Consent", f"{agreed} of {len(answered)} agreed; SHA-256 of the text {digest}, which {same} were shown"
    if protocol.training is not None:
        pairs, least = len(protocol.training.pairs), protocol.training.pass_mark
        tried = sum(bool(person["training"]) for person in people)
        yield "Training", f"{format_count(pairs, 'pair')}, {least} must be right; {tried} tried"
    questions = (*protocol.surveys.before, *protocol.surveys.after)
    answers = sum(1 for _ in bundle.records("surveys.jsonl", records.SURVEY_ANSWER))
    yield (
        "Survey questions",
        f"{', '.join(in_markdown(question.name) for question in questions) or 'none'}; {answers} answers",
    )
    yield "How they were recruited, and what they were paid", ASKED
    yield "Review by an ethics board", ASKED


def exclusions(bundle: Bundle) -> Answers:
    """Yield the excluded annotators, and the reasons."""
    people = [record for _, record in bundle.records("people.jsonl", records.PERSON)]
    excluded = {
        person["annotator"]: person["exclusion_reason"] for person in people if person["excluded_at"] is not None
    }
    theirs = [
        assignment
        for assignment in assignments(bundle)
        if assignment["judgment"] is not None and assignment["annotator"] in excluded
    ]
    counts = Counter(reason or "no reason that was given" for reason in excluded.values())
    reasons = ", ".join(f"{count} for {in_markdown(reason)}" for reason, count in sorted(counts.items()))
    yield "Excluded annotators", f"{len(excluded)}, with {len(theirs)} judgments, which stay in the data"
    yield "Reasons", reasons or "none"
    yield "Erased on request", str(sum(person["erased_at"] is not None for person in people))


def uses(bundle: Bundle) -> Answers:
    """Yield the uses of the data."""
    metrics = dict.fromkeys(record["metric"] for _, record in bundle.records(SCORES, records.SCORE))
    yield (
        "Here",
        f"metrics ({', '.join(metrics) or 'none'}) are compared with the judgments: `tables.json`, `report.html`",
    )
    yield "What the data should not be used for", ASKED


def distribution(study: StudyData, *, texts: bool) -> Answers:
    """Yield the terms under which the data are passed on."""
    yield "Licence of the judgments", ASKED
    yield f"Licence of the data set {in_markdown(study.dataset.name)}", ASKED
    if texts:
        yield "Right to pass on its texts", f"{ASKED} without it, `relevance bundle --no-texts` leaves them out"
    yield "Who keeps the data, and whom to write to", ASKED
