"""Summaries set against their sources, where there are no references: every metric, its signature and its evidence."""

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import relevance
from relevance.data.records import Document, Example, Summary
from relevance.data.signatures import is_against_source, labels, references_rule
from relevance.data.store import DataStore
from relevance.metrics.apes.metric import Apes
from relevance.metrics.from_signature import metric_of, metrics_for, signatures
from relevance.metrics.notices import find_notices
from relevance.metrics.registry import METRICS, default_metrics, lexical_metrics, metric, usual_options
from relevance.metrics.rouge_k import RougeK
from relevance.reports.evidence.renderers import renderer_of
from tests.commands import refused, run, write

SOURCE = (
    "Anna Smith went to Paris. She met Bob Jones in Paris on Monday. They left for Rome. Bob Jones likes Rome. "
    "Paris was cold. Carla Bruni sang to Anna Smith."
)
EXAMPLE = Example("d", "s", "Anna Smith left Paris for Rome on Monday.", ("Nobody sang.",), "A title", SOURCE)
OF_TEXTS = [name for name in METRICS if name != "length"]
LOADED = [pytest.param(name, marks=[pytest.mark.model] * METRICS[name].needs_model) for name in OF_TEXTS]
EXACT = ["rouge1", "rouge2", "rougeL", "rougeLsum", "rougeSU4", pytest.param("bertscore", marks=pytest.mark.model)]


@pytest.mark.parametrize("name", EXACT)
def test_the_source_is_the_only_reference(name: str) -> None:
    """The same value and figures as a document has whose one reference is the source."""
    (result,) = metric(name, references="source").score([EXAMPLE])
    (as_reference,) = metric(name).score([replace(EXAMPLE, references=(SOURCE,))])
    assert (result.value, result.parts) == (as_reference.value, as_reference.parts)


@pytest.mark.parametrize("name", LOADED)
def test_references_and_title_do_not_count(name: str) -> None:
    made = metric(name, references="source")
    scores = made.score([EXAMPLE, replace(EXAMPLE, references=(), title=None, document_id="e")])
    assert scores[0].value is not None
    assert scores[0] == scores[1]


@pytest.mark.parametrize("name", LOADED)
def test_without_a_source_there_is_no_score(name: str) -> None:
    scores = metric(name, references="source").score([replace(EXAMPLE, source=source) for source in ("", " \n")])
    assert {score.missing for score in scores} <= {"there is no source", *by_prefix("there is no source")}


def by_prefix(reason: str) -> set[str]:
    """The reasons of metrics that say first what they lack."""
    return {f"no keywords: {reason}", f"no questions: {reason}"}


@pytest.mark.parametrize("name", OF_TEXTS)
def test_the_signature_says_so_and_makes_the_metric_again(name: str) -> None:
    signature = metric(name, references="source").signature
    assert is_against_source(signature)
    assert signature != metric(name).signature
    again = metric_of(signature)
    assert again is not None
    assert again.signature == signature
    assert labels([signature])[signature] == f"{name} (refs:source)"
    both = labels([signature, metric(name).signature])
    assert "refs:source" in both[signature]
    assert len({*both.values()}) == 2


@pytest.mark.parametrize("name", [name for name in lexical_metrics() if name != "length"])
def test_evidence_shows_the_source(name: str) -> None:
    made = metric(name, references="source")
    (score,) = made.score([EXAMPLE])
    renderer = renderer_of(made.signature)
    assert renderer is not None
    html = renderer.html(score.evidence, EXAMPLE)
    assert ">Source<" in html
    assert "Reference" not in html
    assert "Nobody" not in html


def test_rouge_precision_tells_how_extractive_a_summary_is() -> None:
    extract = replace(EXAMPLE, candidate="They left for Rome. Carla Bruni sang.")
    (score,) = metric("rouge2", references="source", value="precision").score([extract])
    assert score.value == pytest.approx(5 / 6)  # "Rome Carla" does not occur
    assert score.parts["recall"] == pytest.approx(5 / 29)


