"""What the command line says of errors: one line, nothing that steers a terminal, exit code 2 for bad input."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import safetensors.numpy

from relevance.metrics.apes.readers.attentive import METADATA
from tests.commands import refused, run, write

RELEVANCE = Path(sys.executable).with_name("relevance")
ESCAPE = "\x1b[2J\x9b31m\x07"
ESCAPED = "[U+001B][2J[U+009B]31m[U+0007]"


@pytest.fixture
def folder(tmp_path, sqlite_url, monkeypatch):
    monkeypatch.chdir(tmp_path)
    summaries = [{"system": f"a{ESCAPE}", "text": "Kim went to Rome."}]
    references = ["Kim met Tom in Rome. Tom lives in Rome."]
    write(Path("f.jsonl"), [{"id": "d1", "source": "A text.", "references": references, "summaries": summaries}])
    return tmp_path


# --- one line, cut, without control characters ---------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        ["{}"],
        ["score", "{}"],
        ["import", "{}", "--name", "x"],
        ["import", "f.jsonl", "--name", "x", "--format", "{}"],
        ["score", "f.jsonl", "--metrics", "{}"],
        ["score", "f.jsonl", "--metrics", "rouge_k", "--keywords", "{}"],
        ["score", "f.jsonl", "--metrics", "apes", "--reader", "{}"],
        ["score", "f.jsonl", "--metrics", "apes", "--types", "{}"],
        ["score", "f.jsonl", "--no-such-option-{}"],
        ["score", "f.jsonl", "-o", "{}/x"],
        ["summarize", "{}", "--system", "lead"],
        ["oracle", "f.jsonl", "--algorithms", "{}"],
        ["oracle", "f.jsonl", "--length", "{}"],
        ["analyze", "f.jsonl", "--coefficients", "{}"],
        ["analyze", "--study", "{}"],
        ["plan", "--ratios", "{}"],
        ["report", "{}", "-o", "x"],
        ["study", "create", "{}", "--dataset", "x"],
        ["study", "invite", "{}", "x"],
        ["study", "close", "{}"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("name", [f"two\nlines{ESCAPE}", "x" * 10_000, "9" * 5_000], ids=["lines", "long", "digits"])
def test_errors_are_one_short_line(folder, command, name):
    output = run(*(part.format(name) for part in command), code=2).stderr
    *_, last = output.split("\n")[:-1]
    assert last.startswith("Error: ")
    assert len(last) < 1200
    assert last.isprintable()
    assert not any(control in output for control in ESCAPE if not control.isprintable())
    assert "Traceback" not in output
    assert "set_int_max_str_digits" not in output


def test_names_in_tables_and_messages_cannot_steer_the_terminal(folder):
    run("import", "f.jsonl", "--name", "plain")
    listed = run("datasets").stdout
    assert ESCAPED in listed
    assert "\x1b" not in listed
    write(
        Path("rated.jsonl"),
        [
            {
                "id": f"d{number}",
                "source": "A text.",
                "references": ["Kim met Tom."],
                "summaries": [
                    {"system": f"a{ESCAPE}", "text": "Kim met Tom.", "human": {"relevance": 3}},
                    {"system": "b", "text": "Tom.", "human": {"relevance": number}},
                ],
            }
            for number in range(3)
        ],
    )
    for shape in ("text", "latex"):
        out = run("analyze", "rated.jsonl", "--tables", "systems", "--metrics", "rouge1", "--format", shape).stdout
        assert "U+001B" in out
        assert "U+009B" in out
        assert all(character.isprintable() for character in out if character != "\n")


def test_an_unreachable_server_is_one_line(folder, monkeypatch):
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", "postgresql://127.0.0.1:1/x")
    message = refused("datasets")
    assert message.startswith("the database cannot be used: connection failed")
    assert len(run("datasets", code=2).stderr.splitlines()) == 1


# --- files of models and readers ----------------------------------------------------------------------------


def weights(name, settings):
    safetensors.numpy.save_file({}, name, metadata={METADATA: settings})


def test_a_bad_reader_is_refused_whole(folder):
    Path("garbage").write_bytes(b"not safetensors")
    weights("misfit", json.dumps({"hidden": 4, "embedding": 4, "entities": 4, "vocabulary": ["a"]}))
    weights("digits", f'{{"hidden": {"9" * 5000}}}')
    for name, problem in [
        ("garbage", "garbage is not an attentive reader in safetensors: "),
        ("misfit", "the weights in misfit do not fit its settings: "),
        ("digits", "digits is not an attentive reader in safetensors: digits:1: the number 99999"),
    ]:
        result = run("score", "f.jsonl", "--metrics", "length,apes", "--reader", f"attentive-reader:{name}", code=2)
        last = result.stderr.splitlines()[-1]
        assert last.startswith(f"Error: {problem}")
        assert len(last) < 1100
        assert "set_int_max_str_digits" not in last
        assert not Path("scores.jsonl").exists()


def test_a_bad_model_is_refused_whole(folder):
    Path("model").mkdir()
    Path("model/model.safetensors").write_bytes(b"not safetensors")
    Path("model/config.json").write_text("{")
    options = ["--metrics", "length,bertscore", "--model", "model", "--layer", "1"]
    assert refused("score", "f.jsonl", *options).startswith("the model in model cannot be loaded: ")
    assert not Path("scores.jsonl").exists()


# --- text files beside the data ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xef\xbb\xbf5,.1,.2,.3\n", None),  # a byte order mark is not part of the first line
        (b"LAYER,P,R,F\r\n5,.1,.2,.3\r\n", None),
        (
            b"0,.1,.2,.3\n\xff\n",
            "b.csv:2: byte 1 of the line (0xff) is not UTF-8; is the file Latin-1? Save it as UTF-8",
        ),
        (b"\xff\xfe5\0,\0", "b.csv:1: the file is UTF-16 or UTF-32; save it as UTF-8"),
        (b"5," + b"x" * 200_000, "b.csv:1: a line must be LAYER,P,R,F with four numbers"),
        (b'5,"' + b"x" * 200_000, "b.csv:1: a line must be LAYER,P,R,F with four numbers"),
        (b"5,.1,.2,1\n", "b.csv:1: a baseline is below 1"),
        (b"4,.1,.2,.3\n", "b.csv has no line for layer 5"),
    ],
)
def test_baselines(folder, content, message):
    from relevance.metrics.bertscore import read_baseline

    Path("b.csv").write_bytes(content)
    if message is None:
        assert read_baseline(Path("b.csv"), 5)[:3] == (0.1, 0.2, 0.3)
    else:
        assert refused("score", "f.jsonl", "--metrics", "bertscore", "--baseline", "b.csv") == message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"Kim B-PER\n\xe9 O\n", "tags.txt:2: byte 1 of the line (0xe9) is not UTF-8; is the file Latin-1?"),
        (b"Kim B-PER\0\n", "tags.txt:1: there are NUL bytes in the line"),
    ],
)
def test_files_for_the_tagger(folder, content, message):
    Path("data").mkdir()
    Path("data/tags.txt").write_bytes(content)
    assert refused("train", "tagger", "data", "-o", "out").startswith(message)


def test_files_for_the_tagger_may_begin_with_a_mark(folder):
    from relevance.metrics.apes.training import read_sentences

    Path("tags.txt").write_bytes(b"\xef\xbb\xbfKim B-PER\r\nwent O\r\n")
    assert [sentence.text for sentence in read_sentences(Path("tags.txt"))] == ["Kim went"]


def test_vectors_that_announce_too_much(folder):
    Path("v.txt").write_text(f"{'9' * 5000} 2\na 1 2\n")
    message = refused("score", "f.jsonl", "--metrics", "carouge", "--vectors", "v.txt")
    assert message == "v.txt:1: the number in the first line is out of range; was it written whole?"


# --- databases ----------------------------------------------------------------------------------------------


def test_a_database_of_another_program_is_left_as_it_is(folder, monkeypatch):
    other = sqlite3.connect("other.db")
    other.execute("CREATE TABLE recipes (name TEXT)")
    other.commit()
    other.close()
    before = Path("other.db").read_bytes()
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", "sqlite:///other.db")
    message = refused("import", "f.jsonl", "--name", "x")
    assert message == (
        f'{folder / "other.db"} is a database of another program: it has the table "recipes"; name another file in '
        "RELEVANCE_DATABASE_URL"
    )
    assert Path("other.db").read_bytes() == before
    assert sorted(path.name for path in folder.glob("other*")) == ["other.db"]


def test_an_empty_file_becomes_a_database_and_that_is_said(folder, monkeypatch):
    Path("empty.db").touch()
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", "sqlite:///empty.db")
    assert run("datasets").stderr == "empty.db was an empty file and is a database now\n"
    assert run("datasets").stderr == ""


# --- outputs ------------------------------------------------------------------------------------------------

devices = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")


@pytest.mark.smoke
@pytest.mark.process
@devices
@pytest.mark.parametrize("arguments", [["--help"], ["score", "--help"], ["datasets"], ["keywords", "f.jsonl"]])
def test_a_full_output_is_one_line(folder, arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run([RELEVANCE, *arguments], check=False, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "Error: the output cannot be written: No space left on device"
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.process
@devices
def test_scores_for_standard_output_go_behind_what_is_in_a_log(folder):
    Path("log").write_text("old\n")
    Path("out").symlink_to("/dev/stdout")
    for output in ("/dev/stdout", "out", "/dev/fd/1"):
        with open("log", "a") as log:
            subprocess.run([RELEVANCE, "score", "f.jsonl", "--metrics", "length", "-o", output], stdout=log, check=True)
    first, *others = Path("log").read_text().splitlines()
    assert first == "old"
    assert [line[0] for line in others] == ["{", "m", "l"] * 3
    Path("data").mkdir()
    for part in ("tagger", "attentive-reader"):
        assert refused("train", part, "data", "-o", "out") == "out is not a file, and weights need one"
    assert Path("/dev/stdout").is_symlink()
    assert not Path("/dev/stdout.signatures.json").exists()
    assert not Path("out.signatures.json").exists()
