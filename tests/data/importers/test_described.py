"""Choices as other programs export them: each becomes the judgments that were made in it, and nothing goes silently."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from relevance.data.importers import DESCRIPTIONS, IMPORTERS, find_comparisons, guess_format
from relevance.data.importers.described import by_middle, join_turns, recognize
from relevance.data.importers.mapping import Columns, parse_columns
from relevance.data.importers.pairwise import JudgedPairs, read_judged
from relevance.data.reading import FileLine
from relevance.data.records import BadRecord


def judge(path: Path, columns: Columns | None = None) -> tuple[str, JudgedPairs, list[str]]:
    notes: list[str] = []
    format = guess_format(path, columns)
    return format, read_judged(find_comparisons(format, columns, lambda _: None), path, notes.append), notes


def told(judged: JudgedPairs) -> list[tuple[str, str, str, str, str]]:
    return [
        (judgment.document_id, judgment.left, judgment.right, judgment.choice, judgment.annotator)
        for judgment in judged.judgments
    ]


def write_csv(path: Path, header: Sequence[str], *rows: Sequence[Any]) -> Path:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows([header, *rows])
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


def write_json(path: Path, *records: dict[str, Any]) -> Path:
    lines = path.suffix == ".jsonl"
    path.write_text("\n".join(map(json.dumps, records)) if lines else json.dumps(records), encoding="utf-8")
    return path


ONE, TWO = "annotator 1", "annotator 2"

FOUND = {
    "18_ls.json": ("label_studio", [("0", "text1", "text2", "left", ONE), ("1", "text1", "text2", "right", ONE)]),
    "18_ls_min.csv": ("choices", [("1", "text1", "text2", "left", ONE), ("2", "text1", "text2", "right", ONE)]),
    "19_mturk.csv": ("mturk", [("d1", "s1", "s2", "left", ONE)]),
    "21_potato.csv": ("potato", [("i1", "a", "b", "left", ONE), ("i1", "a", "b", "right", TWO)]),
    "21_potato.jsonl": ("potato", [("i1", "a", "b", "left", "unknown 1")]),
    "22_argilla.jsonl": ("argilla", [("r1", "response1", "response2", "left", ONE)]),
    "23_crowdkit.csv": (
        "crowd_kit",
        [("1", "m1", "m2", "left", ONE), ("2", "m1", "m2", "right", TWO), ("3", "m2", "m3", "right", ONE)],
    ),
    "24_dpo.jsonl": (
        "preferences",
        [("1", "chosen", "rejected", "left", "unknown 1"), ("1", "chosen", "rejected", "left", "unknown 2")],
    ),
    "16_arena_notext.jsonl": ("choices", [(str(n), "m1", "m2", "left", ONE) for n in (1, 2, 3)]),
}


@pytest.mark.parametrize("name", FOUND)
def test_exports_that_were_found(found_files: Path, name: str) -> None:
    format, judged, _ = judge(found_files / name)
    assert (format, told(judged)) == FOUND[name]


def test_every_format_is_one_of_import() -> None:
    assert set(DESCRIPTIONS) <= set(IMPORTERS)
    for format, value in DESCRIPTIONS.items():
        assert recognize(value.fields) == format


MTURK = ("HITId", "Title", "AssignmentId", "WorkerId", "AssignmentStatus", "SubmitTime", "Input.text", "Input.output_1")


def test_mturk_s_batches(tmp_path: Path) -> None:
    header = (
        *MTURK,
        "Input.output_2",
        "Answer.better.Summary 1",
        "Answer.better.Summary 2",
        "Answer.better.tie",
        "Answer.notes",
    )
    head = ("T", "A", "W1", "Submitted", "Mon Jan 02 15:04:05 PST 2023", "Text.", "One.", "Two.")
    path = write_csv(
        tmp_path / "Batch.csv",
        header,
        ("H1", *head, "true", "false", "false", "=hm"),
        ("H2", "T", "B", "W2", "Approved", "Tue Jul 04 00:00:00 PDT 2023", *head[5:], "false", "false", "true", ""),
        ("H3", "T", "C", "W3", "Rejected", "", *head[5:], "true", "true", "false", ""),
    )
    format, judged, notes = judge(path)
    assert format == "mturk"
    assert told(judged) == [("H1", "1", "2", "left", ONE), ("H2", "1", "2", "tie", TWO)]
    assert [judgment.comment for judgment in judged.judgments] == ["=hm", None]
    times = [judgment.decided_at and judgment.decided_at.isoformat() for judgment in judged.judgments]
    assert times == ["2023-01-02T23:04:05+00:00", "2023-07-04T07:00:00+00:00"]
    assert "1 row left out: AssignmentStatus is rejected" in notes
    (document, _), _ = judged.records
    assert (document.source, document.title) == ("Text.", None)  # and not MTurk's title of the task


def test_two_answers_where_one_was_asked_for_are_refused(tmp_path: Path) -> None:
    header = (*MTURK, "Input.output_2", "Answer.better.left", "Answer.better.right")
    row = ("H", "T", "A", "W", "Approved", "", "Text.", "One.", "Two.", "true", "true")
    with pytest.raises(
        BadRecord, match=r'f\.csv:2: it is not known what these values of "better" mean: "left, right" \(1\)'
    ):
        judge(write_csv(tmp_path / "f.csv", header, row))


def task(number: int, *annotations: dict[str, Any], **data: str) -> dict[str, Any]:
    return {
        "id": number,
        "data": {"article": "Text.", "summary_a": "One.", "summary_b": "Two.", **data},
        "annotations": list(annotations),
    }


def annotation(who: Any, *results: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "completed_by": who,
        "result": list(results),
        "created_at": "2024-01-02T03:04:05Z",
        "was_cancelled": False,
        **fields,
    }


def answer(value: dict[str, Any], kind: str, name: str = "pw") -> dict[str, Any]:
    return {"value": value, "from_name": name, "to_name": "x", "type": kind}


def test_label_studio_s_tasks(tmp_path: Path) -> None:
    left, right = (answer({"selected": side}, "pairwise") for side in ("left", "right"))
    note = answer({"text": ["why"]}, "textarea", "why")
    path = write_json(
        tmp_path / "export.json",
        task(1, annotation(7, left, note), annotation(8, right), annotation(9, left, was_cancelled=True), doc_id="d1"),
        task(2, annotation(7), doc_id="d2"),
    )
    format, judged, notes = judge(path)
    assert format == "label_studio"
    assert told(judged) == [("d1", "a", "b", "left", ONE), ("d1", "a", "b", "right", TWO)]
    assert "1 row left out: another kind of answer" in notes
    assert "1 row left out: was_cancelled is true" in notes
    assert (
        notes[-1] == 'choices in "pw": "left" is left (1); "right" is right (1); (blank) is not judged and left out (1)'
    )


def test_label_studio_s_choices_of_several_questions_and_people_by_email(tmp_path: Path) -> None:
    def both(fluent: str, relevant: str) -> list[dict[str, Any]]:
        return [
            answer({"choices": [fluent]}, "choices", "fluent"),
            answer({"choices": [relevant]}, "choices", "relevant"),
        ]

    who = {"id": 7, "email": "zoe@example.org"}
    path = write_json(
        tmp_path / "export.json",
        task(1, annotation(who, *both("Summary A", "Tie"))),
        task(2, annotation(who, *both("B", "A")), article="Other."),
    )
    _, judged, _ = judge(path)
    assert [(judgment.question.name, judgment.document_id, judgment.choice) for judgment in judged.judgments] == [
        ("fluent", "1", "left"),
        ("relevant", "1", "tie"),
        ("fluent", "2", "right"),
        ("relevant", "2", "left"),
    ]


def test_potato_s_answers_are_those_that_were_checked(tmp_path: Path) -> None:
    lines = [
        {
            "id": f"i{n}",
            "displayed_text": "One. ||| Two.",
            "label_annotations": {"better": {value: "true"}, "why": {"text": "x"}},
        }
        for n, value in enumerate(["A", "B", "tie"])
    ]
    format, judged, _ = judge(write_json(tmp_path / "annotated_instances.jsonl", *lines))
    assert (format, [judgment.choice for judgment in judged.judgments]) == ("potato", ["left", "right", "tie"])
    bad = lines[0] | {"displayed_text": "One. Two."}
    with pytest.raises(
        BadRecord, match=r"f\.jsonl:1: displayed_text must be two texts with \|\|\| or <br> between them"
    ):
        judge(write_json(tmp_path / "f.jsonl", bad))


def test_argilla_s_records(tmp_path: Path) -> None:
    def record(number: str, *responses: dict[str, Any]) -> dict[str, Any]:
        fields = {"source": "Text.", "summary_a": "One.", "summary_b": f"Two {number}."}
        return {
            "id": number,
            "fields": fields,
            "responses": {"better": list(responses), "fluency": [{"value": 4, "user_id": "u"}]},
        }

    path = write_json(
        tmp_path / "records.jsonl",
        record("r1", {"value": "summary_a", "user_id": "u"}, {"value": "summary_b", "user_id": "v", "status": "draft"}),
        record("r2", {"value": "summary_b", "user_id": "v", "status": "submitted"}),
        record("r3"),
    )
    _, judged, notes = judge(path)
    assert told(judged) == [("r1", "a", "b", "left", ONE), ("r2", "a", "b", "right", TWO)]
    assert "1 row left out: status is draft" in notes


@pytest.mark.parametrize(
    ("value", "meaning"), [(1, "left"), (2, "right"), (1.5, "tie"), (1.003, "left"), (1.97, "right"), (0, "tie")]
)
def test_alpaca_eval_s_preferences(tmp_path: Path, value: float, meaning: str) -> None:
    first = {
        "instruction": "Sum up.",
        "output_1": "A.",
        "generator_1": "gpt",
        "output_2": "B.",
        "generator_2": "llama",
        "annotator": "judge",
    }
    _, judged, notes = judge(write_json(tmp_path / "annotations.json", first | {"preference": value}))
    assert told(judged) == [("1", "gpt", "llama", meaning, ONE)]
    assert any("often models" in item for item in notes)


def test_a_preference_that_is_null_is_none(tmp_path: Path) -> None:
    first = {"instruction": "Sum up.", "output_1": "A.", "output_2": "B.", "preference": None}
    assert len(judge(write_json(tmp_path / "f.json", first, first | {"preference": 2}))[1].judgments) == 1
    assert by_middle("n/a", 1.5) == "n/a"
    assert by_middle("nan", 1.5) == "nan"


def test_lmarena_s_table_of_55_000(tmp_path: Path) -> None:
    header = (
        "id",
        "model_a",
        "model_b",
        "prompt",
        "response_a",
        "response_b",
        "winner_model_a",
        "winner_model_b",
        "winner_tie",
    )
    turns = [json.dumps(["Hi.", "And now?"]), json.dumps(["One.", None]), json.dumps(["Two.", "Three."])]
    rows = [(n, "gpt", "llama", *turns, *winner) for n, winner in enumerate([(1, 0, 0), (0, 1, 0), (0, 0, 1)])]
    format, judged, _ = judge(write_csv(tmp_path / "train.csv", header, *rows))
    assert (format, [judgment.choice for judgment in judged.judgments]) == ("lmarena_table", ["left", "right", "tie"])
    document, written = judged.records[0]
    assert (document.id, document.source, written[0].text) == ("0", "Hi.\n\nAnd now?", "One.\n\n")


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".parquet"])
def test_chosen_and_rejected_answers(tmp_path: Path, suffix: str) -> None:
    def talk(text: str) -> list[dict[str, str]]:
        return [{"role": "user", "content": "Sum up."}, {"role": "assistant", "content": text}]

    records = [{"prompt": f"Sum up {n}.", "chosen": talk("A bus."), "rejected": talk("A ferry.")} for n in range(3)]
    path = tmp_path / f"f{suffix}"
    if suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(records), path)
    else:
        write_json(path, *records)
    format, judged, _ = judge(path)
    assert (format, [judgment.choice for judgment in judged.judgments]) == ("preferences", ["left"] * 3)
    document, (chosen, rejected) = judged.records[0]
    assert (document.source, chosen.text, rejected.text) == ("Sum up 0.", "A bus.", "A ferry.")


def test_what_was_asked_stands_before_the_answers_where_no_field_has_it(tmp_path: Path) -> None:
    wanted = "\n\nHuman: Hi.\n\nAssistant: Yes?\n\nHuman: Sum up."
    texts = {"chosen": f"{wanted}\n\nAssistant: A bus.", "rejected": f"{wanted}\n\nAssistant: A ferry."}
    path = write_json(tmp_path / "f.jsonl", texts | {"chosen_model": "gpt", "rejected_model": "pi"})
    document, (chosen, rejected) = judge(path)[1].records[0]
    assert (document.source, chosen.text, rejected.text) == (wanted.strip(), "A bus.", "A ferry.")
    assert (chosen.system, rejected.system) == ("gpt", "pi")
    talks = {name: [{"role": "user", "content": "Sum up."}, {"role": "assistant", "content": name}] for name in texts}
    document, (chosen, rejected) = judge(write_json(tmp_path / "g.jsonl", talks))[1].records[0]
    assert (document.source, chosen.text, rejected.text) == ("Sum up.", "chosen", "rejected")
    with pytest.raises(BadRecord, match="it is not known which column is document_id, source or reference"):
        judge(write_json(tmp_path / "h.jsonl", {"chosen": "A bus.", "rejected": "A ferry."}))


def test_answers_of_mturk_s_own_elements(tmp_path: Path) -> None:
    header = (*MTURK, "Input.output_2", "Answer.taskAnswers")
    head = ("T", "A", "W1", "Approved", "", "Text.", "One.", "Two.")
    rows = [
        ("H1", *head, json.dumps([{"better": {"Summary 1": False, "Summary 2": True}, "notes": "x"}])),
        ("H2", *head, json.dumps([{"better": {"Summary 1": True, "Summary 2": False}}])),
    ]
    _, judged, _ = judge(write_csv(tmp_path / "radio.csv", header, *rows))
    assert [(judgment.choice, judgment.comment) for judgment in judged.judgments] == [("right", "x"), ("left", None)]
    rows = [("H1", *head, json.dumps([{"pick": {"label": "Summary 2 is better"}}]))]
    _, judged, _ = judge(write_csv(tmp_path / "classifier.csv", header, *rows))
    assert [judgment.choice for judgment in judged.judgments] == ["right"]
    with pytest.raises(BadRecord, match=r"bad\.csv:2: not valid JSON"):
        judge(write_csv(tmp_path / "bad.csv", header, ("H1", *head, "[x")))


def test_a_choice_is_told_by_its_values_in_json_whose_first_object_has_none(tmp_path: Path) -> None:
    first = {"text": "Text.", "text1": "One.", "text2": "Two.", "id": 1, "lead_time": 3.5}
    path = write_json(tmp_path / "min.json", first, first | {"id": 2, "pw": "left"}, first | {"id": 3, "pw": "right"})
    format, judged, _ = judge(path)
    assert (format, [judgment.choice for judgment in judged.judgments]) == ("choices", ["left", "right"])


def test_turns_are_joined_and_other_texts_stay() -> None:
    place = FileLine(Path("f"), 1)
    assert [join_turns(place, value, "x") for value in ("[1] says", '["a", "b"]', "text", None, [])] == [
        "[1] says",
        "a\n\nb",
        "text",
        None,
        "",
    ]


def test_participants_are_no_judgments(found_files: Path) -> None:
    with pytest.raises(BadRecord, match=r"20_prolific\.csv:1: these are Prolific's participants, not judgments"):
        judge(found_files / "20_prolific.csv")


def test_what_is_not_guessed_of_an_export_can_be_said(tmp_path: Path) -> None:
    header = ("HITId", "AssignmentId", "WorkerId", "Input.x", "Input.y", "Input.article", "Answer.pick")
    path = write_csv(tmp_path / "f.csv", header, ("H", "A", "W", "One.", "Two.", "Text.", "x"))
    with pytest.raises(BadRecord, match="it is not known which column is left"):
        judge(path)
    _, judged, _ = judge(path, parse_columns("left=x,right=y"))
    assert told(judged) == [("H", "x", "y", "left", ONE)]


def test_an_export_of_another_program_is_refused_by_name(tmp_path: Path) -> None:
    path = write_json(tmp_path / "f.jsonl", {"text": "a"})
    with pytest.raises(BadRecord, match=r"f\.jsonl:1: a file of argilla has the fields fields, responses"):
        read_judged(find_comparisons("argilla", None, lambda _: None), path)
