"""What is small to send and large to take: refused soon, whoever sends it, and without much memory.

Memory is the highest of the server's process over what it had before. Seconds are printed; their bound is several times
what is promised (5 s), as the machine may be busy.
"""

import gzip
import io
import os
import re
import select
import socket
import struct
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import repeat
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow.parquet as pq
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from relevance.data.store import DataStore
from relevance.hosting.gate import UPLOADS
from tests.conftest import absent
from tests.data.test_limits import NAMES, TOO_MUCH
from tests.hosting.house import HERS, House
from tests.hosting.tabs import Tab
from tests.hosting.test_workers import child_at
from tests.hosting.uploading import address_of, headers_of, upload
from tests.waiting import until

pytestmark = pytest.mark.process

MOST_MEMORY = 300
"""MB."""
MOST_SECONDS = 60

MB = 2**20
ZEROS = bytes(MB)


class Process:
    """The process of a server."""

    def __init__(self, house: House) -> None:
        self.port = urlsplit(house.url).port or 0
        self.folder = Path("/proc", str(child_at(os.getpid(), self.port)))

    def memory(self, what: str) -> float:
        """Its memory in MB: what it has (`VmRSS`), or the most that it had (`VmHWM`)."""
        (line,) = [line for line in (self.folder / "status").read_text().splitlines() if line.startswith(what)]
        return int(line.split()[1]) / 1024

    @contextmanager
    def standing(self, what: str) -> Iterator[None]:
        """Check that it takes little memory and time, and is still there."""
        (self.folder / "clear_refs").write_text("5")  # the most is counted from here
        before, start = self.memory("VmRSS"), time.monotonic()
        yield
        seconds, memory = time.monotonic() - start, self.memory("VmHWM") - before
        print(f"{what}: {seconds:.1f} s, {memory:.0f} MB")  # the figures of the closing note
        assert memory < MOST_MEMORY
        assert seconds < MOST_SECONDS


@pytest.fixture(scope="module")
def server(house: House) -> Process:
    if not Path("/proc/self/clear_refs").exists():
        absent("no /proc", "only Linux tells how much memory a process had")
    return Process(house)


# --- requests of nobody -------------------------------------------------------------------------------------


def ask(port: int, head: str, body: Iterable[bytes] = ()) -> int | None:
    """The status of an answer to a request that is sent as it is written, or None where the connection is cut.

    What is sent ends with the answer, however much there would be.
    """
    head = head.format(host=f"127.0.0.1:{port}").replace("\n", "\r\n")
    answer = b""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=MOST_SECONDS)) as connection:
        with suppress(ConnectionError):
            connection.sendall(head.encode())
            for part in body:
                connection.sendall(part)
                if select.select([connection], [], [], 0)[0]:
                    break
        with suppress(ConnectionError):
            answer = connection.recv(65536)
    return int(answer.split()[1]) if answer.startswith(b"HTTP/1.1 ") else None


FORM = "POST {path} HTTP/1.1\nHost: {{host}}\nSec-Fetch-Site: same-origin\nContent-Type: {kind}\n{length}\n\n"
URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=x"


def form(kind: str = URLENCODED, *, path: str = "/sign-in", length: int | None = 300 * MB) -> str:
    """The head of a form."""
    text = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    return FORM.format(path=path, kind=kind, length=text)


def chunked(parts: Iterable[bytes]) -> Iterator[bytes]:
    for part in parts:
        yield b"%x\r\n%s\r\n" % (len(part), part)


def after(first: bytes, then: Iterable[bytes]) -> Iterator[bytes]:
    yield first
    yield from then


PART = b'--x\r\nContent-Disposition: form-data; name="a%d"\r\n\r\nb\r\n'
FILE = b'--x\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n'
DEEP = b"[" * 3 * MB
PACKED = gzip.compress(b"a=b&" * 8 * MB)

