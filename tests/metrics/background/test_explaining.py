"""Explanations: signatures give their metrics back, evidence comes whole from the other process and gives the value."""

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relevance.data.importers import read_documents
from relevance.data.records import ClozeQuestion, Example, make_examples
from relevance.metrics import METRICS, lexical_metrics, metric
from relevance.metrics.background import explaining, explaining_process
from relevance.metrics.background.explaining import Inspector, ModelProcess
from relevance.metrics.background.wire import decode_record, encode
from relevance.metrics.bertscore import BertScoreEvidence
from relevance.metrics.carouge import CarougeEvidence
from relevance.metrics.explained import CannotExplain, Explained, explain
from relevance.metrics.from_signature import metric_of
from relevance.metrics.models.encoder import shared_encoder
from relevance.metrics.rouge import RougeEvidence
from tests.running import alive, running_process
from tests.waiting import PATIENCE, until

pytestmark = [pytest.mark.model, pytest.mark.process]

ROOT = Path(__file__).resolve().parents[3]
MODELS = [name for name in METRICS.ours if name not in lexical_metrics()]
LIBRARIES = [name for name in METRICS.others if METRICS[name].evidence is not None]


def example(candidate: str, *references: str, source: str = "", **others: Any) -> Example:
    return Example("d", "s", candidate, references, others.pop("title", None), source, **others)


PLAIN = example("Anna went to Paris.", "Anna was in Paris.", source="Anna left London for Paris.", title="Paris")

ODD_EXAMPLES = {
    "emoji": example("👩‍👩‍👧 Zoë 😀 went to 東京 e\u0301!", "Zoë 😀 saw 東京 and 🇫🇷 Paris.", source="Zoë left 東京 😀"),
    "directions": example("\u202eAnna\u202c (שלום) \ufeff in \u200bParis", "Anna שלום in Paris", source="İstanbul"),
    "markup and lines": example("<script>x</script>\r\n\u2028Anna\x1b[0m", 'Anna "said" \\n <b>', "\n", source="{}"),
    "half a character": example("Anna \ud83d in Paris", "Anna \udc00 went to Paris"),
    "10,000 words": example("Anna went to Paris again. " * 2000, "Anna went to London.", source="Bob met Anna."),
    "long reference": example("Anna left.", "Bob met Anna in Paris. " * 300, "Anna left Rome."),
    "own questions": example(
        "Anna met Bob", "Bob was met", source="Bob met Anna", questions=(ClozeQuestion("@placeholder met Bob", "Anna"),)
    ),
}


@pytest.fixture(scope="module")
def inspector() -> Iterator[Inspector]:
    inspector = Inspector()
    inspector.warm()
    yield inspector
    inspector.close()


@pytest.fixture(scope="module")
def summeval(shared_data: Path) -> list[Example]:
    """Two summaries of a document and one of another, beside four of their eleven references."""
    records = islice(read_documents(shared_data / "summeval.jsonl", "interchange"), 20, 22)
    batch = [e for document, summaries in records for e in make_examples(document, summaries)[:2]][:3]
    return [dataclasses.replace(e, references=e.references[:4]) for e in batch]


