"""How systems were trained: charts of losses and dev scores over the updates, and their table."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from relevance.analysis.systems import name_runs
from relevance.data.training_history import TrainingEntry, best_entry
from relevance.metrics.registry import label_of
from relevance.reports.charts import Layers, make_chart_frame, tell_apart
from relevance.reports.tables.table import Cell, Marked, Table

Histories = Mapping[str, Sequence[TrainingEntry]]
"""The entries of each system's training, by the systems' names."""

KEPT = "*"
"""The mark of the epoch whose weights were kept."""


def loss_chart(histories: Histories) -> Layers:
    """Draw the loss of each run over its updates, a line for each."""
    return draw_lines(make_rows(histories), "loss", "loss")


def dev_chart(histories: Histories) -> Layers:
    """Draw the scores on dev of each run over its updates; larger marks are those whose weights were kept."""
    rows = [row for row in make_rows(histories) if row["score"] is not None]
    measures = sorted({row["measure"] for row in rows})
    title = f"mean {label_of(measures[0])} on dev" if len(measures) == 1 else "mean score on dev"
    return draw_lines(rows, "score", title, points=True)


def make_rows(histories: Histories) -> list[dict[str, Any]]:
    """Make a row for each entry; `system` is the name without the number of a run."""
    rows = []
    for run, entries in histories.items():
        best = best_entry(entries)
        for entry in entries:
            of_run = {"system": str(name_runs(run)), "run": run, "kept": "yes" if entry == best else "no"}
            rows.append(of_run | vars(entry))
    return rows


def draw_lines(rows: Sequence[Mapping[str, Any]], value: str, title: str, *, points: bool = False) -> Layers:
    """Draw a value of each run over its updates."""
    columns = ["system", "run", "kept", "step", "epoch", "loss", "learning_rate", "seconds", "score", "measure"]
    table = make_chart_frame([dict(row) for row in rows], columns)
    point = alt.selection_point(name="system", fields=["system"], on="pointerover", nearest=True, empty=False)
    colour, shape = tell_apart(list(dict.fromkeys(table["system"])), point)
    more: list[Any] = [alt.Tooltip("score:Q", title=title, format=".4f"), "measure:N", "kept:N"] if points else []
    base = alt.Chart(table).encode(
        x=alt.X("step:Q", title="updates", axis=alt.Axis(format="~s", tickCount=8)),
        y=alt.Y(f"{value}:Q", title=title, scale=alt.Scale(zero=False)),
        tooltip=[
            "run:N",
            alt.Tooltip("step:Q", title="updates", format=","),
            alt.Tooltip("epoch:Q", title="epochs", format=".2f"),
            alt.Tooltip("loss:Q", format=".4g"),
            alt.Tooltip("learning_rate:Q", title="learning rate", format=".3g"),
            *more,
        ],
    )
    lines = base.mark_line().encode(
        color=colour, detail="run:N", strokeWidth=alt.when(point).then(alt.value(3)).otherwise(alt.value(1.5))
    )
    size = alt.Size("kept:N", scale=alt.Scale(domain=["no", "yes"], range=[50, 220]), legend=None)
    marks = base.mark_point(filled=True, opacity=1).encode(
        color=colour, shape=shape, size=size if points else alt.value(20)
    )
    return alt.layer(lines, marks.add_params(point)).properties(height=360)


def training_table(histories: Histories) -> Table:
    """Make the table of the epochs of each run."""
    rows: list[dict[str, Cell]] = []
    for run, entries in histories.items():
        best = best_entry(entries)
        for entry in entries:
            if entry.score is not None:
                rows.append(
                    {
                        "system": run,
                        "updates": entry.step,
                        "epochs": entry.epoch,
                        "loss": entry.loss,
                        "learning rate": f"{entry.learning_rate:.3g}",
                        "mean on dev": Marked(entry.score, KEPT if entry == best else ""),
                        "metric on dev": label_of(entry.measure or ""),
                        "minutes": round(entry.seconds / 60, 1),
                    }
                )
    note = (
        f"{KEPT}: the epoch whose weights were kept. The loss is the mean since the entry before, and of different "
        "methods it is not the same; minutes are those since training began, scoring included. The folder of each "
        "system has all entries in history.jsonl."
    )
    return Table("training", "Training, epoch by epoch", rows, [note])
