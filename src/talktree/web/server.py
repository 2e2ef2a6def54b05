"""The server: an event loop that ends on request and cleans up.

The socket is on loopback, on a free port or the requested one.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from talktree.errors import LockHeld, UsageError
from talktree.web.response import JSON, error_response
from talktree.web.security.headers import build_fixed_headers

PATIENCE = 3
"""Seconds that running answers get at the end."""
SILENCE = 30.0
"""Seconds after which a connection with an incomplete request is closed."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Protocol(H11Protocol):
    """An HTTP protocol with uniform refusals, and a timeout for half-open connections."""

    _silence: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_data()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._await_data()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._silence is not None:
            self._silence.cancel()
        super().connection_lost(exc)

    def _await_data(self) -> None:
        if self._silence is not None:
            self._silence.cancel()
        self._silence = self.loop.call_later(SILENCE, self._close_if_silent)

    def _close_if_silent(self) -> None:
        # A complete request may take as long as it needs to answer, and while reading is paused the
        # silence is ours. After an answer, uvicorn's own timeout applies.
        if self.flow.read_paused or self.conn.their_state not in {h11.IDLE, h11.SEND_BODY}:
            self._await_data()
        else:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        response = error_response(UsageError("this is no HTTP"))
        headers = [
            *build_fixed_headers(),
            (b"content-type", JSON.encode()),
            (b"connection", b"close"),
        ]
        said = h11.Response(status_code=response.status_code, headers=headers)
        for event in (said, h11.Data(data=bytes(response.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


class Server(uvicorn.Server):
    """A server that ends its streams, and whose caller cleans up after any signal."""

    def __init__(self, app: ASGIApp, ending: threading.Event) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=Protocol,
                log_config=None,
                log_level="critical",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                lifespan="off",
                ws="none",
                timeout_graceful_shutdown=PATIENCE,
            )
        )
        self.ending = ending
        self.signal: int | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.signal = sig
        self.ending.set()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals while the server runs; they are not raised again afterwards."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.getsignal(each) for each in SIGNALS}
        if before[signal.SIGHUP] == signal.SIG_IGN:
            del before[signal.SIGHUP]  # started by `nohup`
        for each in before:
            signal.signal(each, self.handle_exit)
        try:
            yield
        finally:
            if self.signal == signal.SIGHUP:
                # A closed terminal sends it more than once; the second must not end the cleanup.
                before[signal.SIGHUP] = signal.SIG_IGN
            for each, handler in before.items():
                signal.signal(each, handler)

    def stop(self) -> None:
        """End as soon as running answers are complete."""
        self.ending.set()
        self.should_exit = True


LOOPBACK = "127.0.0.1"


def bind_usual_port() -> socket.socket:
    """Return a socket on the port of the last remembered browser if it is free; else on any."""
    from talktree.web.security.browsers import find_usual_port

    port = find_usual_port()
    if port is not None:
        try:
            return bind_port(port)
        except (LockHeld, UsageError):
            pass
    return bind_port(0)


def bind_port(port: int) -> socket.socket:
    """Return a socket on the loopback interface; port 0 is any free port."""
    # The protocol is named because only then asyncio sends small answers without delay.
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((LOOPBACK, port))
        made.listen(128)
    except PermissionError:
        made.close()
        raise UsageError(f"port {port} is not for you", hint="take one above 1023") from None
    except OSError:
        made.close()
        raise LockHeld(
            f"port {port} is in use", hint="name another, or leave --port out for a free one"
        ) from None
    return made
