"""Threads of other libraries that run only where nobody else would.

Where one thread feeds others, they should not take the processor from it: what they do is done in
time anyway, and it alone decides how soon everything is done.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")

TASKS = "/proc/self/task"
LAST = 19
"""Everybody else comes before."""


def standing_back(make: Callable[[], Made]) -> Made:
    """What a call gives; threads that it starts below Python stand back from now on.

    Only Linux gives a thread a priority of its own; elsewhere nothing is done.
    """
    if sys.platform != "linux":
        return make()
    before = _threads()
    made = make()
    ours = {thread.native_id for thread in threading.enumerate()}
    for thread in _threads() - before - ours:
        try:
            os.setpriority(os.PRIO_PROCESS, thread, LAST)
        except OSError:  # it has ended, or may not
            continue
    return made


def _threads() -> set[int]:
    try:
        return {int(name) for name in os.listdir(TASKS)}
    except OSError:
        return set()
