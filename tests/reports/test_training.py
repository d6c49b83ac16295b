"""Charts and the table of how systems were trained."""

from typing import Any

import pytest

from relevance.data.training_history import TrainingEntry, best_entry
from relevance.reports.training import dev_chart, loss_chart, training_table


def entry(step: int, score: float | None = None, measure: str = "rouge1") -> TrainingEntry:
    """An entry after so many updates, of which ten make an epoch."""
    return TrainingEntry(
        step, step / 10, 9 - step / 10, 3e-5, 6.0 * step, score, measure if score is not None else None
    )


HISTORIES = {
    "bart#1": [entry(5), entry(10, 0.2), entry(20, 0.4), entry(30, 0.4)],
    "bart#2": [entry(10, 0.5)],
    "new\nline": [entry(7)],
}


def rows(chart: Any) -> list[dict[str, Any]]:
    """The rows that a chart draws."""
    (values,) = chart.to_dict()["datasets"].values()
    return list(values)


def test_the_best_is_the_first_of_equal_ones() -> None:
    assert best_entry(HISTORIES["bart#1"]) == entry(20, 0.4)
    assert best_entry(HISTORIES["new\nline"]) is None
    assert best_entry([]) is None


def test_runs_of_a_system_are_lines_of_one_colour() -> None:
    drawn = rows(loss_chart(HISTORIES))
    assert [(row["system"], row["run"], row["step"], row["loss"]) for row in drawn] == [
        *(("bart", "bart#1", step, 9 - step / 10) for step in (5, 10, 20, 30)),
        ("bart", "bart#2", 10, 8),
        ("new line", "new line", 7, 8.3),  # a line break would be an error in Vega's expressions
    ]


def test_scores_on_dev_name_their_metric_and_mark_what_was_kept() -> None:
    chart = dev_chart(HISTORIES)
    assert [(record["run"], record["step"], record["kept"]) for record in rows(chart)] == [
        ("bart#1", 10, "no"),
        ("bart#1", 20, "yes"),
        ("bart#1", 30, "no"),
        ("bart#2", 10, "yes"),
    ]
    assert chart.to_dict()["layer"][0]["encoding"]["y"]["title"] == "mean ROUGE-1 on dev"
    both = dev_chart(HISTORIES | {"other": [entry(10, 0.1, "rouge_k")]})
    assert both.to_dict()["layer"][0]["encoding"]["y"]["title"] == "mean score on dev"


@pytest.mark.parametrize("systems", [0, 1, 9])
def test_there_is_a_chart_of_any_number_of_systems(systems: int) -> None:
    histories = {f"s{number}": [entry(10, 0.1)] for number in range(systems)}
    assert len(rows(loss_chart(histories))) == len(rows(dev_chart(histories))) == systems


def test_the_table_has_each_epoch() -> None:
    table = training_table(HISTORIES)
    results = [(row["system"], row["updates"], row["epochs"], row["minutes"]) for row in table.rows]
    assert results == [("bart#1", 10, 1, 1.0), ("bart#1", 20, 2, 2.0), ("bart#1", 30, 3, 3.0), ("bart#2", 10, 1, 1.0)]
    assert {row["metric on dev"] for row in table.rows} == {"ROUGE-1"}
