"""Python's search for circles of objects, put off while many records are made and dropped at once.

What a record becomes holds no circles, and so goes away without that search.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def not_sought() -> Iterator[None]:
    """Circles are looked for again when this ends, if they were before."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
