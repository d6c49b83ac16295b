"""Importers of corpora that people judged, on made files in the form in which they are published."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from relevance.data.importers import guess_format, read_documents
from relevance.data.importers.realsumm import STATEMENTS
from relevance.data.importing import Reading, fingerprint, import_file
from relevance.data.records import BadRecord, Document, Summary
from relevance.data.store import DataStore

Files = Mapping[str, str]


def write(folder: Path, files: Files) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


def read(path: Path) -> tuple[dict[str, tuple[Document, dict[str, Summary]]], list[str]]:
    notes: list[str] = []
    records = list(read_documents(path, None, notes.append))
    return {
        document.id: (document, {summary.system: summary for summary in written}) for document, written in records
    }, notes[1:]


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


# --- REALSumm ---------------------------------------------------------------------------------------------------

ABS, EXT = (f"annotations/SCU_rating_results_{kind}_systems" for kind in ("abs", "ext"))
NUMBERS = range(1, STATEMENTS + 1)
HEADER = [
    *("Input.eventId", "Input.summaryId", "Input.qIdList", "Input.summary_text"),
    *(f"Input.statement_{number}" for number in NUMBERS),
    *(f"Answer.S{number}Answer" for number in NUMBERS),
]


def rating(system: str, statements: list[str], answers: str, text: str = "It rains .", event: str = "cnndm1") -> str:
    notes = [*statements, *["BLANK"] * (STATEMENTS - len(statements))]
    cells = [event, system, "['1', '2']", text, *notes, *answers.ljust(STATEMENTS, "n")]
    return ",".join(f'"{cell}"' for cell in cells)


def table(*rows: str) -> str:
    return "\n".join([",".join(HEADER), *rows, ""])


FACTS = ["Rain fell.", "BLANK", "It was cold.", "A dog barked."]


def test_realsumm_counts_the_statements_that_most_workers_find(tmp_path: Path) -> None:
    rows = [rating("bart_out", FACTS, "pppn"), rating("bart_out", FACTS, "pnpn"), rating("bart_out", FACTS, "nnpp")]
    tie = [rating("t5_out", FACTS, "pppp"), rating("t5_out", FACTS, "nnnp")]
    folder = write(tmp_path, {f"{ABS}/bart.csv": table(*rows), f"{ABS}/t5.csv": table(*tie)})
    assert guess_format(folder) == guess_format(folder / ABS / "bart.csv") == "realsumm"
    records, notes = read(folder)
    document, summaries = records["cnndm1"]
    assert document == Document("cnndm1", "", ())
    assert summaries["bart_out"] == Summary("cnndm1", "bart_out", "It rains .", {"litepyramid_recall": 2 / 3})
    # two workers: one finds all three statements, the other the last one only; a tie is not found
    assert summaries["t5_out"].human == {"litepyramid_recall": 1 / 3}
    assert notes == ["the ratings have no articles and no references: metrics that need them have no scores"]


def test_a_system_of_both_kinds_of_realsumm_is_two(tmp_path: Path) -> None:
    of_abs, of_ext = table(rating("bart_out", FACTS, "p")), table(rating("bart_out", FACTS, "n", "Rain ."))
    records, notes = read(write(tmp_path, {f"{ABS}/a.csv": of_abs, f"{EXT}/b.csv": of_ext}))
    assert {system: record.human["litepyramid_recall"] for system, record in records["cnndm1"][1].items()} == {
        "bart_out (abs)": 1 / 3,
        "bart_out (ext)": 0,
    }
    assert notes[0] == "systems in several folders are named after these: bart_out"


def test_the_published_scores_of_realsumm_as_json_lines(tmp_path: Path) -> None:
    scores = {"rouge_1_recall": 0.25, "litepyramid_recall": 0.5, "js-2": -0.56}
    written = {"bart_out.txt": {"system_summary": " <t> It rains . </t>  <t> A lot . </t>", "scores": scores}}
    scored = {"doc_id": 52, "ref_summ": "<t> Rain . </t>", "system_summaries": written}
    records, _ = read(write(tmp_path, {"abs.jsonl": lines(scored)}) / "abs.jsonl")
    assert records["52"][0] == Document("52", "", ("Rain .",))
    assert records["52"][1]["bart_out"] == Summary(
        "52",
        "bart_out",
        "It rains .\nA lot .",
        {"litepyramid_recall": 0.5},
        given=(("rouge_1_recall", 0.25), ("js-2", -0.56)),
    )


# --- TAC --------------------------------------------------------------------------------------------------------

TAC = {
    "eval/ROUGE/models/D1001-A.M.100.A.B": "Rain fell.\nIt was cold.\n",
    "eval/ROUGE/models/D1001-A.M.100.A.C": "It rained.\n",
    "eval/ROUGE/peers/D1001-A.M.100.A.2": "Rain.\n",
    "eval/ROUGE/peers/D1001-A.M.100.A.10": "",
    "eval/manual/manual.peer.A": "D1001-A 2 0.5 3 1 x y 0.45 4 5\nD1001-A  10 0 0 0 x y 0 1 1\n",
    "eval/manual/manual.model.A": "D1001-A B 9 x y 0.8 5 5\nD1001-A C 9 x y 0.7 5 4\n",
    "aesop/aesop_allpeers_A": "system topic m1 m2\ns2 d1 0.25 NaN\nsB d1 0.9 0.8\ns10 d01 0.0 -1e-3\n",
}


def test_tac_has_ratings_and_the_scores_of_aesop(tmp_path: Path) -> None:
    records, notes = read(write(tmp_path, TAC))
    assert records["D1001-A"][0] == Document("D1001-A", "", ("Rain fell.\nIt was cold.", "It rained."))
    assert list(records["D1001-A"][1].values()) == [
        Summary(
            "D1001-A",
            "2",
            "Rain.",
            {"pyramid": 0.5, "linguistic_quality": 4, "responsiveness": 5},
            given=(("aesop-1", 0.25),),
        ),
        Summary(
            "D1001-A",
            "10",
            "",
            {"pyramid": 0, "linguistic_quality": 1, "responsiveness": 1},
            given=(("aesop-1", 0.0), ("aesop-2", -0.001)),
        ),
    ]
    assert notes == [
        "human summaries whose ratings and scores are skipped, as they are references: 2",
        "the document sets have no articles: annotators will see summaries only",
        "1 summary is empty: it is kept without scores, and no study asks about it",
    ]


# --- SacreROUGE -------------------------------------------------------------------------------------------------


def instance(system: str, text: object, kind: str = "peer", **more: object) -> dict[str, object]:
    texts = {"summary": {"text": text}, "references": [{"text": ["Rain fell.", "It was cold."]}], **more}
    return {"instance_id": "d1", "summarizer_id": system, "summarizer_type": kind, **texts}


def metrics(system: str, **values: object) -> dict[str, object]:
    return {"instance_id": "d1", "summarizer_id": system, "summarizer_type": "peer", "metrics": values}


def test_sacrerouge_joins_instances_with_metrics(tmp_path: Path) -> None:
    documents = [{"text": [["Rain."], ["It was cold.", " "]]}]
    said_of_it = {"rouge-1": {"recall": 0.5, "f1": None}, "expert": {"fluency": [4, 5]}, "overall_responsiveness": 3}
    files = {
        "summaries.jsonl": lines(
            instance("7", ["It rained.", "A lot."], documents=documents),
            instance("8", "", documents=documents),
            instance("A", "A person's.", "reference", documents=documents),
        ),
        "metrics.jsonl": lines(metrics("7", **said_of_it), metrics("A", responsiveness=5)),
    }
    records, notes = read(write(tmp_path, files))
    assert records["d1"][0] == Document("d1", ("Rain.", "It was cold."), ("Rain fell.\nIt was cold.",))
    assert list(records["d1"][1].values()) == [
        Summary(
            "d1",
            "7",
            "It rained.\nA lot.",
            {"expert.fluency": 4.5, "overall_responsiveness": 3},
            given=(("rouge-1.recall", 0.5),),
        ),
        Summary("d1", "8", ""),
    ]
    assert notes[0] == "human summaries whose ratings and scores are skipped, as they are references: 1"


def test_files_of_sacrerouge_called_judgments_are_the_ratings(tmp_path: Path) -> None:
    files = {
        "x.jsonl": lines(instance("7", "It rained.")),
        "metrics.jsonl": lines(metrics("7", overall_responsiveness=3)),
        "judgments.jsonl": lines(metrics("7", **{"clarity.mean": 2.5})),
    }
    summary = read(write(tmp_path, files))[0]["d1"][1]["7"]
    assert (summary.human, summary.given) == ({"clarity.mean": 2.5}, (("overall_responsiveness", 3),))


def test_instances_of_sacrerouge_without_references_or_with_others(tmp_path: Path) -> None:
    files = {
        "x.jsonl": lines(
            instance("A", "A person's.", "reference", references=[]),
            instance("7", "It rained.", references=[], document={"text": "Rain."}),
            instance("8", "It rained.", references=[], document={"text": "Snow."}),
        )
    }
    records, notes = read(write(tmp_path, files) / "x.jsonl")
    assert records["d1"][0] == Document("d1", "Rain.", ("A person's.",))
    assert notes == ["lines whose texts are not used, as an earlier line of their instance has different ones: 1"]


# --- mt-metrics-eval --------------------------------------------------------------------------------------------

MT = {
    "documents/en-de.docs": "news a\nnews a\nchat b\n",
    "sources/en-de.txt": "Rain fell.\nIt was cold.\n\n",
    "references/en-de.refA.txt": "Regen.\n[No translation supplied]\nHallo.\n",
    "system-outputs/en-de/refA.txt": "Regen.\n[No translation supplied]\nHallo.\n",
    "system-outputs/en-de/M1.txt": "Es regnete.\n[No translation supplied]\n\n",
    "human-scores/en-de.mqm.x.seg.score": "M1\t-1.5\nM1\tNone\nM1 0\n",
    "human-scores/en-de.mqm.sys.score": "M1 3\n",
    "human-scores/en-de.mqm.seg.rating": "M1 None\n",
    "metric-scores/en-de/BLEU-refA.seg.score": "M1 0.5\nM1 0\nM1 0.25\n",
    "metric-scores/en-de/COMET-22-all.seg.score": "M1 0.1\nM1 0.2\nM1 0.3\n",
    "metric-scores/en-de/BLEU-refA.domain.score": "news M1 0.5\nchat M1 0.25\n",
}
OF_DOCUMENTS = {
    **{name: text for name, text in MT.items() if "-scores" not in name},
    "human-scores/en-de.esa.doc.score": "M1 70\nM1 None\n",
}


def test_segments_of_mt_metrics_eval_are_documents(tmp_path: Path) -> None:
    folder = write(tmp_path, MT)
    records, notes = read(folder)
    assert records == read(folder / "documents" / "en-de.docs")[0]
    assert [document for document, _ in records.values()] == [
        Document("a:1", "Rain fell.", ("Regen.",)),
        Document("a:2", "It was cold.", ()),
        Document("b", "", ("Hallo.",)),
    ]
    assert records["a:1"][1] == {
        "M1": Summary("a:1", "M1", "Es regnete.", {"mqm.x": -1.5}, given=(("BLEU-refA", 0.5), ("COMET-22", 0.1)))
    }
    assert records["a:2"][1] == {}
    assert records["b"][1]["M1"].human == {"mqm.x": 0}
    assert notes == [
        "files of ratings that are not of single summaries are skipped: 1 of level sys",
        "files of metrics' scores that are not of single summaries are skipped: 1 of level domain",
        "files of ratings that mark spans are skipped: 1",
        "references among the systems are not imported as systems: refA",
        "1 summary is empty: it is kept without scores, and no study asks about it",
        "1 of 3 documents has no reference: metrics that need one have no scores there",
    ]


def test_texts_of_mt_metrics_eval_as_json_lines(tmp_path: Path) -> None:
    fields = {"sources/en-de": "source", "references/en-de.refA": "target", "system-outputs/en-de/M1": "hypothesis"}
    files = {name: text for name, text in MT.items() if name.removesuffix(".txt") not in fields}
    of_json = {
        f"{name}.jsonl": lines(*({field: text, "id": 1} for text in MT[f"{name}.txt"].split("\n")[:3]))
        for name, field in fields.items()
    }
    assert read(write(tmp_path / "a", files | of_json))[0] == read(write(tmp_path / "b", MT))[0]
    with pytest.raises(BadRecord, match=r"refA.txt:1: there is en-de.refA.jsonl, too"):
        read(write(tmp_path / "a", MT))
    wrong = {**of_json, "sources/en-de.jsonl": lines({"source": 3})}
    with pytest.raises(BadRecord, match=r"en-de.jsonl:1: source must be a string, not a number"):
        read(write(tmp_path / "c", files | wrong))


def test_documents_of_mt_metrics_eval_where_people_scored_these(tmp_path: Path) -> None:
    records, _ = read(write(tmp_path, OF_DOCUMENTS))
    assert records["a"][0] == Document("a", "Rain fell.\nIt was cold.", ("Regen.",))
    assert records["a"][1]["M1"] == Summary("a", "M1", "Es regnete.", {"esa": 70})
    assert records["b"][1]["M1"].human == {}


# --- what is not as published -----------------------------------------------------------------------------------

GOOD = rating("bart_out", FACTS, "pppn")
REFUSED: list[tuple[str, Files, str]] = [
    ("realsumm", {f"{ABS}/a.csv": table(GOOD, rating("bart_out", FACTS, "pqpn"))}, "a.csv:3: Answer.S2Answer must be"),
    ("realsumm", {f"{ABS}/a.csv": table(GOOD, rating("bart_out", FACTS[:3], "p"))}, "a.csv:3: the summary or its"),
    ("realsumm", {f"{ABS}/a.csv": table(GOOD), f"{ABS}/b.csv": table(GOOD)}, "b.csv:2: the summary or its"),
    ("realsumm", {f"{ABS}/a.csv": table(rating("bart_out", [], ""))}, "a.csv:2: all statements are BLANK"),
    ("realsumm", {f"{ABS}/a.csv": table(GOOD).replace("Answer.S7Answer", "x")}, "one column Answer.S7Answer"),
    ("realsumm", {f"{ABS}/a.csv": table(GOOD[:-4])}, "a.csv:2: 35 fields where the header has 36"),
    ("realsumm", {f"{ABS}/a.csv": ""}, "a.csv:1: the file is empty"),
    ("realsumm", {"readme.txt": ""}, "there are no ratings in it"),
    ("tac", {**TAC, "eval/ROUGE/peers/D1001-A.2": ""}, "must have 5 parts, as D1001-A.M.100.A.1 has, not 2"),
    ("tac", {**TAC, "more/ROUGE/peers/D1001-A.M.100.B.2": ""}, "another summary of D1001-A by 2"),
    (
        "tac",
        {**TAC, "eval/ROUGE/peers/D1002-A.M.100.A.2": ""},
        "D1002-A has summaries in ROUGE/peers",
    ),
    (
        "tac",
        {**TAC, "eval/manual/manual.peer.B": "D1001-B 2 0 0 0 x y 0 1 1\n"},
        "peer.B:1: there is no summary of",
    ),
    ("tac", {**TAC, "eval/manual/manual.peer.A": "D1001-A 2 .5 0 0 x y 0 1 1\n"}, "peer.A:1: pyramid must be a number"),
    ("tac", {**TAC, "eval/manual/manual.peer.A": "D1001-A 2 0.5\n"}, "peer.A:1: each line must have 10 columns"),
    ("tac", {**TAC, "eval/manual/manual.peer.B": TAC["eval/manual/manual.peer.A"]}, "peer.B:1: .* is rated twice"),
    ("tac", {**TAC, "aesop/aesop_allpeers_A": "system topic m1\ns2 d2 1\n"}, "allpeers_A:2: there are no summaries of"),
    ("tac", {**TAC, "aesop/aesop_allpeers_A": "system topic m1\ns3 d1 1\n"}, 'no summary of "D1001-A" by "3"'),
    ("tac", {**TAC, "aesop/aesop_allpeers_A": "system topic m1\ns2 d1 1 2\n"}, "4 columns where the heading has 3"),
    ("tac", {**TAC, "aesop/aesop_allpeers_A": "system topic m1\ns2 d1 1\ns2 d01 1\n"}, "A:3: .* is scored twice"),
    ("sacrerouge", {"a.jsonl": lines(metrics("7", x=1))}, 'a.jsonl:1: there is no summary of "7" of "d1"'),
    ("sacrerouge", {"a.jsonl": lines(instance("7", "a"), instance("7", "a"))}, 'a.jsonl:2: the summary of "7" of "d1"'),
    (
        "sacrerouge",
        {"a.jsonl": lines(instance("7", "a", "ref"))},
        'must be peer or reference, not "ref"',
    ),
    ("sacrerouge", {"a.jsonl": lines(instance("7", 3))}, "summary.text must be a string, not a number"),
    ("sacrerouge", {"a.jsonl": lines({"instance_id": 1})}, "a.jsonl:1: each line must have instance_id, summari"),
    ("sacrerouge", {"a.jsonl": lines(instance("7", "a"), metrics("7", x="1"))}, "a.jsonl:2: x must be a number, not a"),
    ("sacrerouge", {"a.jsonl": lines(instance("7", "a"), metrics("7", x=[]))}, "a.jsonl:2: x is an empty list"),
    (
        "sacrerouge",
        {"a.jsonl": lines(instance("7", "a"), metrics("7", x=1), metrics("7", x=2))},
        'a.jsonl:3: x of "7" has another value before, a.jsonl:2',
    ),
    (
        "mt_metrics_eval",
        {**MT, "documents/de-en.docs": "x y\n"},
        "there are 2 test sets in it, such as documents/",
    ),
    ("mt_metrics_eval", {**MT, "documents/en-de.docs": "n a\nn b\nn a\n"}, 'docs:3: the document "a" stands in line 1'),
    (
        "mt_metrics_eval",
        {**MT, "documents/en-de.docs": "n a\nn a\nn a:2\n"},
        'docs:3: the document "a:2" stands in',
    ),
    ("mt_metrics_eval", {**MT, "documents/en-de.docs": "a\n"}, "docs:1: each line must be DOMAIN DOCUMENT"),
    ("mt_metrics_eval", {**MT, "sources/en-de.txt": "a\nb\nc\nd\n"}, "en-de.txt:4: the file has more lines than"),
    ("mt_metrics_eval", {**MT, "references/en-de.refA.txt": "a\nb\n"}, "refA.txt:2: the file ends here"),
    ("mt_metrics_eval", {**MT, "human-scores/en-de.h.seg.score": "M2 1\n"}, 'there is no output of a system "M2"'),
    ("mt_metrics_eval", {**MT, "human-scores/en-de.h.seg.score": "M1 1\n"}, '"M1" has 1 scores, but there are 3 doc'),
    ("mt_metrics_eval", {**MT, "human-scores/en-de.h.seg.score": "M1 1\n" * 4}, 'score:4: "M1" has more scores than'),
    ("mt_metrics_eval", {**MT, "human-scores/en-de.h.seg.score": "M1 nan\n"}, "score:1: the score must be a number"),
    ("mt_metrics_eval", {**MT, "metric-scores/en-de/X-src.seg.score": "M1 None\n"}, "score:1: the score must be a num"),
    ("mt_metrics_eval", {"documents/en-de.docs": "n a\n"}, "there is no file sources/en-de.txt in it"),
    ("mt_metrics_eval", {"sources/en-de.txt": "a\n"}, r"there is no documents/\*.docs in it"),
]


@pytest.mark.parametrize(("format", "files", "refusal"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_not_as_published_is_refused(tmp_path: Path, format: str, files: Files, refusal: str) -> None:
    with pytest.raises(BadRecord, match=refusal):
        list(read_documents(write(tmp_path, files), format))


def test_a_list_of_documents_by_itself_is_no_test_set(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match=r"x.docs:1: name the test set's folder, or a file in its folder documents"):
        list(read_documents(write(tmp_path, {"x.docs": "n a\n"}) / "x.docs"))


def test_pickles_are_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "abs.pkl"
    path.write_bytes(b"cos\nabort\n(tR.")  # would end this process
    with pytest.raises(BadRecord, match=r"abs.pkl:1: a pickle runs code .* python -c .*json.dumps"):
        list(read_documents(path))


def test_a_file_of_another_format_that_is_called_like_a_list_of_documents_is_hashed_alone(
    tmp_path: Path, data_store: DataStore
) -> None:
    """Not what lies beside its folder, which may be somebody else's."""
    folder = tmp_path / "upload"
    folder.mkdir()
    file = folder / "x.docs"
    record = {"id": "d", "source": "s", "references": ["r"], "summaries": [{"system": "a", "text": "t"}]}
    file.write_text(json.dumps(record) + "\n")
    write(tmp_path / "other", {**MT, "documents/en-de.docs": "news a\nnews b\n"})
    import_file(data_store, file, name="x", reading=Reading("interchange"))
    assert data_store.dataset("x").sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    with pytest.raises(BadRecord, match="name the test set's folder"):
        fingerprint(file, "mt_metrics_eval")
    corpus = write(tmp_path / "corpus", MT)
    assert fingerprint(corpus / "documents" / "en-de.docs", "mt_metrics_eval") == fingerprint(corpus, "mt_metrics_eval")
