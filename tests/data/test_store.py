from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from relevance.data.importers import read_documents
from relevance.data.records import BadRecord, Document, Summary, make_examples
from relevance.data.store import (
    DIED,
    PLAYGROUND,
    DatasetExists,
    DocumentExists,
    NotExtensible,
    RunGoingOn,
    StoredScore,
    StoreError,
    SystemExists,
    UnknownDataset,
    UnknownRun,
    example_hash,
)
from relevance.data.tables import DatasetRow, DocumentRow, RunRow, ScoreRow, SummaryRow
from relevance.metrics import scoring
from relevance.metrics.base import Score

RECORDS = [
    (
        Document("b", ("One.", "Two\u2028."), ("ref one", "ref two"), "A title"),
        [Summary("b", "bart", "sum é\r\n", {"relevance": 4.3, "fluency": 1.0}), Summary("b", "t5", "sum")],
    ),
    (Document("a", "Text.", ("ref",)), [Summary("a", "t5", "other 👩‍🚀", {"x": 1 / 3})]),
    (Document(" a", "", ("ref",)), []),
]


def add(store, name="set", records=RECORDS):
    return store.add_dataset(name=name, format="interchange", sha256="0" * 64, records=records)


def count(store, row):
    with Session(store.engine) as session:
        return session.scalar(select(func.count()).select_from(row))


class Words:
    """A metric that counts how often it is asked."""

    name = "words"

    def __init__(self, signature="words|version:1"):
        self.signature = signature
        self.scored = []

    def score(self, examples):
        self.scored += [(example.document_id, example.candidate) for example in examples]
        return [
            Score(None, "no t") if "t" not in example.candidate else Score(len(example.candidate) / 3)
            for example in examples
        ]


def test_a_data_set_comes_back_as_it_was(data_store):
    added = add(data_store)
    assert data_store.records("set") == RECORDS
    assert data_store.dataset("set") == added
    assert (added.name, added.format, added.sha256) == ("set", "interchange", "0" * 64)
    assert (added.documents, added.summaries, added.systems) == (3, 3, ("bart", "t5"))
    assert added.aspects == ("relevance", "fluency", "x")


def test_many_documents_stay_in_order(data_store):
    records = [
        (Document(f"{n * 7919 % 1201}", "t", ("r",)), [Summary(f"{n * 7919 % 1201}", "s", f"{n}")]) for n in range(1201)
    ]
    assert add(data_store, records=iter(records)).documents == 1201
    assert data_store.records("set") == records


def test_names(data_store):
    add(data_store, " b ")
    add(data_store, "A")
    assert [dataset.name for dataset in data_store.datasets()] == ["A", "b"]
    with pytest.raises(DatasetExists, match="there is already a data set 'b'; choose another name"):
        add(data_store, "b")
    for name in ["", "  ", "x" * 201, "a\nb", "a\x1b[2J", "a\0", "\u202eb", "\ud800"]:
        with pytest.raises(StoreError, match="1 to 200 printable characters"):
            add(data_store, name)
    for ask in (data_store.dataset, data_store.records, data_store.signatures):
        with pytest.raises(UnknownDataset, match="there is no data set 'c'; there are A, b"):
            ask("c")


def test_a_bad_record_half_way_leaves_nothing(data_store, tmp_path):
    path = tmp_path / "f.jsonl"
    rest = '"source": "t", "references": ["r"], "summaries": [{"system": "s", "text": "t"}]}'
    # The last line, long after the first rows were written, has the id of the first.
    path.write_text("".join(f'{{"id": "{n % 700}", {rest}\n' for n in range(701)))
    with pytest.raises(BadRecord, match=r"^f\.jsonl:701: the id \"0\" already stands in line 1"):
        add(data_store, records=read_documents(path, "interchange"))
    assert [count(data_store, row) for row in (DatasetRow, DocumentRow, SummaryRow)] == [0, 0, 0]
    assert add(data_store).documents == 3  # and the name is free


