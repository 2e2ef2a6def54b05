"""A small cache of computed results; each is computed once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Thing = TypeVar("Thing")


class RecentItems(Generic[Thing]):
    """The most recent results by key; concurrent callers wait for one computation."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._things: OrderedDict[Hashable, Thing] = OrderedDict()
        self._turns: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Thing]) -> Thing:
        """Return the result for a key, computed if it is missing."""
        with self._lock:
            if key in self._things:
                self._things.move_to_end(key)
                return self._things[key]
            turn = self._turns.setdefault(key, threading.Lock())
        with turn:
            with self._lock:
                if key in self._things:
                    return self._things[key]
            made = make()
            with self._lock:
                self._things[key] = made
                while len(self._things) > self._most:
                    self._things.popitem(last=False)
                self._turns.pop(key, None)
            return made

    def get_known(self, key: Hashable) -> Thing | None:
        """Return the result for a key if it is there."""
        with self._lock:
            return self._things.get(key)
