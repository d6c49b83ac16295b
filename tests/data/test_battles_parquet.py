"""Battles in Parquet, whose conversations are lists: what is read, and what is refused before it takes memory."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from relevance.data.importers import COMPARED, guess_format, nested, parquet, read_documents
from relevance.data.importers.pairwise import JudgedPairs, read_judged
from relevance.data.records import BadRecord
from tests.data.battles import battle, late_battle, turns, write

LONG = "x" * 1_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "train-00000-of-00001.parquet"


def store(path: Path, *records: dict[str, Any], **options: Any) -> Path:
    pq.write_table(pa.Table.from_pylist(list(records)), path, **options)
    return path


def read(path: Path) -> JudgedPairs:
    return read_judged(COMPARED[guess_format(path)], path)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"row_group_size": 2, "compression": "zstd"},
        {"use_dictionary": False, "data_page_version": "2.0"},
        {"dictionary_pagesize_limit": 10, "data_page_size": 20, "write_batch_size": 1},
    ],
)
@pytest.mark.parametrize("made", [battle, late_battle])
def test_battles_are_read_from_parquet_as_from_json(tmp_path: Path, path: Path, made: Any, options: Any) -> None:
    records = [made("a"), made("b", "tie"), made("c"), made("d", "both_bad"), made("e", "model_a")]
    result = read(store(path, *records, **options))
    assert result == read(write(tmp_path / "same.jsonl", records))
    assert len(result.judgments) == 5
    assert list(read_documents(path)) == result.records


def test_judgments_of_mt_bench_have_whole_numbers_and_several_turns(path: Path) -> None:
    first, second = turns("Ask.", "One.", "More?", "Two."), turns("Ask.", "Eins.", "More?", "Zwei.")
    made = {"conversation_a": first, "conversation_b": second, "judge": "expert_0"}
    records: list[dict[str, Any]] = [{**battle("", **made, turn=turn), "question_id": 81} for turn in (1, 2)]
    for record in records:
        del record["tstamp"], record["anony"], record["language"]
    result = read(store(path, *records))
    assert [(document.id, document.source) for document, _ in result.records] == [
        ("81", "Ask."),
        ("81, 2 turns", "Ask.\n\nMore?"),
    ]
    assert [(judgment.annotator, judgment.decided_at) for judgment in result.judgments] == [("annotator 1", None)] * 2


def test_other_columns_are_left_and_times_are_read(path: Path) -> None:
    time = datetime(2025, 6, 11, 10, 0, 0, 500000)
    full = [{"user": {"role": "user", "content": [{"text": "x"}]}}]
    left = {"full_conversation": full, "image": b"\x00", "conv_metadata": {"bold_count_a": {"**": 1}}}
    zoned = time.replace(tzinfo=UTC)
    for given in (time, zoned):
        result = read(store(path, late_battle("a", timestamp=given, **left), late_battle("b", timestamp=None, **left)))
        assert [judgment.decided_at for judgment in result.judgments] == [zoned, None]


def test_other_tables_are_read_as_before(path: Path) -> None:
    store(path, {"document_id": "d", "source": "Text.", "reference": "R.", "model_a": "x"})
    assert guess_format(path) == "parquet"


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        (battle("q", "model_c"), 'winner must be "model_a"'),
        (battle("q", None), "winner must be"),  # type: ignore[arg-type]
        (battle("q", conversation_a=None), "conversation_a must be a list of objects"),
        (battle("q", conversation_a=[*turns("What is rain?"), None]), "conversation_a[1] must be an object, not null"),
        (battle("q", conversation_a=turns("Other?", "Water.")), "were not asked the same"),
        (battle("q", tstamp=float("nan")), "tstamp"),
    ],
)
def test_a_battle_that_is_none_is_refused_with_its_row(path: Path, record: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadRecord) as refusal:
        read(store(path, battle("q1"), record, row_group_size=1))
    assert str(refusal.value).startswith(f"{path.name}:2: ")
    assert problem in str(refusal.value)


@pytest.mark.parametrize(
    ("record", "options", "problem"),
    [
        (
            battle("q", conversation_a=turns(*[LONG] * 40)),
            {},
            ":2: the row has over 32 MiB of text",
        ),
        (
            battle("q", conversation_a=turns(*[""] * (nested.MAX_VALUES + 2))),
            {},
            ":2: conversation_a has over 10,000 values in this row",
        ),
        (
            battle("q"),
            {"use_dictionary": False, "column_encoding": {"conversation_a.list.element.content": "DELTA_BYTE_ARRAY"}},
            ":1: a column is written as DELTA_BYTE_ARRAY",
        ),
        (
            battle("q", judge=b"\xff"),
            {},
            ":1: judge holds values of a kind that is not read (binary)",
        ),
    ],
)
def test_what_takes_much_memory_or_is_no_text_is_refused(
    path: Path, record: dict[str, Any], options: dict[str, Any], problem: str
) -> None:
    first = battle("q1", judge=None) if isinstance(record["judge"], bytes) else battle("q1")
    store(path, first, record, **options)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(BadRecord) as refusal:
        read(path)
    assert str(refusal.value).startswith(f"{path.name}{problem}")


def test_texts_that_are_repeated_count_each_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nested, "MAX_BYTES", 5_000_000)
    store(path, *[battle(f"q{number}", conversation_b=turns("What is rain?", LONG)) for number in range(8)])
    with pytest.raises(BadRecord, match=r":8: there are over 4 MiB of text up to this row"):
        read(path)


def test_very_many_messages_in_a_row_group_are_refused_by_the_heads_of_pages(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "MAX_ROWS", 100)
    store(path, *[battle(f"q{n}", conversation_a=turns(*"ab" * 10)) for n in range(6)])
    with pytest.raises(BadRecord, match=r":1: a row group has over 100 values in a column"):
        read(path)


def test_a_file_that_is_cut_short_is_refused(path: Path) -> None:
    content = store(path, battle("q")).read_bytes()
    path.write_bytes(content[:-9])
    with pytest.raises(BadRecord, match="not a readable Parquet file"):
        read_judged(COMPARED["lmarena"], path)
    assert guess_format(path) == "parquet"