def assert_same(value: Any, other: Any, error: float = 0.0) -> None:
    """Equal values of equal types all the way down, numbers within an error."""
    assert type(value) is type(other)
    if isinstance(value, tuple):
        assert len(value) == len(other)
        for ours, theirs in zip(value, other, strict=True):
            assert_same(ours, theirs, error)
    elif isinstance(value, np.ndarray):
        assert (value.shape, value.dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(value, other, rtol=0, atol=error)
    elif isinstance(value, float):
        assert value == pytest.approx(other, rel=0, abs=error)
    else:
        assert value == other


def recounted(name: str, evidence: Any, references: str = "max") -> float:
    """The value, from the evidence alone."""
    combine = np.mean if references == "mean" else max
    if isinstance(evidence, BertScoreEvidence):
        values = []
        ours = np.array(evidence.candidate.weights)
        for match in evidence.matches:
            theirs = np.array(evidence.references[match.reference].weights)
            precision = match.similarity[np.arange(len(ours)), match.nearest_to_candidate] @ ours / ours.sum()
            recall = match.similarity[match.nearest_to_reference, np.arange(len(theirs))] @ theirs / theirs.sum()
            values.append(2 * precision * recall / (precision + recall))
        return float(combine(values))
    if isinstance(evidence, CarougeEvidence):
        compared = [evidence.compared[place] for place in evidence.counted]
        return float(np.mean([np.mean([nearest.similarity for nearest in item.nearest]) for item in compared]))
    if isinstance(evidence, RougeEvidence):
        values = []
        for place in evidence.counted:
            matched = len(evidence.matches[place])
            first = evidence.compared[place]
            values.append(2 * matched / (first.in_candidate + first.in_reference))  # F1 of matched / c and matched / r
        return float(np.mean(values))
    if name == "rouge_k":
        return float(np.mean([bool(keyword.occurrences) for keyword in evidence.keywords]))
    if name == "apes":
        return float(np.mean([trace.is_right for trace in evidence.traces]))
    return float(len(evidence.words))


# --- from a signature to its metric -------------------------------------------------------------------------------

OPTIONS = [
    {},
    {
        "references": "mean",
        "tokenizer": "unicode",
        "title": "single",
        "norm": "paper",
        "n": 3,
        "layer": 0,
        "types": ("other",),
    },
    {"references": "first", "norm": "reference", "important": "tfidf:10", "layer": 6, "types": ("place", "person")},
    {"dtype": "bfloat16", "important": "tfidf:3", "n": 4, "types": (), "ask": "entities", "apes_value": "graded"},
]


@pytest.mark.parametrize("name", METRICS)
def test_a_signature_gives_its_metric_back(name: str) -> None:
    for options in OPTIONS:
        made = metric(name, **options)
        again = metric_of(made.signature)
        assert type(again) is type(made)
        assert again.signature == made.signature
        assert metric_of(re.sub(r"version:[^|]*$", "version:0.0.9", made.signature)) is None
        assert metric_of(made.signature + "|") is None


BERTSCORE = "bertscore|refs:max|model:all-MiniLM-L6-v2@53aa5117|layer:5|idf:none|rescale:no|value:f1|version:0.2.0"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, {"value": "recall", "references": "mean"}) for name in ("rouge1", "rougeL", "rougeLsum", "rougeSU4")),
        ("rouge2", {"references": "pooled", "value": "precision", "counts": "set"}),
        ("rougeSU4", {"counts": "set", "tokenizer": "unicode"}),
        ("carouge", {"norm": "reference"}),
        ("carouge", {"norm": "paper", "important": "tfidf:5"}),
    ],
)
def test_metrics_of_other_values_are_had_again(name: str, options: dict[str, Any]) -> None:
    made = metric(name, **options)
    again = metric_of(made.signature)
    assert again is not None
    assert again.signature == made.signature
    if name in lexical_metrics():
        assert again.score([PLAIN]) == made.score([PLAIN])


ROUGE_K = metric("rouge_k").signature


@pytest.mark.parametrize(
    "options",
    [
        *({"keywords": keywords} for keywords in ("overlap", "tfidf", "tfidf:12", "textrank", "textrank:1")),
        *({"keywords": keywords, "only": "out-source"} for keywords in ("overlap", "textrank:3")),
        {"only": "in-source", "title": "single"},
    ],
)
def test_rouge_k_of_other_keywords_is_had_again(options: dict[str, Any]) -> None:
    made = metric("rouge_k", **options)
    again = metric_of(made.signature)
    assert again is not None
    assert again.signature == made.signature
    e = example("Anna met Zoë.", "Anna saw Zoë.", "Anna met Bob.", source="Anna, Bob.", title="Zoë saw Anna")
    (first,), (other,) = made.score([e]), again.score([e])
    assert (first.value, first.missing, first.evidence) == (other.value, other.missing, other.evidence)
    assert first.value == pytest.approx(recounted("rouge_k", first.evidence))


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "|",
        "nonsense",
        "rouge1",
        "rouge3|refs:max|case:lower|tok:a-z0-9|stem:porter|value:f1|version:0.2.0",
        "rouge1|refs:max|case:upper|tok:a-z0-9|stem:porter|value:f1|version:0.2.0",
        "rouge1|refs:best|case:lower|tok:a-z0-9|stem:porter|value:f1|version:0.2.0",
        "rouge1|refs:max|case:lower|tok:other|stem:porter|value:f1|version:0.2.0",
        "rouge_k|kw:overlap10|title:always|lemma:simplemma0.0.1|version:0.2.0",
        ROUGE_K.replace("overlap10", "overlap9"),
        ROUGE_K.replace("overlap10", "bm25"),
        ROUGE_K.replace("overlap10", "textrank0"),
        ROUGE_K.replace("overlap10", "textrank٥"),
        ROUGE_K.replace("title:always", "title:always|only:src"),
        ROUGE_K.replace("overlap10|title:always", "tfidf5|title:always|idf:0a1b2c3d"),
        ROUGE_K.replace("overlap10|title:always", "list@0a1b2c3d"),
        BERTSCORE.replace("all-MiniLM-L6-v2@53aa5117", "bert-base-uncased@86b5e093"),
        BERTSCORE.replace("idf:none", "idf:0a1b2c3d"),
        BERTSCORE.replace("rescale:no", "rescale:0a1b2c3d"),
        *(BERTSCORE.replace("layer:5", f"layer:{layer}") for layer in ("7", "-1", "x", "05", "٥", "9" * 5000)),
        "carouge|norm:summary|n:1|important:references|refs:max|vectors:file@0123456789abcdef|version:0.2.0",
        "carouge|norm:summary|n:9|important:references|refs:max|vectors:all-MiniLM-L6-v2@53aa5117@layer5|version:0.2.0",
        "carouge|norm:summary|n:1|important:tfidf0|vectors:all-MiniLM-L6-v2@53aa5117@layer5|version:0.2.0",
        "apes|questions:all|entities:spacy:en_core_web_sm@3.8|types:default|reader:embedded|version:0.2.0",
        "apes|questions:all|types:city|version:0.2.0",
    ],
)
def test_a_signature_that_does_not_tell_everything_gives_no_metric(signature: str) -> None:
    assert metric_of(signature) is None
    assert shared_encoder().wanted <= set(range(7))  # a layer that there is not would make all texts fail


