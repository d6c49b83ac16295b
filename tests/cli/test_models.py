"""Commands that load models."""

import json

import pytest

from tests.cli.test_cli import DOCUMENTS, folder, read_lines, run, write  # noqa: F401  folder is a fixture

pytestmark = pytest.mark.model

NEWS = {
    "id": "n1",
    "source": "Paul Merson criticised Andros Townsend in London. It rained. Roy Hodgson watched. Nobody else came.",
    "references": ["Paul Merson criticised Andros Townsend in London.", "Townsend was criticised by Merson."],
    "summaries": [
        {"system": "good", "text": "paul merson criticised andros townsend .", "human": {"relevance": 5}},
        {"system": "bad", "text": "Somebody was criticised.", "human": {"relevance": 1}},
    ],
}


def test_entities_of_lines(folder):  # noqa: F811
    texts = ["Angela Merkel visited Paris on Monday.", "", "nothing at all"]
    (folder / "texts.txt").write_text("\n".join(texts) + "\n")
    answers = [json.loads(line) for line in run("entities", "texts.txt").stdout.splitlines()]
    assert [record["text"] for record in answers] == texts
    assert answers[0]["entities"] == [
        {"start": 0, "end": 13, "label": "PER"},
        {"start": 22, "end": 27, "label": "LOC"},
    ]
    assert answers[1]["entities"] == answers[2]["entities"] == []


def test_apes_shows_every_question(folder):  # noqa: F811
    write(folder / "news.jsonl", [NEWS])
    good, bad = (json.loads(line) for line in run("apes", "news.jsonl", "--questions", "first").stdout.splitlines())
    assert [question["answer"] for question in good["questions"]] == ["Paul Merson", "Andros Townsend", "London"]
    assert good["apes"] == pytest.approx(2 / 3)
    assert [question["occurs"] for question in good["questions"]] == [True, True, False]
    assert bad["apes"] == 0
    assert all(question["chosen"] is None for question in bad["questions"])


def test_apes_prints_the_conditions(folder):  # noqa: F811
    write(folder / "news.jsonl", [NEWS])
    lines = run("apes", "news.jsonl", "--conditions").stdout.splitlines()
    assert lines[0].split()[:3] == ["condition", "n", "APES"]
    assert [line[:17].strip() for line in lines[1:8]] == [
        "source", "gold", "shuffled gold", "interchanged gold", "lead-3", "good", "bad",
    ]  # fmt: skip
    # condition n, APES, sd, micro, occurs, perfect, zero in per cent
    assert lines[2].split()[1:8] == ["1", "100.0", "-", "100.0", "100.0", "100.0", "0.0"]
    assert lines[2].split()[-3:] == ["100.0"] * 3  # ROUGE against itself
    assert lines[3].split()[4] != "-"  # five seeds have a spread
    assert "over 5 seeds" in lines[-2]
    assert lines[-1].startswith("apes|questions:all|")


def test_apes_prints_graded_traces(folder):  # noqa: F811
    write(folder / "news.jsonl", [NEWS])
    options = ("apes", "news.jsonl", "--questions", "first", "--value", "graded", "--ask", "entities")
    good, bad = (json.loads(line) for line in run(*options).stdout.splitlines())
    credits = [question["credit"] for question in good["questions"]]
    assert good["value"] == "graded"
    assert good["apes"] == pytest.approx(sum(credits) / len(credits))
    for question, credit in zip(good["questions"], credits, strict=True):
        expected = question["shared"] / question["words"] / question["rank"] if question["rank"] else 0
        assert credit == pytest.approx(expected)
    assert bad["apes"] == 0


def test_apes_prints_trials(folder):  # noqa: F811
    write(folder / "news.jsonl", [NEWS, {**NEWS, "id": "n2"}])
    lines = run("apes", "news.jsonl", "--trials", "relevance").stdout.splitlines()
    assert lines[0].split() == ["metric", "reference", "n", "pooled", "within", "systems", "half"]
    assert lines[1].split()[:4] == ["apes", "1", "4", "1.0000"]  # good before bad in both documents
    assert sum("mean of 2" in line for line in lines) == 4
    refused = run("apes", "news.jsonl", "--trials", "beauty", code=2)
    assert "there are relevance" in refused.stderr
    assert "name one" in run("apes", "news.jsonl", "--trials", "relevance", "--conditions", code=2).stderr


def test_values_of_apes_have_signatures_of_their_own(folder):  # noqa: F811
    write(folder / "news.jsonl", [NEWS])
    for value in ("share", "strict"):
        run("score", "news.jsonl", "--metrics", "apes", "--apes-value", value, "-o", f"{value}.jsonl")
    share, strict = (read_lines(folder / f"{value}.jsonl")[0]["metrics"]["apes"] for value in ("share", "strict"))
    assert 0 < strict < share


