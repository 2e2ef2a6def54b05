"""Work in a process that is killed before any chosen system call."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable

CALLS = frozenset(
    (
        *("open", "write", "pwrite", "fsync", "fdatasync", "rename", "unlink", "mkdir", "rmdir"),
        *("symlink", "chmod", "fchmod", "ftruncate", "utime", "posix_fallocate"),
    )
)
"""The system calls before which a process is killed."""


def killed_at(call: int, work: Callable[[], object]) -> bool:
    """Run work in a process that is killed before one of its calls; return whether it was."""
    child = os.fork()
    if child == 0:
        left = call

        def count_down(_: object, event: str, function: object) -> None:
            nonlocal left
            if event != "c_call" or getattr(function, "__module__", "") != "posix":
                return
            if getattr(function, "__name__", "") in CALLS:
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        try:
            threading.setprofile(count_down)
            sys.setprofile(count_down)
            work()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the killed process failed"
    return os.WIFSIGNALED(status)
