"""A draft as a link or a file, and back; links and files are accepted or refused as a whole."""

import base64
import binascii
import json
import tempfile
import zlib
from pathlib import Path
from typing import Any

from relevance.data.export import format_json_lines
from relevance.data.importers import read_documents
from relevance.data.reading import FileLine, json_object
from relevance.data.records import BadRecord, Document, Summary
from relevance.pages.components.playground.draft import LONGEST_NAME, Draft, UnfitDraft, check_draft, to_records

LONGEST_LINK = 8000
"""The most characters of a link's example that servers and mail programs accept."""

LARGEST_LINK = 400_000
"""The most bytes that a link's example may unpack to."""

LARGEST_FILE = 5 * 2**20
"""The most bytes of a file to open."""

FIELDS = {"references": list, "title": str, "source": str, "summaries": list, "names": list}


class BadLink(ValueError):
    """An invalid link; the message says why."""


class TooLong(ValueError):
    """Texts that are too long for a link."""


def to_link(draft: Draft) -> str:
    """Return the draft as the value of a link's `example`: compressed JSON in URL-safe Base64. Raises `TooLong`."""
    text = json.dumps(draft._asdict(), ensure_ascii=False, separators=(",", ":"))
    letters = base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode("ascii").rstrip("=")
    if len(letters) > LONGEST_LINK:
        raise TooLong(
            f"the texts make {len(letters)} letters, and a link can have {LONGEST_LINK}: share them as a file, or "
            "leave out the source"
        )
    return letters


def from_link(letters: str) -> Draft:
    """Return the draft of a link's `example`. Raises `BadLink`."""
    if len(letters) > LONGEST_LINK:
        raise BadLink(f"it has over {LONGEST_LINK} letters")
    try:
        packed = base64.b64decode(letters.encode("ascii") + b"=" * (-len(letters) % 4), altchars=b"-_", validate=True)
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(packed, LARGEST_LINK)
        if not unpacking.eof or unpacking.unused_data:
            raise BadLink("it is cut short, or holds more than the playground has room for")
        record = json_object(FileLine(Path("link"), 1), data.decode("utf-8"))
        return draft_of(record)
    except (binascii.Error, zlib.error, UnicodeError) as error:
        raise BadLink("its letters are not those of an example; was it cut or changed on its way?") from error
    except (BadRecord, UnfitDraft) as error:
        raise BadLink(str(error)) from error


def draft_of(record: dict[str, Any]) -> Draft:
    """Return the draft that a JSON object describes. Raises `BadLink`, `UnfitDraft`."""
    if record.keys() != FIELDS.keys():
        raise BadLink(f"an example has the fields {', '.join(FIELDS)} and no others")
    for name, kind in FIELDS.items():
        if not isinstance(record[name], kind):
            raise BadLink(f"{name} must be a {'list of strings' if kind is list else 'string'}")
    references, summaries, names = (tuple(record[name]) for name in ("references", "summaries", "names"))
    if not all(isinstance(text, str) for text in (*references, *summaries, *names)):
        raise BadLink("references, summaries and names must be lists of strings")
    return check_draft(Draft(references, record["title"], record["source"], summaries, names))


def to_file(draft: Draft) -> str:
    """Return the draft as a one-line file of the interchange format. Raises `UnfitDraft` if that cannot hold it."""
    document, summaries = to_records(draft, "playground")
    if not document.references:
        raise UnfitDraft("a file needs a reference; a link does not")
    if not document.source_text.strip():
        raise UnfitDraft("a file needs a source; a link does not")
    record: dict[str, Any] = {"id": document.id, "title": document.title, "source": document.source}
    record["references"] = list(document.references)
    record["summaries"] = [{"system": summary.system, "text": summary.text} for summary in summaries]
    return "".join(format_json_lines([record]))


def from_file(name: str, data: bytes) -> list[tuple[Document, list[Summary]]]:
    """Read the documents in a file of the interchange format. Raises `BadRecord` with file and line, `UnfitDraft`."""
    if len(data) > LARGEST_FILE:
        raise UnfitDraft(f"the file is over {LARGEST_FILE // 2**20} MiB: import it on the page Data sets")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"  # the browser's name may not be valid here, and is used only in messages
        path.write_bytes(data)
        try:
            return list(read_documents(path, "interchange"))
        except BadRecord as error:
            file_name = Path(name).name[:LONGEST_NAME] or path.name
            raise BadRecord(file_name + str(error).removeprefix(str(path)).removeprefix(path.name)) from error
