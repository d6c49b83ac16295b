"""Rules for the values of a study file: ranges, choices, and combinations."""

import math
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from relevance.annotation.protocol import panels
from relevance.annotation.protocol.places import Path
from relevance.annotation.protocol.records import (
    KINDS,
    LANGUAGES,
    PANELS,
    RATIONALES,
    Checks,
    Judging,
    Panel,
    Pinned,
    Places,
    Sampling,
    Stopping,
    StudyProtocol,
    SurveyQuestion,
    Surveys,
    Training,
)
from relevance.annotation.records import MOST_CHECKS
from relevance.annotation.sampling import GIVEN, RULES
from relevance.data.store import StoreError, checked_name

SHORT, LONG = 1_000, 100_000
"""The most characters of a line, such as a title, and of a text, such as the instructions."""
MOST = 100
"""The most training pairs, questions of a survey, and options of a question."""
MOST_TEXTS = 500
LARGEST = 2**31 - 1
"""The largest integer of a database."""
LONGEST_IDLE = 7 * 24 * 60
"""The longest idle time, in minutes."""


class Mistake(Exception):
    """A study file is wrong at `path`."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(problem)
        self.path = path


Mistakes = Iterator[Mistake]


def find_mistakes(protocol: StudyProtocol) -> Mistakes:
    """Yield the mistakes of a protocol in the order of the file, those of texts first."""
    yield from check_texts(protocol, ())
    yield from check_head(protocol)
    yield from check_dataset(protocol.dataset)
    yield from check_sampling(protocol.sampling)
    yield from check_judging(protocol.judging)
    yield from check_checks(protocol.checks)
    if protocol.consent is not None:
        yield from not_blank(protocol.consent.text, ("consent", "text"))
    if protocol.training is not None:
        yield from check_training(protocol.training)
    yield from check_surveys(protocol.surveys)
    if protocol.panel is not None:
        yield from check_panel(protocol.panel)
    if protocol.links is not None:
        yield from check_links(protocol.links)
    if protocol.stopping is not None:
        yield from check_stopping(protocol.stopping)
        if protocol.judging.judged_twice:
            yield Mistake(
                ("judging", "judged_twice"),
                "'judged_twice' in [judging] does not go with [stopping], which takes as many judgments of each pair",
            )


def say_table(path: Path) -> str:
    """Return the table of a key in words; nothing for top-level keys."""
    header = ".".join(str(part) for part in path if not isinstance(part, int))
    if not header:
        return ""
    return f" in [[{header}]]" if isinstance(path[-1], int) else f" in [{header}]"


# --- values of several keys --------------------------------------------------------------------------------------

LONG_KEYS = {"question", "instructions", "text", "document", "better", "worse", "explanation"}


def check_texts(value: Any, path: Path) -> Mistakes:
    """Find texts that are too long, or have characters that no database can store."""
    if isinstance(value, str):
        most = LONG if path[-1] in LONG_KEYS else SHORT
        if len(value) > most:
            yield Mistake(path, f"{path[-1]!r}{say_table(path[:-1])} has at most {most:,} characters")
        if "\0" in value:
            yield Mistake(path, f"{path[-1]!r}{say_table(path[:-1])} contains a NUL character")
        return
    if isinstance(value, tuple):
        entries: Any = enumerate(value)
    else:
        entries = (value if isinstance(value, dict) else getattr(value, "__dict__", {})).items()
    for key, inner in entries:
        yield from check_texts(inner, (*path, key))
    if path == ("texts",):
        if len(value) > MOST_TEXTS:
            yield Mistake(path, f"[texts] has at most {MOST_TEXTS} entries")
        for key, text in value.items():
            if not key.strip() or len(key) > SHORT or "\0" in key:
                yield Mistake((*path, key), f"a key of [texts] is a text of the pages, of 1 to {SHORT:,} characters")
            yield from not_blank(text, (*path, key))


def not_blank(text: str, path: Path) -> Mistakes:
    """Require a text that is not blank."""
    if not text.strip():
        yield Mistake(path, f"{str(path[-1])[:100]!r}{say_table(path[:-1])} is empty; write something, or leave it out")


def within(number: float | None, path: Path, least: float, most: float) -> Mistakes:
    """Require a number in a range, ends included."""
    if number is not None and not least <= number <= most:
        yield Mistake(path, f"{path[-1]!r}{say_table(path[:-1])} must be from {least} to {most}, not {number}")


def one_of(value: str, known: Sequence[str], path: Path) -> Mistakes:
    """Require one of the known words."""
    if value not in known:
        close = get_close_matches(value, known, 1)
        help = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}"
        yield Mistake(path, f"{path[-1]!r}{say_table(path[:-1])} cannot be {value[:100]!r}; {help}")


def different(names: Sequence[str], path: Path) -> Mistakes:
    """Require a list without blank or repeated texts."""
    for place, name in enumerate(names):
        if not name.strip():
            yield Mistake((*path, place), f"{path[-1]!r}{say_table(path[:-1])} has an empty text")
        if name in names[:place]:
            yield Mistake((*path, place), f"{name[:100]!r} stands twice in {path[-1]!r}{say_table(path[:-1])}")


def named(name: str, path: Path) -> Mistakes:
    """Require a name that fits in a list and on a command line."""
    try:
        stripped = checked_name(name, repr(path[-1]) + say_table(path[:-1]))
    except StoreError as error:
        yield Mistake(path, str(error))
    else:
        if stripped != name:
            yield Mistake(path, f"{path[-1]!r}{say_table(path[:-1])} begins or ends with a space; take it out")


def sensible(time: datetime | None, path: Path) -> Mistakes:
    """Require a time that every database and calendar can handle."""
    if time is not None and not 2000 <= time.year <= 9998:
        yield Mistake(path, f"{path[-1]!r}{say_table(path[:-1])} must be in the years 2000 to 9998")


# --- tables -----------------------------------------------------------------------------------------------------


def check_head(protocol: StudyProtocol) -> Mistakes:
    """Check the top-level keys."""
    yield from named(protocol.name, ("name",))
    if protocol.title is not None:
        yield from named(protocol.title, ("title",))
    yield from one_of(protocol.language, LANGUAGES, ("language",))
    yield from sensible(protocol.closes, ("closes",))
    yield from not_blank(protocol.question, ("question",))


def check_dataset(pinned: Pinned) -> Mistakes:
    """Check the data set and its hash."""
    yield from named(pinned.name, ("dataset", "name"))
    if pinned.sha256 is not None and not re.fullmatch("[0-9a-f]{64}", pinned.sha256):
        yield Mistake(
            ("dataset", "sha256"),
            "'sha256' in [dataset] must be 64 digits 0-9 and a-f; `relevance study check` says which",
        )
    yield from different(pinned.systems, ("dataset", "systems"))
    if len(pinned.systems) == 1:
        yield Mistake(("dataset", "systems"), "'systems' in [dataset] must name at least two, or be left out for all")


def check_sampling(sampling: Sampling) -> Mistakes:
    """Check the draw of the pairs."""
    yield from one_of(sampling.rule, RULES, ("sampling", "rule"))
    yield from different(sampling.signatures, ("sampling", "signatures"))
    path: Path = ("sampling", "signatures")
    number = len(sampling.signatures)
    if sampling.rule == "rouge_k_differs" and number != 1:
        yield Mistake(path, "'signatures' in [sampling] must name the one signature of ROUGE-K that the rule compares")
    elif sampling.rule == "conflicts" and number < 2:
        yield Mistake(path, "'signatures' in [sampling] must name those of at least two metrics that may conflict")
    elif sampling.rule in {"all", "random", GIVEN} and number:
        yield Mistake(path, f"the rule {sampling.rule!r} compares no scores; leave 'signatures' out")
    if not 0 < sampling.random_share < 1:  # nor is nan
        yield Mistake(("sampling", "random_share"), "'random_share' in [sampling] must be above 0 and below 1")
    yield from within(sampling.count, ("sampling", "count"), 1, LARGEST)
    yield from within(sampling.per_document, ("sampling", "per_document"), 1, LARGEST)
    yield from within(sampling.seed, ("sampling", "seed"), 0, LARGEST)


def check_judging(judging: Judging) -> Mistakes:
    """Check the settings of the judging."""
    yield from within(judging.judgments_per_pair, ("judging", "judgments_per_pair"), 1, LARGEST)
    yield from within(judging.judged_twice, ("judging", "judged_twice"), 0, LARGEST)
    if judging.judged_twice and judging.judgments_per_pair > 1:
        yield Mistake(
            ("judging", "judged_twice"),
            f"'judged_twice' in [judging] needs judgments_per_pair = 1: each pair has {judging.judgments_per_pair}",
        )
    yield from within(judging.most_per_annotator, ("judging", "most_per_annotator"), 1, LARGEST)
    yield from within(judging.idle_minutes, ("judging", "idle_minutes"), 1, LONGEST_IDLE)
    yield from one_of(judging.rationale, RATIONALES, ("judging", "rationale"))
    if judging.both_bad and not judging.ties:
        yield Mistake(
            ("judging", "both_bad"),
            "'both_bad' in [judging] needs ties = true: else two good summaries cannot be called equal",
        )


def check_checks(checks: Checks) -> Mistakes:
    """Check the attention checks."""
    yield from within(checks.count, ("checks", "count"), 0, MOST_CHECKS)
    for key, after in (("warn_after", checks.warn_after), ("end_after", checks.end_after)):
        if after is not None and not 1 <= after <= checks.count:
            yield Mistake(
                ("checks", key), f"{key!r} in [checks] must be from 1 to the number of checks, which is {checks.count}"
            )
    if checks.warn_after is not None and checks.end_after is not None and checks.warn_after >= checks.end_after:
        yield Mistake(("checks", "warn_after"), "'warn_after' in [checks] must be less than 'end_after'")


def check_training(training: Training) -> Mistakes:
    """Check the training pairs."""
    if not 1 <= len(training.pairs) <= MOST:
        yield Mistake(("training", "pairs"), f"[[training.pairs]] must appear 1 to {MOST} times")
    for place, pair in enumerate(training.pairs):
        path: Path = ("training", "pairs", place)
        for key in ("document", "better", "worse", "explanation"):
            yield from not_blank(getattr(pair, key), (*path, key))
        if pair.better == pair.worse:
            yield Mistake((*path, "worse"), "'better' and 'worse' in [[training.pairs]] are the same text")
    if not 1 <= training.pass_mark <= len(training.pairs):
        yield Mistake(
            ("training", "pass_mark"),
            f"'pass_mark' in [training] must be from 1 to the number of pairs, which is {len(training.pairs)}",
        )
    yield from within(training.attempts, ("training", "attempts"), 1, MOST)


def check_surveys(surveys: Surveys) -> Mistakes:
    """Check the questions before and after the judging."""
    for survey, questions in (("before", surveys.before), ("after", surveys.after)):
        if len(questions) > MOST:
            yield Mistake(("surveys", survey), f"a survey has at most {MOST} questions")
        names = [question.name for question in questions]
        for place, question in enumerate(questions):
            path: Path = ("surveys", survey, place)
            if question.name in names[:place]:
                yield Mistake((*path, "name"), f"the survey has two questions named {question.name[:100]!r}")
            yield from check_question(question, path)


def check_question(question: SurveyQuestion, path: Path) -> Mistakes:
    """Check a question of a survey."""
    where = say_table(path)
    yield from named(question.name, (*path, "name"))
    if len(question.name) > 100:
        yield Mistake((*path, "name"), f"'name'{where} has at most 100 characters")
    yield from not_blank(question.ask, (*path, "ask"))
    yield from one_of(question.kind, KINDS, (*path, "kind"))
    yield from different(question.options, (*path, "options"))
    least = {"radio": 2, "checkbox": 1}.get(question.kind, 0)
    if not least <= len(question.options) <= MOST:
        yield Mistake((*path, "options"), f"a {question.kind} question{where} needs {least} to {MOST} 'options'")
    if question.options and question.kind not in {"radio", "checkbox"}:
        yield Mistake((*path, "options"), f"a {question.kind} question{where} has no 'options'; leave them out")
    for key, limit in (("least", question.least), ("most", question.most)):
        if limit is not None and question.kind != "number":
            yield Mistake((*path, key), f'{key!r}{where} goes with kind = "number"')
        if limit is not None and not math.isfinite(limit):
            yield Mistake((*path, key), f"{key!r}{where} must be a finite number; leave it out for no limit")
    if question.least is not None and question.most is not None and question.least > question.most:
        yield Mistake((*path, "least"), f"'least'{where} is more than 'most'")


def check_panel(panel: Panel) -> Mistakes:
    """Check the panel and the ways back to it (`relevance.annotation.protocol.panels`)."""
    yield from one_of(panel.kind, PANELS, ("panel", "kind"))
    ends = {"completed": panel.completed, "failed": panel.failed, "screened_out": panel.screened_out}
    for key, end in ends.items():
        if end is not None:
            yield from as_panel(Panel(kind=panel.kind, completed=end), ("panel", key))
    path: Path = ("panel", "parameters")
    yield from as_panel(panel, path)
    yield from different(panel.parameters, path)
    if len(panel.parameters) > MOST:
        yield Mistake(path, f"'parameters' in [panel] are at most {MOST}")


def as_panel(panel: Panel, path: Path) -> Mistakes:
    """Turn the error of a panel by which people cannot come or go into a mistake."""
    try:
        panels.check_panel(panel)
    except panels.BadPanel as error:
        yield Mistake(path, f"{path[-1]!r} in [panel]: {error}")


def check_links(links: Places) -> Mistakes:
    """Check the limits of links."""
    yield from within(links.places, ("links", "places"), 1, LARGEST)
    yield from sensible(links.ends, ("links", "ends"))


def check_stopping(stopping: Stopping) -> Mistakes:
    """Check the comparison that decides when the study ends."""
    yield from not_blank(stopping.first, ("stopping", "first"))
    if stopping.second is not None:
        yield from not_blank(stopping.second, ("stopping", "second"))
        if stopping.second == stopping.first:
            yield Mistake(("stopping", "second"), "'second' in [stopping] is the same metric as 'first'")
    if not 0 < stopping.alpha < 1:
        yield Mistake(("stopping", "alpha"), "'alpha' in [stopping] must be above 0 and below 1")
    yield from within(stopping.most_documents, ("stopping", "most_documents"), 1, LARGEST)