def test_every_metric_has_its_kind_of_evidence() -> None:
    for name in lexical_metrics():
        result = explain(metric(name), PLAIN)
        assert type(result.evidence) is METRICS[name].evidence
        assert result.value == pytest.approx(recounted(name, result.evidence), abs=1e-12)


# --- records as JSON ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", METRICS)
def test_evidence_survives_json_to_the_last_bit(name: str) -> None:
    for e in (PLAIN, ODD_EXAMPLES["emoji"]):
        evidence = explain(metric(name), dataclasses.replace(e, title="東京 in Paris")).evidence
        if METRICS[name].evidence is None:
            assert evidence is None
            continue
        told = json.dumps(encode(evidence))
        again = decode_record(METRICS[name].evidence, json.loads(told))
        assert type(again) is METRICS[name].evidence
        assert_same(again, evidence)


@pytest.mark.parametrize("e", ODD_EXAMPLES.values(), ids=ODD_EXAMPLES)
def test_examples_survive_json(e: Example) -> None:
    again = decode_record(Example, json.loads(json.dumps(encode(e))))
    assert again == e
    assert [type(question) for question in again.questions] == [ClozeQuestion] * len(e.questions)


def test_what_cannot_be_told_is_refused() -> None:
    with pytest.raises(TypeError, match="a dict cannot be sent to another process"):
        encode(({},))
    with pytest.raises(TypeError, match="1 is not a str"):
        decode_record(Example, [1, *encode(PLAIN)[1:]])


# --- through the process ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*MODELS, *LIBRARIES])
def test_evidence_of_the_process_is_that_of_the_metric(
    inspector: Inspector, summeval: list[Example], name: str
) -> None:
    made = metric(name, references="first" if name == "apes" else "mean")  # fewer questions, for the test's sake
    for e in summeval:
        result = inspector.explain(made.signature, e, PATIENCE)
        assert_same(result, explain(made, e), 1e-5)
        if name in MODELS:
            assert result.value == pytest.approx(recounted(name, result.evidence, "mean"), abs=1e-6)


@pytest.mark.parametrize("name", [*MODELS, *LIBRARIES])
@pytest.mark.parametrize("e", ODD_EXAMPLES.values(), ids=ODD_EXAMPLES)
def test_hostile_texts(inspector: Inspector, name: str, e: Example) -> None:
    made = metric(name)
    result = inspector.explain(made.signature, e, PATIENCE)
    assert_same(result, explain(made, e), 1e-5)
    if name in MODELS and result.value is not None:
        assert result.value == pytest.approx(recounted(name, result.evidence), abs=1e-6)


