import hashlib
import json
import re
from datetime import timedelta

import pytest
from click import Context, Group
from click.testing import CliRunner

from relevance import cli
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect, now
from relevance.data.importers import IMPORTERS
from relevance.data.store import DataStore
from relevance.metrics import METRICS
from relevance.summarizers.methods.registry import METHODS
from relevance.summarizers.registry import BASELINES, LEARNED, ORACLES, summarizer
from tests.commands import refused, run, write

DOCUMENTS = [
    {
        "id": "d1",
        "title": "Cats and mice",
        "source": "A cat sat. It saw mice. It ate.",
        "references": ["The cat ate mice.", "A cat hunts mice at night."],
        "summaries": [
            {"system": "good", "text": "The cat eats mice.", "human": {"relevance": 5}},
            {"system": "bad", "text": "A cat sat.", "human": {"relevance": 1.5}},
        ],
    },
    {
        "id": "d2",
        "source": ["Ein Satz.", "Noch einer."],
        "references": ["Übung macht den Meister."],
        "summaries": [{"system": "good", "text": "=Übung", "human": {"relevance": 3}}],
    },
]


@pytest.fixture
def folder(tmp_path, monkeypatch, sqlite_url):
    """A working folder with a small file in it, and an empty database."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "small.jsonl", DOCUMENTS)
    return tmp_path


def read_lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_command_says_what_it_does():
    def walk(group, *path):
        context = Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            yield from walk(command, *path, name) if isinstance(command, Group) else [(*path, name)]

    commands = list(walk(cli.main))
    assert {" ".join(command) for command in commands} == {
        *("import", "convert", "datasets", "summarize", "score", "metrics", "keywords", "demo", "serve", "apes"),
        *("entities",),
        *("analyze", "corpora", "report", "plan", "oracle"),
        *("backup", "restore", "doctor"),
        *("train attentive-reader", "train tagger", "train extractor", *(f"train {name}" for name in METHODS)),
        *("study create", "study list", "study invite", "study close", "study export"),
        *("study check", "study apply", "study export-config"),
        *("study rename", "study archive", "study delete"),
        *("bundle write", "bundle verify", "bundle rerun", "bundle open", "bundle register", "judge"),
        *("user add", "user list", "user disable", "user enable", "user password"),
        *("user unlock", "user unbind"),
    }
    for command in commands:
        assert f"main {' '.join(command)}" in run(*command, "--help").stdout


# --- data sets ------------------------------------------------------------------------------------------------


def test_import_and_datasets(folder):
    result = run("import", "small.jsonl", "--name", "small")
    guessed, broken = result.stderr.splitlines()
    assert guessed == "format: interchange (guessed)"
    assert broken.startswith("when it is scored by ROUGE: 2 of the 34 words in its first documents have letters")
    assert result.stdout == "imported 2 documents and 3 summaries of 2 systems as small\n"
    again = run("import", "small.jsonl", "--name", "again", "--format", "interchange").stderr
    assert again.splitlines() == [broken]
    (folder / "bart.hypo").write_text("one\ntwo\n")
    result = run("import", "bart.hypo", "--name", "small")
    assert result.stdout == "added 2 summaries of bart to small\n"
    assert result.stderr.startswith("format: lines (guessed)\nwhen it is scored by ROUGE: 2 of the 36 words")
    assert (
        run("import", "bart.hypo", "--name", "small", "--system", "t5").stdout == "added 2 summaries of t5 to small\n"
    )
    assert run("datasets").stdout.splitlines() == [
        "data set       format  documents  summaries              systems",
        "again     interchange          2          3            bad, good",
        "small     interchange          2          7  bad, bart, good, t5",
    ]


@pytest.mark.exhaustive
def test_import_of_published_files(folder, shared_data):
    result = run("import", shared_data / "scitldr" / "train.jsonl", "--name", "train")
    assert result.stdout == "imported 1,992 documents and no summaries as train\n"
    guessed, skipped, marks, letters = result.stderr.splitlines()
    assert marks.startswith(
        "marks of other programs stand in 56 of 18,266 texts, and metrics read them as text: `` (58)"
    )
    assert letters.startswith("letters in unusual forms stand in 31 of 18,266 texts")
    assert guessed == "format: scitldr (guessed)"
    assert re.fullmatch(r"train\.jsonl:\d+: skipped 1 blank sentence\(s\) of the source", skipped)
    result = run("import", shared_data / "summeval.jsonl", "--name", "summeval")
    assert result.stdout == "imported 100 documents and 1,600 summaries of 16 systems as summeval\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["small.jsonl"], "Missing option '--name'."),
        (["absent.jsonl", "--name", "x"], "Invalid value for 'FILE': Path 'absent.jsonl' does not exist."),
        (
            [".", "--name", "x"],
            ".: there is no file in it that an importer reads (*.question, *.story, *.summary, Documents_xml/*.xml, "
            "*.gold.txt, abstracts*.csv, *.arrow, *SCU_rating_results_*/*.csv, manual.peer.?, *metrics*.jsonl, "
            "*judgments*.jsonl, documents/*.docs)",
        ),
        (["small.jsonl", "--name", "small"], "there is already a data set 'small'; choose another name"),
        (["small.jsonl", "--name", ""], "a name needs 1 to 200 printable characters"),
        (
            ["small.jsonl", "--name", "x", "--format", "xml"],
            f"unknown format 'xml'; known are {', '.join(IMPORTERS)}, lines",
        ),
        (
            ["small.jsonl", "--name", "x", "--format", "scitldr"],
            "small.jsonl:1: source must be a list of strings, not a string",
        ),
        (["one.hypo", "--name", "x"], "there is no data set 'x'; there are small"),
        (
            ["one.hypo", "--name", "small"],
            "one.hypo:1: the file has 1 lines, the data set 2 documents; "
            "they are joined by line order and must be as many",
        ),
        (
            ["two.hypo", "--name", "small", "--system", "bad"],
            "data set 'small' already has summaries of the system 'bad'",
        ),
        (
            ["two.hypo", "--name", "small", "--system", "x" * 201],
            "two.hypo:1: the system's name is over 200 characters long",
        ),
        (["two.hypo", "--name", "small", "--system", " "], "two.hypo:1: the system's name is empty"),
    ],
)
def test_imports_that_are_refused(folder, sqlite_url, arguments, message):
    run("import", "small.jsonl", "--name", "small")
    (folder / "one.hypo").write_text("one\n")
    (folder / "two.hypo").write_text("one\ntwo\n")
    assert refused("import", *arguments) == message
    [dataset] = DataStore(connect(sqlite_url)).datasets()
    assert (dataset.documents, dataset.summaries) == (2, 3)


@pytest.mark.exhaustive
def test_summarize(folder, shared_data):
    run("import", "small.jsonl", "--name", "small")
    assert run("summarize", "small", "--system", "lead-1, title,reference:2").stdout.splitlines() == [
        "added 1 summary of title to small; 1 document has none",
        "added 1 summary of reference:2 to small; 1 document has none",
        "added 2 summaries of lead-1 to small",
    ]
    assert run("summarize", "small", "--system", "lead-1,title", "--processes", 2).stdout.splitlines() == [
        "added 0 summaries of title to small (1 were there); 1 document has none",
        "added 0 summaries of lead-1 to small (2 were there)",
    ]
    (folder / "lead.hypo").write_text("one\ntwo\n")
    run("import", "lead.hypo", "--name", "small")
    assert refused("summarize", "small", "--system", "textrank,lead") == (
        "data set 'small' already has summaries of the system 'lead', which were imported"
    )
    assert refused("summarize", "small", "--system", ",") == "--system names no system"
    assert refused("summarize", "small", "--system", "gpt").startswith("unknown summarizer 'gpt'; known are lead, ")
    assert refused("summarize", "none", "--system", "lead") == "there is no data set 'none'; there are small"
    run("import", shared_data / "scitldr" / "dev.jsonl", "--name", "dev")
    assert run("summarize", "dev", "--system", "lead,textrank").stdout.splitlines() == [
        "added 619 summaries of lead to dev",
        "added 619 summaries of textrank to dev",
    ]


@pytest.mark.smoke
@pytest.mark.process
def test_summarize_goes_on_where_it_stopped(folder, sqlite_url):
    run("import", "small.jsonl", "--name", "small")
    store = DataStore(connect(sqlite_url))
    of_one = summarizer("lexrank-1").summarize([document for document, _ in store.records("small")][:1])
    store.add_summaries(dataset="small", summaries=of_one, signature=summarizer("lexrank-1").signature)
    result = run("summarize", "small", "--system", "lexrank-1,oracle-exact-rouge1")
    assert result.stdout.splitlines() == [
        "added 1 summary of lexrank-1 to small (1 were there)",
        "added 1 summary of oracle-exact-rouge1 to small; 1 document has none",  # none shared
    ]
    assert "summarizing small" in result.stderr


def test_all_systems_are_named():
    lines = run("summarize", "--list").stdout.splitlines()
    assert lines[0].startswith("A name is a system, then a language, a length and a seed")
    assert max(map(len, lines)) <= 80
    named = {words[0] for line in lines if line.startswith("  ") and (words := line.split())}
    assert named >= {*BASELINES, *LEARNED, "title", "reference:K", "extractor:DIR"}
    # The oracles by what their names are made of.
    [grammar] = [name for name in named if name.startswith("oracle-A")]
    [at] = [place for place, line in enumerate(lines) if line.startswith("  A:")]
    algorithms = " ".join(lines[at : at + 3]).partition(":")[2].split(", ")
    starts = [
        grammar.split("[")[0].replace("rouge1|rouge2", n).replace("-A-", f"-{name.strip()}-")
        for name in algorithms
        for n in ("rouge1", "rouge2")
    ]
    ends = re.findall(r"\[(.*?)\]", grammar)
    assert {
        start + first * ends[0] + second * ends[1] for start in starts for first in (0, 1) for second in (0, 1)
    } == {*ORACLES}
    help_text = "".join(run("summarize", "--help").stdout.split())  # lines end at hyphens, too
    assert all(name in help_text for name in (*BASELINES, *LEARNED))


# --- scores ---------------------------------------------------------------------------------------------------


def test_score_a_file(folder, monkeypatch):
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", "sqlite:////nowhere/at/all.db")  # no database is needed
    result = run("score", "small.jsonl", "--metrics", "rouge1, rouge_k,rouge1,length")
    no_keywords = (
        "no keywords: there are not two texts among references and title to compare; keywords by tfidf:K or "
        "textrank:K, or a list of your own, need only one"
    )
    assert read_lines(folder / "scores.jsonl") == [
        {"instance_id": "d1", "summarizer_id": "good", "metrics": {"rouge1": 0.75, "rouge_k": 1.0, "length": 4.0}},
        # rouge1 with "A cat hunts mice at night": a, cat shared of 3 and 6 words: 2 * 2 / 9. Of cat, mice it has one.
        {
            "instance_id": "d1",
            "summarizer_id": "bad",
            "metrics": {"rouge1": pytest.approx(4 / 9), "rouge_k": 0.5, "length": 3.0},
        },
        {
            "instance_id": "d2",
            "summarizer_id": "good",
            # ASCII words, as everybody reports: bung of bung, macht, den, meister: 2 * 1 / 5
            "metrics": {"rouge1": pytest.approx(0.4), "rouge_k": None, "length": 1.0},
            "missing": {"rouge_k": no_keywords},
        },
    ]  # fmt: skip
    signatures = json.loads((folder / "scores.signatures.json").read_text())
    assert list(signatures) == ["rouge1", "rouge_k", "length"]
    assert signatures["length"] == "length|unit:words|version:0.2.0"
    assert "refs:max" in signatures["rouge1"]
    assert result.stdout.splitlines() == [
        "metric     mean  n  missing",
        "rouge1   0.5315  3        0",
        "rouge_k  0.7500  2        1",
        "length   2.6667  3        0",
    ]
    assert result.stderr.splitlines()[-1] == "wrote scores.jsonl and scores.signatures.json"


@pytest.mark.parametrize(
    ("references", "rouge1"),
    # "A cat sat." with "The cat ate mice.": cat of 3 and 4 words: 2/7; with "A cat hunts mice at night.": 4/9
    [("first", 2 / 7), ("max", 4 / 9), ("mean", (2 / 7 + 4 / 9) / 2)],
)
def test_several_references_become_one_score(folder, references, rouge1):
    run("score", "small.jsonl", "--metrics", "rouge1", "--references", references, "--output", "out")
    assert read_lines(folder / "out")[1]["metrics"] == {"rouge1": pytest.approx(rouge1)}
    assert f"refs:{references}" in json.loads((folder / "out.signatures.json").read_text())["rouge1"]


def test_a_preset_is_another_librarys_rouge(folder):
    """Its options are set one by one, and give way to those that are given."""
    (folder / "c.txt").write_text("The cats sat. The dog ran\n")
    (folder / "r.txt").write_text("The cat sat. A Dog ran\n")
    plain = ["score", "-c", "c.txt", "-r", "r.txt", "-o", "s.jsonl"]
    # The, sat and ran are words of both, of 5 and 6 different ones.
    run(*plain, "--metrics", "rouge1,rougeLsum", "--preset", "rouge")
    scores = read_lines(folder / "s.jsonl")[0]["metrics"]
    assert scores == {"rouge1": pytest.approx(6 / 11), "rougeLsum": pytest.approx(6 / 11)}
    signatures = json.loads((folder / "s.signatures.json").read_text())
    assert signatures["rouge1"] == ("rouge1|refs:max|case:keep|tok:spaces|stem:none|counts:set|value:f1|version:0.2.0")
    run(*plain, "--metrics", "rouge1", "--preset", "rouge", "--case", "lower")
    assert "|case:lower|tok:spaces|" in (folder / "s.signatures.json").read_text()
    message = refused(*plain, "--preset", "rouge")
    assert "what the library rouge calls ROUGE-L is rougeLsum here" in message


def test_score_plain_text(folder):
    for name, text in [
        ("bart.txt", "the cat\nÜbung\n"),
        ("r1.txt", "the cat sat\nEnde\n"),
        ("r2.txt", "a dog\nÜbung nun\n"),
        ("titles.txt", "Cat\nAnfang"),
        ("sources.txt", "x\ny\n"),
    ]:
        (folder / name).write_text(text, encoding="utf-8")
    plain = ["score", "-c", "bart.txt", "-r", "r1.txt", "-r", "r2.txt", "--metrics", "rouge1,rouge_k"]
    result = run(
        *plain, "--sources", "sources.txt", "--titles", "titles.txt", "--tokenizer", "unicode", "-o", "s.jsonl"
    )
    assert read_lines(folder / "s.jsonl") == [
        # rouge1: 2 shared of 2 and 3 words: 4/5; the title's only keyword is cat
        {"instance_id": "1", "summarizer_id": "bart", "metrics": {"rouge1": pytest.approx(0.8), "rouge_k": 1.0}},
        {
            "instance_id": "2",
            "summarizer_id": "bart",
            "metrics": {"rouge1": pytest.approx(2 / 3), "rouge_k": None},
            "missing": {"rouge_k": "no keywords: references and title share no content word"},
        },
    ]
    assert result.stdout.splitlines()[1:] == ["rouge1   0.7333  2        0", "rouge_k  1.0000  1        1"]


def test_a_device_gets_the_scores_and_no_signatures_beside_it(folder):
    (folder / "null").symlink_to("/dev/null")
    assert run("score", "small.jsonl", "-o", "null").stderr.splitlines()[-1] == "wrote null"
    assert not (folder / "null.signatures.json").exists()
    assert (folder / "null").is_char_device()


def test_score_a_data_set(folder, sqlite_url):
    run("import", "small.jsonl", "--name", "small")
    scored = ["score", "small", "--metrics", "rouge_k,length"]
    assert [line.split("  ")[0] for line in run(*scored).stdout.splitlines()] == [
        "rouge_k: 3 computed",
        "length: 3 computed",
    ]
    assert [line.split("  ")[0] for line in run(*scored).stdout.splitlines()] == [
        "rouge_k: 0 computed",
        "length: 0 computed",
    ]
    scores = DataStore(connect(sqlite_url)).scores(dataset="small", signature="length|unit:words|version:0.2.0")
    assert {key: score.value for key, score in scores.items()} == {
        ("d1", "good"): 4.0,
        ("d1", "bad"): 3.0,
        ("d2", "good"): 1.0,
    }
    (folder / "small").mkdir()  # a folder of that name is not what is meant
    assert run(*scored).exit_code == 0
    assert not (folder / "scores.jsonl").exists()


PLAIN = "plain text needs -c and at least one -r, or --sources, and no FILE"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a FILE, a data set, or plain text by -c and -r"),
        (["absent.jsonl"], "there is no file absent.jsonl, and there is no data set 'absent.jsonl'; there are none"),
        (["folder/"], "there is no file folder/, and there is no data set 'folder/'; there are none"),
        (["empty.jsonl"], "empty.jsonl:1: the file is empty"),
        (["blank.jsonl"], "blank.jsonl:1: the file is empty"),
        (["none.jsonl"], "none.jsonl has no summaries to score; import it and use relevance summarize"),
        (["pretty.json"], "pretty.json:1: the file is one JSON object in several lines: write a list of objects, or "
         "each in a line of its own; or say where rows lie within it, by rows in a mapping (import --columns FILE)"),
        (["packed.jsonl.gz"], "packed.jsonl.gz:1: the file is compressed; unpack it first"),
        (["small.jsonl", "--metrics", ""], "--metrics names no metric"),
        (["small.jsonl", "--metrics", "rouge1,bleurt"], f"unknown metric 'bleurt'; known are {', '.join(METRICS)}"),
        (["small.jsonl", "-o", "small.jsonl"], "small.jsonl is an input; name another --output"),
        (["small.jsonl", "-o", "./folder/../link"], "folder/../link is an input; name another --output"),
        (["small.jsonl", "-o", "absent/out.jsonl"], "absent/out.jsonl cannot be written: there is no folder absent"),
        (["small.jsonl", "-c", "text", "-r", "text"], PLAIN),
        (["-c", "text"], PLAIN),
        (["-r", "text"], PLAIN),
        (["small.jsonl", "--titles", "text"], PLAIN),
        (["-c", "text", "-r", "text", "-o", "text"], "text is an input; name another --output"),
        (["-c", "text", "-r", "small.jsonl"], "small.jsonl:2: small.jsonl has 2 lines, text 1; "
         "they belong together line by line and must be as many"),
        (["text.txt"], "text.txt: a file of lines holds summaries only: import its documents first "
         "and then the file under the same --name, or score it as plain text with -c and -r"),
    ],
)  # fmt: skip
def test_scores_that_are_refused(folder, arguments, message):
    (folder / "folder").mkdir()
    (folder / "link").symlink_to("small.jsonl")
    for name, content in [
        ("text", b"a line\n"),
        ("text.txt", b"a line\n"),
        ("empty.jsonl", b""),
        ("blank.jsonl", b"\n  \n"),
        ("pretty.json", b'{\n  "id": "d1"\n}\n'),
        ("packed.jsonl.gz", b"\x1f\x8b\x08\x00"),
    ]:
        (folder / name).write_bytes(content)
    write(folder / "none.jsonl", [{**DOCUMENTS[0], "summaries": []}])
    assert refused("score", *arguments) == message
    assert read_lines(folder / "small.jsonl") == DOCUMENTS
    assert not (folder / "scores.jsonl").exists()


def test_keywords(folder, shared_data):
    assert [json.loads(line) for line in run("keywords", "small.jsonl").stdout.splitlines()] == [["cat", "mouse"], []]
    assert [json.loads(line) for line in run("keywords", "small.jsonl", "--title", "single").stdout.splitlines()] == [
        ["cat", "mouse"],
        [],
    ]
    lists = [json.loads(line) for line in run("keywords", shared_data / "scitldr" / "dev.jsonl").stdout.splitlines()]
    assert len(lists) == 619
    assert all(isinstance(keyword, str) for keywords in lists for keyword in keywords)
    assert any(" " in keyword for keywords in lists for keyword in keywords)


def test_keywords_of_other_extractors(folder):
    # d1: cat and mouse stand in all three texts, cat first; mouse has four neighbours (eat, hunt, night, cat), cat has
    # three; d2 has one text only
    for name, of_d1 in (("tfidf", ["cat", "mouse"]), ("textrank", ["mouse", "cat"])):
        lists = [json.loads(line) for line in run("keywords", "small.jsonl", "--extractor", name).stdout.splitlines()]
        assert lists == [of_d1, []]  # as many as overlap finds
        lists = [
            json.loads(line) for line in run("keywords", "small.jsonl", "--extractor", f"{name}:1").stdout.splitlines()
        ]
        assert [len(of_document) for of_document in lists] == [1, 1]
    message = "'bm25' is not one of overlap, tfidf, textrank, tfidf:K and textrank:K with K from 1"
    assert refused("keywords", "small.jsonl", "--extractor", "bm25") == message


def test_keywords_compared(folder):
    result = run("keywords", "small.jsonl", "--compare")
    same = {"overlap": ["cat", "mouse"], "tfidf": ["cat", "mouse"], "textrank": ["mouse", "cat"]}
    none: dict[str, list[str]] = {name: [] for name in same}
    assert [json.loads(line) for line in result.stdout.splitlines()] == [{"id": "d1", **same}, {"id": "d2", **none}]
    assert re.search(r"^overlap +tfidf +1\.0000 +1$", result.stderr, re.M)
    assert refused("keywords", "small.jsonl", "--compare", "--extractor", "tfidf") == (
        "--compare prints all extractors: leave out --extractor"
    )


def test_score_by_other_keywords(folder, sqlite_url):
    """The file's own keywords, written and read again, are those of the default; by order, by id, for a data set."""
    score = ("score", "small.jsonl", "--metrics", "rouge_k", "-o")
    run(*score, "default.jsonl")
    (folder / "k.jsonl").write_text(run("keywords", "small.jsonl").stdout)
    run(*score, "listed.jsonl", "--keywords", "list:k.jsonl")
    values = [row["metrics"]["rouge_k"] for row in read_lines(folder / "default.jsonl")]
    listed = read_lines(folder / "listed.jsonl")
    assert [row["metrics"]["rouge_k"] for row in listed] == values == [1.0, 0.5, None]
    assert listed[2]["missing"] == {"rouge_k": "no keywords: the list of this document is empty"}
    signature = json.loads((folder / "listed.signatures.json").read_text())["rouge_k"]
    assert re.match(r"rouge_k\|kw:list@[0-9a-f]{8}\|title:always\|", signature)
    write(folder / "ids.jsonl", [{"id": "d2", "keywords": ["Übung"]}])
    run(*score, "by-id.jsonl", "--keywords", "list:ids.jsonl")
    assert [row["metrics"]["rouge_k"] for row in read_lines(folder / "by-id.jsonl")] == [None, None, 1.0]
    run("import", "small.jsonl", "--name", "small")
    stored = run("score", "small", "--metrics", "rouge_k", "--keywords", "list:ids.jsonl").stdout
    assert stored.startswith("rouge_k: 3 computed  rouge_k|kw:list@")
    # One text is enough where a number is asked for; no keyword of d1's is in its source but cat and mouse.
    run(*score, "textrank.jsonl", "--keywords", "textrank:1", "--only", "in-source")
    assert "kw:textrank1|title:always|only:in-src|" in (folder / "textrank.signatures.json").read_text()
    run(*score, "tfidf.jsonl", "--keywords", "tfidf:2", "--idf", "references")
    of_references = json.dumps(sorted(text for document in DOCUMENTS for text in document["references"]))
    assert f"idf:{hashlib.sha256(of_references.encode()).hexdigest()[:8]}|" in (
        folder / "tfidf.signatures.json"
    ).read_text(encoding="utf-8")
    assert read_lines(folder / "tfidf.jsonl")[2]["metrics"]["rouge_k"] is not None


