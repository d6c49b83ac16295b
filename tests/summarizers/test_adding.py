"""Systems go into a data set piece by piece, and a run that ended early goes on where it stopped."""

import os
import signal
import subprocess
import sys
from itertools import combinations, count
from pathlib import Path
from types import SimpleNamespace

import pytest

from relevance.annotation.records import StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore, SystemExists, UnknownDataset
from relevance.summarizers import DatasetInUse, UnknownSummarizer, add_systems, adding
from relevance.summarizers.adding import AddedSystem
from relevance.summarizers.lead import Lead
from relevance.summarizers.registry import BASELINES, SUMMARIZERS, summarizer
from tests.waiting import PATIENCE, until

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).parents[2]
NAMES = [*(f"{name}-12w" for name in BASELINES), "oracle-exact-rouge1", "oracle-vns-rouge2", "oracle-genetic-rouge1-1"]
COLOURS = ("red", "blue", "green", "white", "brown")


def documents(number):
    """Documents that differ in what they say, some without a reference or a sentence."""
    made = []
    for place in range(number):
        sentences = tuple(
            f"The {first} car of town {place} overtook a {second} truck." for first, second in combinations(COLOURS, 2)
        )
        reference = f"A {COLOURS[place % 5]} truck and a {COLOURS[place % 3]} car of town {place}."
        made.append(Document(f"d{place}", sentences[place % 3 :], (reference,), "A title"))
    return [*made, Document("bare", ("It is so.",), ()), Document("empty", "", ("One.",))]


def texts(store, name="D"):
    return {(s.document_id, s.system): s.text for _, summaries in store.records(name) for s in summaries}


@pytest.fixture
def store(tmp_path):
    return filled(DataStore(connect(f"sqlite:///{tmp_path / 'x.db'}")), documents(10))


def filled(store, documents, name="D"):
    store.add_dataset(name=name, format="x", sha256="", records=[(document, []) for document in documents])
    return store


class Counting(Lead):
    """Lead that notes what it was asked, and breaks at a document."""

    requests: list[str]
    breaks_at: str | None = None

    def summarize(self, documents):
        for document in documents:
            if document.id == self.breaks_at:
                raise RuntimeError(f"broke at {document.id}")
            self.requests.append(document.id)
        return super().summarize(documents)


@pytest.fixture
def counting(monkeypatch):
    Counting.requests, Counting.breaks_at = [], None
    monkeypatch.setitem(SUMMARIZERS.ours, "lead", Counting)
    return Counting


@pytest.fixture
def keep_each(monkeypatch):
    """Store after every document, not after every second."""
    monkeypatch.setattr(adding, "EVERY", 0.0)


@pytest.mark.process
def test_all_systems_write_the_same_in_any_number_of_processes_and_pieces(store, keep_each, monkeypatch):
    """No system looks beyond a document: whole, in pieces and in two processes the texts are the same."""
    assert not list(add_systems(store, "D", []))
    records = [document for document, _ in store.records("D")]
    whole = {(s.document_id, s.system): s.text for name in NAMES for s in summarizer(name).summarize(records)}
    list(add_systems(store, "D", NAMES, processes=0))
    assert texts(store) == whole
    monkeypatch.setattr(adding, "TRIED", 0.0)
    monkeypatch.setattr(adding, "QUICK", 0.0)  # all but the first document of each goes to children
    filled(store, records, "other")
    assert [a.summaries for a in add_systems(store, "other", NAMES, processes=2)]
    assert texts(store, "other") == whole


@pytest.mark.parametrize("fast", [True, False])
def test_a_broken_off_run_goes_on_where_it_stopped(store, counting, monkeypatch, fast):
    monkeypatch.setattr(adding, "EVERY", 0.0 if fast else 60.0)  # what came in before the error is stored either way
    counting.breaks_at = "d4"
    with pytest.raises(RuntimeError, match="broke at d4"):
        list(add_systems(store, "D", ["lead"]))
    assert list(texts(store)) == [(f"d{n}", "lead") for n in range(4)]
    counting.breaks_at, seen = None, []
    (added,) = add_systems(store, "D", ["lead"], progress=lambda *step: seen.append(step))
    assert added == AddedSystem("lead", 7, 4, 12)
    assert added.words("D") == "added 7 summaries of lead to D (4 were there); 1 document has none"
    assert counting.requests == [*(f"d{n}" for n in range(10)), "bare", "empty"]  # each once
    assert seen == [(done, 8) for done in range(9)]
    # What has no summary is tried again, nothing else.
    assert list(add_systems(store, "D", ["lead"])) == [AddedSystem("lead", 0, 11, 12)]
    assert counting.requests[12:] == ["empty"]
    assert {s: t for (_, s), t in texts(store).items()}.keys() == {"lead"}


@pytest.mark.process
@pytest.mark.parametrize("processes", [0, 2])
def test_who_stops_it_keeps_what_was_written(store, processes):
    def stop(done, total):
        assert total == 24
        if done == 17:
            raise KeyboardInterrupt

    names = ["oracle-exact-rouge1", "oracle-greedy-rouge1"]
    with pytest.raises(KeyboardInterrupt):
        list(add_systems(store, "D", names, processes=processes, progress=stop))
    # 12 documents of the first, of which two have no oracle; 5 of the second.
    assert len(texts(store)) == 10 + 5
    first, second = add_systems(store, "D", names, processes=processes)
    assert (first, second) == (AddedSystem(names[0], 0, 10, 12), AddedSystem(names[1], 5, 5, 12))


