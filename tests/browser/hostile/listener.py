"""A server on this machine that records every visit: requests, bare connections, datagrams."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

CONNECTED = "a connection"


class Listener(NamedTuple):
    """The listening address, and the recorded visits."""

    port: int
    udp: int
    came: list[str]
    pages: dict[str, bytes]
    """The pages that it serves."""
    headers: dict[str, dict[str, str]]
    """Their additional headers, by page."""

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def heard(self) -> set[str]:
        """Return the ways in which data arrived.

        Chromium connects before it asks a policy whether a frame may navigate; a connection that is
        closed without data has sent nothing.
        """
        return {each.split("?")[0] for each in self.came} - {CONNECTED}


@contextmanager
def listening() -> Iterator[Listener]:
    """Listen until the block ends."""
    came: list[str] = []
    pages: dict[str, bytes] = {}
    headers: dict[str, dict[str, str]] = {}

    class Note(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = pages.get(self.path)
            if page is None:
                came.append(self.path.strip("/"))
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(page or b"")))
            for name, value in headers.get(self.path, {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(page or b"")

        do_POST = do_OPTIONS = do_HEAD = do_GET

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def get_request(self) -> Any:
            came.append(CONNECTED)
            return super().get_request()

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Record clients that disconnect in the middle, too."""

    server = Server(("127.0.0.1", 0), Note)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        datagrams.bind(("127.0.0.1", 0))
        datagrams.settimeout(0.2)
        ended = threading.Event()

        def take() -> None:
            while not ended.is_set():
                try:
                    datagrams.recv(2048)
                    came.append("stun")
                except TimeoutError:
                    continue

        threads = [threading.Thread(target=server.serve_forever), threading.Thread(target=take)]
        for thread in threads:
            thread.start()
        try:
            udp = datagrams.getsockname()[1]
            yield Listener(server.server_address[1], udp, came, pages, headers)
        finally:
            ended.set()
            server.shutdown()
            for thread in threads:
                thread.join()
            server.server_close()
