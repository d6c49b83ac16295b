"""The registration of a study, and what has changed since, computed from its files as they are now."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping

from relevance.annotation.registrations import RegistrationStore
from relevance.annotation.store import AnnotationStore
from relevance.bundles.contents import DATA, SCORES, STUDY_FILE, make_files, read_scores
from relevance.bundles.rows import read_rows
from relevance.data.export import format_json_lines
from relevance.data.store import DataStore

COMPARED = (STUDY_FILE, DATA, "pairs.jsonl")
"""Files that must stay as registered while people judge; scores are compared by signature."""


def describe_registration(data: DataStore, annotation: AnnotationStore, study: str) -> dict[str, str]:
    """Describe a study's registration for a report; empty if it has none. Raises `UnknownStudy`."""
    registered = RegistrationStore(annotation.engine, annotation.actor).registration(study)
    if registered is None:
        return {}
    now = hash_registered(data, annotation, study)
    changes = list(describe_changes(registered.contents, now))
    return {
        "registered": f"{registered.registered_at:%Y-%m-%d %H:%M} UTC, before the first judgment, as the bundle "
        f"{registered.sha256} with version {registered.protocol} of the protocol",
        "changed since": "; ".join(changes) or "nothing of the protocol, the data, the pairs and the scores",
    }


def hash_registered(data: DataStore, annotation: AnnotationStore, study: str) -> dict[str, str]:
    """Compute the present hashes of what is compared: files by their names, scores by their signatures."""
    rows = read_rows(annotation, study)
    files = {name: hash_lines(lines) for name, lines in make_files(data, rows) if name in COMPARED}
    return files | hash_scores(data, rows.dataset)


def hash_scores(data: DataStore, dataset: str) -> dict[str, str]:
    """Compute the hash of the scores under each signature."""
    hashes: dict[str, hashlib._Hash] = {}
    for record in read_scores(data, dataset):
        name = f"{SCORES}: {record['signature']}"
        hashes.setdefault(name, hashlib.sha256()).update("".join(format_json_lines([record])).encode())
    return {name: hashed.hexdigest() for name, hashed in hashes.items()}


def describe_changes(registered: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    """Yield the differences from the registration, file by file and signature by signature."""
    for name in COMPARED:
        if registered.get(name) != now[name]:
            yield f"{name} has changed (SHA-256 {now[name]})"
    then, since = (
        {name: value for name, value in of.items() if name.startswith(f"{SCORES}: ")} for of in (registered, now)
    )
    for name in sorted(then.keys() | since.keys()):
        if name not in since:
            yield f"{name} were removed"
        elif name not in then:
            yield f"{name} were added"
        elif then[name] != since[name]:
            yield f"{name} have changed"


def hash_lines(lines: Iterable[str]) -> str:
    """Compute the SHA-256 of a file with these lines."""
    hashed = hashlib.sha256()
    for line in lines:
        hashed.update(line.encode())
    return hashed.hexdigest()