def test_all_eight_metrics(folder):  # noqa: F811
    write(folder / "news.jsonl", [NEWS])
    names = "rouge1,rouge2,rougeL,rouge_k,bertscore,carouge,apes,length"
    run("score", "news.jsonl", "--metrics", names)
    good, bad = read_lines(folder / "scores.jsonl")
    assert list(good["metrics"]) == names.split(",")
    assert all(value is not None for value in good["metrics"].values())
    for name in ("bertscore", "carouge", "apes"):
        assert good["metrics"][name] > bad["metrics"][name]
    signatures = json.loads((folder / "scores.signatures.json").read_text())
    assert all(signatures[name].startswith(f"{name}|") for name in names.split(","))


def test_a_missing_model_leaves_its_scores_missing_and_the_others_there(folder):  # noqa: F811
    result = run("score", "small.jsonl", "--metrics", "rouge1,bertscore", "--model", "nowhere", "--layer", 3, code=1)
    assert "bertscore failed: the model 'nowhere' is not on this machine" in result.stderr
    rows = read_lines(folder / "scores.jsonl")
    assert len(rows) == sum(len(document["summaries"]) for document in DOCUMENTS)
    for row in rows:
        assert row["metrics"]["rouge1"] is not None
        assert row["metrics"]["bertscore"] is None
        assert row["missing"]["bertscore"].startswith("failed: the model 'nowhere'")


def test_a_missing_model_is_tried_again_for_a_data_set(folder):  # noqa: F811
    run("import", "small.jsonl", "--name", "small")
    options = ("score", "small", "--metrics", "rouge1,apes", "--reader")
    failed = run(*options, "extractive:nowhere", code=1)
    assert "rouge1: 3 computed" in failed.stdout
    assert "apes: 0 computed" in failed.stdout
    assert "apes failed" in failed.stderr
    again = run(*options, "embedded")
    assert "rouge1: 0 computed" in again.stdout
    assert "apes: 3 computed" in again.stdout


def test_an_analysis_goes_on_without_a_missing_model(folder):  # noqa: F811
    options = ("--metrics", "rouge1,bertscore", "--model", "nowhere", "--layer", 3, "--format", "json")
    result = run("analyze", "small.jsonl", *options, code=1)
    metrics = json.loads(result.stdout)["metrics"]
    assert metrics["bertscore"]["missing"] == 3
    assert metrics["rouge1"]["missing"] == 0


def test_a_text_beyond_the_models_limit_is_said(folder):  # noqa: F811
    long = DOCUMENTS[0] | {"summaries": [{"system": "long", "text": "mice " * 600}]}
    write(folder / "long.jsonl", [long])
    result = run("score", "long.jsonl", "--metrics", "rouge1,bertscore")
    assert "bertscore: 1 scores of texts longer than the model's limit, whose end was not seen" in result.stderr
    assert read_lines(folder / "scores.jsonl")[0]["truncated"] == ["bertscore"]


def test_idf_by_the_references_and_by_a_file(folder):  # noqa: F811
    texts = list(dict.fromkeys(reference for document in DOCUMENTS for reference in document["references"]))
    (folder / "idf.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    values = []
    for idf in ("references", "idf.txt"):
        run("score", "small.jsonl", "--metrics", "bertscore", "--idf", idf)
        values.append([row["metrics"]["bertscore"] for row in read_lines(folder / "scores.jsonl")])
    assert values[0] == values[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--idf", "nowhere.txt"), "--idf names no file: nowhere.txt"),
        (("--reader", "oracle"), "unknown reader 'oracle'"),
        (("--entities", "oracle"), "no entity finder 'oracle'"),
        (("--types", "city"), "types must be one of"),
        (("--important", "nouns"), "important must be"),
        (("--model", "roberta-nowhere"), "name the hidden layer of 'roberta-nowhere'"),
    ],
)
def test_options_that_are_refused(folder, options, message):  # noqa: F811
    result = run("score", "small.jsonl", "--metrics", "bertscore,carouge,apes", *options, code=2)
    assert message in result.stderr
    assert not (folder / "scores.jsonl").exists()


def test_training_and_reading_with_an_attentive_reader(folder):  # noqa: F811
    for number in range(12):
        who, other = f"@entity{number % 3}", f"@entity{(number + 1) % 3}"
        path = folder / "cloze" / f"{number}.question"
        path.parent.mkdir(exist_ok=True)
        passage = f"{who} won the race . {other} lost the race ."
        path.write_text(f"http://example.org\n\n{passage}\n\n@placeholder won\n\n{who}\n\n{who}:Ann\n{other}:Bo\n")
    options = ("--epochs", 2, "--hidden", 8, "--embedding", 8, "--batch-size", 4)
    result = run("train", "attentive-reader", "cloze", "-o", "reader.safetensors", *options)
    assert "wrote reader.safetensors: accuracy" in result.stdout
    write(folder / "news.jsonl", [NEWS])
    run("score", "news.jsonl", "--metrics", "apes", "--reader", "attentive-reader:reader.safetensors")
    assert read_lines(folder / "scores.jsonl")[0]["metrics"]["apes"] is not None
    assert "attentive-reader:reader" in (folder / "scores.signatures.json").read_text()
