"""Checks of a bundle's contents: every file's records, and their references to other files."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from relevance.annotation.protocol.file import BadStudyFile, read_protocol
from relevance.bundles import records
from relevance.bundles.contents import DATA, SCORES, STUDY_FILE, TABLES, WHOLE_STUDY, protocol_name
from relevance.bundles.reading import Bundle
from relevance.bundles.records import read_fields
from relevance.data.reading import FileLine
from relevance.data.wording import format_count

Candidate = tuple[str, str]
"""A document and a system."""


@dataclass
class Known:
    """The names that files have defined and others may refer to."""

    systems: dict[str, set[str]] = field(default_factory=dict)
    """By document."""
    pairs: list[Mapping[str, Any]] = field(default_factory=list)
    people: set[str] = field(default_factory=set)
    models: set[str] = field(default_factory=set)

    def check_candidate(self, place: FileLine, document: str, system: str) -> None:
        """Refuse a summary that is not in the data. Raises `BadRecord`."""
        if system not in self.systems.get(document, ()):
            place.refuse(f"{DATA} has no summary of {document!r} by {system!r}")

    def check_pair(self, place: FileLine, position: int) -> None:
        """Refuse a pair that does not exist. Raises `BadRecord`."""
        if position >= len(self.pairs):
            place.refuse(f"there is no pair {position}")

    def check_person(self, place: FileLine, annotator: str) -> None:
        """Refuse an annotator who is not among the people. Raises `BadRecord`."""
        if annotator not in self.people:
            place.refuse(f"people.jsonl has no {annotator!r}")


def check_bundle(bundle: Bundle) -> Iterator[str]:
    """Check an unpacked bundle and yield a line for each result. Raises `BadRecord` at the first error."""
    yield f"manifest: the bundle {bundle.sha256} of {bundle.study}, {'with' if bundle.texts else 'without'} texts"
    yield f"hashes: {len(bundle.files)} files are those that the manifest names"
    yield from check_study(bundle)
    yield check_tables(bundle)


def check_study(bundle: Bundle) -> list[str]:
    """Check the files that the others are made from, as `check_bundle` does. Raises `BadRecord`."""
    known = Known()
    return [check(bundle, known) for check in CHECKS]


def check_protocols(bundle: Bundle, _: Known) -> str:
    """Check that the study file is the last of its versions, and each version's hash."""
    place, value = bundle.value(WHOLE_STUDY)
    versions = read_fields(place, value, records.WHOLE_STUDY)["protocols"]
    if [version["version"] for version in versions] != list(range(1, len(bundle.protocols) + 1)):
        place.refuse("these are not the versions in the folder protocols")
    for version in versions:
        name = protocol_name(version["version"])
        text = bundle.text(name)
        if bundle.texts and hashlib.sha256(text.encode()).hexdigest() != version["sha256"]:
            FileLine(bundle.folder / name, 1).refuse(f"its SHA-256 is not the one in {WHOLE_STUDY}")
    last = bundle.text(STUDY_FILE)
    try:
        read_protocol(last)
    except BadStudyFile as error:
        FileLine(bundle.folder / STUDY_FILE, 1).refuse(str(error))
    if versions and last != bundle.text(protocol_name(len(versions))):
        FileLine(bundle.folder / STUDY_FILE, 1).refuse(f"this is not version {len(versions)} of the protocol")
    return f"{STUDY_FILE}: the last of {format_count(len(versions), 'version')} of the protocol"


def check_data(bundle: Bundle, known: Known) -> str:
    """Check that each document occurs once, with one summary for each system."""
    for place, record in bundle.records(DATA, records.DOCUMENT):
        if record["id"] in known.systems:
            place.refuse(f"the document {record['id']!r} stands twice")
        systems = [summary["system"] for summary in record["summaries"]]
        if len(set(systems)) < len(systems):
            place.refuse("a system stands twice among the summaries")
        known.systems[record["id"]] = set(systems)
    summaries = sum(map(len, known.systems.values()))
    every = set().union(*known.systems.values())
    documents = format_count(len(known.systems), "document")
    return f"{DATA}: {documents}, {summaries} summaries of {format_count(len(every), 'system')}"


def check_scores(bundle: Bundle, known: Known) -> str:
    """Check that each score belongs to one of these summaries, and has a value or a reason."""
    scored: dict[str, set[Candidate]] = {}
    for place, record in bundle.records(SCORES, records.SCORE):
        known.check_candidate(place, record["document_id"], record["system"])
        if (record["value"] is None) == (record["missing"] is None):
            place.refuse("a score must have a value, or the reason why it is missing")
        of_signature = scored.setdefault(record["signature"], set())
        candidate = record["document_id"], record["system"]
        if candidate in of_signature:
            place.refuse("this summary is scored twice under the same signature")
        of_signature.add(candidate)
    count = sum(map(len, scored.values()))
    return f"{SCORES}: {count} of these summaries, under {format_count(len(scored), 'signature')}"


def check_bounds(bundle: Bundle, known: Known) -> str:
    """Check that each bound belongs to one of these documents."""
    count = 0
    for place, record in bundle.records("bounds.jsonl", records.BOUND):
        if record["document_id"] not in known.systems:
            place.refuse(f"{DATA} has no document {record['document_id']!r}")
        count += 1
    return f"bounds.jsonl: {count} of these documents"