BOMBS: dict[str, tuple[str, Callable[[], Iterable[bytes]], set[int | None]]] = {
    "a million fields": (form(), lambda: repeat(b"a=b&" * 2**18, 300), {400}),
    "a long field": (form(), lambda: after(b"name=", repeat(b"x" * MB, 299)), {400}),
    "a long name of a field": (form(), lambda: repeat(b"x" * MB, 300), {400}),
    "a million parts": (form(MULTIPART), lambda: (b"".join(PART % n for n in range(2**14)) for _ in range(300)), {400}),
    "a long part": (form(MULTIPART), lambda: after(PART % 1, repeat(ZEROS, 299)), {400}),
    "a file": (form(MULTIPART), lambda: after(FILE, repeat(ZEROS, 299)), {400}),
    "a head of a part": (form(MULTIPART), lambda: after(b"--x\r\nA: ", repeat(b"x" * MB, 299)), {400}),
    "many heads of a part": (form(MULTIPART), lambda: after(b"--x\r\n", repeat(b"A: b\r\n" * 2**17, 299)), {400}),
    "an unending body": (form(length=None), lambda: chunked(repeat(b"a=b&" * 2**18, 1000)), {400}),
    "bytes one by one": (form(length=None), lambda: chunked(repeat(b"a", 10**6)), {400}),
    "nested JSON": (form("application/json", length=len(DEEP)), lambda: [DEEP], {401}),
    "packed": (
        form(f"{URLENCODED}\nContent-Encoding: gzip", length=len(PACKED)),
        lambda: [PACKED],
        {400, 401},
    ),
    "a body for a link": (form(path="/join/x"), lambda: repeat(ZEROS, 300), {404}),
    "a body for nobody": (form(path="/account"), lambda: repeat(ZEROS, 300), {401}),
    "a slow body": (form(length=1000), lambda: [b"name=Olga"], {408}),
    "a head without an end": ("GET / HTTP/1.1\nHost: {host}\n", lambda: repeat(b"A: " + b"x" * MB, 300), {400, 431}),
    "a million heads": ("GET / HTTP/1.1\nHost: {host}\n", lambda: repeat(b"A: b\r\n" * 2**17, 300), {400, 431}),
    "a long address": (f"GET /{'x' * MB} HTTP/1.1\nHost: {{host}}\n\n", lambda: [], {400, 414, 431}),
}
"""A head, a body, and what may be answered."""


@pytest.mark.parametrize("what", BOMBS)
def test_requests_of_nobody(server: Process, what: str) -> None:
    head, body, answers = BOMBS[what]
    sent = body()
    with server.standing(what):
        status = ask(server.port, head, sent)
    assert status in {*answers, None}


# --- messages of an open page -------------------------------------------------------------------------------


def frame(data: bytes, *, opcode: int = 2, last: bool = True, packed: bool = False, length: int | None = None) -> bytes:
    """A frame of a WebSocket, masked by zeros; `length` is what it says of itself."""
    first = (last << 7) | (packed << 6) | opcode
    return struct.pack("!BBQ4x", first, 0x80 | 127, len(data) if length is None else length) + data


def pack(data: bytes) -> bytes:
    """A message as permessage-deflate has it."""
    packer = zlib.compressobj(9, wbits=-12)
    return (packer.compress(data) + packer.flush(zlib.Z_SYNC_FLUSH))[:-4]


ZERO_BOMB = frame(pack(bytes(4 * MB - 1)), packed=True)
NESTED_GROUPS = b"\x7b" * (4 * MB - 1)
"""Field 15, of which no message knows, in itself."""


def field_of(json: str) -> bytes:
    """A page's message in which a component has a value."""
    message = BackMsg()
    message.rerun_script.widget_states.widgets.add(id="$$ID-x-y", json_value=json)
    return message.SerializeToString()


HEARTBEAT = BackMsg(app_heartbeat=True).SerializeToString()
ACKNOWLEDGED = ForwardMsg(heartbeat_ack=True).SerializeToString()
CLOSED = b"\x88\x02\x03"
"""The beginning of a frame that ends a connection with a code of the protocol's."""

