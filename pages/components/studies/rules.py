"""The rules by which pairs are chosen, in words: which pairs they allow, and which they leave out."""

from relevance.annotation.records import Study, StudySpec
from relevance.annotation.sampling import GIVEN, PairCounts
from relevance.data.store import Dataset
from relevance.data.wording import format_count
from relevance.pages.components.shared.counts import signatures_of
from relevance.pages.components.shared.stores import open_stores, version_of
from relevance.pages.computing.computed import computed

RULES = {
    "random": "Random pairs",
    "all": "All pairs",
    "rouge_k_differs": "Pairs on which ROUGE-K differs",
    "conflicts": "Pairs on which metrics disagree",
    GIVEN: "Pairs that came with their judgments",
}
"""The names that pages give the rules of `relevance.annotation.sampling`."""

ABOUT = {
    "random": "Every pair is equally likely, so that the figures hold for all pairs.",
    "all": "Every pair of every document.",
    "rouge_k_differs": "As in the ROUGE-K paper. It favours ROUGE-K, which has no ties on them: the figures hold for "
    "such pairs only.",
    "conflicts": "It takes fewer judgments to compare metrics. A random share of the other pairs is drawn, too, and "
    "figures are weighted to hold for all pairs.",
}


def count_pairs(dataset: Dataset, spec: StudySpec) -> PairCounts:
    """Return how many pairs a rule allows, counted anew only after a change. Raises `ScoresMissing`."""
    scored = {signature.signature: signature.scored for signature in signatures_of(dataset)}
    counts = tuple(scored.get(signature) for signature in spec.compared)
    return counted(spec.dataset, spec.systems, spec.rule, spec.compared, version_of(dataset), counts)


@computed("Counting the pairs", kept=64)
def counted(
    dataset: str,
    systems: tuple[str, ...],
    rule: str,
    compared: tuple[str, ...],
    version: object,
    scored: tuple[int | None, ...],
) -> PairCounts:
    """Return how many pairs a rule allows; `scored` is how many summaries have scores, by signature of `compared`."""
    signature = compared[0] if rule == "rouge_k_differs" else None
    spec = StudySpec(name="", dataset=dataset, systems=systems, rule=rule, signature=signature, signatures=compared)
    return open_stores().annotation.count_pairs(spec)


def describe_counts(spec: StudySpec, counts: PairCounts) -> str:
    """Say how many pairs are eligible and drawn, why no more are, and what the rule leaves out, in Markdown."""
    drawn = counts.drawn(spec.count, spec.most_per_document)
    limit = ""
    if drawn < min(counts.eligible, spec.count or counts.eligible):
        most = spec.most_per_document
        kinds = f"{most} on which metrics disagree and {most} others" if spec.rule == "conflicts" else f"{most}"
        limit = f" (at most {kinds} per document)"
    sentence = f"**{drawn:,} of {format_count(counts.eligible, 'eligible pair')} will be drawn{limit}.**"
    if spec.rule == "conflicts":
        sentence += f" On {sum(counts.conflicts):,} of them metrics disagree."
    return f"{sentence} {describe_left_out(counts)}".strip()


def describe_left_out(counts: PairCounts | Study) -> str:
    """Say which pairs a rule leaves out, as plain text; empty where it leaves out none."""
    parts = (
        (counts.alike, "on which ROUGE-K gives the same score"),
        (counts.identical, "with identical texts"),
        (counts.unscored, "without a ROUGE-K score"),
    )
    named = [f"{number:,} {why}" for number, why in parts if number]
    return f"Left out: {'; '.join(named)}." if named else ""


def describe_draw(study: Study) -> str:
    """Say by which rule a study's pairs were drawn, from how many, and what it left out, as plain text."""
    eligible = "" if study.eligible is None else f" of {study.eligible:,} eligible"
    drawn = "" if study.rule == GIVEN else f" drawn{eligible}"
    sentences = [f"{RULES[study.rule]}: {format_count(study.pairs, 'pair')}{drawn}."]
    sentences += [f"{note[0].upper()}{note[1:]}." for note in study.notes]
    return " ".join(filter(None, [*sentences, describe_left_out(study)]))