def test_a_new_document_gets_what_it_lacks(data_store):
    red, blue = Document("red", "Red cars. They drive.", ("r",)), Document("blue", "Blue cars. They fly.", ("b",))
    data_store.add_document(dataset="mine", document=red, summaries=[])
    assert list(add_systems(data_store, "mine", ["lead-1"])) == [AddedSystem("lead-1", 1, 0, 1)]
    data_store.add_document(dataset="mine", document=blue, summaries=[])
    assert list(add_systems(data_store, "mine", ["lead-1", "lead-1"])) == [AddedSystem("lead-1", 1, 1, 2)]
    assert texts(data_store, "mine") == {("red", "lead-1"): "Red cars.", ("blue", "lead-1"): "Blue cars."}


def test_systems_of_another_making_are_refused_before_anything_is_written(store, monkeypatch):
    store.add_summaries(dataset="D", summaries=[Summary("d1", "lexrank", "x")])
    with pytest.raises(SystemExists, match="already has summaries of the system 'lexrank', which were imported"):
        list(add_systems(store, "D", ["lead", "lexrank"]))
    store.add_summaries(dataset="D", summaries=[Summary("d1", "lsa", "x")], signature="lsa|version:0")
    with pytest.raises(SystemExists, match=r"'lsa', written as lsa\|version:0 and not as lsa\|sentences:3\|lemma:"):
        list(add_systems(store, "D", ["lead", "lsa"]))
    with pytest.raises(UnknownSummarizer):
        list(add_systems(store, "D", ["lead", "gpt"]))
    with pytest.raises(UnknownDataset):
        list(add_systems(store, "none", ["lead"]))
    with pytest.raises(ValueError, match="the number of processes must be at least 0, not -1"):
        list(add_systems(store, "D", ["lead"], processes=-1))
    assert len(texts(store)) == 2


def test_what_others_write_meanwhile_stays(store, keep_each):
    """Two that add the same system at once share the work; nothing is there twice."""

    def other(done, total):
        if done == 3:
            assert list(add_systems(store, "D", ["lead"])) == [AddedSystem("lead", 8, 3, 12)]

    assert list(add_systems(store, "D", ["lead"], progress=other)) == [AddedSystem("lead", 3, 8, 12)]
    assert len(texts(store)) == 11


def test_an_empty_data_set(store):
    filled(store, [], "empty")
    seen = []
    added = add_systems(store, "empty", ["lead", "oracle-exact-rouge1"], progress=lambda *step: seen.append(step))
    assert list(added) == [AddedSystem("lead", 0, 0, 0), AddedSystem("oracle-exact-rouge1", 0, 0, 0)]
    assert seen == [(0, 0)]


def test_texts_of_people_are_written_first_and_whole(store, keep_each):
    """A study may begin while the others are written, and no reference may leave its judges then."""

    def stop(done, total):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(add_systems(store, "D", ["oracle-vns-rouge1", "title"], progress=stop))
    assert list(texts(store)) == [(f"d{n}", "title") for n in range(10)]
    # Nothing of it is left to write, so that nothing changes for the study.
    assert list(add_systems(store, "D", ["title"], studied=True)) == [AddedSystem("title", 0, 10, 12)]
    with pytest.raises(DatasetInUse):
        list(add_systems(store, "D", ["reference:1"], studied=True))


def test_a_study_made_of_a_half_written_system_keeps_its_pairs(store, keep_each):
    annotation = AnnotationStore(store.engine)
    list(add_systems(store, "D", ["random-1"]))

    def stop(done, total):
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(add_systems(store, "D", ["lead-1"], progress=stop))
    study = annotation.create_study(StudySpec(name="S", dataset="D", systems=("lead-1", "random-1"), rule="all"))
    assert study.pairs + study.identical == 4
    list(add_systems(store, "D", ["lead-1", "lsa"], studied=annotation.is_studied("D")))
    assert annotation.study("S").pairs == study.pairs
    assert annotation.study("S").systems == ("lead-1", "random-1")


def test_short_work_starts_no_process(store, monkeypatch):
    ticks = count()  # a machine on which a look at the clock takes a hundredth of a second, however busy this one is
    monkeypatch.setattr(adding, "time", SimpleNamespace(monotonic=lambda: next(ticks) / 100))
    monkeypatch.setattr(subprocess, "Popen", None)
    assert all(added.summaries for added in add_systems(store, "D", ["lead", "lexrank", "title"], processes=2))


@pytest.mark.process
def test_an_interrupted_command_leaves_what_it_wrote_and_no_process(tmp_path, shared_data):
    """Ctrl-C goes to all processes of a terminal; the children are left to the command."""
    environment = os.environ | {"RELEVANCE_DATABASE_URL": f"sqlite:///{tmp_path / 'x.db'}", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "relevance"]
    source = shared_data / "summeval.jsonl"
    subprocess.run(
        [*command, "import", source, "--name", "s"], cwd=ROOT, env=environment, check=True, capture_output=True
    )
    store = DataStore(connect(environment["RELEVANCE_DATABASE_URL"]))
    arguments = [*command, "summarize", "s", "--system", "lead,oracle-vns-rouge1", "--processes", "2"]
    running = subprocess.Popen(
        arguments, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    name = "oracle-vns-rouge1"
    try:
        until(lambda: name in store.dataset("s").systems or running.poll() is not None)
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(running.pid)], capture_output=True, text=True, check=True
        ).stdout.split()
        running.send_signal(signal.SIGINT)
        text, told = running.communicate(timeout=PATIENCE)
    finally:
        running.kill()
    assert running.returncode == 1
    assert text == "added 100 summaries of lead to s\n"
    assert told.endswith("the same command continues from there\n")  # no "Aborted!" after it
    assert "Traceback" not in told
    written = sum(system == name for _, system in texts(store, "s"))
    assert 0 < written < 100
    assert len(children) == 2
    assert not any(Path(f"/proc/{child}").exists() for child in children)
