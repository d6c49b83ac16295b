"""What is read of battles and comparisons: documents, summaries, judgments, and what is refused or left out."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from relevance.data.importers import COMPARED, guess_format, read_documents
from relevance.data.importers.pairwise import GivenJudgment, JudgedPairs, read_judged
from relevance.data.records import BadRecord, Document, Summary
from tests.data.battles import battle, comparison, late_battle, policies, turns, write

TIME = datetime(2023, 4, 24, 15, 53, 11, 132200, UTC)


def read(path: Path, *records: dict[str, object]) -> JudgedPairs:
    write(path, list(records))
    return read_judged(COMPARED[guess_format(path)], path, notes.append)


notes: list[str] = []


@pytest.fixture(autouse=True)
def path(tmp_path: Path) -> Path:
    notes.clear()
    return tmp_path / "f.jsonl"


def told(given_judgment: GivenJudgment) -> tuple[object, ...]:
    return (
        given_judgment.document_id,
        given_judgment.left,
        given_judgment.right,
        given_judgment.choice,
        given_judgment.annotator,
        given_judgment.decided_at,
    )


def test_battles_of_33000(path: Path) -> None:
    result = read(
        path,
        battle("q1"),
        battle("q2", "model_b", model_a="beta", model_b="alpha", judge="arena_user_2", tstamp=None),
        battle("q3", "tie"),
        battle("q4", "tie (bothbad)"),
    )
    assert result.records[0] == (
        Document("q1", "What is rain?", ()),
        [Summary("q1", "alpha", "Water."), Summary("q1", "beta", "Wet.")],
    )
    assert [told(judgment) for judgment in result.judgments] == [
        ("q1", "alpha", "beta", "left", "annotator 1", TIME),
        ("q2", "beta", "alpha", "right", "annotator 2", None),
        ("q3", "alpha", "beta", "tie", "annotator 1", TIME),
        ("q4", "alpha", "beta", "both_bad", "annotator 1", TIME),
    ]
    assert notes == ["1 tie of two bad answers: ties like others"]
    assert list(read_documents(path)) == result.records


def test_battles_of_140000_in_a_list_and_those_with_images(path: Path) -> None:
    image = [{"role": "user", "content": [{"type": "image", "image": "x.png"}]}, {"role": "assistant", "content": "x"}]
    battles = [
        late_battle("a"),
        late_battle("b", "both_bad", evaluation_session_id="another"),
        late_battle("c", conversation_a=image, conversation_b=image),
    ]
    path.write_text(json.dumps(battles, indent=1), encoding="utf-8")
    judged = read_judged(COMPARED[guess_format(path)], path, notes.append)
    assert [document.id for document, _ in judged.records] == ["a", "b"]
    assert judged.records[0][0].source == "Sum up é."
    assert [told(judgment) for judgment in judged.judgments] == [
        ("a", "alpha", "beta", "right", "annotator 1", datetime(2025, 6, 11, 10, 0, 0, 500000, UTC)),
        ("b", "alpha", "beta", "both_bad", "annotator 2", datetime(2025, 6, 11, 10, 0, 0, 500000, UTC)),
    ]
    assert notes == ["1 tie of two bad answers: ties like others", "1 battle with images left out"]


def test_the_turns_that_the_judge_saw(path: Path) -> None:
    first, second = turns("Ask.", "One.", "More?", "Two."), turns("Ask.", "Eins.", "More?", "Zwei.")
    conversations = {"conversation_a": first, "conversation_b": second}
    result = read(path, battle("81", **conversations), battle("81", "model_b", **conversations, turn=2))
    assert [(document.id, document.source) for document, _ in result.records] == [
        ("81", "Ask."),
        ("81, 2 turns", "Ask.\n\nMore?"),
    ]
    assert [[summary.text for summary in written] for _, written in result.records] == [
        ["One.", "Eins."],
        ["One.\n\nTwo.", "Eins.\n\nZwei."],
    ]
    assert [(judgment.document_id, judgment.choice) for judgment in result.judgments] == [
        ("81", "left"),
        ("81, 2 turns", "right"),
    ]


def test_comparisons_of_human_feedback(path: Path) -> None:
    article = {"id": "cnn1", "article": "An article.", "site": "cnn"}
    result = read(path, comparison("t3_a"), comparison("t3_a", 1, worker="w2"), comparison("", 1, info=article))
    assert guess_format(path) == "human_feedback"
    assert result.records == [
        (
            Document("t3_a", "Post t3_a.", (), "A title"),
            [Summary("t3_a", "sup4", " A dog ran."), Summary("t3_a", "ref", " Dogs run é.")],
        ),
        (
            Document("cnn1", "An article.", ()),
            [Summary("cnn1", "sup4", " A dog ran."), Summary("cnn1", "ref", " Dogs run é.")],
        ),
    ]
    assert [
        (judgment.document_id, judgment.choice, judgment.annotator, judgment.decided_at)
        for judgment in result.judgments
    ] == [
        ("t3_a", "left", "annotator 1", None),
        ("t3_a", "right", "annotator 2", None),
        ("cnn1", "right", "annotator 1", None),
    ]
    assert (result.notes, notes) == ((), [])


def test_several_texts_of_one_policy_are_told_apart(path: Path) -> None:
    result = read(
        path,
        comparison("p", summaries=policies(("sup4", "One."), ("sup4", "Two."))),
        comparison("p", summaries=policies(("sup4", "Two."), ("sup4#2", "Three."))),
        comparison("p", summaries=policies(("sup4", "One."), ("sup4", "Four."))),
    )
    ((_, written),) = result.records
    assert [(summary.system, summary.text) for summary in written] == [
        ("sup4", "One."),
        ("sup4#2", "Two."),
        ("sup4#2#2", "Three."),
        ("sup4#3", "Four."),
    ]
    assert [(judgment.left, judgment.right) for judgment in result.judgments] == [
        ("sup4", "sup4#2"),
        ("sup4#2", "sup4#2#2"),
        ("sup4", "sup4#3"),
    ]
    assert result.notes == (
        "3 texts beside another one by the same system for the same document: named SYSTEM#2, SYSTEM#3 and so on",
    )


def test_what_nobody_can_judge_and_what_was_judged_before_is_left_out_and_counted(path: Path) -> None:
    result = read(
        path,
        comparison("p"),
        comparison("p", 1, summaries=policies(("ref", " Dogs run é."), ("sup4", " A dog ran."))),
        comparison("p", summaries=policies(("a", "Same  text."), ("b", "Same text."))),
        comparison("p", 1, summaries=policies(("b", "Same text."), ("a", "Same  text."))),
        comparison("p", summaries=policies(("a", "Same  text."), ("empty", " "))),
    )
    assert [judgment.choice for judgment in result.judgments] == ["left"]
    assert result.identical == 1
    assert result.notes == (
        "2 comparisons of a text with itself left out",
        "1 comparison with an empty text left out",
        "1 comparison left out where somebody had already judged the same pair: the first judgment counts",
    )


def test_judgments_of_nobody_in_particular_are_by_as_few_as_can_have_made_them(path: Path) -> None:
    nobody = [comparison(post, worker=None) for post in ("a", "b", "b", "a", "b", "c")]
    result = read(path, *nobody, comparison("a"))
    assert [(judgment.document_id, judgment.annotator) for judgment in result.judgments] == [
        ("a", "unknown 1"),
        ("b", "unknown 1"),
        ("b", "unknown 2"),
        ("a", "unknown 2"),
        ("b", "unknown 3"),
        ("c", "unknown 1"),
        ("a", "annotator 1"),
    ]
    assert "6 judgments without an annotator in the file" in result.notes[0]


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        (battle("q", "model_c"), 'winner must be "model_a", "model_b", "tie"'),
        (battle("q", ["tie"]), "winner must be"),
        (battle("q1", conversation_a=turns("Else?", "Water."), conversation_b=turns("Else?", "Wet.")), "another text"),
        (battle("q", conversation_a=turns("Other?", "Water.")), "were not asked the same"),
        (battle("q", conversation_a=turns("Alone?")), "a question and an answer for each turn, not 1 message"),
        (battle("q", conversation_a=turns("a", "b")[::-1]), 'conversation_a[0].role must be user, not "assistant"'),
        (battle("q", turn=2), "turn is 2, and conversation_a has 1 turns"),
        (battle("q", turn=True), "turn must be a whole number from 1"),
        (battle("q", tstamp="yesterday"), "tstamp is not a time from 1990 to 2200"),
        (battle("q", tstamp=-1e30), "tstamp is not a time"),
        (battle("q", judge=["gpt-4", "pair-v2"]), "judge must be a string"),
        (battle("q", model_b=" "), "model_b is empty"),
        (battle("q", conversation_b="text"), "conversation_b must be a list of objects"),
    ],
)
def test_a_battle_that_is_none_is_refused_with_its_line(path: Path, record: dict[str, object], problem: str) -> None:
    with pytest.raises(BadRecord) as refusal:
        read(path, battle("q1"), record)
    assert str(refusal.value).startswith("f.jsonl:2: ")
    assert problem in str(refusal.value)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"choice": 2}, "choice must be 0 or 1, not 2"),
        ({"choice": True}, "choice must be 0 or 1, not True"),
        ({"summaries": policies(("a", "x"))}, "summaries must be the two that were compared, not 1"),
        ({"summaries": [{"text": "x"}, {"text": "y"}]}, "the field policy is missing"),
        ({"info": {"id": "p"}}, "the field post is missing"),
        ({"info": {"id": "a", "post": "Another."}}, 'the document "a" has another text or title in line 1'),
        ({"worker": 1.5}, "worker must be a string"),
    ],
)
def test_a_comparison_that_is_none_is_refused_with_its_line(
    path: Path, fields: dict[str, object], problem: str
) -> None:
    with pytest.raises(BadRecord) as refusal:
        read(path, comparison("a"), comparison("b", **fields))
    assert str(refusal.value).startswith("f.jsonl:2: ")
    assert problem in str(refusal.value)


def test_a_file_without_a_judgment_that_counts_is_refused(path: Path) -> None:
    with pytest.raises(BadRecord, match=r"f\.jsonl:1: the file holds no judgments \(1 comparison of a text with"):
        read(path, comparison("p", summaries=policies(("a", "Same."), ("b", "Same."))))


def test_many_texts_of_one_system_are_numbered_without_trying_all_numbers_again(path: Path) -> None:
    """As many texts as one document can have in a published file; trying from 2 on would take minutes."""
    post = {"id": "p", "post": "Rain fell."}
    texts = [[{"text": f"{side} {number}", "policy": "sup"} for side in "ab"] for number in range(10_000)]
    result = read(path, *({"info": post, "summaries": two, "choice": 0, "worker": "w"} for two in texts))
    ((_, written),) = result.records
    assert [summary.system for summary in written] == ["sup", *(f"sup#{number}" for number in range(2, 20_001))]
