"""The file of a system's training: what is read is what was written, and nothing else is taken for it."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relevance.data.records import BadRecord
from relevance.data.store import DataStore, UnknownDataset
from relevance.data.training_history import HISTORY, TrainingEntry, history_in, read_history, write_history

ENTRY = TrainingEntry(3, 1.0, 2.5, 3e-5, 9.0)

NUMBERS = st.floats(0, 1e9)

ENTRIES = st.lists(
    st.builds(
        TrainingEntry,
        st.integers(1, 10**9),
        *(NUMBERS, NUMBERS, NUMBERS, NUMBERS),
    )
    | st.builds(
        TrainingEntry,
        st.integers(1, 10**9),
        *(NUMBERS, NUMBERS, NUMBERS, NUMBERS),
        score=NUMBERS,
        measure=st.sampled_from(["rouge1", "rouge_k"]),
    ),
    unique_by=lambda item: item.step,
)


@given(entries=ENTRIES)
def test_what_was_written_is_read(entries: list[TrainingEntry], tmp_path_factory: pytest.TempPathFactory) -> None:
    entries.sort(key=lambda entry: entry.step)
    path = tmp_path_factory.mktemp("history") / HISTORY
    write_history(path, entries)
    assert read_history(path) == entries
    assert [json.loads(line) for line in path.read_text().splitlines()] == [asdict(entry) for entry in entries]


def test_a_folder_without_a_history_has_an_empty_one(tmp_path: Path) -> None:
    assert history_in(tmp_path) == []
    write_history(tmp_path / HISTORY, [ENTRY])
    assert history_in(tmp_path) == [ENTRY]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"step": 2.5}, "step must be a whole number above that of the line before, not 2.5"),
        ({"step": 3}, "step must be a whole number above that of the line before, not 3"),
        ({"step": "4"}, "step must be a number, not a string"),
        ({"loss": None}, "loss must be a number, not null"),
        ({"learning_rate": True}, "learning_rate must be a number, not a truth value"),
        ({"score": "0.3"}, "score must be a number, not a string"),
        ({"score": 0.3, "measure": None}, "measure must be a string, not null"),
    ],
)
def test_what_is_no_history_is_refused(changed: dict[str, object], message: str, tmp_path: Path) -> None:
    second = asdict(ENTRY) | {"step": 4} | changed
    path = tmp_path / HISTORY
    path.write_text(f"{json.dumps(asdict(ENTRY))}\n{json.dumps(second)}\n")
    with pytest.raises(BadRecord, match=f"{HISTORY}:2: .*{message}"):
        read_history(path)
    path.write_text(json.dumps({name: value for name, value in asdict(ENTRY).items() if name != "seconds"}) + "\n")
    with pytest.raises(BadRecord, match=f"{HISTORY}:1: .*seconds"):
        read_history(path)


def test_histories_are_kept_by_system_and_replaced(data_store: DataStore) -> None:
    data_store.add_dataset(name="set", format="csv", sha256="0" * 64, records=[])
    assert data_store.histories("set") == {}
    longer = [ENTRY, TrainingEntry(6, 2.0, 1.5, 3e-5, 18.0, 0.3, "rouge1")]
    for history in ([ENTRY], longer):
        data_store.keep_history(dataset="set", system="bart#1", history=history)
    data_store.keep_history(dataset="set", system="a", history=[ENTRY])
    assert data_store.histories("set") == {"a": [ENTRY], "bart#1": longer}
    with pytest.raises(UnknownDataset):
        data_store.histories("other")
    with pytest.raises(UnknownDataset):
        data_store.keep_history(dataset="other", system="a", history=[])