def test_lists_for_documents_of_the_same_texts(folder, sqlite_url):
    """A file's scores go by its documents; a data set keeps scores by texts, and takes no two lists for the same."""
    texts = {"source": "x", "references": ["a whale and a cat"], "summaries": [{"system": "s", "text": "A whale."}]}
    for name, ids in (("one", ("d1", "d2")), ("other", ("d2", "d1"))):
        write(folder / f"{name}.jsonl", [{"id": key, **texts} for key in ids])
        run("import", f"{name}.jsonl", "--name", name)
    (folder / "k.jsonl").write_text('["whale"]\n["cat"]\n')
    arguments = ("--metrics", "rouge_k", "--keywords", "list:k.jsonl")
    signatures = set()
    for name in ("one", "other"):
        run("score", f"{name}.jsonl", *arguments, "-o", "o.jsonl")
        assert [row["metrics"]["rouge_k"] for row in read_lines(folder / "o.jsonl")] == [1.0, 0.0]
        signatures.add((folder / "o.signatures.json").read_text())
        assert "have the same texts but not the same list of keywords" in refused("score", name, *arguments)
    assert len(signatures) == 2
    (folder / "k.jsonl").write_text('["cat"]\n["cat"]\n')
    assert run("score", "one", *arguments).stdout.startswith("rouge_k: 1 computed  rouge_k|kw:list@")


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ("list:", "--keywords list:FILE names no file: nothing after the colon"),
        ("list:absent", "--keywords list:FILE names no file: absent"),
        ("list:small.jsonl", "small.jsonl:1: the field keywords is missing"),
        ("list:one.jsonl", "one.jsonl:1: the file ends after 1 lists, but there are 2 documents; give each a list, "),
        (
            "bm25",
            "--keywords: 'bm25' is not one of overlap, tfidf, textrank, tfidf:K and textrank:K with K from 1, nor is ",
        ),
    ],
)
def test_keywords_that_are_refused(folder, keywords, message):
    (folder / "one.jsonl").write_text('["cat"]\n')
    assert refused("score", "small.jsonl", "--metrics", "rouge_k", "--keywords", keywords).startswith(message)
    assert not (folder / "scores.jsonl").exists()


