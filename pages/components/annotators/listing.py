"""The annotators of a study: the number in each phase, and a table of them."""

from collections import Counter
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from relevance.annotation.people import Person
from relevance.annotation.phases import ENDS, FINISHED, PHASES
from relevance.annotation.records import AnnotatorProgress
from relevance.data.one_line import in_one_line
from relevance.reports.escaping import esc

COLUMNS = {
    "since": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm", help="When they came into this phase."),
    "open": st.column_config.NumberColumn(help="Pairs that they may still be given, or have not decided."),
    "changed": st.column_config.NumberColumn(help="Of the judged pairs, those whose choice was changed later."),
    "median seconds": st.column_config.NumberColumn(format="%.1f", help="How long a judgment took."),
    "both bad": st.column_config.NumberColumn(help="Of the ties, those in which both summaries were called bad."),
    "chose left": st.column_config.NumberColumn(
        format="%.3f", help="The share of left choices among judgments other than ties: .500 would be even."
    ),
    "agrees": st.column_config.NumberColumn(
        format="%.3f", help="The share of judgments that agree with the majority of the others."
    ),
    "of": st.column_config.NumberColumn(help="Judgments of pairs on which the others have a majority."),
    "checks passed": st.column_config.TextColumn(help="Attention checks that were judged as expected."),
    "last seen": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
}

OUT = "excluded"
GONE = "erased"
APART = (OUT, GONE)
"""States in which people judge no more, whatever their phase."""

COLOURS = {
    **dict.fromkeys(PHASES, ("#2563eb", "#60a5fa")),
    FINISHED: ("#15803d", "#4ade80"),
    **dict.fromkeys([end for end in ENDS if end != FINISHED], ("#b45309", "#fbbf24")),
    **dict.fromkeys(APART, ("#6b7280", "#9ca3af")),
}
"""Colours of phases and states, on light and on dark: on the way, finished, ended otherwise, excluded or erased."""

STYLE = """<style>
.phases { display: flex; height: .8rem; gap: 2px; border-radius: .4rem; overflow: hidden; }
.phases + ul { display: flex; flex-wrap: wrap; gap: .2rem 1.25rem; list-style: none; margin: .5rem 0 0; padding: 0; }
.phases + ul li { margin: 0; padding: 0; }
.phases + ul span { display: inline-block; width: .7rem; height: .7rem; border-radius: .2rem; margin-right: .4rem; }
</style>"""


def count_phases(people: Sequence[Person]) -> dict[str, int]:
    """Count the people in each phase, in order; those excluded or erased count as that alone."""
    counts = Counter(next((state for state in states_of(person) if state in APART), person.phase) for person in people)
    return {phase: counts[phase] for phase in [*PHASES, *ENDS[1:], *APART] if counts[phase]}


def show_phases(people: Sequence[Person]) -> None:
    """Show a bar of the numbers in each phase."""
    counts = count_phases(people)
    colours = {phase: "light-dark({}, {})".format(*COLOURS[phase]) for phase in counts}
    bar = "".join(f'<i style="flex: {count}; background: {colours[name]}"></i>' for name, count in counts.items())
    legend = "".join(
        f'<li><span style="background: {colours[name]}"></span>{esc(name)}: {count}</li>'
        for name, count in counts.items()
    )
    st.html(f'{STYLE}<div class="phases" aria-hidden="true">{bar}</div><ul>{legend}</ul>')


def show_people(people: Sequence[Person]) -> None:
    """Show a table with a row for each annotator."""
    frame = pd.DataFrame(
        {
            "annotator": in_one_line(person.name),
            "phase": person.phase,
            "state": ", ".join(states_of(person)) or None,
            "since": person.phase_since,
            "open": person.progress.open,
            "judged": person.progress.judged,
            "changed": person.progress.changed,
            "skipped": person.progress.skipped,
            "median seconds": person.progress.seconds,
            "ties": person.progress.ties,
            "both bad": person.progress.both_bad,
            "chose left": share_of_left(person.progress),
            "agrees": person.agreement,
            "of": person.compared,
            "checks passed": f"{done.checks_passed} of {done.checks}" if (done := person.progress).checks else None,
            "warnings": person.warnings,
            "last seen": person.seen_at,
            "excluded because": in_one_line(person.exclusion_reason or "") or None,
        }
        for person in people
    )
    if not frame["both bad"].any():
        frame = frame.drop(columns="both bad")
    st.dataframe(frame, hide_index=True, column_config=COLUMNS, placeholder="—", height="content", key="people")


def share_of_left(progress: AnnotatorProgress) -> float | None:
    """Return the share of left choices among judgments other than ties; None where there are none."""
    decided = progress.judged - progress.ties
    return progress.left / decided if decided and progress.left is not None else None


def states_of(person: Person) -> list[str]:
    """Return the states that keep somebody from judging, besides their phase; none for most people."""
    times = {OUT: person.excluded_at, GONE: person.erased_at, "paused": person.paused_at}
    return [state for state, time in times.items() if time is not None]
