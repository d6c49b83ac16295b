"""The reader that needs no training: the candidate whose place in the summary is most like the blank's in the question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.apes.base import BLANK, Answer, Task
from metrics.encoder import Encoded, Encoder, shared
from metrics.sentences import sentence_spans
from metrics.text import Span

Array = NDArray[np.float32]

LAYER = 5

WEIGHTS = (1.0, 1.0)


class Filled(NamedTuple):
    """A question with a candidate in its blank."""

    text: str
    span: Span
    """Where the candidate stands."""


class EmbeddedReader:
    def __init__(self, encoder: Encoder | None = None) -> None:
        self.encoder = encoder or shared()

    @property
    def signature(self) -> str:
        return f"embedded:{self.encoder.signature}:layer{LAYER}"

    def read(self, tasks: Sequence[Task]) -> list[Answer]:
        answers: dict[int, Answer] = {}
        by_summary: dict[str, list[int]] = defaultdict(list)
        for index, task in enumerate(tasks):
            by_summary[task.summary].append(index)
        fills = [[fill(task.question, c.name) for c in task.candidates] for task in tasks]
        texts = dict.fromkeys(f.text for row in fills for f in row)
        texts |= dict.fromkeys(task.summary[s:e] for task in tasks for s, e in sentence_spans(task.summary))
        texts = list(texts)
        encoded = dict(zip(texts, self.encoder.encode(texts, [LAYER]), strict=True))
        for summary, own in by_summary.items():
            sentences = sentence_spans(summary)
            es = [encoded[summary[s:e]] for s, e in sentences]
            sv = [unit(e) for e in es]
            starts = np.cumsum([0, *(len(v) for v in sv[:-1])])
            S = np.concatenate(sv)
            for i in own:
                task = tasks[i]
                scores = []
                best = []
                for f, c in zip(fills[i], task.candidates, strict=True):
                    F = encoded[f.text]
                    fv = unit(F)
                    at = inside(F, f.span)
                    recall = np.maximum.reduceat(fv @ S.T, starts, axis=1)
                    w = token_weights(F, at)
                    recall = (recall * w[:, None]).sum(0) / w.sum()
                    cv = mean_unit(F, at)
                    pick = (-9.0, None)
                    for m in c.mentions:
                        k = next((k for k, (s, e) in enumerate(sentences) if s <= m[0] and m[1] <= e), None)
                        if k is None:
                            continue
                        s = sentences[k][0]
                        mv = mean_unit(es[k], inside(es[k], (m[0] - s, m[1] - s)))
                        pick = max(pick, (float(WEIGHTS[0] * (cv @ mv) + WEIGHTS[1] * recall[k]), m))
                    scores.append(pick[0])
                    best.append(pick[1] or c.mentions[0])
                j = int(np.argmax(scores))
                answers[i] = Answer(j, tuple(scores), best[j])
        return [answers[i] for i in range(len(tasks))]


def token_weights(F, at):
    return 1.0 - np.array(F.special)


def fill(question: str, name: str) -> Filled:
    start = question.index(BLANK)
    return Filled(question.replace(BLANK, name, 1), (start, start + len(name)))


def unit(encoded: Encoded) -> Array:
    vectors = encoded.vectors[LAYER].numpy()
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def inside(encoded: Encoded, span: Span):
    return [i for i, (s, e) in enumerate(encoded.spans) if s < span[1] and e > span[0] and e > s]


def mean_unit(encoded: Encoded, at):
    v = encoded.vectors[LAYER].numpy()[at].mean(0)
    return v / np.linalg.norm(v)
