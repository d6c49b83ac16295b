"""Why a metric scored one example as it did: lexical metrics answer here, those with a model in a warm process.

That process (`metrics.inspecting`) is started once and stays: loading the models takes seconds, and the web server must
not have their libraries. Both sides speak in lines of JSON, from which records are built again by their type hints.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from queue import Empty, SimpleQueue
from typing import IO, Any, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from data.database import ROOT
from data.records import Example
from metrics import LEXICAL, METRICS, Metric, Options
from metrics.apes.metric import ApesEvidence
from metrics.base import score_candidates
from metrics.bertscore import BertScoreEvidence
from metrics.carouge import CarougeEvidence
from metrics.length import LengthEvidence
from metrics.models import EMBEDDED, ModelUnavailable, find_model
from metrics.rouge import TOKENIZERS, RougeEvidence
from metrics.rouge_k import ONLY, RougeKEvidence
from metrics.runs import why

TIMEOUT = 30.0
"""Seconds that an explanation may take, waiting for its turn and for the models included."""

LOADING = 180.0
"""Seconds after which a process that is still loading its models is taken for stuck."""

EVIDENCE: dict[str, type] = {
    "rouge1": RougeEvidence,
    "rouge2": RougeEvidence,
    "rougeL": RougeEvidence,
    "rougeLsum": RougeEvidence,
    "rougeSU4": RougeEvidence,
    "rouge_k": RougeKEvidence,
    "bertscore": BertScoreEvidence,
    "carouge": CarougeEvidence,
    "apes": ApesEvidence,
    "length": LengthEvidence,
}
"""The evidence record of each metric."""

WARMING = Example("warm", "up", "Anna left Paris.", ("Anna went to Paris.",), "Paris", "Anna was in Paris.")
"""What every metric finds something in, and so loads all that it needs."""


class CannotExplain(ValueError):  # noqa: N818  named for the situation
    """There is no evidence to be had now; the message says why."""


class NotWanted(CannotExplain):
    """Whoever asked gave the question up before it was put."""


class NotYet(CannotExplain):
    """The models are being loaded, or busy with other examples: it is worth asking again."""


class Explained(NamedTuple):
    """A score with what it was computed from, of one pass."""

    value: float | None
    missing: str | None
    """Why there is no value."""
    truncated: bool
    """Whether a text was longer than a model's limit, so that its end did not count."""
    evidence: Any
    """The metric's record of `EVIDENCE`; None where the value is missing."""


def explain(metric: Metric, example: Example) -> Explained:
    """Score one example and take its evidence. Raises what the metric raises, such as `ModelUnavailable`."""
    (score,) = score_candidates(metric, [example])
    return Explained(score.value, score.missing, score.truncated, score.evidence)


def load_dictionaries() -> None:
    """Have the lexical metrics load what they need, a second's work, before somebody waits for it."""
    for name in LEXICAL:
        explain(METRICS[name](Options()), WARMING)


# --- from a signature to its metric -------------------------------------------------------------------------------


@cache
def signatures() -> dict[str, str]:
    """The signature of each metric with its default settings, by its name."""
    return {name: make(Options()).signature for name, make in METRICS.items()}


def metric_of(signature: str) -> Metric | None:
    """The metric that has exactly this signature, or None where it does not tell all settings; loads no model.

    Not to be had again are metrics with files (word vectors, baselines, inverse document frequencies), with another
    model than the embedded one, and those of another version.
    """
    name, *settings = signature.split("|")
    if name not in METRICS:
        return None
    try:
        made = METRICS[name](options_of(dict(setting.partition(":")[::2] for setting in settings)))
    except ValueError:
        return None
    return made if made.signature == signature else None


def options_of(settings: Mapping[str, str]) -> Options:
    """The options that could have led to a signature's settings. Raises ValueError."""
    given: dict[str, Any] = {}
    plain = {
        "refs": "references",
        "title": "title",
        "norm": "norm",
        "value": "value",
        "counts": "counts",
        "ask": "ask",
        "credit": "apes_value",
    }
    for setting, option in plain.items():
        if setting in settings:
            given[option] = settings[setting]
    if settings.get("questions") == "first":
        given["references"] = "first"
    if "tok" in settings:
        given["tokenizer"] = {shown: name for name, shown in TOKENIZERS.items()}.get(settings["tok"], "unknown")
    if settings.get("model", "").endswith("@bfloat16"):
        given["dtype"] = "bfloat16"
    if "layer" in settings:
        given["layer"] = int(settings["layer"])
        # The metrics' common encoder would be asked for this layer from now on, and refuse every text.
        if given["layer"] not in range(embedded_layers() + 1):
            raise ValueError(f"the embedded encoder has no layer {given['layer']}")
    if "n" in settings:
        given["n"] = int(settings["n"])
    if settings.get("important", "").startswith("tfidf"):
        given["important"] = settings["important"].replace("tfidf", "tfidf:", 1)
    if "kw" in settings:
        given["keywords"] = keywords_asked(settings["kw"])
    if "only" in settings:
        given["only"] = {shown: name for name, shown in ONLY.items()}.get(settings["only"], "unknown")
    if settings.get("types", "default") != "default":
        given["types"] = tuple(filter(None, settings["types"].split("+")))
    return Options(**given)


