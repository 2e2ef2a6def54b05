"""The lines of a step: the first before the tool works, the last when it is done.

Long lists are divided over several lines, so that no line grows with the watched tree.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from talktree.session.capture.file_state import State
from talktree.session.capture.snapshots import FileChange, format_snapshot_line
from talktree.text.times import MILLI

AT_ONCE = 2000
"""Maximum number of paths in one line."""


@dataclass(frozen=True, kw_only=True)
class StepReport:
    """What a step reports at one time."""

    changes: Sequence[FileChange] = ()
    seen: Sequence[tuple[bytes, State]] = ()
    uncovered: Sequence[tuple[str, str]] = ()
    watched: Sequence[bytes] | None = None
    ended: bool = False


def format_step_lines(
    message: str, step: str, said: StepReport, *, update: bool, point: str | None = None
) -> list[bytes]:
    """Return the lines of a report; the first may be an update, the others always are."""
    now = time.time_ns() // MILLI * MILLI
    count = max(len(said.changes), len(said.seen), 1)
    lines = []
    for start in range(0, count, AT_ONCE):
        some = slice(start, start + AT_ONCE)
        first, last = start == 0, start + AT_ONCE >= count
        lines.append(
            format_snapshot_line(
                message,
                step,
                update or not first,
                said.changes[some],
                said.uncovered if last else (),
                now,
                seen=said.seen[some],
                watched=said.watched if first else None,
                ended=said.ended and last,
                point=point,
            )
        )
    return lines
