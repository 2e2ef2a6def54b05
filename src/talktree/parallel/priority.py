"""Threads of other libraries that let everybody else go first, where there is room for all.

Where one thread feeds others, they should not take the processor from it: what they do is done in
time anyway, and it alone decides how soon everything is done. While other programs keep all
processors busy, though, they would hardly get one, and whoever feeds them would wait.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")

TASKS, LOAD = "/proc/self/task", "/proc/loadavg"
BEHIND = 10
"""Should others become busy later, a tenth of a processor is left."""


def run_at_low_priority(make: Callable[[], Made]) -> Made:
    """What a call gives; threads that it starts below Python stand back from now on.

    Only Linux gives a thread a priority of its own; elsewhere nothing is done.
    """
    if sys.platform != "linux":
        return make()
    before = _list_threads()
    made = make()
    ours = {thread.native_id for thread in threading.enumerate()}
    for thread in _list_threads() - before - ours:
        try:
            os.setpriority(os.PRIO_PROCESS, thread, BEHIND)
        except OSError:  # it has ended, or may not
            continue
    return made


def has_free_processor() -> bool:
    """Whether a processor is free besides the one that runs this."""
    try:
        with open(LOAD, "rb") as file:
            running = int(file.read().split()[3].split(b"/")[0])
    except (OSError, ValueError, IndexError):
        return False
    return running <= (os.cpu_count() or 1)


def _list_threads() -> set[int]:
    try:
        return {int(name) for name in os.listdir(TASKS)}
    except OSError:
        return set()