def check_pairs(bundle: Bundle, known: Known) -> str:
    """Check that each pair is of two of these summaries; only an attention check has one of another document."""
    for place, record in bundle.records("pairs.jsonl", records.PAIR):
        if record["position"] != len(known.pairs):
            place.refuse(f"this is the pair {len(known.pairs)}, not {record['position']}")
        for candidate in (record["first"], record["second"]):
            known.check_candidate(place, *candidate)
        if record["first"] == record["second"]:
            place.refuse("a pair must have two different summaries")
        foreign = sum(document != record["document_id"] for document, _ in (record["first"], record["second"]))
        if foreign != (record["expected"] is not None) or (
            record["expected"] is not None and record[record["expected"]][0] != record["document_id"]
        ):
            place.refuse("a pair must be of one document, and a check must expect the summary of its own document")
        known.pairs.append(record)
    checks = sum(pair["expected"] is not None for pair in known.pairs)
    return f"pairs.jsonl: {len(known.pairs) - checks} of these summaries, and {format_count(checks, 'attention check')}"


def check_people(bundle: Bundle, known: Known) -> str:
    """Check that each annotator occurs once."""
    for place, person in bundle.records("people.jsonl", records.PERSON):
        if person["annotator"] in known.people:
            place.refuse(f"{person['annotator']!r} stands twice")
        known.people.add(person["annotator"])
    return f"people.jsonl: {format_count(len(known.people), 'annotator')}"


def check_judgments(bundle: Bundle, known: Known) -> str:
    """Check that assignments name these pairs and people, once each, and have all earlier choices."""
    given: set[tuple[str, int]] = set()
    places: Counter[int] = Counter()
    changed = 0
    for place, assignment in bundle.records("judgments.jsonl", records.ASSIGNMENT):
        known.check_person(place, assignment["annotator"])
        known.check_pair(place, assignment["pair"])
        if (assignment["annotator"], assignment["pair"]) in given:
            place.refuse("this annotator was given this pair twice")
        given.add((assignment["annotator"], assignment["pair"]))
        judgment = assignment["judgment"]
        if judgment is not None:
            places[judgment["place"]] += 1
            if [earlier["revision"] for earlier in judgment["earlier"]] != list(range(1, judgment["revision"])):
                place.refuse(f"revision {judgment['revision']} of a judgment must come with all earlier ones")
            changed += judgment["revision"] > 1
    if places.keys() != set(range(len(places))) or any(count > 1 for count in places.values()):
        FileLine(bundle.folder / "judgments.jsonl", 1).refuse("the places of the judgments are not 0, 1, 2, ...")
    return f"judgments.jsonl: {len(places)} of these pairs by these people, {changed} of them changed"


def check_surveys(bundle: Bundle, known: Known) -> str:
    """Check that each answer is by one of these people, who answer a question once."""
    answered: set[tuple[str, str, str]] = set()
    for place, record in bundle.records("surveys.jsonl", records.SURVEY_ANSWER):
        known.check_person(place, record["annotator"])
        question = record["annotator"], record["survey"], record["question"]
        if question in answered:
            place.refuse("this question is answered twice")
        answered.add(question)
    return f"surveys.jsonl: {format_count(len(answered), 'answer')} of these people"


def check_adjudications(bundle: Bundle, known: Known) -> str:
    """Check that each decision is about one of these pairs."""
    count = 0
    for place, record in bundle.records("adjudications.jsonl", records.ADJUDICATION):
        known.check_pair(place, record["pair"])
        count += 1
    return f"adjudications.jsonl: {count} of these pairs"


def check_models(bundle: Bundle, known: Known) -> str:
    """Check that each model occurs once, and judges each of these pairs at most once."""
    for place, record in bundle.records("models.jsonl", records.MODEL):
        if record["name"] in known.models:
            place.refuse(f"{record['name']!r} stands twice")
        known.models.add(record["name"])
    judged: set[tuple[str, int]] = set()
    for place, record in bundle.records("model_judgments.jsonl", records.MODEL_JUDGMENT):
        known.check_pair(place, record["pair"])
        if record["model"] not in known.models:
            place.refuse(f"models.jsonl has no {record['model']!r}")
        if (record["model"], record["pair"]) in judged:
            place.refuse("this model judges this pair twice")
        judged.add((record["model"], record["pair"]))
    models = format_count(len(known.models), "language model")
    return f"models.jsonl: {models}, with {len(judged)} judgments of these pairs"


def check_tables(bundle: Bundle) -> str:
    """Check that the file of tables has some."""
    place, value = bundle.value(TABLES)
    tables = value.get("tables") if isinstance(value, dict) else None
    if not isinstance(tables, dict):
        place.refuse("there are no tables")
    return f"{TABLES}: {format_count(len(tables), 'table')}"


CHECKS: tuple[Callable[[Bundle, Known], str], ...] = (
    check_protocols,
    check_data,
    check_scores,
    check_bounds,
    check_pairs,
    check_people,
    check_judgments,
    check_surveys,
    check_adjudications,
    check_models,
)
"""The checks, in an order in which each finds what it needs of others."""
