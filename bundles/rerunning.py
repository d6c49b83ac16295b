"""Rerun of a bundle: scores, pairs and tables are made again and compared with those in it, number by number."""

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from sqlalchemy import select

from relevance.annotation.protocol.current import spec_of
from relevance.annotation.protocol.file import read_protocol
from relevance.annotation.sampling import GIVEN
from relevance.annotation.studies import draw_pairs, find_study
from relevance.bundles import records
from relevance.bundles.checking import check_bundle
from relevance.bundles.contents import SCORES, STUDY_FILE, TABLES
from relevance.bundles.hashed_texts import bring_texts
from relevance.bundles.opening import name_dataset
from relevance.bundles.reading import BadBundle, Bundle, unpack
from relevance.bundles.records import SIDES
from relevance.bundles.results import OF_TEXTS, Loaded, loaded, tables_as_json
from relevance.data.reading import Say
from relevance.data.records import Example, make_examples
from relevance.data.signatures import is_given
from relevance.data.tables import DocumentRow, SummaryRow
from relevance.metrics.base import VERSION, Metric
from relevance.metrics.from_signature import metric_of
from relevance.metrics.registry import is_lexical
from relevance.metrics.scoring import BATCH, Failures

CLOSE = 1e-9
"""The relative tolerance of a table's numbers, for sums in another order; smaller than any decimal that is printed."""

CLOSE_SCORE = 1e-4
"""The tolerance of scores of metrics that load a model; others must be the same to the last bit."""

VERSIONS = "versions"
"""The fact with the versions that tables were made with, which is not compared."""


class Difference(NamedTuple):
    """A difference between the bundle and the rerun."""

    place: str
    """The file, and the names that locate the value in it."""
    stored: object
    """The value in the bundle."""
    now: object
    """The value of the rerun."""

    def __str__(self) -> str:
        return f"{self.place}: {show(self.stored)} in the bundle, {show(self.now)} now"


def show(value: object) -> str:
    """Return a value as a message shows it; numbers with all of their digits."""
    return "nothing" if value is None else repr(value)


def rerun_bundle(file: Path, say: Say, texts: Path | None = None) -> list[Difference]:
    """Rerun a bundle in its own database, reporting what is compared; return all differences.

    `texts` is a file of the data set's texts for a bundle that has only their hashes. Raises `BadBundle`, `BadRecord`,
    OSError.
    """
    with TemporaryDirectory() as folder:
        bundle = unpack(file, Path(folder))
        for line in check_bundle(bundle):
            say(line)
        if texts is not None:
            if bundle.texts:
                raise BadBundle(f"{file.name} has its texts; leave out --data")
            bring_texts(bundle.folder, texts)
            say(f"texts: those of {texts.name} match the hashes in the bundle")
        has_texts = bundle.texts or texts is not None
        with loaded(bundle, name_dataset(bundle)) as study:
            return list(compare_all(bundle, study, say, texts=has_texts))


def compare_all(bundle: Bundle, study: Loaded, say: Say, *, texts: bool) -> Iterator[Difference]:
    """Yield the differences in scores, pairs and tables, and report which of them were compared."""
    parts: dict[str, Iterator[Difference]] = {}
    if texts:
        parts["scores"] = compare_scores(bundle, study)
        if study.annotation.study(study.study).rule == GIVEN:
            say("pairs: not drawn again, as they came with their judgments")
        else:
            parts["pairs"] = compare_pairs(bundle, study)
    else:
        say("scores, pairs: not made again, as the bundle has no texts; give them with --data FILE")
    parts["tables"] = compare_tables(bundle, study, texts=texts)
    for what, differences in parts.items():
        others = list(differences)
        left_out = "" if texts or what != "tables" else f", except {', '.join(OF_TEXTS)}, which depend on texts"
        say(f"{what}: made again{left_out}: " + (f"{len(others)} differences" if others else "the same"))
        yield from others


def compare_scores(bundle: Bundle, study: Loaded) -> Iterator[Difference]:
    """Compute every score again by its signature, without those that came with the data set.

    A metric that cannot be made from its signature is a difference, too.
    """
    stored: dict[str, dict[tuple[str, str], tuple[float | None, str | None]]] = {}
    for _, record in bundle.records(SCORES, records.SCORE):
        of_signature = stored.setdefault(record["signature"], {})
        of_signature[record["document_id"], record["system"]] = record["value"], record["missing"]
    examples = [example for of_document in study.data.records(study.dataset) for example in make_examples(*of_document)]
    for signature, scores in stored.items():
        if is_given(signature):
            continue
        metric = metric_of(signature)
        if metric is None:
            why = f"relevance {VERSION} cannot make this metric again"
            yield Difference(f"{SCORES}: {signature}", f"{len(scores)} scores", why)
            continue
        scored = [example for example in examples if (example.document_id, example.system) in scores]
        yield from compare_metric(metric, scored, scores)