def keywords_asked(shown: str) -> str:
    """The option of ROUGE-K that a signature shows as `overlap10`, `textrank` or `tfidf5`."""
    name = shown.rstrip("0123456789")
    count = shown.removeprefix(name)
    return f"{name}:{count}" if count and name != "overlap" else name


@cache
def embedded_layers() -> int:
    """How many layers the embedded encoder has. Raises `ModelUnavailable`."""
    file = find_model(EMBEDDED).folder / "config.json"
    try:
        return int(json.loads(file.read_text(encoding="utf-8"))["num_hidden_layers"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelUnavailable(f"{file} cannot be read") from error


# --- records as JSON and back -------------------------------------------------------------------------------------


def encode(value: Any) -> Any:
    """What JSON can hold of a record, its fields in order. Raises TypeError for what `decode` could not build."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, tuple):  # named ones too
        return [encode(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [encode(getattr(value, field.name)) for field in dataclasses.fields(value)]
    if isinstance(value, np.ndarray):
        # In letters for bytes: as decimal numbers a matrix of similarities has four times the size, and takes long.
        whole = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
        return [list(value.shape), base64.b64encode(whole.tobytes()).decode("ascii")]
    raise TypeError(f"a {type(value).__name__} cannot be told to another process")


def decode(hint: Any, data: Any) -> Any:
    """Build a value of a type from what `encode` made of it."""
    origin, inner = get_origin(hint), get_args(hint)
    if type(None) in inner:  # X | None
        (choice,) = (choice for choice in inner if choice is not type(None))
        return None if data is None else decode(choice, data)
    if origin is np.ndarray:
        (dtype,) = get_args(inner[1])
        shape, letters = data
        return np.frombuffer(bytearray(base64.b64decode(letters)), np.dtype(dtype).newbyteorder("<")).reshape(shape)
    if origin is tuple:
        parts = [inner[0]] * len(data) if inner[1:] == (...,) else inner
        return tuple(decode(part, item) for part, item in zip(parts, data, strict=True))
    if fields := fields_of(hint):
        return hint(*(decode(part, item) for part, item in zip(fields, data, strict=True)))
    if not isinstance(data, hint):
        raise TypeError(f"{data!r} is no {hint.__name__}")
    return data


@cache
def fields_of(record: type) -> tuple[Any, ...]:
    """The types of a record's fields in order; none for what is no record."""
    names = getattr(record, "_fields", None) or tuple(getattr(record, "__dataclass_fields__", ()))
    hints = get_type_hints(record) if names else {}
    return tuple(hints[name] for name in names)


# --- the process that keeps the models ----------------------------------------------------------------------------


class Ended(Exception):  # noqa: N818  named for the situation
    """The process ended before it had answered; the message says how."""


class Child:
    """A running process, and what it says: first that it is ready, then an answer a request, None at its end."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.ready = False
        self.said: SimpleQueue[bytes | None] = SimpleQueue()
        self.log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  the thread closes it
        self.end = ""
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "metrics.inspecting"],
                cwd=ROOT,
                # The other half serves pages. With as many threads as cores they wait for each other: on two cores
                # with something else to do, one thread is faster than two by half.
                env={"OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 1) // 2))} | os.environ,
                stdin=subprocess.PIPE,  # that it closes tells the process that this one has ended
                stdout=subprocess.PIPE,
                stderr=self.log,
                start_new_session=True,  # a Ctrl-C is for the server, which then closes what it started
            )
        except OSError:
            self.log.close()
            raise
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        """Pass on what the process says, and wait for its end, so that it leaves no zombie."""
        with suppress(OSError, ValueError), self.log, self.process:  # closing a pipe that nobody reads may fail
            assert self.process.stdout is not None  # noqa: S101  it is a pipe
            for line in self.process.stdout:
                self.said.put(line)
            self.end = why(self.process.wait(), self.log)
        self.said.put(None)

    def tell(self, line: bytes) -> None:
        """Send a line, not waiting until it is read: a process that hangs must not hold up this one."""

        def write() -> None:
            with suppress(OSError, ValueError):  # it has ended, as its answer will say
                assert self.process.stdin is not None  # noqa: S101  it is a pipe
                self.process.stdin.write(line)
                self.process.stdin.flush()

        threading.Thread(target=write, daemon=True).start()

    def hear(self, deadline: float) -> bytes:
        """The next thing it says. Raises `queue.Empty` when the time is over, `Ended`."""
        line = self.said.get(timeout=max(0.0, deadline - time.monotonic()))
        if line is None:
            self.said.put(None)  # for whoever asks next
            raise Ended(f"the process with the models ended{self.end}")
        return line


class Inspector:
    """Explains scores, those of model-based metrics in one process for all threads; it is started when needed."""

    def __init__(self) -> None:
        self.child: Child | None = None
        self.closed = False
        self.turn = threading.Lock()
        """Held by the thread whose request the process works on."""
        self.starting = threading.Lock()
        """Held while the process is started or stopped."""

    def explain(
        self,
        signature: str,
        example: Example,
        timeout: float = TIMEOUT,
        given_up: Callable[[], bool] = lambda: False,
    ) -> Explained:
        """The score of one example by the metric of a signature, with its evidence; at most `timeout` seconds.

        Raises `CannotExplain` where the metric cannot be had again, fails, or takes too long; `NotYet` where that
        may soon be otherwise; `NotWanted` for a question that is given up while others are answered.
        """
        deadline = time.monotonic() + timeout
        metric = metric_of(signature)
        if metric is None:
            raise CannotExplain("its settings cannot be had again from its signature: files, or another version")
        if metric.name in LEXICAL:
            return explain(metric, example)
        if not self.turn.acquire(timeout=max(0.0, timeout)):
            raise NotYet(f"other examples took more than {timeout:g} s: try again")
        try:
            if given_up():
                raise NotWanted("it is not wanted any more")
            line = json.dumps([signature, encode(example)]).encode() + b"\n"
            answer = json.loads(self.ask_twice(line, deadline, timeout))
        finally:
            self.turn.release()
        if isinstance(answer, str):
            raise CannotExplain(answer)
        value, missing, truncated, evidence = answer
        return Explained(value, missing, truncated, decode(EVIDENCE[metric.name] | None, evidence))

    def warm(self) -> None:
        """Start loading models and dictionaries, without waiting. Raises `CannotExplain` where no process starts."""
        if not self.closed:
            self.running()
            threading.Thread(target=load_dictionaries, daemon=True).start()

    def close(self) -> None:
        """End the process; whoever waits for it gets `CannotExplain`, as everybody does from now on."""
        self.closed = True
        self.stop()

    def ask_twice(self, line: bytes, deadline: float, timeout: float) -> bytes:
        """The answer to a request, by another process where one dies over it. Raises `CannotExplain`."""
        with suppress(Ended):
            return self.ask(line, deadline, timeout)
        try:
            return self.ask(line, deadline, timeout)
        except Ended as error:
            raise CannotExplain(str(error)) from error

    def ask(self, line: bytes, deadline: float, timeout: float) -> bytes:
        """The answer to a request. Raises `Ended`, `CannotExplain`."""
        child = self.running()
        try:
            if not child.ready:
                child.hear(deadline)
                child.ready = True
        except Empty:
            # Not stopped: it would never become ready on a machine that takes longer.
            raise NotYet("the models are still being loaded: try again in a moment") from None
        try:
            child.tell(line)
            return child.hear(deadline)
        except Empty:
            self.stop()  # what it would say now would be taken for the next answer
            with suppress(CannotExplain):
                self.running()  # loads its models for the next request
            raise CannotExplain(f"it took more than {timeout:g} s") from None

    def running(self) -> Child:
        """The process, started unless it runs. Raises `CannotExplain`."""
        with self.starting:
            if self.closed:
                raise CannotExplain("the inspector is closed")
            child = self.child
            if child and not child.ready and time.monotonic() - child.began > LOADING:
                child.process.kill()
                child = None
            if child is None or child.process.poll() is not None:
                try:
                    child = self.child = Child()
                except OSError as error:  # no memory for another process, say
                    raise CannotExplain(f"no process for the models could be started: {error}") from error
            return child

    def stop(self) -> None:
        """End the process, whatever it does."""
        with self.starting:
            if self.child:
                self.child.process.kill()
                self.child = None
