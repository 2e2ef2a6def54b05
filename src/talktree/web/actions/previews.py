"""What was previewed last, in memory only: pages shown in a frame, and the key of placeholders.

A file and its preview have the same bytes, so they must have the same placeholders. Their key is
made from one that is drawn when the studio opens and is never written.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from hashlib import blake2b
from secrets import token_bytes, token_urlsafe

from talktree.errors import NotFound

MOST = 4
"""How many pages are held."""


class Previews:
    """The pages and the key of one studio."""

    def __init__(self) -> None:
        self._key = token_bytes(32)
        self._pages: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, page: bytes) -> str:
        """Hold a page; its id."""
        id = token_urlsafe(16)
        with self._lock:
            self._pages[id] = page
            while len(self._pages) > MOST:
                self._pages.popitem(last=False)
        return id

    def clear(self) -> None:
        """Hold no page any more."""
        with self._lock:
            self._pages.clear()

    def get_page(self, id: str) -> bytes:
        """A page that is still held."""
        with self._lock:
            found = self._pages.get(id)
        if found is None:
            raise NotFound("this preview is gone", hint="open it again")
        return found

    def get_redaction_key(self, cid: str, stamp: str) -> bytes:
        """The key of the placeholders for a conversation as it is now."""
        return blake2b(f"{cid}\n{stamp}".encode(), key=self._key, digest_size=32).digest()