def test_systems_are_added(data_store):
    add(data_store)
    new = [Summary("a", "lead", "Text."), Summary("b", "lead", "One.", {"x": 2.0})]
    assert data_store.add_summaries(dataset="set", summaries=new, signature="lead|1") == 2
    assert data_store.dataset("set").systems == ("bart", "lead", "t5")
    assert data_store.records("set") == [
        (RECORDS[0][0], [*RECORDS[0][1], new[1]]),
        (RECORDS[1][0], [*RECORDS[1][1], new[0]]),
        RECORDS[2],
    ]
    with Session(data_store.engine) as session:
        assert set(session.execute(select(SummaryRow.system, SummaryRow.signature)).all()) == {
            ("bart", None),
            ("t5", None),
            ("lead", "lead|1"),
        }


def test_systems_stand_by_the_numbers_in_their_names(data_store):
    summaries = [Summary("a", system, f"By {system}.") for system in ("M10", "M2", "M1")]
    data_store.add_dataset(
        name="set", format="interchange", sha256="0" * 64, records=[(Document("a", "Text.", ("ref",)), summaries)]
    )
    assert data_store.dataset("set").systems == ("M1", "M2", "M10")
    assert list(data_store.written_by("set")) == ["M1", "M2", "M10"]


@pytest.mark.parametrize(
    "summaries",
    [
        [Summary("a", "new", "x"), Summary("b", "t5", "x")],
        [Summary("a", "t5", "x"), Summary("b", "t5", "x")],
        [Summary("a", "t5", "x"), Summary("a", "t5", "x")],
    ],
)
def test_a_system_is_there_once(data_store, summaries):
    add(data_store)
    with pytest.raises(SystemExists, match="data set 'set' already has summaries of the system 't5'"):
        data_store.add_summaries(dataset="set", summaries=summaries)
    assert data_store.records("set") == RECORDS
    with pytest.raises(UnknownDataset):
        data_store.add_summaries(dataset="none", summaries=summaries)


def test_a_system_is_completed_under_its_signature(data_store):
    """What is there stays as it is, also where somebody else wrote it a moment ago."""
    add(data_store)
    first, second = Summary("a", "lead", "Text."), Summary("b", "lead", "One.")
    assert data_store.summarized(dataset="set", system="lead", signature="lead|1") == set()
    assert data_store.add_summaries(dataset="set", summaries=[first], signature="lead|1", resume=True) == 1
    again = [Summary("a", "lead", "other"), second]
    assert data_store.add_summaries(dataset="set", summaries=again, signature="lead|1", resume=True) == 1
    assert data_store.add_summaries(dataset="set", summaries=again, signature="lead|1", resume=True) == 0
    assert data_store.add_summaries(dataset="set", summaries=[], signature="lead|1", resume=True) == 0
    assert data_store.summarized(dataset="set", system="lead", signature="lead|1") == {"a", "b"}
    texts = {(s.document_id, s.text) for _, summaries in data_store.records("set") for s in summaries}
    assert {("a", "Text."), ("b", "One.")} <= texts
    assert not any(text == "other" for _, text in texts)
    add(data_store, "another")  # of the same documents
    assert data_store.summarized(dataset="another", system="lead", signature="lead|2") == set()
    with pytest.raises(UnknownDataset):
        data_store.summarized(dataset="none", system="lead", signature="lead|1")


@pytest.mark.parametrize(
    ("system", "why"),
    [("lead", r"'lead', written as lead\|1 and not as lead\|2$"), ("t5", "'t5', which were imported$")],
)
def test_a_system_is_not_completed_by_another_one(data_store, system, why):
    """Though the document has no summary by it: two ways of writing would stand under one name."""
    add(data_store)
    data_store.add_summaries(dataset="set", summaries=[Summary("b", "lead", "One.")], signature="lead|1")
    before = data_store.records("set")
    with pytest.raises(SystemExists, match=why):
        data_store.summarized(dataset="set", system=system, signature="lead|2")
    new = [Summary(" a", "new", "x"), Summary(" a", system, "x")]
    with pytest.raises(SystemExists, match=why):
        data_store.add_summaries(dataset="set", summaries=new, signature="lead|2", resume=True)
    assert data_store.records("set") == before


@pytest.mark.exhaustive
def test_many_summaries_are_added_at_once(data_store):
    """More than a statement may have parameters; the others of a document still stand beside them."""
    records = [(Document(f"{n}", "t", ("r",)), [Summary(f"{n}", "s", f"{n}")]) for n in range(1201)]
    add(data_store, records=records)
    new = [Summary(f"{n}", "new", f"new {n}") for n in range(1201)]
    assert data_store.add_summaries(dataset="set", summaries=new, signature="new|1", resume=True) == 1201
    assert data_store.records("set") == [(d, [*s, n]) for (d, s), n in zip(records, new, strict=True)]