def test_keywords_of_the_source() -> None:
    (usual,) = metric("rouge_k", references="source").score([EXAMPLE])
    assert usual.parts["keywords"] == 10
    (few,) = metric("rouge_k", references="source", keywords="textrank:2").score([EXAMPLE])
    assert few.evidence.texts == (SOURCE,)
    assert few.parts["keywords"] == 2
    source = RougeK(references="source")
    assert source.keywords_of(EXAMPLE) == [keyword for keyword, _ in usual.evidence.keywords]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        *(("rouge_k", {"keywords": rule}, f"{rule} needs two texts") for rule in ("overlap", "tfidf", "textrank")),
        ("carouge", {"important": "references"}, "important n-grams of a source are tfidf:K"),
        *(
            ("apes", {"source_questions": name}, "questions")
            for name in ("all", "lead", "lead:0", "entities:", "names:3", "lead:99999")
        ),
    ],
)
def test_options_that_need_references_are_refused(name: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        metric(name, references="source", **options)


@pytest.mark.model
@pytest.mark.parametrize(
    ("wanted", "answers"),
    [
        ("lead:1", ["Anna Smith", "Paris"]),
        ("lead:3", ["Anna Smith", "Paris", "Bob Jones", "Paris", "Rome"]),
        ("entities:1", ["Paris"]),
        ("entities:3", ["Anna Smith", "Paris", "Bob Jones"]),  # Rome is named as often as Bob Jones, but later
        ("entities:99", ["Anna Smith", "Paris", "Bob Jones", "Rome", "Carla Bruni"]),
    ],
)
def test_questions_of_the_source(wanted: str, answers: list[str]) -> None:
    (score,) = Apes(wanted).score([EXAMPLE])
    questions = [trace.question for trace in score.evidence.traces]
    assert [question.answer for question in questions] == answers
    assert all(question.span and SOURCE[slice(*question.span)] == question.answer for question in questions)
    assert "from source" in renderer_of(Apes(wanted).signature).html(score.evidence, EXAMPLE)


@pytest.mark.model
def test_no_question_of_the_source() -> None:
    late = replace(EXAMPLE, source="It rained. It snowed. Anna Smith saw Paris.")
    reasons = [Apes(name).score([late])[0].missing for name in ("lead:1", "lead:2", "lead:3")]
    lacking = "no questions: the source mentions no entity in its first"
    assert reasons == [f"{lacking} sentence", f"{lacking} 2 sentences", None]
    (score,) = Apes("entities:2").score([replace(EXAMPLE, source="It rained.")])
    assert score.missing == "no questions: the source mentions no entity"


def test_usual_options_follow_the_texts(data_store: DataStore) -> None:
    for name, references in (("with", ("Rain.",)), ("without", ())):
        document = Document("d", SOURCE, references)
        data_store.add_dataset(name=name, format="x", sha256="0", records=[(document, [Summary("d", "s", "Anna.")])])
    assert [data_store.dataset(name).referenced for name in ("with", "without")] == [True, False]
    assert usual_options(referenced=True) == {}
    assert {
        references_rule(signature) for name, signature in signatures(referenced=False).items() if name != "length"
    } == {"source"}
    assert not any(map(is_against_source, signatures().values()))
    kept = metrics_for([metric("rouge2", references="mean").signature], referenced=False)
    assert [references_rule(item.signature) for item in kept if item.name == "rouge2"] == ["source", "mean"]


def test_it_is_said_that_sources_stand_for_references() -> None:
    against = [metric(name, references="source").signature for name in ("rouge1", "rouge_k")]
    record = (Document("d", SOURCE, ()), [Summary("d", "s", "Anna.")])
    sources = find_notices([record], [*against, metric("length").signature])["sources"]
    assert sources == ["no document has a reference: each summary is set against its source by rouge1, rouge_k"]
    assert "sources" not in find_notices([record], [metric("rouge1").signature])
    assert "sources" not in find_notices([record, (Document("e", "", ("A text.",)), [])], against)


def test_words_of_sources_count_among_broken_ones() -> None:
    record = (Document("d", "Мост новый, и паром больше не ходит.", ()), [Summary("d", "s", "Bridge.")])
    assert "words" in find_notices([record], [metric("rouge1", references="source").signature])
    assert "words" not in find_notices([record], [metric("rouge1").signature])


FRAME = pd.DataFrame(
    {
        "document": ["d", "d"],
        "system": ["a", "b"],
        "summary": ["Anna left Paris.", "It rained."],
        "source": [SOURCE] * 2,
    }
)


@pytest.mark.parametrize("references", [None, [[], []], [None, None]])
def test_frames_without_references(references: list[object] | None) -> None:
    frame = FRAME if references is None else FRAME.assign(references=references)
    with pytest.warns(
        UserWarning, match="no document has a reference: each summary is set against its source by rouge1"
    ):
        scored = relevance.score(frame, ["rouge1", "rouge_k"])
    assert all(map(is_against_source, scored.attrs["signatures"].values()))
    assert scored["rouge1"].tolist() == [pytest.approx(2 * 3 / (3 + 30)), 0]
    seen = relevance.explain(frame, "d", metrics=["rouge1"])
    assert seen.scores["ROUGE-1"].tolist() == scored["rouge1"].tolist()
    assert "Of the 30 unigrams of the source, A has 3" in repr(seen)


def test_frames_with_references_or_with_nothing_to_compare() -> None:
    scored = relevance.score(FRAME.assign(references=["Anna left.", "Anna left."]), ["rouge1"])
    assert references_rule(scored.attrs["signatures"]["rouge1"]) == "max"
    chosen = relevance.score(FRAME.assign(references=[[], []]), ["rouge1"], references="max")
    assert chosen["rouge1 missing"].tolist() == ["there is no reference"] * 2
    with pytest.raises(relevance.BadFrame, match="no column references"):
        relevance.score(FRAME.drop(columns="source"), ["rouge1"])


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Texts without a reference, and with one."""
    record = {"id": "d", "source": SOURCE, "summaries": [{"system": "a", "text": "Anna left Paris."}]}
    without, having = tmp_path / "without.jsonl", tmp_path / "having.jsonl"
    write(without, [record])
    write(having, [record | {"references": ["Anna left."]}])
    return without, having


def scored_as(*arguments: object, to: Path) -> dict[str, str]:
    run("score", *arguments, "-o", to)
    signatures = json.loads(to.with_suffix(".signatures.json").read_text())
    return {name: references_rule(signature) for name, signature in signatures.items()}


def test_the_command_line_takes_sources_where_there_are_no_references(files: tuple[Path, Path], tmp_path: Path) -> None:
    without, having = files
    to = tmp_path / "scores.jsonl"
    assert scored_as(without, to=to) == {**dict.fromkeys(default_metrics(), "source"), "length": None}
    assert "source" not in scored_as(having, to=to).values()
    assert scored_as(without, "--metrics", "rouge1", "--references", "max", to=to) == {"rouge1": "max"}
    assert scored_as(having, "--metrics", "rouge1", "--references", "source", to=to) == {"rouge1": "source"}
    output = run("score", without, "--metrics", "rouge1", "-o", to).stderr
    assert "no document has a reference: each summary is set against its source by rouge1" in output
    shards = tmp_path / "shards"
    assert "set against its source by rouge1" in run("score", without, "--metrics", "rouge1", "-o", f"{shards}/").stderr
    table = json.loads(run("analyze", without, "--metrics", "rouge1", "--tables", "systems", "--format", "json").stdout)
    assert "rouge1 (refs:source)" in json.dumps(table)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--keywords", "overlap"], "overlap needs two texts"),
        (["--metrics", "carouge", "--important", "references"], "important n-grams of a source are tfidf:K"),
        (["--metrics", "bertscore", "--idf", "references"], "no document has a reference; take --idf sources"),
        (
            ["--metrics", "apes", "--source-questions", "first:3"],
            "--source-questions: questions of a source are lead:K",
        ),
    ],
)
def test_options_that_need_references_are_usage_errors(
    files: tuple[Path, Path], options: list[str], message: str
) -> None:
    assert message in refused("score", files[0], *options)


def test_plain_text_without_references(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Anna left Paris.\n")
    (tmp_path / "sources.txt").write_text(f"{SOURCE}\n")
    plain = ("-c", tmp_path / "a.txt", "--sources", tmp_path / "sources.txt", "--metrics", "rouge1")
    assert scored_as(*plain, to=tmp_path / "scores.jsonl") == {"rouge1": "source"}


@pytest.mark.model
def test_questions_of_sources_at_the_command_line(files: tuple[Path, Path]) -> None:
    without, having = files
    by_name = {path: json.loads(run("apes", path).stdout)["questions"] for path in files}
    assert [row["answer"] for row in by_name[without]] == ["Anna Smith", "Paris", "Bob Jones", "Paris", "Rome"]
    assert [row["answer"] for row in by_name[having]] == ["Anna"]
    few = json.loads(run("apes", having, "--questions", "source", "--source-questions", "entities:1").stdout)
    assert [row["answer"] for row in few["questions"]] == ["Paris"]
    assert "leave out --questions source" in refused("apes", having, "--questions", "source", "--conditions")
