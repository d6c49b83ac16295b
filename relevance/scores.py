"""Scores of frames, and their agreement and correlation with people's ratings."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from relevance.analysis.agreement.counts import Rule
from relevance.analysis.arrays import Draws
from relevance.analysis.correlation.coefficients import METHODS, Method
from relevance.analysis.leaders import SCARCE, find_scarce
from relevance.analysis.metrics_and_people import analyze_agreement, analyze_rated_pairs, correlate_columns
from relevance.analysis.ratio_intervals import Interval
from relevance.choices import read_preferences
from relevance.frames import CLEANED, SIGNATURES, BadFrame, has_references, read_cells, read_examples
from relevance.metrics.base import Score
from relevance.metrics.cleaned import of_texts
from relevance.metrics.functions import Function
from relevance.metrics.registry import make_asked, usual_options
from relevance.metrics.scoring import BATCH, Failures
from relevance.ratings import read_rated


def score(
    frame: pd.DataFrame, metrics: Sequence[str | Function] | None = None, *, clean: bool = False, **options: Any
) -> pd.DataFrame:
    """Score every summary of a frame: return a copy with a column for each metric, NaN if there is no score.

    - `frame`: a row is a summary, with the columns `document`, `system`, `summary` and `references` (a text or a list
      of texts), and optionally `source` (a text or a list of its sentences) and `title`; `load` reads a file into such
      a frame. If no document has a reference, summaries are set against their sources, and `references` can be left
      out.
    - `metrics`: names as in `relevance score --metrics`, and functions of a summary and its references
      (`relevance.metrics.functions.FunctionMetric`); by default the metrics of this program that need no model.
    - `clean`: score texts without the marks of other programs, such as `<q>`, which signatures then say; the frame
      keeps its texts.
    - `options`: those of the metrics, such as `tokenizer`.

    Returns a frame whose new columns have the names of the metrics; values are in [0, 1] unless the metric's definition
    says otherwise. If scores are missing, the column `NAME missing` has the reasons. `attrs["signatures"]` has the
    signature of each column. What makes scores doubtful is a warning. Raises `BadFrame`, `UnknownMetric`, and what
    `relevance.metrics.registry.metric` raises for options.

    >>> import pandas as pd
    >>> texts = {"document": "d", "system": ["A", "B"], "summary": ["The flood rose.", "It rained."]}
    >>> frame = pd.DataFrame({**texts, "references": "The flood rose fast."})
    >>> score(frame, ["rouge1"])["rouge1"].round(3).tolist()
    [0.857, 0.0]
    """
    usual = usual_options(referenced=has_references(frame))
    made = make_asked(metrics, **usual | options)
    made = of_texts(made, clean=clean or CLEANED in frame.attrs)
    if taken := [metric.name for metric in made if metric.name in frame.columns]:
        raise BadFrame(f"the frame already has the column {', '.join(taken)}; rename or drop it")
    examples = read_examples(frame, [metric.signature for metric in made], clean=clean)
    failures = Failures()
    scored = frame.copy()
    for metric in made:
        column: list[Score] = []
        for start in range(0, len(examples), BATCH):
            batch = examples[start : start + BATCH]
            scores = failures.score(metric, batch)
            column += scores or [Score(None, f"failed: {failures[metric.name]}")] * len(batch)
        scored[metric.name] = pd.array([score.value for score in column], dtype="float64")
        if any(score.missing is not None for score in column):
            scored[f"{metric.name} missing"] = [score.missing for score in column]
    scored.attrs[SIGNATURES] = {**frame.attrs.get(SIGNATURES, {}), **{m.name: m.signature for m in made}}
    return scored


def agreement(
    frame: pd.DataFrame,
    human: str | None = None,
    metrics: Sequence[str] | None = None,
    *,
    choices: pd.DataFrame | None = None,
    ratings: pd.DataFrame | None = None,
    rule: Rule = "half",
    level: float = 0.95,
    seed: int = 0,
) -> pd.DataFrame:
    """Compute how often metrics prefer the summary of a document that people prefer: a row for each metric.

    - `frame`: what `score` returns.
    - `human`: the column of ratings, if people rated the summaries.
    - `metrics`: the columns of scores; by default all.
    - `choices`: if people chose between two summaries, a frame with a row for each choice: `document`, the systems
      `left` and `right`, the `choice` (`left`, `right`, `tie`, or the chosen system) and, if there are several, the
      `annotator`; `load_choices` reads one from a file.
    - `ratings`: a frame with a row for each summary and annotator (`document`, `system`, `annotator` and the column
      `human`; `load_ratings` reads one), so that each annotator counts instead of the mean rating.
    - `rule`: what a metric's tie earns: a half (`half`), nothing (`strict`), or it is not counted (`decided`).
    - `level`: the level of the intervals, in (0, 1). `seed`: that of the resamples.

    Returns `metric`, `agreement` in [0, 1], its interval from `low` to `high`, the number of `pairs`, and a `reason`
    where these are NaN. Intervals take documents as a sample, and annotators, too, from five on. The agreement of a
    metric with values on fewer than 20 pairs, or of fewer than 6 documents, is NaN where another has enough. Raises
    `BadFrame`, and ValueError for an unknown rule or a bad level.

    >>> import pandas as pd
    >>> texts = {"document": "d", "system": ["A", "B"], "summary": ["The flood rose.", "It rained."]}
    >>> scored = score(pd.DataFrame({**texts, "references": "The flood rose fast.", "relevance": [5, 2]}), ["rouge1"])
    >>> agreement(scored, "relevance")[["metric", "agreement", "pairs"]].values.tolist()
    [['rouge1', 1.0, 1]]
    """
    if (human is None) == (choices is None) or (human is None and ratings is not None):
        raise BadFrame("name the column of ratings in `human`, or give a frame of `choices`, and only one of them")
    cells, labels = read_cells(frame, human if ratings is None else None, metrics)
    if choices is not None:
        analysis = analyze_agreement(read_preferences(choices, cells), rule=rule, seed=seed, level=level)
    elif human is not None and ratings is not None:
        analysis = analyze_agreement(read_rated(ratings, human, cells), rule=rule, seed=seed, level=level)
    else:
        analysis = analyze_rated_pairs(cells, human, rule=rule, seed=seed, level=level)
    rows = []
    scarce = {name for name, row in find_scarce(analysis).items() if row.evaluation.agreement.pairs}
    for row in analysis.rows:
        counts, interval = row.evaluation.agreement, getattr(row.evaluation.intervals, rule)
        if row.metric in scarce:
            interval = Interval(None, None, level, reason=SCARCE)
        rows.append(
            {
                "metric": labels[row.signature],
                "agreement": None if row.metric in scarce else getattr(counts, rule),
                "low": interval.low,
                "high": interval.high,
                "pairs": counts.pairs,
                "metric ties": counts.tied,
                "human ties": counts.human_ties,
                "missing": counts.missing,
                "reason": interval.reason,
            }
        )
    return _table(rows, labels, rule=rule, level=level, seed=seed, human=human)


def correlate(
    frame: pd.DataFrame,
    human: str,
    metrics: Sequence[str] | None = None,
    *,
    methods: Sequence[Method] = METHODS,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> pd.DataFrame:
    """Correlate metrics with people's ratings: a row for each metric, coefficient and level of aggregation.

    - `frame`: what `score` returns. `human`: its column of ratings.
    - `metrics`: the columns of scores; by default all.
    - `methods`: `pearson`, `spearman` and `kendall` (tau-b).
    - `level`: the level of the intervals, in (0, 1). `resamples`, `seed`: of their bootstrap.

    Returns `metric`, `method`, `level` (`global`: all summaries pooled; `input`: the mean over documents; `system`:
    systems' means), `r` in [-1, 1], its interval from `low` to `high`, `n`, the number of summaries, documents or
    systems, and a `reason` where these are NaN. Raises `BadFrame`, and ValueError for bad methods, levels and
    resamples.

    >>> import pandas as pd
    >>> scored = {"relevance": [1, 2, 4], "rouge1": [0.1, 0.3, 0.4]}
    >>> frame = pd.DataFrame({"document": ["a", "b", "c"], "system": "S", **scored})
    >>> correlate(frame, "relevance", ["rouge1"], methods=["pearson"])[["level", "r", "n"]].round(3).values.tolist()[0]
    ['global', 0.929, 3]
    """
    cells, labels = read_cells(frame, human, metrics)
    columns = {
        human: cells.ratings[human],
        **{f"score: {name}": cells.scores[signature] for signature, name in labels.items()},
    }
    pairs = [(human, f"score: {name}") for name in labels.values()]
    rows = []
    for row in correlate_columns(cells, columns, pairs, methods=methods, draws=Draws(level, resamples, seed)):
        for name, field in (("global", "global_"), ("input", "input"), ("system", "system")):
            correlation, interval = getattr(row.levels, field), getattr(row.intervals, field)
            rows.append(
                {
                    "metric": row.second.removeprefix("score: "),
                    "method": row.method,
                    "level": name,
                    "r": correlation.r,
                    "low": interval.low,
                    "high": interval.high,
                    "n": correlation.n,
                    "reason": correlation.reason or interval.reason,
                }
            )
    return _table(rows, labels, level=level, resamples=resamples, seed=seed, human=human)


def _table(rows: list[dict[str, Any]], labels: dict[str, str], **settings: Any) -> pd.DataFrame:
    """Make a frame of rows, with metrics and settings as attributes; undefined values are NaN."""
    table = pd.DataFrame(rows)
    numbers = [column for column in ("agreement", "r", "low", "high") if column in table]
    table[numbers] = table[numbers].astype("float64")
    table.attrs[SIGNATURES] = {name: signature for signature, name in labels.items()}
    table.attrs["settings"] = settings
    return table