def test_texts_are_scored_once_per_signature(data_store):
    document = Document("d", "Text.", ("ref",))
    same = [Summary("d", "a", "texts"), Summary("d", "b", "texts"), Summary("d", "c", "none")]
    add(data_store, "one", [(document, same)])
    add(data_store, "two", [(document, same[:1])])
    words = Words()
    assert scoring.score_dataset(data_store, "one", [words]) == {"words": 2}
    assert words.scored == [("d", "texts"), ("d", "none")]
    assert data_store.scores(dataset="one", signature=words.signature) == {
        ("d", "a"): StoredScore(5 / 3, None),
        ("d", "b"): StoredScore(5 / 3, None),
        ("d", "c"): StoredScore(None, "no t"),
    }
    assert scoring.score_dataset(data_store, "one", [words]) == {"words": 0}
    assert scoring.score_dataset(data_store, "two", [words]) == {"words": 0}  # the same text of the same document
    assert len(words.scored) == count(data_store, ScoreRow) == 2
    assert data_store.signatures("one") == [("words", "words|version:1", 3, 0, 1)]
    assert data_store.signatures("two") == [("words", "words|version:1", 1, 0, 0)]
    other = Words("words|version:2")
    scoring.score_dataset(data_store, "two", [other])
    assert other.scored == [("d", "texts")]
    assert [s.signature for s in data_store.signatures("two")] == ["words|version:1", "words|version:2"]
    assert data_store.scores(dataset="one", signature="words|version:3") == {}


def test_stored_scores_are_not_overwritten(data_store):
    add(data_store)
    [(key, _), *_] = data_store.unscored(dataset="set", signature="m|1")
    for value in (0.25, 0.75):
        data_store.add_scores(metric="m", signature="m|1", scores={key: StoredScore(value, None)})
    assert data_store.scores(dataset="set", signature="m|1") == {("b", "bart"): StoredScore(0.25, None)}
    assert [example.system for _, example in data_store.unscored(dataset="set", signature="m|1")] == ["t5", "t5"]


def test_what_is_stored_of_one_document(data_store):
    """Only the document and the systems that were asked for; reasons and flags are kept."""
    add(data_store)
    keys = {(e.document_id, e.system): key for key, e in data_store.examples("set").items()}
    told = {
        ("b", "bart"): StoredScore(0.5, None, True),
        ("b", "t5"): StoredScore(None, "why"),
        ("a", "t5"): StoredScore(1, None),
    }
    for signature in ("m|1", "m|2"):
        of = {keys[cell]: score for cell, score in told.items() if signature == "m|1" or cell[1] == "t5"}
        data_store.add_scores(metric="m", signature=signature, scores=of)
    both = data_store.stored(dataset="set", document_id="b", systems=["t5", "bart"])
    assert both == {"m|1": {"bart": told["b", "bart"], "t5": told["b", "t5"]}, "m|2": {"t5": told["b", "t5"]}}
    assert data_store.stored(dataset="set", document_id="a", systems=["t5"])["m|2"] == {"t5": told["a", "t5"]}
    assert data_store.stored(dataset="set", document_id="none", systems=["t5"]) == {}


def test_scoring_goes_on_where_it_was_cut_short(data_store, monkeypatch):
    monkeypatch.setattr(scoring, "BATCH", 2)
    records = [(Document(f"{n}", "t", ("r",)), [Summary(f"{n}", "s", f"t{n}")]) for n in range(7)]
    add(data_store, records=records)

    def cut(done, total):
        assert total == 7
        if done == 4:
            raise KeyboardInterrupt

    first, second, seen = Words(), Words(), []
    with pytest.raises(KeyboardInterrupt):
        scoring.score_dataset(data_store, "set", [first], cut)
    assert scoring.score_dataset(data_store, "set", [second], lambda *step: seen.append(step)) == {"words": 3}
    assert [first.scored, second.scored] == [
        [(f"{n}", f"t{n}") for n in range(4)],
        [(f"{n}", f"t{n}") for n in range(4, 7)],
    ]
    assert seen == [(0, 3), (2, 3), (3, 3)]
    assert len(data_store.scores(dataset="set", signature=second.signature)) == 7


