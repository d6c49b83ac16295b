"""People and surveys as files: annotators by number, or by name with what a panel calls them."""

import json
from collections.abc import Callable

from sqlalchemy import Engine, update
from sqlalchemy.orm import Session

from relevance.annotation.exports import EXPORTS, export_study
from relevance.annotation.people import PeopleStore
from relevance.annotation.protocol.tables import ConsentRow, SurveyAnswerRow
from relevance.annotation.records import Annotator, Study
from relevance.annotation.store import AnnotationStore
from relevance.data.export import export
from relevance.data.store import DataStore
from relevance.hosting.links import LinkStore
from relevance.hosting.tables import EntryRow

Create = Callable[..., Study]


def test_people_and_surveys(
    annotation_store: AnnotationStore,
    data_store: DataStore,
    engine: Engine,
    create: Create,
    judge: Callable[..., None],
) -> None:
    create(count=2)
    links = LinkStore(engine)
    zoe = annotation_store.join(study="S", name="Zoe")
    from_panel = links.enter(links.add_link("S", kind="panel").token, {"person": "panel-id"})
    with Session(engine) as session:
        session.execute(update(EntryRow).values(panel_ids={"SESSION_ID": "session-id"}))
        session.add(ConsentRow(annotator_id=zoe.id, sha256="0" * 64, agreed=True))
        for person, answer in ((from_panel, ["a", "b"]), (zoe.id, 41)):
            session.add(SurveyAnswerRow(annotator_id=person, survey="before", question="q", answer=answer))
        session.commit()
    judge_first(annotation_store, zoe, judge)
    PeopleStore(engine).exclude("S", "Zoe", "too fast")

    def read(what: str, **options: bool) -> list[dict[str, object]]:
        records = list(export_study(data_store, annotation_store, "S", what, **options))
        assert export(records, "csv").count("\r\n") == len(records) + 1
        return [json.loads(line) for line in export(records, "jsonl").splitlines()]

    first, second = read("people")
    assert {key: first[key] for key in ("annotator", "came_by", "judged", "exclusion_reason", "consent")} == {
        "annotator": "P1",
        "came_by": "name",
        "judged": 1,
        "exclusion_reason": "too fast",
        "consent": True,
    }
    assert (second["annotator"], second["came_by"], second["consent"], second["seen_at"]) == ("P2", "link", None, None)
    assert "panel" not in json.dumps([first, second])
    named = read("people", names=True)
    assert [(row["annotator"], row["panel_ids"]) for row in named] == [
        ("Zoe", None),
        ("Annotator 2", {"person": "panel-id", "SESSION_ID": "session-id"}),
    ]
    answers = read("surveys")
    assert [(answer["annotator"], answer["excluded"], answer["answer"]) for answer in answers] == [
        ("P1", True, 41),
        ("P2", False, ["a", "b"]),
    ]
    assert [row["annotator"] for row in read("surveys", names=True)] == ["Zoe", "Annotator 2"]
    assert [row["annotator"] for row in read("judgments")] == ["P1"]


def judge_first(store: AnnotationStore, annotator: Annotator, judge: Callable[..., None]) -> None:
    task = store.next_task(annotator)
    assert task is not None
    judge(annotator, task.assignment_id, "left")


def test_the_command_knows_all_of_them() -> None:
    from relevance.cli.study import export_study as command

    (what,) = (option for option in command.params if option.name == "what")
    assert list(what.type.choices) == list(EXPORTS)  # type: ignore[attr-defined]
