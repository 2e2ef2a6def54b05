"""A pager for long output: the one in PAGER, else `less`, else none."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from shutil import which
from typing import BinaryIO, cast

LESS = "FRX"
"""Quit if everything fits, pass colours through, leave the text on the screen."""


def open_pager() -> AbstractContextManager[BinaryIO] | None:
    """Yield a pager to write to, or None if there is none or it is not wanted."""
    words = _find_command()
    if not words:
        return None
    try:
        process = subprocess.Popen(
            words, stdin=subprocess.PIPE, env={"LESS": LESS, "LV": "-c", **os.environ}
        )
    except OSError:
        return None
    return _feed(process)


def _find_command() -> list[str]:
    wanted = os.environ.get("PAGER", "less")
    try:
        words = shlex.split(wanted)
    except ValueError:
        return []
    return words if words and words != ["cat"] and which(words[0]) else []


@contextmanager
def _feed(process: subprocess.Popen[bytes]) -> Iterator[BinaryIO]:
    """Write to the pager; quitting it early closes its pipe, which is not an error."""
    sink = cast(BinaryIO, process.stdin)
    try:
        yield sink
    except BrokenPipeError:
        pass
    finally:
        _close_sink(sink)
        _wait_for_pager(process)


def _close_sink(sink: BinaryIO) -> None:
    try:
        sink.close()
    except BrokenPipeError:
        pass


def _wait_for_pager(process: subprocess.Popen[bytes]) -> None:
    """Wait for the pager, which handles Ctrl-C while it runs."""
    while True:
        try:
            process.wait()
            return
        except KeyboardInterrupt:
            continue
