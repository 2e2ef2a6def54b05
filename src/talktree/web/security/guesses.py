"""Limits passphrase attempts: one at a time, with longer waits after wrong ones."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil

from talktree.errors import WrongKey
from talktree.web.errors import TooManyGuesses

FREE = 3
"""Wrong passphrases before the first wait."""
LONGEST_WAIT = 60.0
"""Maximum seconds between two attempts."""


class GuessLimit:
    """The wrong passphrases of one studio. Only a right one resets the count."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._turn = threading.Lock()
        self._wrong = 0
        self._next = 0.0

    @property
    def wait(self) -> int:
        """Return the seconds until the next attempt is possible."""
        return max(0, ceil(self._next - self._clock()))

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Make one attempt. During a wait, a right passphrase is refused as well."""
        if not self._turn.acquire(blocking=False):
            raise TooManyGuesses("another passphrase is being checked", wait=1)
        try:
            if self.wait:
                raise TooManyGuesses("too many wrong passphrases", wait=self.wait)
            try:
                yield
            except WrongKey:
                self._count_wrong()
                raise
            self._wrong = 0
        finally:
            self._turn.release()

    def _count_wrong(self) -> None:
        self._wrong += 1
        if self._wrong >= FREE:
            seconds = min(LONGEST_WAIT, 2.0 ** min(self._wrong - FREE + 1, 10))
            self._next = self._clock() + seconds
