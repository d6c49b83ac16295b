"""A proxy in front of a server that cuts all connections when it is told to, as a bad network does."""

import socket
import struct
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self

RESET = struct.pack("ii", 1, 0)
"""By which closing a socket says nothing to the other side but that the connection is no more."""


class CutProxy:
    """Passes connections on to a port of this machine, `to`; `url` is its own address."""

    def __init__(self) -> None:
        self.to = 0
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listening.getsockname()[1]}"
        self.lock = threading.Lock()
        self.open: set[socket.socket] = set()

    def __enter__(self) -> Self:
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        self.cut()

    def accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listening.accept()
                try:
                    server = socket.create_connection(("127.0.0.1", self.to))
                except OSError:
                    client.close()
                    continue
                with self.lock:
                    self.open |= {client, server}
                for ends in ((client, server), (server, client)):
                    threading.Thread(target=self.pass_on, args=ends, daemon=True).start()

    def pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(2**16):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def cut(self) -> None:
        """End all connections in the middle of whatever they were passing on."""
        with self.lock:
            ended, self.open = self.open, set()
        for item in ended:
            with suppress(OSError):
                item.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                item.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads it
            item.close()