# --- studies --------------------------------------------------------------------------------------------------


def test_a_study_is_renamed_archived_and_deleted(folder):
    run("import", "small.jsonl", "--name", "small")
    run("score", "small", "--metrics", "length")
    run("study", "create", "s", "--dataset", "small")
    assert run("study", "rename", "s", "new").stdout == "s is now new\n"
    assert refused("study", "rename", "s", "other") == "there is no study 's'; there are new"
    assert run("study", "archive", "new").stdout == "new is in the archive\n"
    assert "new" not in run("study", "list").stdout
    assert run("study", "list", "--archived").stdout.splitlines()[1].endswith("open, archived")
    assert run("study", "archive", "new", "--restore").stdout == "new is out of the archive\n"
    store = AnnotationStore(connect())
    annotator = store.join(study="new", name="Ann")
    task = store.next_task(annotator)
    shown = now() - timedelta(seconds=2)
    store.judge(annotator=annotator, assignment_id=task.assignment_id, choice="left", presented_at=shown)
    assert json.loads(run("study", "export", "new").stdout)["annotator"] == "P1"
    assert json.loads(run("study", "export", "new", "--with-names").stdout)["annotator"] == "Ann"
    assert json.loads(run("study", "export", "new", "--what", "people").stdout)["judged"] == 1
    assert run("study", "export", "new", "--what", "surveys", "--format", "csv").stdout == ""
    message = "the study 'new' has 1 judgment; archive it, or delete them with it (--with-judgments)"
    assert refused("study", "delete", "new").startswith(message)
    assert run("study", "delete", "new", "--with-judgments").stdout == "deleted the study new\n"
    assert refused("study", "export", "new").startswith("there is no study 'new'")