def test_missing_scores_have_their_reason(inspector: Inspector) -> None:
    assert inspector.explain(metric("bertscore").signature, example("", "a cat"), PATIENCE) == Explained(
        None, "the summary is empty", False, None
    )
    result = inspector.explain(metric("carouge").signature, example("...", "a cat"), PATIENCE)
    assert result == Explained(None, "the summary has no word with a vector", False, None)
    result = inspector.explain(metric("apes").signature, example("a cat", "a cat"), PATIENCE)
    assert result == Explained(None, "no questions: the references mention no entity", False, None)
    result = inspector.explain(metric("apes").signature, example("nobody", "Anna was in Paris."), PATIENCE)
    assert result.value == 0
    assert [trace.chosen for trace in result.evidence.traces] == [None, None]


def test_lexical_metrics_are_explained_without_the_process() -> None:
    inspector = Inspector()
    assert inspector.explain(metric("rouge1").signature, PLAIN) == explain(metric("rouge1"), PLAIN)
    assert inspector.child is None


def test_what_cannot_be_explained_says_why(inspector: Inspector) -> None:
    with pytest.raises(CannotExplain, match=r"computed from a file of its own .* or by another version"):
        inspector.explain(BERTSCORE.replace("idf:none", "idf:0a1b2c3d"), PLAIN)


def test_answers_are_kept_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments: list[bytes] = []

    def answer_to(request: bytes) -> bytes:
        arguments.append(request)
        if request == b"bad":
            raise RuntimeError("out of luck\nand more")
        return b"x" * 40

    monkeypatch.setattr(explaining_process, "answer_to", answer_to)
    monkeypatch.setattr(explaining_process, "KEPT_ANSWERS", 3)
    kept = explaining_process.AnswerCache()
    for request in (b"a", b"b", b"a", b"c", b"a", b"d", b"a", b"b", b"bad", b"bad"):
        answer = kept.answer(request)
    assert arguments == [b"a", b"b", b"c", b"d", b"b", b"bad", b"bad"]  # b was the oldest when d came
    assert json.loads(answer) == "RuntimeError: out of luck"
    monkeypatch.setattr(explaining_process, "KEPT_BYTES", 100)
    kept.answer(b"e")
    assert kept.answers.keys() == {b"b", b"e"}
    assert kept.bytes == 2 * 41


