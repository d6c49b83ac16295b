"""A Streamlit browser of a few lines: a WebSocket that speaks the app's protobufs."""

import socket
from contextlib import suppress
from types import TracebackType
from typing import Self

from streamlit.proto.BackMsg_pb2 import BackendOperationRequest, BackMsg, DeferredFileRequestPayload
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from relevance.hosting.gate import UPLOADS
from tests.waiting import PATIENCE, until


def cookie_of(token: str | None) -> dict[str, str]:
    """The header by which a browser says who is signed in."""
    return {} if token is None else {"Cookie": f"relevance={token}"}


class Tab:
    """An open page of the app. All that was ever shown on it is in `texts`."""

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        session: str = "",
        origin: str | None = None,
        port: int | None = None,
        **headers: str,
    ) -> None:
        """Connect to the server of an address; `port` is where it listens, where that is another one."""
        self.socket = connect(
            f"{url.replace('http', 'ws', 1)}/_stcore/stream",
            additional_headers={**cookie_of(token), **headers},
            origin=url if origin is None else origin,
            subprotocols=["streamlit", "none", session] if session else ["streamlit"],
            sock=None if port is None else socket.create_connection(("127.0.0.1", port)),
            max_size=None,
            ping_interval=None,
            open_timeout=PATIENCE,
            legacy=True,
        )
        self.session = self.page = self.texts = ""
        self.buttons: dict[str, tuple[str, str]] = {}
        self.fragments: set[str] = set()
        self.uploader = ""
        self.failures: list[str] = []
        """What the pages' code has raised."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.socket.close()

    def send(self, address: str = "", page: str = "", *, pressed: str = "", fragment: str = "") -> None:
        """Ask for a page, with the part of the address after `?`, or press a button, named by its number."""
        message = BackMsg()
        run = message.rerun_script
        run.query_string, run.page_name, run.fragment_id = address, page, fragment
        if not page:
            run.page_script_hash = self.page
        run.context_info.timezone, run.context_info.url = "UTC", f"http://127.0.0.1/{page}"
        if pressed:
            widget = run.widget_states.widgets.add()
            widget.id, widget.trigger_value = pressed, True
        self.socket.send(message.SerializeToString())

    def choose_file(self, name: str, file_id: str) -> str:
        """Choose a file, which was sent, in the field for one; returns what is shown then."""
        message = BackMsg()
        run = message.rerun_script
        run.page_script_hash = self.page
        widget = run.widget_states.widgets.add(id=self.uploader)
        place = f"{UPLOADS}{self.session}/{file_id}"
        widget.file_uploader_state_value.uploaded_file_info.add(
            file_id=file_id, name=name, file_urls=FileURLs(file_id=file_id, upload_url=place, delete_url=place)
        )
        self.socket.send(message.SerializeToString())
        return self.read()

    def ask_for_file(self, file_id: str) -> None:
        """Ask for a download that is made when it is wanted."""
        request = BackendOperationRequest(
            request_id="file", session_id=self.session, deferred_file=DeferredFileRequestPayload(file_id=file_id)
        )
        self.socket.send(BackMsg(backend_operation_request=request).SerializeToString())

    def receive(self, seconds: float = PATIENCE) -> ForwardMsg:
        """The next message. Raises ConnectionClosed where there is none any more, TimeoutError where none comes."""
        data = self.socket.recv(timeout=seconds)
        return ForwardMsg.FromString(data if isinstance(data, bytes) else data.encode())

    def heard(self) -> set[str | None]:
        """The kinds of all messages that have come, and the answers to what was said before."""
        kinds: set[str | None] = set()

        def answered() -> bool:
            # asked again each second: a run that begins drops what has not been sent yet, such as an answer
            self.socket.send(BackMsg(app_heartbeat=True).SerializeToString())
            with suppress(TimeoutError):
                while "heartbeat_ack" not in kinds:
                    kinds.add(self.receive(seconds=1).WhichOneof("type"))
            return "heartbeat_ack" in kinds

        until(answered, "an answer")
        return kinds

    def read(self) -> str:
        """Wait until the page is drawn; returns what was shown. Raises ConnectionClosed where it was ended."""
        text = ""
        while True:
            message = self.receive()
            kind = message.WhichOneof("type")
            if kind == "new_session":
                self.session = message.new_session.initialize.session_id or self.session
                self.page = message.new_session.page_script_hash
            elif kind == "navigation":
                self.page = message.navigation.page_script_hash
            elif kind == "delta":
                text += self.take(message.delta)
            elif kind == "script_finished":
                self.texts += text
                if message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    return text

    def take(self, delta: Delta) -> str:
        """Keep buttons, fields and fragments; returns the texts."""
        if delta.fragment_id:
            self.fragments.add(delta.fragment_id)
        if delta.new_element.WhichOneof("type") == "exception":
            self.failures.append(str(delta.new_element.exception))
        if delta.new_element.WhichOneof("type") == "button":
            button = delta.new_element.button
            self.buttons[button.id] = (button.label, delta.fragment_id)
        elif delta.new_element.WhichOneof("type") == "file_uploader" and not delta.new_element.file_uploader.type:
            self.uploader = delta.new_element.file_uploader.id  # not that of mappings, which takes TOML only
        return str(delta)

    def open(self, page: str = "", address: str = "") -> str:
        """Open a page at an address; returns what is shown."""
        self.send(address, page)
        return self.read()

    def open_work(self) -> None:
        """Open an annotator's work, past the page on which it begins."""
        self.open("annotate")
        if "Start" in {label for label, _ in self.buttons.values()}:
            self.press("Start")

    def button(self, label: str) -> tuple[str, str]:
        """The number and the fragment of a button, the last of that label."""
        results = [(number, fragment) for number, (known, fragment) in self.buttons.items() if known == label]
        return results[-1]

    def press(self, label: str) -> str:
        """Press a button; returns what is shown then."""
        number, fragment = self.button(label)
        self.send(pressed=number, fragment=fragment)
        return self.read()


def refused_with(url: str, token: str | None, **options: str) -> int | None:
    """The status with which opening a page is refused; None where it is not."""
    try:
        Tab(url, token, **options).socket.close()
    except InvalidStatus as error:
        return error.response.status_code
    return None