def test_a_study(folder):
    run("import", "small.jsonl", "--name", "small")
    run("score", "small", "--metrics", "length")
    (folder / "how.md").write_text("# Wählen Sie", encoding="utf-8")
    created = run("study", "create", "s", "--dataset", "small", "--instructions", "how.md", "--judgments", "2")
    assert created.stdout == "created s: 1 pairs of bad, good; 0 pairs of identical texts left out\n"
    assert run("study", "list").stdout.splitlines() == [
        "study  data set  pairs  wanted  judgments  state",
        "s         small      1       2          0   open",
    ]
    link = run("study", "invite", "s", "Ann", "--url", "https://x.org/").stdout
    assert re.fullmatch(r"https://x\.org/annotate\?invite=[\w-]{20,}\n", link)
    assert run("study", "invite", "s", "Ben").stdout != run("study", "invite", "s", "Cem").stdout
    assert run("study", "close", "s").stdout == "s is closed, with 0 judgments\n"
    assert run("study", "list").stdout.splitlines()[1].endswith("closed")
    assert run("study", "close", "s", "--reopen").stdout == "s is open, with 0 judgments\n"
    assert run("study", "export", "s").stdout == ""
    lengths = [line for line in run("study", "export", "s", "--what", "scores").stdout.splitlines() if "length" in line]
    assert json.loads(lengths[0]) == {
        "dataset": "small",
        "document_id": "d1",
        "system": "good",
        "metric": "length",
        "signature": "length|unit:words|version:0.2.0",
        "value": 4.0,
        "missing": None,
        "truncated": False,
    }
    result = run("study", "export", "s", "--what", "scores", "--format", "csv", "-o", "scores.csv")
    assert (result.stdout, result.stderr) == ("", "wrote scores.csv\n")
    assert (
        (folder / "scores.csv")
        .read_bytes()
        .startswith(b"dataset,document_id,system,metric,signature,value,missing,truncated\r\n")
    )


