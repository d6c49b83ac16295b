import subprocess
import sys
from pathlib import Path

import pytest

from data.records import Document
from summarizers import UnknownSummarizer, summarizer


@pytest.mark.parametrize(
    ("asked", "name", "signature"),
    [
        ("lead", "lead", "lead|sentences:3|version:0.1.0"),
        ("lead-3", "lead", "lead|sentences:3|version:0.1.0"),
        ("lead-1", "lead-1", "lead|sentences:1|version:0.1.0"),
        ("lead-12", "lead-12", "lead|sentences:12|version:0.1.0"),
        ("textrank", "textrank", "textrank|sentences:3|damping:0.85|version:0.1.0"),
        ("textrank-2", "textrank-2", "textrank|sentences:2|damping:0.85|version:0.1.0"),
        ("reference:2", "reference:2", "reference|number:2|version:0.1.0"),
        ("title", "title", "title|version:0.1.0"),
    ],
)
def test_a_name_makes_a_summarizer(asked, name, signature):
    made = summarizer(asked)
    assert (made.name, made.signature) == (name, signature)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "bart",
        "Lead",
        "lead-",
        "lead-0",
        "lead--1",
        "lead-01",
        "lead-1.5",
        "lead-K",
        "lead-²",
        "lead-1\n",
        "lead-" + "9" * 5000,
        "lead:1",
        "reference",
        "reference:",
        "reference:0",
        "reference-1",
        "title-1",
    ],
)
def test_an_unknown_name_is_answered_with_the_known_ones(name):
    with pytest.raises(UnknownSummarizer) as caught:
        summarizer(name)
    assert str(caught.value) == (
        f"unknown summarizer {name!r}; known are lead, textrank, title, lead-K, textrank-K, reference:K, "
        "where K is a number from 1"
    )


@pytest.mark.parametrize("name", ["lead", "textrank", "reference:1", "title"])
def test_summaries_come_in_the_order_of_the_documents_and_leave_out_those_that_have_none(name):
    full = {key: Document(key, f"Text of {key}.", (f"Reference of {key}.",), f"Title of {key}") for key in "ab"}
    bare = Document("bare", "", (), None)
    summaries = summarizer(name).summarize([full["b"], bare, full["a"]])
    assert [(s.document_id, s.system, s.human) for s in summaries] == [("b", name, {}), ("a", name, {})]
    assert all(s.text.removesuffix(".").endswith(f"of {s.document_id}") for s in summaries)
    assert summarizer(name).summarize([]) == []


def test_importing_the_package_does_not_import_the_heavy_libraries():
    script = "import sys, summarizers; print(sorted({'networkx', 'simplemma', 'scipy', 'nltk'} & set(sys.modules)))"
    root = Path(__file__).parents[2]
    assert subprocess.check_output([sys.executable, "-c", script], cwd=root, text=True) == "[]\n"


def test_a_text_that_studies_are_measured_against_cannot_become_a_system(tmp_path) -> None:
    from data.database import connect
    from data.records import Document
    from data.store import DataStore
    from summarizers import DatasetInUse, add_systems

    store = DataStore(connect(f"sqlite:///{tmp_path / 'x.db'}"))
    store.add_dataset(name="D", format="x", sha256="", records=[(Document("d", "A b. C d.", ("r", "s"), "t"), [])])
    for name in ("reference:1", "title"):
        with pytest.raises(DatasetInUse, match="would no longer judge the summaries in the study 'S'"):
            list(add_systems(store, "D", ["lead", name], studies=["S"]))
    assert store.dataset("D").systems == ()
    assert [added.system for added in add_systems(store, "D", ["lead", "title"])] == ["lead", "title"]
