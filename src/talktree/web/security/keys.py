"""The credentials of a studio: the token in the address, and the cookie and page key it is
exchanged for.

Browsers send a cookie to every port of a host. Another local server that the same browser opens
receives the studio's cookie, so the cookie alone does not grant access. The page keeps the page key
in the storage of its origin, which includes the port, and sends it in a header. For addresses that
the browser itself opens, such as images and downloads, the page adds a ticket: the signature of
that one address.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple

from talktree.web.security.browsers import Challenges

BYTES = 32
"""256 bits, which cannot be guessed."""
ONCE_VALID = 120.0
"""Seconds after which a one-time token expires, used or not."""


class _OneTimeToken(NamedTuple):
    """The expiry time of a one-time token, and the condition for it."""

    end: float
    is_valid: Callable[[], bool]
    when_used: Callable[[], object]


class Keys:
    """The keys of one start on one port; they expire with it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.token = secrets.token_urlsafe(BYTES)
        self.page_key = secrets.token_urlsafe(BYTES)
        self._cookie = secrets.token_urlsafe(BYTES)
        self._once: dict[str, _OneTimeToken] = {}
        self._lock = threading.Lock()
        self.challenges = Challenges(port)

    @property
    def name(self) -> str:
        """The cookie's name. It contains the port, because cookies ignore ports."""
        return f"talktree-{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        """The allowed values of `Host`."""
        names = ("127.0.0.1", "localhost", "[::1]")
        plain = frozenset(names) if self.port == 80 else frozenset()
        return plain | {f"{name}:{self.port}" for name in names}

    @property
    def own_host(self) -> str:
        """The host in the printed address."""
        return f"127.0.0.1:{self.port}"

    def build_address(self, token: str) -> str:
        """Return the studio's address, with a token in the part that only the page sees."""
        return f"http://127.0.0.1:{self.port}/#token={token}"

    def make_one_time_token(self) -> str:
        """Return a one-time token for the browser that the studio starts."""
        token = secrets.token_urlsafe(BYTES)
        end = time.monotonic() + ONCE_VALID
        with self._lock:
            self._once[token] = _OneTimeToken(end, lambda: True, lambda: None)
        return token

    def call_when_used(
        self, token: str, call: Callable[[], object], *, is_valid: Callable[[], bool]
    ) -> None:
        """Call a function as soon as a one-time token is used, which works while it is valid."""
        with self._lock:
            found = self._once.get(token)
            if found is not None:
                self._once[token] = _OneTimeToken(found.end, is_valid, call)
                return
        call()

    def accepts_token(self, token: str) -> bool:
        """Whether a token is valid."""
        if _is_equal(token, self.token):
            return True
        with self._lock:
            found = [self._once.pop(each) for each in [*self._once] if _is_equal(token, each)]
        opens = [each.is_valid() and time.monotonic() < each.end for each in found]
        for each in found:
            each.when_used()
        return any(opens)

    def make_cookie_header(self) -> str:
        """Return the header that sets the cookie."""
        return f"{self.name}={self._cookie}; HttpOnly; SameSite=Strict; Path=/"

    def has_cookie(self, header: str | None) -> bool:
        """Whether a `Cookie` header contains the cookie."""
        try:
            sent = SimpleCookie(header or "").get(self.name)
        except CookieError:
            return False
        return sent is not None and _is_equal(sent.value, self._cookie)

    def is_page_key(self, given: str | None) -> bool:
        """Whether this is the page key."""
        return given is not None and _is_equal(given, self.page_key)

    def make_ticket(self, target: bytes) -> str:
        """Return the signature with which an address, path and query, opens without a header."""
        made = hmac.new(self.page_key.encode(), target, hashlib.sha256).digest()
        return urlsafe_b64encode(made).rstrip(b"=").decode()

    def is_ticket(self, given: str, target: bytes) -> bool:
        """Whether this is the ticket for an address."""
        return _is_equal(given, self.make_ticket(target))


def _is_equal(given: str, right: str) -> bool:
    """Whether both are equal, compared in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())