@pytest.mark.exhaustive
def test_a_study_of_conflicts_and_checks(demo_url):
    of_conflicts = ("--dataset", "demo", "--pairs", "conflicts")
    created = run("study", "create", "c", *of_conflicts, "--count", "20", "--random-share", "0.5", "--checks", "3")
    assert created.stdout == (
        "created c: 20 pairs of copycat, fluent, keyword, opening; "
        "drawn from 57 on which the metrics contradict each other and 87 others; "
        "3 attention checks for every annotator; 0 pairs of identical texts left out\n"
    )
    study = AnnotationStore(connect(demo_url)).study("c")
    assert [signature.split("|")[0] for signature in study.signatures] == ["rouge1", "rouge2", "rougeL", "rouge_k"]
    assert (study.random_share, study.checks) == (0.5, 3)
    # 6 pairs of 24 documents: none is left out without a limit
    created = run("study", "create", "d", *of_conflicts, "--conflict-metrics", "rouge1, length")
    assert created.stdout.startswith("created d: 144 pairs of copycat, fluent, keyword, opening; drawn from ")
    created = run("study", "create", "e", *of_conflicts, "--per-document", "1", "--checks", "1")
    assert "; 1 attention check for every annotator; " in created.stdout
    assert int(created.stdout.split()[2]) <= 48  # one of either kind of each document
    listed = [line.split() for line in run("study", "list").stdout.splitlines()]
    assert ["c", "demo", "20", "20", "0", "open"] in listed


