"""Whether a process can begin as a copy of this one."""

from __future__ import annotations

import sys
import threading


def may_fork() -> bool:
    """Whether a process can begin as a copy of this one, with all modules at hand.

    A copy has only the thread that made it, so a lock that another one holds would stay locked.
    """
    return sys.platform == "linux" and threading.active_count() == 1
