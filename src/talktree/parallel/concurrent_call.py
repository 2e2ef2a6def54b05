"""Two things at once, where one of them only waits for threads below Python."""

from __future__ import annotations

import threading
from collections.abc import Callable


def run_both(waiting: Callable[[], None], meanwhile: Callable[[], None] | None) -> None:
    """Do both, the one that waits in a thread of its own; both are done when this is.

    An error of either is raised when both have ended.
    """
    if meanwhile is None:
        waiting()
        return
    failed: list[BaseException] = []

    def wait() -> None:
        """The thread: what goes wrong is told to whoever started it."""
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