def test_a_study_whose_metric_fails_is_not_created(folder, monkeypatch):
    def fail(*_):
        raise OSError("no model")

    run("import", "small.jsonl", "--name", "small")
    monkeypatch.setattr("relevance.metrics.rouge.RougeL.score", fail)
    result = run("study", "create", "s", "--dataset", "small", "--pairs", "conflicts", code=1)
    assert result.stderr.endswith("rougeL failed: OSError: no model\n")
    assert len(run("study", "list").stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["create", "s", "--dataset", "small"], "there is already a study 's'"),
        (["create", "t", "--dataset", "none"], "there is no data set 'none'; there are small"),
        (["create", "t", "--dataset", "small", "--systems", "good,gpt"], "data set 'small' has no system 'gpt'"),
        (["create", "t", "--dataset", "small", "--count", "0"], "Invalid value for '--count'"),
        (["create", "t", "--dataset", "small", "--seed", str(2**31)], "Invalid value for '--seed'"),
        (["create", "t", "--dataset", "small", "--judgments", str(2**31)], "Invalid value for '--judgments'"),
        (["create", "t", "--dataset", "small", "--instructions", "latin.md"], "latin.md:1: byte 2 of the line"),
        (["create", "t\n", "--dataset", "small"], "a name needs 1 to 200 printable characters"),
        (["create", "t", "--dataset", "small", "--checks", "101"], "Invalid value for '--checks'"),
        (
            ["create", "t", "--dataset", "small", "--pairs", "conflicts", "--random-share", "1"],
            "Invalid value for '--random-share'",
        ),
        (
            ["create", "t", "--dataset", "small", "--pairs", "conflicts", "--conflict-metrics", "rouge1"],
            "metrics can contradict each other only where at least two are named",
        ),
        (
            ["create", "t", "--dataset", "small", "--pairs", "conflicts", "--conflict-metrics", "rouge1,bleurt"],
            "unknown metric 'bleurt'",
        ),
        (["invite", "none", "Ann"], "there is no study 'none'"),
        (["close", "none"], "there is no study 'none'"),
        (["export", "none"], "there is no study 'none'"),
        (["export", "s", "-o", "absent/x"], "absent/x cannot be written: there is no folder absent"),
    ],
)
def test_studies_that_are_refused(folder, arguments, message):
    run("import", "small.jsonl", "--name", "small")
    run("study", "create", "s", "--dataset", "small", "--pairs", "all")
    (folder / "latin.md").write_bytes("Wählen".encode("latin-1"))
    assert refused("study", *arguments).startswith(message)
    assert len(run("study", "list").stdout.splitlines()) == 2


