"""Faults by the thousand: `python -m tests.torture.session KIND COUNT [SEED]`.

KIND is kills, script-kills, script-errors, power or control. Failures are reported with what
reproduces them, and the exit code is 1.
"""

from __future__ import annotations

import random
import sys

from tests.cases import rotate
from tests.torture.session import syscalls
from tests.torture.session.images import FLUSH_ALL, FLUSH_JOURNAL, FLUSH_NOTHING, SIZE, why_not
from tests.torture.session.kills import kill
from tests.torture.session.powercuts import control, cut

FLAGS = (FLUSH_ALL, FLUSH_JOURNAL, FLUSH_NOTHING)
NOT_RUN = 77
"""The exit code of a test that cannot be run here."""


def main(kind: str, count: int, seed: int) -> int:
    """Run a number of rounds of one kind of damage."""
    if reason := _reason(kind):
        print(f"NOT RUN: {reason}")
        return NOT_RUN
    if kind == "control":
        lost = sum(control(system, FLUSH_NOTHING, count, seed) for system in SIZE)
        print(f"{lost} of {count * len(SIZE)} power cuts without syncing lost data")
        return 0 if lost else 1
    failures = _suffered(kind, count, seed)
    for failure in failures[:20]:
        print(failure[:2000])
    print(f"{kind}: {len(failures)} failures, seed {seed}")
    return 1 if failures else 0


def _reason(kind: str) -> str | None:
    if kind.startswith("script"):
        return syscalls.why_not()
    if kind in ("power", "control"):
        return next((why for system in SIZE if (why := why_not(system))), None)
    return None


def _suffered(kind: str, count: int, seed: int) -> list[str]:
    if kind == "kills":
        return kill(count, seed)
    if kind == "power":
        return [
            each for system in SIZE for flags in FLAGS for each in cut(system, flags, count, seed)
        ]
    faults = syscalls.kills() if kind == "script-kills" else syscalls.failures()
    chosen = rotate(faults, count, seed)
    print(f"{len(chosen)} of {len(faults)} faults")
    return syscalls.suffered(chosen)


if __name__ == "__main__":
    kind, count, *rest = sys.argv[1:]
    sys.exit(main(kind, int(count), int(rest[0]) if rest else random.randrange(1 << 30)))