def test_threads_share_the_process(inspector: Inspector) -> None:
    signatures = [metric(name).signature for name in MODELS]
    questions = [(s, dataclasses.replace(PLAIN, candidate=f"Anna saw {n} cats.")) for n in range(4) for s in signatures]
    result: dict[int, Explained] = {}

    def ask(start: int) -> None:
        for index in range(start, len(questions), 3):
            result[index] = inspector.explain(*questions[index], PATIENCE)

    threads = [threading.Thread(target=ask, args=(start,)) for start in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for index, (signature, e) in enumerate(questions):
        made = metric_of(signature)
        assert made is not None
        assert_same(result[index], explain(made, e), 1e-5)


def test_a_process_that_crashes_is_followed_by_another(inspector: Inspector) -> None:
    signature = metric("bertscore").signature
    result = inspector.explain(signature, PLAIN, PATIENCE)
    first = inspector.child
    assert first is not None
    os.kill(first.process.pid, signal.SIGSTOP)  # so that it has the request, and no answer, when it dies
    threading.Timer(0.3, os.kill, (first.process.pid, signal.SIGKILL)).start()
    assert_same(inspector.explain(signature, PLAIN, PATIENCE), result, 1e-5)
    assert inspector.child not in (None, first)
    assert not Path(f"/proc/{first.process.pid}").exists()  # nor as a zombie


def test_parent_without_torch_and_the_end_of_its_process() -> None:
    """The server loads no model, and what it started ends when it is killed."""
    code = (
        "import sys, time; from relevance.metrics import metric\n"
        "from relevance.metrics.background.explaining import Inspector\n"
        "from relevance.data.records import Example; from relevance.metrics.explained import load_dictionaries\n"
        "inspector = Inspector()\n"
        "inspector.warm(); e = Example('d', 's', 'Anna left.', ('Anna went.',), None, '')\n"
        "signatures = [metric(name).signature for name in ('bertscore', 'carouge', 'apes')]\n"
        f"values = [inspector.explain(signature, e, {PATIENCE}).value for signature in signatures]\n"
        "load_dictionaries()\n"  # a thread loads them: they may not all be there yet
        "loaded = {'torch', 'transformers', 'spacy', 'nltk', 'simplemma'} & set(sys.modules)\n"
        "print(inspector.child.process.pid, None in values, *sorted(loaded))\n"
        "sys.stdout.flush(); time.sleep(600)"
    )
    with running_process([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        pid, *told = server.stdout.readline().split()
        assert told == ["False", "nltk", "simplemma"]  # the dictionaries
        assert alive(int(pid))
        assert os.getpriority(os.PRIO_PROCESS, int(pid)) == os.getpriority(os.PRIO_PROCESS, 0) + explaining_process.NICE
    until(lambda: not alive(int(pid)))


# --- with processes that go wrong ---------------------------------------------------------------------------------


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[str], Inspector]]:
    """An inspector whose process runs other code."""
    made = Inspector()

    def inspector(code: str) -> Inspector:
        folder = tmp_path / "relevance" / "metrics" / "background"
        folder.mkdir(parents=True, exist_ok=True)
        for package in (folder.parent.parent, folder.parent, folder):
            (package / "__init__.py").touch()
        (folder / "explaining_process.py").write_text(f"import sys, time\n{code}")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        return made

    yield inspector
    made.close()


def test_last_words_of_a_process_that_never_lives(broken: Callable[[str], Inspector]) -> None:
    with pytest.raises(CannotExplain, match="the process with the models ended: RuntimeError: the disk is broken"):
        broken("raise RuntimeError('the disk is broken')").explain(BERTSCORE, PLAIN)
    with pytest.raises(CannotExplain, match="SIGKILL; is there too little memory"):
        broken("import os; print('ready', flush=True); sys.stdin.readline(); os.kill(os.getpid(), 9)").explain(
            BERTSCORE, PLAIN
        )


def test_a_metric_that_fails_says_why(broken: Callable[[str], Inspector]) -> None:
    code = "print('ready', flush=True); sys.stdin.readline(); print('\"no such device\"', flush=True); time.sleep(600)"
    with pytest.raises(CannotExplain, match=r"^no such device$"):
        broken(code).explain(BERTSCORE, PLAIN)


@pytest.mark.parametrize("size", [1, 400_000])  # less and more than a pipe holds
def test_a_request_that_takes_too_long_costs_its_process(broken: Callable[[str], Inspector], size: int) -> None:
    inspector = broken("print('ready', flush=True); time.sleep(600)")
    inspector.warm()
    first = inspector.child
    assert first is not None
    until(lambda: not first.lines.empty())  # it is ready
    began = time.monotonic()
    with pytest.raises(CannotExplain, match=r"it took more than 0\.5 s"):
        inspector.explain(BERTSCORE, example("x" * size, "y"), 0.5)
    assert time.monotonic() - began < PATIENCE
    until(lambda: not Path(f"/proc/{first.process.pid}").exists())
    assert inspector.child not in (None, first)  # the next one is being warmed up


def test_who_waits_while_models_load_is_told_and_the_loading_goes_on(
    broken: Callable[[str], Inspector], monkeypatch: pytest.MonkeyPatch
) -> None:
    inspector = broken("time.sleep(600)")
    for _ in range(2):
        with pytest.raises(CannotExplain, match="still being loaded"):
            inspector.explain(BERTSCORE, PLAIN, 0.1)
    first: ModelProcess | None = inspector.child
    assert first is not None
    assert alive(first.process.pid)
    monkeypatch.setattr(explaining, "LOADING", 0.1)
    with pytest.raises(CannotExplain, match="still being loaded"):
        inspector.explain(BERTSCORE, PLAIN, 0.1)
    until(lambda: not alive(first.process.pid))  # it was stuck


def test_who_waits_too_long_for_a_turn_is_told(broken: Callable[[str], Inspector]) -> None:
    inspector = broken("")
    with inspector.turn, pytest.raises(CannotExplain, match=r"other examples took more than 0\.1 s"):
        inspector.explain(BERTSCORE, PLAIN, 0.1)


def test_closing_ends_everything(broken: Callable[[str], Inspector]) -> None:
    inspector = broken("print('ready', flush=True); time.sleep(600)")
    inspector.warm()
    child = inspector.child
    assert child is not None
    threading.Timer(0.3, inspector.close).start()
    began = time.monotonic()
    with pytest.raises(CannotExplain, match="closed"):
        inspector.explain(BERTSCORE, PLAIN)
    assert time.monotonic() - began < PATIENCE
    until(lambda: not Path(f"/proc/{child.process.pid}").exists())
    inspector.warm()
    inspector.close()
    assert inspector.child is None


def test_no_process_to_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(CannotExplain, match="could be started"):
        Inspector().explain(BERTSCORE, PLAIN)
