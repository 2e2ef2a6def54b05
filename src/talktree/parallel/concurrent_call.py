"""Two concurrent calls, where one of them mostly waits for native threads."""

from __future__ import annotations

import threading
from collections.abc import Callable


def run_both(waiting: Callable[[], None], meanwhile: Callable[[], None] | None) -> None:
    """Run both, the waiting one in its own thread, and return when both are done.

    An error of either is raised when both have ended.
    """
    if meanwhile is None:
        waiting()
        return
    failed: list[BaseException] = []

    def wait() -> None:
        """The thread: an error is passed to the caller."""
        try:
            waiting()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    try:
        meanwhile()
    finally:
        thread.join()
    if failed:
        raise failed[0]
