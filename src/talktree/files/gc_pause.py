"""Python's search for circles of objects, put off while very many objects are made and dropped.

What a record becomes holds no circles, and goes away without that search.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def pause_gc() -> Iterator[None]:
    """Look for circles only when `gc.collect` is called, or again when this ends."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
