"""Giving memory back: large blocks are returned to the system as soon as they are free."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

LARGE = 128 << 10
"""What the C library begins with."""
VERY_LARGE = 4 << 20
"""Where blocks below this are asked for again and again: new pages each time cost more."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3


def give_back_large_blocks(large: int = LARGE) -> None:
    """Let every block of that size have pages of its own, from now on.

    The C library begins so, but raises its limit when such a block is freed: after one line of
    30 MB all later ones come from a heap full of holes that is never returned. Where there is no
    such setting, nothing is done.
    """
    set_option = _set_option()
    if set_option is not None:
        set_option(_M_MMAP_THRESHOLD, large)
        set_option(_M_TRIM_THRESHOLD, large)


@cache
def _set_option() -> Callable[[int, int], object] | None:
    """What the C library sets options of its memory with; it is asked for with every file."""
    try:
        return ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return None
