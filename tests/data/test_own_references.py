"""Summaries that are references of their document: counted, reported, and judged by the other references alone."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from click.testing import CliRunner
from sqlalchemy import Engine, text

import relevance
from relevance.analysis.metrics_and_people import analyze_agreement
from relevance.cli import main
from relevance.data.database import connect, migrations
from relevance.data.importers import read_documents
from relevance.data.importing import Reading, import_file
from relevance.data.own_references import OwnReferences, describe_own_references
from relevance.data.preferences import rated_pairs
from relevance.data.records import Document, Summary, fold_text, make_examples
from relevance.data.store import DataStore
from relevance.data.store.rows import example_hash
from relevance.metrics import make_metrics
from relevance.metrics.scoring import Failures, score_cells, score_dataset
from relevance.pages.components.shared.records import name_references
from tests.pages.opening import drawn_until, open_page, page_text
from tests.released import find_released, read_mapping

SAME = "word for word but for white space, case and final punctuation"


def document(name: str = "d", references: tuple[str, ...] = ("A bus runs.", "The ferry stops.")) -> Document:
    return Document(name, "The ferry stops for the winter. A bus runs.", references)


def summary(system: str, text: str, name: str = "d", given: tuple[tuple[str, float], ...] = ()) -> Summary:
    return Summary(name, system, text, given=given)


def record(name: str, references: list[str], **systems: str) -> dict[str, object]:
    return {
        "id": name,
        "source": "The ferry stops for the winter. A bus runs.",
        "references": references,
        "summaries": [{"system": system, "text": text} for system, text in systems.items()],
    }


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Three documents: a summary is one of two references, the only reference, or none."""
    path = tmp_path / "set.jsonl"
    records = [
        record("both", ["A bus runs.", "The ferry stops."], human="the ferry stops", other="A bus runs now."),
        record("only", ["A bus runs."], human="A bus runs.", other="The ferry stops."),
        record("none", ["A bus runs.", "The ferry stops."], human="A bus replaces the ferry.", other="It stops."),
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


TOLD = [
    f"a summary by human is one of its document's references, {SAME}, in 1 document: that reference judges no summary "
    "of the document",
    f"a summary by human is one of its document's references, {SAME}, in 1 document without another reference: it "
    "stays, and the summary is compared with itself",
]


def test_both_kinds_are_counted_and_said_when_a_file_is_read(file: Path) -> None:
    notes: list[str] = []
    records = list(read_documents(file, "interchange", notes.append))
    assert notes == TOLD
    assert describe_own_references(records) == TOLD


def test_the_systems_are_named_those_of_the_most_first() -> None:
    records = [
        (document(str(number)), [summary(system, "a bus runs", str(number)) for system in systems])
        for number, systems in enumerate(["ab", "b", "bcde"])
    ]
    own = OwnReferences()
    for record in records:
        own.add(*record)
    (message,) = own.describe(1000)
    assert message.startswith("a summary by b, a, c and 2 more is one of its document's references")
    assert "in 3 documents: that reference judges" in message
    (message,) = own.describe(3)
    assert "in 3 documents of the first 3: that reference judges" in message


def test_what_says_itself_that_it_is_a_reference_is_not_said_again() -> None:
    assert describe_own_references([(document(), [summary("reference:1", "A bus runs."), summary("a", "b")])]) == []
    assert describe_own_references([(document(), [summary("a", "Another.")])]) == []


@pytest.mark.parametrize("named", [{}, {"reference:1": "A bus runs."}, {"reference:2": "The ferry stops."}])
@pytest.mark.parametrize(
    "own", [{}, {"a": "a bus runs"}, {"a": "The ferry stops"}, {"a": "a bus runs", "b": "the ferry stops"}]
)
@pytest.mark.parametrize(
    "references",
    [("A bus runs.",), ("A bus runs.", "The ferry stops."), ("A bus runs.", "The ferry stops.", "It is new.")],
)
def test_what_is_said_is_what_examples_are_made_of(
    named: dict[str, str], own: dict[str, str], references: tuple[str, ...]
) -> None:
    written = [summary(system, text) for system, text in {**named, **own, "c": "Another."}.items()]
    first = document(references=references)
    others = make_examples(
        first, [summary(system, text) for system, text in named.items()] or [summary("c", "Another.")]
    )
    judging = make_examples(first, written)[0].references
    own_references = describe_own_references([(first, written)])
    assert any("judges no summary" in sentence for sentence in own_references) == (judging != others[0].references)
    stays = any(fold_text(text) in map(fold_text, judging) for text in own.values())
    assert any("it stays" in sentence for sentence in own_references) == stays


def test_python_scores_by_the_other_references_and_warns(file: Path) -> None:
    with pytest.warns(UserWarning, match="reference"):
        frame = relevance.load(file)
    with pytest.warns(UserWarning, match="reference") as warned:
        scored = relevance.score(frame, ["rouge1"])
    assert [str(warning.message) for warning in warned] == TOLD
    by_name = {(row.document, row.system): row.rouge1 for row in scored.itertuples()}
    # by "A bus runs." alone: no word of "the ferry stops", three of four of the other
    assert by_name["both", "human"] == 0
    assert by_name["both", "other"] == pytest.approx(2 * 3 / 7)
    assert by_name["only", "human"] == 1


def hashes(engine: Engine) -> dict[tuple[int, str], str]:
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT document_id, system, example FROM summaries"))
        return {(number, system): example for number, system, example in rows}


def test_an_import_of_lines_says_it_and_given_scores_stay(engine: Engine, tmp_path: Path) -> None:
    store = DataStore(engine)
    records = [(document(), [summary("a", "A bus.", given=(("theirs", 0.25),))])]
    store.add_dataset(name="set", format="interchange", sha256="0", records=records)
    (lines := tmp_path / "human.txt").write_text("The ferry stops\n")
    notes: list[str] = []
    import_file(store, lines, name="set", system="human", reading=Reading("lines"), say=notes.append)
    assert notes == TOLD[:1]
    (signature,) = (signature.signature for signature in store.signatures("set"))
    assert store.scores(dataset="set", signature=signature)["d", "a"].value == 0.25
    assert {example.references for example in store.examples("set").values()} == {("A bus runs.",)}


def test_databases_of_earlier_versions_withhold_these_references_and_keep_given_scores(engine: Engine) -> None:
    references = {"both": ("A bus runs.", "The ferry stops."), "only": ("A bus runs.",), "none": ("One.", "Two.")}
    records = [
        (
            document(name, texts),
            [summary("human", "A bus runs", name, (("theirs", 1.0),)), summary("a", "A bus.", name)],
        )
        for name, texts in references.items()
    ]
    store = DataStore(engine)
    store.add_dataset(name="set", format="interchange", sha256="0", records=records)
    new = hashes(engine)
    everything = {
        example_hash(replace(example, references=references["both"]))
        for example in store.examples("set").values()
        if example.document_id == "both"
    }
    (signature,) = (signature.signature for signature in store.signatures("set"))
    kept = dict.fromkeys([(name, "human") for name in references], 1.0)
    move_to(engine, command.downgrade, "0013")
    old = hashes(engine)
    assert {old[key] for key in old if old[key] != new[key]} == everything
    assert len(everything) == 2
    assert given_scores(engine) == {(key[0], "human"): 1.0 for key in old}
    move_to(engine, command.upgrade, "head")
    assert hashes(engine) == new
    assert {key: score.value for key, score in store.scores(dataset="set", signature=signature).items()} == kept


def given_scores(engine: Engine) -> dict[tuple[int, str], float]:
    """Return the stored scores by number of the document and system, in a schema of any version."""
    with engine.connect() as connection:
        rows = connection.execute(
            text("SELECT document_id, system, value FROM summaries JOIN scores ON scores.example = summaries.example")
        )
        return {(number, system): value for number, system, value in rows}


def move_to(engine: Engine, move: Callable[[Config, str], None], version: str) -> None:
    """Bring the schema of a database to a version."""
    config = migrations()
    with engine.execution_options(writing=True).begin() as connection:
        config.attributes["connection"] = connection
        move(config, version)


def test_rouge_on_squality_without_the_reference_that_is_rated(shared_data: Path) -> None:
    folder = find_released("squality", shared_data)
    records = list(read_documents(folder, columns=read_mapping("squality")))
    (message,) = describe_own_references(records)
    assert "a summary by human is one of its document's references" in message
    assert "in 100 documents" in message
    cells, _ = score_cells(records, make_metrics(["rouge1"]), Failures())
    preferences = rated_pairs(cells, "overall")
    (row,) = analyze_agreement(preferences).rows
    counts = row.evaluation.agreement
    # by rouge-score with its stemmer, the rated reference left out; .8896 with it
    assert (counts.pairs, round(counts.half or math.nan, 4)) == (299, 0.8060)


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


@pytest.mark.usefixtures("sqlite_url")
def test_commands_say_it_where_they_read_and_score(file: Path, tmp_path: Path) -> None:
    imported = run("import", file, "--name", "set")
    scored = run("score", "set", "--metrics", "rouge1")
    of_file = run("score", file, "--metrics", "rouge1", "-o", tmp_path / "scores.jsonl")
    for output in (imported, scored, of_file):
        assert [sentence in output for sentence in TOLD] == [True, True]
        assert output.count("is one of its document's references") == 2
    for source in (file, "set"):
        assert all(
            sentence in run("analyze", source, "--metrics", "rouge1", "--tables", "systems") for sentence in TOLD
        )
    rows = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text().splitlines()]
    by_name = {(row["instance_id"], row["summarizer_id"]): row["metrics"]["rouge1"] for row in rows}
    assert (by_name["both", "human"], by_name["only", "human"]) == (0, 1)


