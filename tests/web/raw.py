"""Requests that no browser would let a page send."""

from __future__ import annotations

import http.client
from collections.abc import Iterable
from typing import NamedTuple

Pairs = Iterable[tuple[str, str]]


class Said(NamedTuple):
    """A response."""

    status: int
    headers: dict[str, str]
    """By their lower-case names."""
    body: bytes


class Asker:
    """A connection that sends any request with any headers."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)

    def ask(self, method: str, path: str, headers: Pairs, body: bytes = b"") -> Said:
        """Send a request with exactly these headers, and the length of the body."""
        self._connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers:
            self._connection.putheader(name, value)
        self._connection.putheader("Content-Length", str(len(body)))
        self._connection.endheaders(body or None)
        answer = self._connection.getresponse()
        said = {name.lower(): value for name, value in answer.getheaders()}
        return Said(answer.status, said, answer.read())

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