def test_a_reference_that_becomes_a_system_makes_its_documents_scores_anew(data_store):
    add(data_store)
    words = Words()
    scoring.score_dataset(data_store, "set", [words])
    data_store.add_summaries(dataset="set", summaries=[Summary("b", "reference:2", "ref two")])
    waiting = data_store.unscored(dataset="set", signature=words.signature)
    assert [(e.document_id, e.system, e.references) for _, e in waiting] == [
        ("b", "bart", ("ref one",)),
        ("b", "t5", ("ref one",)),
        ("b", "reference:2", ("ref one",)),
    ]
    # What was measured against the withheld reference no longer counts; the other document is as it was.
    assert list(data_store.scores(dataset="set", signature=words.signature)) == [("a", "t5")]
    assert scoring.score_dataset(data_store, "set", [words]) == {"words": 3}
    with Session(data_store.engine) as session:
        stored = set(session.scalars(select(SummaryRow.example)))
    assert stored == {example_hash(e) for d, s in data_store.records("set") for e in make_examples(d, s)}


def test_ignorance_of_a_data_set_is_said_before_work(data_store):
    words = Words()
    with pytest.raises(UnknownDataset):
        scoring.score_dataset(data_store, "none", [words])
    assert words.scored == []


# --- runs -----------------------------------------------------------------------------------------------------


def silence(store, run, seconds):
    """Make it as if nothing had been heard of a run for so long."""
    with Session(store.engine) as session, session.begin():
        session.get(RunRow, run.id).heartbeat -= timedelta(seconds=seconds)


def test_a_run_is_told_about_until_it_ends(data_store):
    add(data_store)
    assert data_store.last_run("set") is None
    run = data_store.start_run(dataset="set", metrics=["rouge1", "length"])
    assert (run.dataset, run.metrics, run.state, run.done, run.total) == ("set", ("rouge1", "length"), "going", 0, None)
    assert data_store.last_run("set") == data_store.run(run.id) == run
    assert data_store.beat(run.id, done=3, total=6)
    going = data_store.run(run.id)
    assert (going.done, going.total, going.state) == (3, 6, "going")
    assert going.heartbeat >= run.heartbeat
    assert data_store.end_run(run.id, failed={"rouge1": "no model"})
    ended = data_store.run(run.id)
    assert (ended.state, ended.failed, ended.error) == ("ended", {"rouge1": "no model"}, None)
    # What comes after the end changes nothing.
    assert not data_store.beat(run.id, done=6, total=6)
    assert not data_store.end_run(run.id, error="too late")
    assert data_store.run(run.id) == ended


def test_an_error_ends_a_run(data_store):
    add(data_store)
    run = data_store.start_run(dataset="set", metrics=["rouge1"])
    data_store.end_run(run.id, error="the disk is full")
    assert (data_store.run(run.id).state, data_store.run(run.id).error) == ("failed", "the disk is full")


def test_a_data_set_has_one_run_at_a_time(data_store):
    add(data_store)
    add(data_store, "other")
    run = data_store.start_run(dataset="set", metrics=["rouge1"])
    with pytest.raises(RunGoingOn, match="'set' is being scored already"):
        data_store.start_run(dataset="set", metrics=["length"])
    other = data_store.start_run(dataset="other", metrics=["rouge1"])
    data_store.end_run(run.id)
    second = data_store.start_run(dataset="set", metrics=["length"])
    assert [run.id for run in data_store.runs("set")] == [second.id, run.id]
    assert data_store.runs("other") == [other]


def test_of_runs_that_start_together_one_is_taken(data_store):
    add(data_store)

    def start(_):
        try:
            return data_store.start_run(dataset="set", metrics=["rouge1"])
        except RunGoingOn:
            return None

    with ThreadPoolExecutor(8) as pool:
        assert sum(run is not None for run in pool.map(start, range(8))) == 1


def test_a_run_that_fell_silent_is_dead(data_store):
    add(data_store)
    run = data_store.start_run(dataset="set", metrics=["rouge1"])
    silence(data_store, run, 50)
    assert data_store.run(run.id).state == "going"
    with pytest.raises(RunGoingOn):
        data_store.start_run(dataset="set", metrics=["rouge1"])
    silence(data_store, run, 11)
    assert data_store.run(run.id).state == "died"
    second = data_store.start_run(dataset="set", metrics=["rouge1"])
    assert second.state == "going"
    assert (data_store.run(run.id).state, data_store.run(run.id).error) == ("failed", DIED)
    assert not data_store.beat(run.id, done=1, total=2)  # it was asleep, and must not go on beside the second


