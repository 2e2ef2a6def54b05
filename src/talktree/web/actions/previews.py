"""Recent previews, in memory only: pages shown in a frame, and the key for placeholders.

A file and its preview have the same bytes, so they must have the same placeholders. Their key is
derived from a random key that is made when the studio opens and is never written.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from hashlib import blake2b
from secrets import token_bytes, token_urlsafe

from talktree.errors import NotFound

MOST = 4
"""Maximum number of pages kept."""


class Previews:
    """The preview pages and the placeholder key of one studio."""

    def __init__(self) -> None:
        self._key = token_bytes(32)
        self._pages: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, page: bytes) -> str:
        """Keep a page and return its id."""
        id = token_urlsafe(16)
        with self._lock:
            self._pages[id] = page
            while len(self._pages) > MOST:
                self._pages.popitem(last=False)
        return id

    def clear(self) -> None:
        """Drop all pages."""
        with self._lock:
            self._pages.clear()

    def get_page(self, id: str) -> bytes:
        """Return a page that is still kept."""
        with self._lock:
            found = self._pages.get(id)
        if found is None:
            raise NotFound("this preview is gone", hint="open it again")
        return found

    def get_redaction_key(self, cid: str, stamp: str) -> bytes:
        """Return the placeholder key for a conversation in its current state."""
        return blake2b(f"{cid}\n{stamp}".encode(), key=self._key, digest_size=32).digest()