MESSAGES: dict[str, Callable[[], Iterable[bytes]]] = {
    "a long frame": lambda: after(frame(b"", length=2**40), repeat(ZEROS, 300)),
    "the longest frame": lambda: after(frame(b"", length=2**63 - 1), repeat(ZEROS, 300)),
    "many parts of one message": lambda: after(
        frame(ZEROS, last=False), repeat(frame(ZEROS, opcode=0, last=False), 300)
    ),
    "many messages": lambda: repeat(frame(bytes(4 * MB - 1)), 75),
    "packed messages": lambda: repeat(ZERO_BOMB, 1000),
    "a packed part of a message": lambda: after(
        frame(pack(bytes(4 * MB - 1)), last=False, packed=True), repeat(frame(pack(ZEROS), opcode=0, last=False), 300)
    ),
    "a text": lambda: repeat(frame(b"a" * MB, opcode=1), 300),
    "nested groups": lambda: [frame(NESTED_GROUPS)],
    "nested JSON": lambda: [frame(field_of("[" * (4 * MB - 999)))],
    "pings": lambda: repeat(frame(b"x" * 100, opcode=9) * 1000, 50),
}


def wait_for_answer(connection: socket.socket) -> None:
    """Wait until all that was said has been heard, or the connection is ended."""
    answered = b""
    connection.settimeout(1)

    def is_answered() -> bool:
        nonlocal answered
        with suppress(TimeoutError):  # it is asked again: a run that begins drops what has not been sent yet
            connection.sendall(frame(HEARTBEAT))
            more = connection.recv(65536)
            answered = answered[-99:] + more
            return not more or any(end in answered for end in (ACKNOWLEDGED, CLOSED))
        return False

    until(is_answered, "an answer")


@pytest.mark.parametrize("what", MESSAGES)
def test_messages_of_somebody_signed_in(house: House, server: Process, what: str) -> None:
    token = house.annotate(HERS, f"Sends {what}")
    lines = (
        "GET /_stcore/stream HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        f"Origin: {house.url}",
        f"Cookie: relevance={token}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Extensions: permessage-deflate",
        "Sec-WebSocket-Protocol: streamlit",
        "\r\n",
    )
    with closing(socket.create_connection(("127.0.0.1", server.port), timeout=MOST_SECONDS)) as connection:
        connection.sendall("\r\n".join(lines).encode())
        agreed = connection.recv(65536)
        assert agreed.startswith(b"HTTP/1.1 101 ")
        assert b"Sec-WebSocket-Extensions" not in agreed  # what is packed is not taken
        with server.standing(what), house.client(token) as client, suppress(ConnectionError):
            for part in MESSAGES[what]():
                connection.sendall(part)
            wait_for_answer(connection)
            assert client.get("/account").status_code == 303


# --- files that are sent to a page --------------------------------------------------------------------------

UPLOADED: dict[str, tuple[str, int | None, Callable[[], Iterable[bytes]], set[int | None]]] = {
    "a file that says that it is large": (MULTIPART, 300 * MB, lambda: after(FILE, repeat(ZEROS, 299)), {413}),
    "a file without an end": (MULTIPART, None, lambda: chunked(after(FILE, repeat(ZEROS, 300))), {413}),
    "a million parts": (
        MULTIPART,
        150 * MB,
        lambda: (b"".join(PART % n for n in range(2**14)) for _ in range(300)),
        {400},
    ),
    "a million files": (MULTIPART, 150 * MB, lambda: repeat((FILE + b"\r\n") * 2**14, 300), {400}),
    "a long field": (MULTIPART, 150 * MB, lambda: after(PART % 1, repeat(ZEROS, 149)), {400}),
    "a head of a part": (MULTIPART, 150 * MB, lambda: after(b"--x\r\nA: ", repeat(b"x" * MB, 149)), {400}),
    "a million fields": (URLENCODED, 150 * MB, lambda: repeat(b"a=b&" * 2**18, 150), {400}),
    "packed": (f"{URLENCODED}\nContent-Encoding: gzip", len(PACKED), lambda: [PACKED], {400}),
    "another page's": (MULTIPART, 150 * MB, lambda: after(FILE, repeat(ZEROS, 149)), {404}),
    "an annotator's": (MULTIPART, 150 * MB, lambda: after(FILE, repeat(ZEROS, 149)), {403}),
}
"""A type, a length, a body, and what may be answered."""