@pytest.mark.process
def test_shards_say_it(file: Path, tmp_path: Path) -> None:
    output = run("score", file, "--metrics", "rouge1", "-o", f"{tmp_path / 'shards'}/")
    assert all(sentence in output for sentence in TOLD)


def test_lines_of_plain_text_are_judged_by_the_other_references_if_there_are_any(tmp_path: Path) -> None:
    for name in ("c.txt", "r.txt"):
        (tmp_path / name).write_text("A bus runs.\nThe ferry stops.\n")
    output = tmp_path / "out.jsonl"
    run("score", "-c", tmp_path / "c.txt", "-r", tmp_path / "r.txt", "--metrics", "rouge1", "-o", output)
    assert [json.loads(line)["metrics"]["rouge1"] for line in output.read_text().splitlines()] == [1, 1]
    (tmp_path / "s.txt").write_text("A bus runs now.\nBoats stop.\n")
    result = run("score", "-c", tmp_path / "c.txt", "-r", tmp_path / "r.txt", "-r", tmp_path / "s.txt", "-o", output)
    assert "in 2 documents: that reference judges no summary" in result
    answers = [json.loads(line)["metrics"]["rouge1"] for line in output.read_text().splitlines()]
    assert answers == pytest.approx([2 * 3 / 7, 2 * 1 / 5])  # stems: stop of three and two words


@pytest.mark.page
def test_pages_say_it_beside_figures_and_name_the_reference(file: Path, sqlite_url: str) -> None:
    store = DataStore(connect(sqlite_url))
    import_file(store, file, name="set", reading=Reading("interchange"))
    score_dataset(store, "set", make_metrics(["rouge1"]))
    for page in ("agreement.py", "correlation.py"):
        app = drawn_until(open_page(page, dataset="set"), lambda app: bool(app.warning))
        assert f"{TOLD[0][0].upper()}{TOLD[0][1:]}." in page_text(app)
    names = name_references(*store.record("set", "both"))
    assert names == [
        ("Reference 1", "A bus runs."),
        ("Reference that is also a summary, and so judges none", "The ferry stops."),
    ]
    assert name_references(*store.record("set", "only")) == [("Reference", "A bus runs.")]
