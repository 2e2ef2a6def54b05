"""Connections with an incomplete request are closed; others are left alone."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest
from msgspec import Struct

from talktree.web import server
from talktree.web.routes import entry
from talktree.web.routes.route import Route, RouteCall
from talktree.web.studio import StudioContext
from tests.web.running import LONGEST, Running, running

QUIET = 0.3


class Late(Struct):
    """A slow answer."""

    text: str = "late"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setattr(server, "SILENCE", QUIET)
    with running([]) as studio:
        yield studio


def _connected(studio: Running) -> socket.socket:
    return socket.create_connection(("127.0.0.1", studio.keys.port), timeout=LONGEST)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTT",
        b"GET / HTTP/1.1\r\nHost: x",
        b"POST /api/v1/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 90\r\n\r\n{",
    ],
)
def test_half_a_request_is_not_waited_for(impatient: Running, sent: bytes) -> None:
    with _connected(impatient) as connection:
        connection.sendall(sent)
        while connection.recv(65536):
            pass


def test_a_slow_answer_is_not_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """A complete request may take longer to answer than a partial one may take to complete."""

    def answer_late(studio: StudioContext, call: RouteCall) -> Late:
        """Answer after a while."""
        time.sleep(QUIET * 3)
        return Late()

    monkeypatch.setattr(server, "SILENCE", QUIET)
    late = Route("GET", "/late", answer_late, "Answers late.", gives=Late)
    with running([], table=[*entry.ROUTES, late]) as studio:
        assert studio.get("/late") == {"text": "late"}
