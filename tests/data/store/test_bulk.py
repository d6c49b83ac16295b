import pytest
from sqlalchemy import event, select
from sqlalchemy.orm import Session

from relevance.data.records import ClozeQuestion, Document, Summary, make_examples
from relevance.data.store import PLAYGROUND, DatabaseFailed, StoredScore, example_hash
from relevance.data.store.bulk import AT_ONCE, DOCUMENTS, SUMMARIES
from relevance.data.store.rows import document_row, example_hashes
from relevance.data.tables import DatasetRow, DocumentRow, ScoreRow, SummaryRow

AWKWARD = 'tab\t, \\N, \\., "quotes", \r\n, \u2028 é 👩‍🚀'

RECORDS = [
    (
        Document("b", ("One.", AWKWARD), ("ref one", AWKWARD), AWKWARD, (ClozeQuestion("What is ___?", "it"),)),
        [
            Summary("b", "z", AWKWARD, {"relevance": 4.3, "fluency": 1 / 3}, ("cut",)),
            Summary("b", "a", "", {}),
            Summary("b", "reference:1", "ref one", {}),
        ],
    ),
    (Document("\\N", "Text.", ("ref",)), [Summary("\\N", "t5", "\\N", {})]),
    (Document(" a", "", ()), []),
]


def add(store, name, records, format="interchange"):
    return store.add_dataset(name=name, format=format, sha256="0" * 64, records=records)


def stored(engine, name, table, columns):
    of_dataset = select(*(getattr(table, column) for column in columns)).order_by(table.id)
    if table is SummaryRow:
        of_dataset = of_dataset.join(DocumentRow)
    with Session(engine) as session:
        number = session.scalar(select(DatasetRow.id).where(DatasetRow.name == name))
        return [tuple(row) for row in session.execute(of_dataset.where(DocumentRow.dataset_id == number))]


def test_rows_are_those_that_the_orm_writes(data_store, engine):
    add(data_store, "bulk", RECORDS)
    add(data_store, "orm", [])
    with Session(data_store.writer) as session, session.begin():
        number = session.scalar(select(DatasetRow.id).where(DatasetRow.name == "orm"))
        for position, (document, summaries) in enumerate(RECORDS):
            session.add(document_row(number, position, document, summaries))
            session.flush()
    for table, columns in ((DocumentRow, DOCUMENTS[2:]), (SummaryRow, SUMMARIES[1:])):
        assert stored(engine, "bulk", table, columns) == stored(engine, "orm", table, columns)
    assert data_store.records("bulk") == RECORDS


def test_documents_and_summaries_that_come_later_have_numbers_of_their_own(data_store):
    for name in ("first", "second"):
        add(data_store, name, RECORDS, format=PLAYGROUND)
    added = Document("new", "Text.", ("ref",))
    data_store.add_document(dataset="first", document=added, summaries=[Summary("new", "t5", "sum", {})])
    data_store.add_summaries(dataset="second", summaries=[Summary("b", "more", "sum", {})])
    add(data_store, "third", RECORDS)
    assert [document.id for document, _ in data_store.records("first")] == ["b", "\\N", " a", "new"]
    assert [item.system for item in data_store.record("second", "b")[1]] == ["z", "a", "reference:1", "more"]
    assert data_store.records("third") == RECORDS


def test_more_rows_than_are_sent_at_once(data_store):
    records = [
        (Document(str(n), "Text.", ("ref",)), [Summary(str(n), "s", f"sum {n}", {})]) for n in range(AT_ONCE + 1)
    ]
    assert add(data_store, "large", records).summaries == AT_ONCE + 1
    assert data_store.records("large") == records


@pytest.mark.parametrize("stopped", [KeyboardInterrupt, RuntimeError])
def test_nothing_is_kept_of_an_import_that_stops_between_documents_and_summaries(data_store, engine, stopped):
    class Stopping(list):
        def __iter__(self):
            if len(seen) == 2:
                raise stopped
            seen.append(None)
            return super().__iter__()

    seen = []  # the aspects and the hashes are read first, then the rows are sent
    summaries = Stopping([Summary("x", "s", "sum", {})])
    with pytest.raises(stopped):
        add(data_store, "stops", [(Document("x", "Text.", ("ref",)), summaries)])
    assert len(seen) == 2
    assert not data_store.has_dataset("stops")
    assert stored(engine, "stops", DocumentRow, DOCUMENTS) == []
    assert add(data_store, "stops", RECORDS).documents == len(RECORDS)


def test_what_the_database_refuses_is_said_in_words_and_leaves_nothing(data_store, engine):
    twice = [RECORDS[1], RECORDS[1]]
    with pytest.raises(Exception, match=r"(?i)unique") as refusal:
        add(data_store, "twice", twice)
    assert type(refusal.value).__name__ == "IntegrityError"
    if engine.dialect.name == "postgresql":  # SQLite keeps such a text
        with pytest.raises(DatabaseFailed, match="NUL") as failed:
            add(data_store, "nul", [(Document("x", "Text.", ("ref",)), [Summary("x", "s", "a\0b", {})])])
        assert failed.value.stored is False
    assert data_store.datasets() == []


def test_hashes_of_a_document_are_those_of_its_examples():
    for document, summaries in RECORDS:
        examples = make_examples(document, summaries)
        assert example_hashes(document, summaries) == [example_hash(example) for example in examples]


def test_scores_are_sent_in_few_statements(data_store, engine):
    scores = {f"{n:064}": StoredScore(n / 7, None, n % 2 == 0) for n in range(1200)} | {
        "x" * 64: StoredScore(None, "no reference")
    }
    statements = []
    event.listen(engine, "before_cursor_execute", lambda *call: statements.append(call[2]))
    data_store.add_scores(metric="m", signature="m|1", scores=scores)
    assert sum("INSERT INTO scores" in statement for statement in statements) == 1
    data_store.add_scores(metric="m", signature="m|1", scores=dict.fromkeys(scores, StoredScore(9.0, None)))
    with Session(engine) as session:
        rows = session.scalars(select(ScoreRow)).all()
        assert {row.example: StoredScore(row.value, row.missing, row.truncated) for row in rows} == scores
