"""Documents that a system was trained on are known again, and are not summarized as if it had never seen them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from relevance.data.database import connect
from relevance.data.records import SOURCE_CUT, TRAINED_ON, BadRecord, Document, Summary
from relevance.data.store import DataStore
from relevance.summarizers import add_systems
from relevance.summarizers.adding import TrainedOnDocuments
from relevance.summarizers.training_documents import TrainingDocuments

DOCUMENTS = [
    Document("sentences", ("A first one. ", "And a second."), ("One.",)),
    Document("text", "A first one.\nAnd  a second.", ("Two.",)),
    Document("other", "Something else.", ("Three.",)),
    Document("without", "", ("Four.",)),
]


class Reader:
    """Writes several documents' lengths at once, of batches of two; it was trained on one document."""

    name = "reader"
    signature = "reader|version:1"
    training_documents = TrainingDocuments.of(DOCUMENTS[:1])

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def plan(self, documents: list[Document]) -> list[list[Document]]:
        readable = sorted((d for d in documents if d.source), key=lambda document: document.id)
        return [readable[start : start + 2] for start in range(0, len(readable), 2)]

    def summarize(self, documents: list[Document]) -> list[Summary]:
        self.batches.append([document.id for document in documents])
        total = sum(len(document.source_text) for document in documents)  # of the batch
        return [Summary(document.id, self.name, f"{total}", remarks=(SOURCE_CUT,)) for document in documents]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DataStore]:
    engine = connect(f"sqlite:///{tmp_path / 'x.db'}")
    store = DataStore(engine)
    store.add_dataset(name="D", format="x", sha256="", records=[(document, []) for document in DOCUMENTS])
    yield store
    engine.dispose()


def stored(store: DataStore) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {s.document_id: (s.text, s.remarks) for _, summaries in store.records("D") for s in summaries}


def test_a_source_is_known_by_its_words(tmp_path: Path) -> None:
    known = TrainingDocuments.of(DOCUMENTS[:1])
    assert [document in known for document in DOCUMENTS] == [True, True, False, False]
    assert len(TrainingDocuments.of(DOCUMENTS)) == 2, "one without a source is in no set"
    path = tmp_path / "training_documents.txt"
    TrainingDocuments.of(DOCUMENTS).write(path)
    assert TrainingDocuments.read(path).hashes == TrainingDocuments.of(DOCUMENTS).hashes
    path.write_text(f"{'0' * 16}\nno hash\n")
    with pytest.raises(BadRecord, match=r"training_documents\.txt:2: not the hash"):
        TrainingDocuments.read(path)


def test_documents_that_a_system_was_trained_on_are_refused_unless_told(store: DataStore) -> None:
    with pytest.raises(TrainedOnDocuments, match="'reader' was trained on 2 of the 4 documents of 'D'"):
        list(add_systems(store, "D", ["lead", Reader()]))
    assert not stored(store)
    (added,) = add_systems(store, "D", [Reader()], trained_on=True)
    assert (added.summaries, added.without) == (3, 1)
    assert stored(store) == {
        "sentences": ("42", (SOURCE_CUT, TRAINED_ON)),
        "text": ("27", (SOURCE_CUT, TRAINED_ON)),
        "other": ("42", (SOURCE_CUT,)),
    }


def test_a_run_that_goes_on_has_the_batches_of_one_that_was_never_stopped(store: DataStore) -> None:
    reader = Reader()
    heard = []
    store.add_summaries(dataset="D", summaries=[Summary("other", "reader", "42")], signature=reader.signature)
    (added,) = add_systems(store, "D", [reader], trained_on=True, progress=lambda *step: heard.append(step))
    assert reader.batches == [["other", "sentences"], ["text"]]
    assert {document: text for document, (text, _) in stored(store).items()} == {
        "other": "42",
        "sentences": "42",
        "text": "27",
    }
    assert (added.summaries, added.before, added.without) == (2, 1, 1)
    assert heard[-1] == (3, 3)
    assert [added.summaries for added in add_systems(store, "D", [reader], trained_on=True)] == [0]
    assert len(reader.batches) == 2