@pytest.mark.parametrize("what", UPLOADED)
def test_files_that_are_refused_on_their_way(house: House, server: Process, what: str) -> None:
    kind, length, body, answers = UPLOADED[what]
    token = house.annotate(HERS, f"Sends {what}") if what == "an annotator's" else house.sign_in("Rita")
    with Tab(house.url, token) as tab:
        tab.open()
        place = address_of(tab) if what != "another page's" else f"{UPLOADS}unknown/file"
        head = form(kind, path=place, length=length).replace("POST", "PUT").removesuffix("\n")
        sent = body()
        with server.standing(what):
            status = ask(server.port, head + "\n".join(map(": ".join, headers_of(token).items())) + "\n\n", sent)
        assert status in {*answers, None}
        assert tab.open("account")


def zipped() -> bytes:
    """An archive of 300 MB in 300 kB."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file, file.open("../../f.jsonl", "w") as inside:
        for _ in range(300):
            inside.write(ZEROS)
    return archive.getvalue()


def parquet(what: str) -> bytes:
    """A file that the command line and the page of a local app refuse, too."""
    make, options, _ = TOO_MUCH[what]
    file = io.BytesIO()
    pq.write_table(make(), file, compression="zstd", **options)
    return file.getvalue()


GOOD = b'{"id": "d", "source": "s", "references": ["r"], "summaries": [{"system": "a", "text": "t"}]}\n'
CHOSEN: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "an archive": ("f.zip", zipped, "unpack it first"),
    "an archive that is called a table": ("f.csv", zipped, "unpack it first"),
    "an archive that is called Parquet": ("f.parquet", zipped, "Parquet"),
    "packed lines": ("f.jsonl", lambda: gzip.compress(GOOD * 2**20), "unpack it first"),
    "Parquet of long texts": ("f.parquet", lambda: parquet("2 MB by a thousand"), "over 200 MiB of text"),
    "Parquet of one cell": ("f.parquet", lambda: parquet("a cell of 300 MB"), "over 200 MiB of text"),
    "Parquet of many rows": ("f.parquet", lambda: parquet("twenty million rows"), "20,000,000 rows"),
    "nested JSON": ("f.jsonl", lambda: GOOD + b'{"id": ' + b"[" * 20 * MB, "nested too deeply"),
    "a line": ("f.jsonl", lambda: b'{"id": "' + b"x" * 40 * MB, "over 32 MiB"),
    "a line of a table": ("f.csv", lambda: b"document_id,source\n" + b"x" * 40 * MB, "over 32 MiB"),
    "blank lines": ("f.jsonl", lambda: b"\n" * 40 * MB, "blank lines"),
    "a hundred thousand columns": ("f.csv", lambda: b",".join(b"a%d" % n for n in range(10**5)) + b"\n", "too many"),
    "a hundred thousand ratings": (
        "f.csv",
        lambda: b";".join([*map(str.encode, NAMES), *(b"human.%d" % n for n in range(10**5))]) + b"\n",
        "holds no documents",
    ),
}
"""A name, what is in the file, and what is said of it."""


@pytest.mark.parametrize("what", CHOSEN)
def test_files_that_are_refused_by_the_page(house: House, server: Process, what: str) -> None:
    name, make, text = CHOSEN[what]
    content = make()
    token = house.sign_in("Rita")
    with Tab(house.url, token) as tab:
        tab.open("datasets")
        upload(house, tab, token, "good.jsonl", GOOD)  # what reads files is loaded with the first
        assert "1 document" in tab.choose_file("good.jsonl", "file")
        with server.standing(what):
            assert upload(house, tab, token, name, content, file_id="bomb").status_code == 204
            shown = tab.choose_file(name, "bomb")
        assert re.search(text, shown.replace("\\", ""))
        assert "Traceback" not in shown
    assert [dataset.name for dataset in DataStore(house.engine).datasets()] == ["demo"]
