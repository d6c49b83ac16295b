"""The process behind `relevance.metrics.background.explaining.Inspector`, with a line per request and per answer.

It is started as `python -m relevance.metrics.background.explaining_process`.

A request is `[signature, example]`, an answer `[value, missing, truncated, evidence]` or a text that says why there is
none. The first line says that the models are loaded. The process ends when its input does.
"""

import gc
import json
import os
import sys
import threading
from collections import OrderedDict
from functools import lru_cache
from queue import SimpleQueue

from relevance.data.one_line import first_line
from relevance.data.records import Example
from relevance.metrics import Metric, is_lexical, metric
from relevance.metrics.background.wire import decode_record, encode
from relevance.metrics.explained import WARMING, explain
from relevance.metrics.from_signature import metric_of
from relevance.metrics.registry import usual_metrics

NICE = 5
"""The niceness of the process: behind the pages, before the runs that score whole data sets."""

KEPT_ANSWERS = 64

KEPT_BYTES = 64 * 2**20
"""The most answers that are kept, and their most bytes; matrices of two long texts with eleven references have 15
MB."""


def main() -> None:
    """Load the models, then answer until the input ends."""
    os.nice(NICE)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not mix with answers
    requests: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=listen, args=(requests,), daemon=True).start()
    warm_up()
    kept = AnswerCache()
    line = b"ready"
    while True:
        answers.write(line + b"\n")
        answers.flush()
        line = kept.answer(requests.get())


def listen(requests: SimpleQueue[bytes]) -> None:
    """Read requests, and exit when the input closes."""
    with os.fdopen(os.dup(0), "rb") as lines:
        for line in lines:
            requests.put(line)
    os._exit(0)


def warm_up() -> None:
    """Load every model that the default metrics use."""
    for name in usual_metrics():
        if is_lexical(name):
            continue
        try:
            explain(metric(name), WARMING)
        except Exception as error:  # reported to those who ask for this metric
            print(f"{name}: {first_line(error)}", file=sys.stderr, flush=True)
    gc.collect()
    gc.freeze()  # a full collection takes a third of a second otherwise, with all that the libraries hold


@lru_cache(KEPT_ANSWERS)
def kept_metric(signature: str) -> Metric | None:
    """Return a signature's metric, cached because metrics keep their word vectors."""
    return metric_of(signature)


class AnswerCache:
    """The last answers by their requests."""

    def __init__(self) -> None:
        self.answers: OrderedDict[bytes, bytes] = OrderedDict()
        self.bytes = 0

    def answer(self, request: bytes) -> bytes:
        """Return the answer to a request; failures are not kept, as they may be temporary."""
        if request in self.answers:
            self.answers.move_to_end(request)
            return self.answers[request]
        try:
            answer = answer_to(request)
        except Exception as error:  # whatever a metric raises concerns this request only
            told = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {first_line(error)}"
            return json.dumps(told).encode()
        self.answers[request] = answer
        self.bytes += len(request) + len(answer)
        while len(self.answers) > KEPT_ANSWERS or self.bytes > KEPT_BYTES:
            old = self.answers.popitem(last=False)
            self.bytes -= sum(map(len, old))
        return answer


def answer_to(request: bytes) -> bytes:
    """Compute the answer to a request. Raises what the metric raises."""
    signature, example = json.loads(request)
    metric = kept_metric(signature)
    if metric is None:  # such as when a model's files have changed since the server started
        raise ValueError(f"no metric has the signature {signature}")
    return json.dumps(encode(explain(metric, decode_record(Example, example)))).encode()


if __name__ == "__main__":
    main()
