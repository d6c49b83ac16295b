"""A server that speaks OpenAI's protocol on 127.0.0.1, and does what a test tells it to."""

from __future__ import annotations

import json
import socket
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

Reply = Callable[["Handler"], None]
"""Answers a request."""


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    server: Stub
    question: str
    """The last message."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.question = body["messages"][-1]["content"]
        with self.server.lock:
            self.server.requests.append(body)
            self.server.headers.append(self.headers)
            reply = self.server.replies.popleft() if self.server.replies else self.server.usual
        reply(self)

    def send(self, status: int, content: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in (
            {"Content-Length": str(len(content)), "Content-Type": "application/json"} | headers
        ).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class Stub(ThreadingHTTPServer):
    """The server; `replies` are given in order, then the usual one."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = Lock()
        self.replies: deque[Reply] = deque()
        self.usual: Reply = says("A summary. And more.")
        self.requests: list[dict[str, Any]] = []
        self.headers: list[Message] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    @property
    def questions(self) -> list[str]:
        """The last message of each request."""
        return [row["messages"][-1]["content"] for row in self.requests]

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that were killed are not news."""


@contextmanager
def running_stub() -> Iterator[Stub]:
    server = Stub()
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


# --- replies ------------------------------------------------------------------------------------------------


def completion(text: object, finish: str = "stop", refusal: object = None, **others: object) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "stub-1.5",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 30, "completion_tokens": 7, "total_tokens": 37},
    } | others


def says(text: object, finish: str = "stop", refusal: object = None, **others: object) -> Reply:
    return sends(json.dumps(completion(text, finish, refusal, **others)).encode())


def sends(content: bytes, status: int = 200, **headers: str) -> Reply:
    return lambda handler: handler.send(status, content, **headers)


def fails(status: int, text: str = "", code: str | None = None, **headers: str) -> Reply:
    content = json.dumps({"error": {"message": text, "type": "x", "code": code}}).encode()
    return sends(content, status, **headers)


def hangs_up(handler: Handler) -> None:
    """Close the connection instead of answering."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def breaks_off(handler: Handler) -> None:
    """Close the connection in the middle of the answer."""
    content = json.dumps(completion("A summary.")).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content[:40])
    hangs_up(handler)
