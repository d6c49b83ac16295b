"""The panel that annotators come from: its parameters in the address, and the ways back to it."""

import re
from collections.abc import Mapping
from urllib.parse import quote

from relevance.annotation.inputs import person_name
from relevance.annotation.phases import FAILED, FINISHED, SCREENED_OUT
from relevance.annotation.protocol.records import Panel
from relevance.data.store import StoreError

PROLIFIC = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
"""The parameters of Prolific's address: the person, its study, and the submission."""

COMPLETE = "https://app.prolific.com/submissions/complete?cc="
"""The address that people from Prolific are sent back to, followed by a completion code."""

FILLED_IN = {name: "{{%" + name + "%}}" for name in PROLIFIC} | {"survey_code": "%SURVEY_CODE%"}
"""Placeholders that Prolific and SONA replace by a person's parameters."""
ADDED = ("participantId", "assignmentId", "projectId")
"""Parameters that CloudResearch Connect adds to an address by itself."""

ID = re.compile(r"[0-9A-Za-z_-]{1,100}")
NOT_FILLED_IN = re.compile(r"[%{}\[\]<>$]")
"""Characters of placeholders: if one were left unfilled, all people would have the same name."""

ADDRESS = re.compile(r"https://[0-9A-Za-z][0-9A-Za-z._-]*(:[0-9]+)?([/?#][!-~]*)?")
"""An address with a fixed host: placeholders come after it, and no user name before it."""


class BadPanel(StoreError):
    """A panel's address, code or parameters cannot bring people in or send them back."""


def parameters_of(panel: Panel) -> tuple[str, ...]:
    """Return the parameters of the address that people come by; the first one names the person."""
    return PROLIFIC if panel.kind == "prolific" else panel.parameters or ("person",)


def describe_parameters(panel: Panel | None) -> str:
    """Return the query, possibly empty, with placeholders to end the address that a panel is given."""
    names = PROLIFIC[:1] if panel is None else parameters_of(panel)
    told = [f"{name}={FILLED_IN.get(name, '{' + name + '}')}" for name in names if name not in ADDED]
    return f"?{'&'.join(told)}" if told else ""


def check_panel(panel: Panel) -> None:
    """Refuse codes, addresses or parameters by which nobody could come or go. Raises `BadPanel`."""
    if panel.kind == "prolific" and panel.parameters:
        raise BadPanel("Prolific's parameters are always the same three; leave them out")
    bad = [name for name in panel.parameters if not ID.fullmatch(name)]
    if bad:
        raise BadPanel(f"{bad[0]!r} is not a name of a parameter: use letters, digits, - and _")
    for end in (panel.completed, panel.failed, panel.screened_out):
        if end is not None and panel.kind == "prolific" and not ID.fullmatch(end):
            raise BadPanel(f"{end!r} is not a completion code, which is the part of Prolific's address after cc=")
        if end is not None and panel.kind != "prolific":
            check_address(end)


def check_address(address: str) -> None:
    """Refuse an address without a fixed host, or with an unknown placeholder. Raises `BadPanel`."""
    known = address.replace("{person}", "").replace("{code}", "")
    if not ADDRESS.fullmatch(address) or re.search(r"[{}\\]", known):
        raise BadPanel(
            f"{address!r} is not an address to send people back to: it needs https://, a host, and then "
            "{person} or {code} where they are to be filled in"
        )


def read_ids(panel: Panel | None, given: Mapping[str, str]) -> dict[str, str]:
    """Read a panel's ids of a person from the parameters of the address, by name, the person's own first.

    Without a panel a study takes Prolific's id of a person, or any `person`. Raises StoreError for a missing parameter
    and for one that cannot be a name.
    """
    if panel is None:
        name = "PROLIFIC_PID" if given.get("PROLIFIC_PID") else "person"
        return {name: read_id(given, name)}
    ids = {name: read_id(given, name) for name in parameters_of(panel)}
    if panel.kind == "prolific" and not all(map(ID.fullmatch, ids.values())):
        raise StoreError("an id of Prolific has letters and digits")
    return ids


def read_id(given: Mapping[str, str], name: str) -> str:
    """Read one parameter. Raises StoreError if it is missing, was not filled in, or cannot be a name."""
    value = person_name(given.get(name, ""))
    if NOT_FILLED_IN.search(value) or not value.strip("."):
        raise StoreError(f"{name} was not filled in")
    return value


def find_way_back(panel: Panel, outcome: str, *, person: str, code: str) -> str | None:
    """Return the address that sends somebody back to their panel; None if their outcome has no code.

    `outcome` is the phase in which they ended, `code` the annotator's own, which a general panel may ask for.
    """
    ends = {FINISHED: panel.completed, FAILED: panel.failed, SCREENED_OUT: panel.screened_out or panel.failed}
    end = ends.get(outcome)
    if end is None:
        return None
    if panel.kind == "prolific":
        return COMPLETE + quote(end, safe="")
    check_address(end)
    return end.replace("{person}", quote(person, safe="")).replace("{code}", quote(code, safe=""))
