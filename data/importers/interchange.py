"""The project's own format: a JSON object a line for each document, with its summaries.

{"id": "d1", "title": "optional", "source": "text or list of sentences", "references": ["..."],
"summaries": [{"system": "bart", "text": "...", "human": {"relevance": 4.5},
"annotators": {"Ann": {"relevance": 4}, "Ben": {"relevance": 5}}, "scores": {"rouge-1": 0.4}}],
"questions": [{"question": "... @placeholder ...", "answer": "..."}]}

`title`, `human`, `annotators` (the ratings of each, whose means `human` has where it does not say otherwise), `scores`
(of metrics, given with the summary) and `questions` are optional; `source` and
`references` are absent, null or `[]` if the data set does not have them; an `id` may be a whole number; a summary's
text is empty or null if the system wrote nothing, and a rating null or NaN if nobody gave it.
"""

from collections.abc import Iterator
from pathlib import Path

from relevance.data import reading
from relevance.data.importers.given_ratings import Annotated
from relevance.data.reading import FileLine, Say
from relevance.data.records import PLACEHOLDER, ClozeQuestion, Document, Summary

NAMED = 20
"""The most unknown fields that are reported."""
FIELDS = {"id", "title", "source", "references", "summaries", "questions"}


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read an interchange file."""
    seen: dict[str, FileLine] = {}
    passed_over: set[str] = set()
    unrated, annotated = 0, Annotated()
    for place, record in reading.read_json_lines(path, nan=True):
        for name in record.keys() - FIELDS - passed_over:
            if len(passed_over) == NAMED:
                say(f"{place}: more fields are passed over")
            passed_over.add(name)
            if len(passed_over) <= NAMED:
                say(f"{place}: field passed over: {reading.quote_value(name)}")
        document_id = unseen(place, reading.require_field(place, record, "id"), seen)
        if not any(record.get(name) for name in ("source", "references", "summaries", "title")):
            place.refuse("the document has no source, references, summaries or title")
        document = Document(
            id=document_id,
            title=reading.optional_text(place, record.get("title"), "title"),
            source=read_source(place, record.get("source")),
            references=reading.given_texts(place, record.get("references"), "references"),
            questions=tuple(questions(place, record.get("questions", []))),
        )
        written = [] if record.get("summaries") is None else record["summaries"]
        yield document, summaries(place, document_id, written, annotated)
        unrated += sum(
            reading.is_missing(value) for summary in written for value in (summary.get("human") or {}).values()
        )
    if unrated:
        say(reading.describe_unrated(unrated))
    for sentence in annotated.describe():
        say(sentence)


def read_source(place: FileLine, source: object) -> str | tuple[str, ...]:
    """Read a text or its sentences; absent, null or `[]` if the data set does not have it."""
    if source is None or isinstance(source, list):
        return reading.given_texts(place, source, "source") or ""
    if isinstance(source, str) and not source.strip():
        place.refuse("source is empty; write null, or leave the field out, if the data set does not have its documents")
    return reading.text(place, source, "source")


def summaries(place: FileLine, document_id: str, value: object, annotated: Annotated) -> list[Summary]:
    """Read the summaries of one document, one for each system."""
    by_system: dict[str, Summary] = {}
    for index, item in enumerate(reading.objects(place, value, "summaries")):
        name = f"summaries[{index}]"
        system = reading.identifier(place, reading.require_field(place, item, "system"), f"{name}.system")
        if system in by_system:
            place.refuse(f"the system {reading.quote_value(system)} stands twice among the summaries")
        written = reading.require_field(place, item, "text")
        given = reading.annotators(place, item.get("annotators"), f"{name}.annotators")
        annotators = {annotated.name(called): ratings for called, ratings in given.items()}
        human = reading.ratings(place, item.get("human"), f"{name}.human")
        by_system[system] = Summary(
            document_id=document_id,
            system=system,
            text=reading.summary_text(place, "" if written is None else written, f"{name}.text"),
            human=annotated.add(annotators) | human,
            annotators=annotators,
            given=tuple(reading.ratings(place, item.get("scores"), f"{name}.scores").items()),
        )
    return list(by_system.values())


def questions(place: FileLine, value: object) -> Iterator[ClozeQuestion]:
    """Read the questions that come with a document."""
    for index, item in enumerate(reading.objects(place, value, "questions")):
        name = f"questions[{index}]"
        text = reading.text(place, reading.require_field(place, item, "question"), f"{name}.question")
        answer = reading.text(place, reading.require_field(place, item, "answer"), f"{name}.answer")
        if text.count(PLACEHOLDER) != 1 or not answer.strip():
            place.refuse(f"{name} needs a question with one {PLACEHOLDER} and an answer")
        yield ClozeQuestion(text, answer)


def unseen(place: FileLine, value: object, seen: dict[str, FileLine]) -> str:
    """Return a document id that no earlier line has used, and remember it."""
    document_id = reading.identifier(place, value, "id")
    if document_id in seen:
        place.refuse(f"the id {reading.quote_value(document_id)} already stands in line {seen[document_id].line}")
    seen[document_id] = place
    return document_id
