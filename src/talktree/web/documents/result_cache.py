"""What was worked out once and is kept for a while: each thing is made once, few are kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Thing = TypeVar("Thing")


class RecentItems(Generic[Thing]):
    """The last few things by their keys; whoever asks while one is made waits for it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._things: OrderedDict[Hashable, Thing] = OrderedDict()
        self._turns: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Thing]) -> Thing:
        """The thing with a key, made if it is not there."""
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
        """The thing with a key, if it is there."""
        with self._lock:
            return self._things.get(key)
