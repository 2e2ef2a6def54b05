"""Lower the priority of native threads, if there is a free processor.

Where one thread feeds others, they should not take the processor from it: their work finishes in
time anyway, and the feeding thread decides how soon everything is done. While other programs keep
all processors busy, though, low-priority threads would hardly run, and the feeding thread would
wait for them.
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
"""If other programs become busy later, about a tenth of a processor is left."""


def run_at_low_priority(make: Callable[[], Made]) -> Made:
    """Return the result of a call; native threads that it starts get a low priority.

    Only Linux has a priority for each thread; elsewhere this does nothing.
    """
    if sys.platform != "linux":
        return make()
    before = _list_threads()
    made = make()
    ours = {thread.native_id for thread in threading.enumerate()}
    for thread in _list_threads() - before - ours:
        try:
            os.setpriority(os.PRIO_PROCESS, thread, BEHIND)
        except OSError:  # the thread has ended, or this is not permitted
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