def compare_metric(
    metric: Metric, examples: Sequence[Example], stored: Mapping[tuple[str, str], tuple[float | None, str | None]]
) -> Iterator[Difference]:
    """Compute one metric's scores again and yield the differences."""
    close = 0.0 if is_lexical(metric.signature) else CLOSE_SCORE
    for start in range(0, len(examples), BATCH):
        batch = examples[start : start + BATCH]
        failures = Failures()
        scores = failures.score(metric, batch)
        if scores is None:
            yield Difference(f"{SCORES}: {metric.signature}", "scores", failures[metric.name])
            return
        for example, score in zip(batch, scores, strict=True):
            value, missing = stored[example.document_id, example.system]
            place = f"{SCORES}: {metric.signature}, document {example.document_id}, system {example.system}"
            if (value is None) != (score.value is None) or missing != score.missing:
                yield Difference(place, missing if value is None else value, score.value or score.missing)
            elif value is not None and score.value is not None and abs(value - score.value) > close:
                yield Difference(place, value, score.value)


def compare_pairs(bundle: Bundle, loaded_study: Loaded) -> Iterator[Difference]:
    """Draw the pairs again by the current study file and yield the differences.

    The rules of the draw cannot change in the file once people have come.
    """
    with loaded_study.annotation.reading() as session:
        study = find_study(session, loaded_study.study)
        spec = spec_of(session, study)
        named = {
            number: (key, system)
            for number, key, system in session.execute(
                select(SummaryRow.id, DocumentRow.key, SummaryRow.system).join(DocumentRow)
            )
        }
        keys = {number: key for number, key in session.execute(select(DocumentRow.id, DocumentRow.key))}  # noqa: C416
    protocol = read_protocol(bundle.text(STUDY_FILE))
    if bundle.protocols:
        of_row = {name: getattr(spec, name) for name in ("name", "dataset", "systems", "signature", "signatures")}
        spec = replace(protocol.spec, **of_row)
    sample = draw_pairs(loaded_study.annotation, spec, protocol.stopping)
    drawn = [
        {
            "document_id": keys[pair.document_id],
            "first": named[pair.first_id],
            "second": named[pair.second_id],
            "expected": None if pair.expected_id is None else SIDES[pair.expected_id != pair.first_id],
            "inclusion": pair.inclusion,
        }
        for pair in (*sample.pairs, *sample.checks)
    ]
    stored = [record for _, record in bundle.records("pairs.jsonl", records.PAIR)]
    if len(stored) != len(drawn):
        yield Difference("pairs.jsonl", f"{len(stored)} pairs and checks", f"{len(drawn)}")
    for position, (before, now) in enumerate(zip(stored, drawn, strict=False)):
        for field, value in now.items():
            if not same(before[field], value):
                yield Difference(f"pairs.jsonl: pair {position}, {field}", before[field], value)


def compare_tables(bundle: Bundle, study: Loaded, *, texts: bool) -> Iterator[Difference]:
    """Make all tables again and yield the differences; without texts only the tables that do not depend on them."""
    now = json.loads(json.dumps(tables_as_json(study, texts=texts), allow_nan=False))
    _, stored = bundle.value(TABLES)
    left_out = {VERSIONS} if texts else {VERSIONS, *OF_TEXTS}
    yield from compare(leave_out(stored, left_out), leave_out(now, left_out), TABLES)


def leave_out(value: Any, names: Collection[str]) -> Any:
    """Return a JSON value without the keys in `names`."""
    if isinstance(value, dict):
        return {key: leave_out(inner, names) for key, inner in value.items() if key not in names}
    return [leave_out(item, names) for item in value] if isinstance(value, list) else value


def compare(stored: Any, now: Any, place: str) -> Iterator[Difference]:
    """Yield the differences of two JSON values, down to single numbers."""
    if isinstance(stored, dict) and isinstance(now, dict):
        for key in [*stored, *(key for key in now if key not in stored)]:
            yield from compare(stored.get(key), now.get(key), f"{place}, {STEPS.get(key, key)}".replace(", , ", ", "))
    elif isinstance(stored, list) and isinstance(now, list):
        for number, (before, after) in enumerate(zip_longest(stored, now), 1):
            yield from compare(before, after, f"{place}, {name_row(before, number)}")
    elif not same(stored, now):
        yield Difference(place, stored, now)


STEPS = {"tables": "", "rows": ""}
"""Keys of the tables' file that are left out of a number's location in messages."""


def name_row(value: Any, number: int) -> str:
    """Return the name of a table's row: the words with which it begins, or its number."""
    words = list(takewhile(lambda cell: isinstance(cell, str), value.values())) if isinstance(value, dict) else []
    return f"row {' / '.join(words)}" if words else f"{number}"


def same(stored: Any, now: Any) -> bool:
    """Tell whether two values are the same; numbers may differ by `CLOSE`."""
    numbers = [type(value) in {int, float} for value in (stored, now)]
    if all(numbers):
        return math.isclose(stored, now, rel_tol=CLOSE, abs_tol=CLOSE)
    return bool(stored == now)
