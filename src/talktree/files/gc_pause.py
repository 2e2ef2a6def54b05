"""Pauses Python's garbage collector while very many objects are created and dropped.

Decoded records contain no cycles, so they are freed without it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def pause_gc() -> Iterator[None]:
    """Collect only when `gc.collect` is called, until the context ends."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