# --- the app --------------------------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_the_demo_is_made_once(sqlite_url):
    first = run("demo").stdout
    listed = run("datasets").stdout, run("study", "list").stdout
    assert run("demo").stdout == first
    assert (run("datasets").stdout, run("study", "list").stdout) == listed
    assert listed[0].splitlines()[1].split()[:4] == ["demo", "interchange", "24", "96"]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("nonsense", "the database cannot be used: Could not parse SQLAlchemy URL"),
        ("mysql://x/y", "RELEVANCE_DATABASE_URL names mysql; it must be SQLite or PostgreSQL"),
        ("sqlite:////nowhere/at/all.db", "the database cannot be used: unable to open database file"),
        ("sqlite:///small.jsonl", "small.jsonl is not an SQLite database, or its beginning is damaged"),
        ("postgresql://127.0.0.1:1/x", "the database cannot be used: connection failed"),
    ],
)
def test_databases_that_cannot_be_used(folder, monkeypatch, url, message):
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", url)
    result = run("datasets", code=2)
    assert result.stderr.startswith(f"Error: {message}")
    assert "Traceback" not in result.output


@pytest.mark.parametrize("option", [("-o", "x.jsonl"), ("--format", "csv")])
def test_options_of_files_are_refused_for_a_data_set(folder, option):
    run("import", "small.jsonl", "--name", "small")
    result = CliRunner().invoke(cli.main, ["score", "small", *option])
    assert result.exit_code == 2
    assert "go with a file; a data set's scores go into the database" in result.output
    (folder / "scores.jsonl").mkdir()  # in nobody's way where no file is written
    assert "rouge1: 3 computed" in run("score", "small", "--metrics", "rouge1").output