def test_a_run_that_slept_and_was_not_replaced_goes_on(data_store):
    add(data_store)
    run = data_store.start_run(dataset="set", metrics=["rouge1"])
    silence(data_store, run, 3600)
    assert data_store.beat(run.id, done=1, total=2)
    assert data_store.run(run.id).state == "going"


def test_unknown_runs(data_store):
    for ask in (data_store.runs, data_store.last_run):
        with pytest.raises(UnknownDataset):
            ask("nowhere")
    with pytest.raises(UnknownDataset):
        data_store.start_run(dataset="nowhere", metrics=["rouge1"])
    with pytest.raises(UnknownRun, match="no run 7"):
        data_store.run(7)
    assert not data_store.beat(7, done=0, total=0)


# --- documents that were written here -----------------------------------------------------------------------

WRITTEN = (
    Document("one", "", ("ref",), "A title"),
    [Summary("one", "A", "first", {"preference": 1.0}), Summary("one", "B", "second", {"preference": 0.0})],
)


def write(store, name="mine", document=WRITTEN[0], summaries=WRITTEN[1]):
    return store.add_document(dataset=name, document=document, summaries=summaries)


def test_documents_are_added_one_by_one(data_store):
    first = write(data_store, " mine ")
    assert (first.name, first.format, first.documents, first.systems) == ("mine", PLAYGROUND, 1, ("A", "B"))
    assert first.aspects == ("preference",)
    more = (Document("two", ("A.", "B."), ("r", "s")), [Summary("two", "C", "third", {"fluency": 2.0})])
    second = write(data_store, "mine", *more)
    assert data_store.records("mine") == [WRITTEN, more]
    assert (second.documents, second.systems, second.aspects) == (2, ("A", "B", "C"), ("preference", "fluency"))
    assert len({first.sha256, second.sha256, ""}) == 3
    assert len(second.sha256) == 64


def test_the_hash_is_that_of_the_contents(data_store):
    hashes = [write(data_store, name).sha256 for name in ("a", "b")]
    assert hashes[0] == hashes[1]
    assert write(data_store, "c", summaries=WRITTEN[1][:1]).sha256 != hashes[0]


def test_a_written_document_is_scored_as_any(data_store):
    write(data_store)
    words = Words()
    scoring.score_dataset(data_store, "mine", [words])
    assert words.scored == [("one", "first"), ("one", "second")]
    assert set(data_store.examples("mine")) == {example_hash(example) for example in make_examples(*WRITTEN)}


def test_what_is_refused_leaves_everything_as_it_was(data_store):
    add(data_store)
    before = write(data_store)
    with pytest.raises(DocumentExists, match="already has a document 'one'; choose another id"):
        write(data_store, summaries=[Summary("one", "C", "another")])
    with pytest.raises(NotExtensible, match="was imported"):
        write(data_store, "set")
    for name, document_id in (("", "x"), ("mine", " "), ("mine", "a\nb"), ("new", "")):
        with pytest.raises(StoreError, match="a name needs"):
            write(data_store, name, Document(document_id, "", ("r",)), [Summary(document_id, "A", "t")])
    for system in ("", "x" * 201, "a\nb", "a\u202eb", "a\0b"):
        with pytest.raises(StoreError, match="the name of a summary's system needs"):
            write(data_store, "mine", Document("two", "", ("r",)), [Summary("two", system, "t")])
    same = [Summary("two", "A", "one"), Summary("two", "A", "other")]
    with pytest.raises(IntegrityError):
        write(data_store, "new", Document("two", "", ("r",)), same)
    assert data_store.dataset("mine") == before
    assert data_store.records("set") == RECORDS
    assert {dataset.name for dataset in data_store.datasets()} == {"mine", "set"}


def test_many_write_at_once(data_store):
    def write_one(number):
        return write(data_store, "mine", Document(str(number), "", ("r",)), [Summary(str(number), "A", f"t {number}")])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write_one, range(24)))
    assert sorted(int(document.id) for document, _ in data_store.records("mine")) == list(range(24))
