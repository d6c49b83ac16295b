"""The panel that annotators come from: what it says of a person in the address, and where they are sent back to."""

import re
from collections.abc import Mapping
from urllib.parse import quote

from annotation.inputs import person_name
from annotation.phases import FAILED, FINISHED, SCREENED_OUT
from annotation.protocol.records import Panel
from data.store import StoreError

PROLIFIC = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
"""What Prolific's address brings: the person, its study, and the submission."""

COMPLETE = "https://app.prolific.com/submissions/complete?cc="
"""Where Prolific's people are sent back to, with a completion code."""

FILLED_IN = {name: "{{%" + name + "%}}" for name in PROLIFIC} | {"survey_code": "%SURVEY_CODE%"}
"""What Prolific and SONA put a person's parameters in the place of."""
ADDED = ("participantId", "assignmentId", "projectId")
"""Parameters that CloudResearch Connect adds to an address by itself."""

ID = re.compile(r"[0-9A-Za-z_-]{1,100}")
NOT_FILLED_IN = re.compile(r"[%{}\[\]<>$]")
"""Characters of placeholders: with one that was left as it is, all people would be the same."""

ADDRESS = re.compile(r"https://[0-9A-Za-z][0-9A-Za-z._-]*(:[0-9]+)?([/?#][!-~]*)?")
"""An address whose host is fixed: what is filled in comes after it, and nobody's name stands before it."""


class BadPanel(StoreError):
    """A panel's address or its parameters are none that people can be sent by."""


def parameters_of(panel: Panel) -> tuple[str, ...]:
    """The parameters of the address that people come by; the first one names the person."""
    return PROLIFIC if panel.kind == "prolific" else panel.parameters or ("person",)


def describe_parameters(panel: Panel | None) -> str:
    """The end of the address that a panel is told, with what it fills in: a query, or nothing."""
    names = PROLIFIC[:1] if panel is None else parameters_of(panel)
    told = [f"{name}={FILLED_IN.get(name, '{' + name + '}')}" for name in names if name not in ADDED]
    return f"?{'&'.join(told)}" if told else ""


def check_panel(panel: Panel) -> None:
    """Raises `BadPanel` for codes, addresses or parameters by which nobody could come or go."""
    if panel.kind == "prolific" and panel.parameters:
        raise BadPanel("Prolific's parameters are always the same three; leave them out")
    bad = [name for name in panel.parameters if not ID.fullmatch(name)]
    if bad:
        raise BadPanel(f"{bad[0]!r} is no name of a parameter: letters, digits, - and _ make one")
    for end in (panel.completed, panel.failed, panel.screened_out):
        if end is not None and panel.kind == "prolific" and not ID.fullmatch(end):
            raise BadPanel(f"{end!r} is no completion code; of Prolific's address it is what follows cc=")
        if end is not None and panel.kind != "prolific":
            check_address(end)


def check_address(address: str) -> None:
    """Raises `BadPanel` for an address whose host is not fixed, or in which something unknown is to be filled in."""
    known = address.replace("{person}", "").replace("{code}", "")
    if not ADDRESS.fullmatch(address) or re.search(r"[{}\\]", known):
        raise BadPanel(
            f"{address!r} is no address to send people back to: https://, a host, and then "
            "{person} or {code} where they are to be filled in"
        )


def read_ids(panel: Panel | None, given: Mapping[str, str]) -> dict[str, str]:
    """What a panel says of a person in the parameters of its address, by name, the person's own first.

    A study without a panel of its own takes Prolific's name of a person, or any `person`. Raises StoreError for what
    is missing or can be no name.
    """
    if panel is None:
        name = "PROLIFIC_PID" if given.get("PROLIFIC_PID") else "person"
        return {name: read_id(given, name)}
    ids = {name: read_id(given, name) for name in parameters_of(panel)}
    if panel.kind == "prolific" and not all(map(ID.fullmatch, ids.values())):
        raise StoreError("an id of Prolific has letters and digits")
    return ids


def read_id(given: Mapping[str, str], name: str) -> str:
    """One parameter. Raises StoreError where it is missing, was not filled in, or can be no name."""
    found = person_name(given.get(name, ""))
    if NOT_FILLED_IN.search(found) or not found.strip("."):
        raise StoreError(f"{name} was not filled in")
    return found


def find_way_back(panel: Panel, outcome: str, *, person: str, code: str) -> str | None:
    """The address that sends somebody back to their panel; None where no code belongs to how it ended.

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
