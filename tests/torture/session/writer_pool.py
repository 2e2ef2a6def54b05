"""Writers in separate processes, which can be killed at any moment."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.torture.session.acks import Reporter, WriterReports, parse_reports
from tests.torture.session.writer import Writer

LONG = 1_000_000


class WriterPool:
    """Some writers at work on one session."""

    def __init__(
        self,
        place: Path,
        names: list[str],
        seed: int,
        *,
        edits: int = LONG,
        first: Callable[[], None] = lambda: None,
    ) -> None:
        self._reading, writing = os.pipe()
        self._pids: dict[int, str] = {}
        for name in names:
            pid = os.fork()
            if not pid:
                _be(Writer(place, Reporter(writing), name, seed), edits, first)
            self._pids[pid] = name
        os.close(writing)
        os.set_blocking(self._reading, False)
        self._heard = b""

    def listen(self) -> None:
        """Read the reports so far, so that no writer blocks on a full pipe."""
        while True:
            try:
                data = os.read(self._reading, 1 << 20)
            except BlockingIOError:
                return
            if not data:
                return
            self._heard += data

    def wait_for_promise(self) -> None:
        """Wait until one of them was acknowledged something, however busy the machine is."""
        while b"\nack " not in self._heard:
            self.listen()
            if all(_has_ended(pid) for pid in self._pids):
                return
            time.sleep(0.001)

    def kill(self) -> WriterReports:
        """Kill all together, and return what they were acknowledged."""
        for pid in self._pids:
            os.kill(pid, signal.SIGKILL)
        return self.wait()

    def wait(self) -> WriterReports:
        """Let all run to their end."""
        os.set_blocking(self._reading, True)
        self.listen()
        for pid in self._pids:
            os.waitpid(pid, 0)
        os.close(self._reading)
        return parse_reports(self._heard)


def _has_ended(pid: int) -> bool:
    """Whether a child has ended; it stays to be waited for."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _be(writer: Writer, edits: int, first: Callable[[], None]) -> None:
    """Run as a writer and never return."""
    code = 0
    try:
        first()
        writer.run(edits)
    except BaseException:
        code = 1
    finally:
        sys.stdout.flush()
        os._exit(code)
