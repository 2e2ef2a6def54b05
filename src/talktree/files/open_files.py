"""Whether another process has a file open for writing; known only on Linux."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

PROCESSES = Path("/proc")
ACCESS = os.O_WRONLY | os.O_RDWR


def find_writer(path: Path) -> str | None:
    """Return the process that has the file open for writing, as far as visible; None if there is
    none."""
    try:
        there = path.stat()
    except OSError:
        return None
    identity = (there.st_dev, there.st_ino)
    for process in _list_processes():
        if _is_writing(process, identity):
            return f"{_read_process_name(process)} (process {process.name})"
    return None if _may_be_leased(path) else "another process"


def _list_processes() -> list[Path]:
    try:
        names = os.listdir(PROCESSES)
    except OSError:
        return []
    own = str(os.getpid())
    return [PROCESSES / name for name in names if name.isdecimal() and name != own]


def _is_writing(process: Path, identity: tuple[int, int]) -> bool:
    """Whether a process has it open for writing; other users' processes are not readable."""
    try:
        opened = os.listdir(process / "fd")
    except OSError:
        return False
    for number in opened:
        try:
            found = os.stat(process / "fd" / number)
            if (found.st_dev, found.st_ino) == identity and _read_flags(process, number) & ACCESS:
                return True
        except OSError:
            continue
    return False


def _read_flags(process: Path, number: str) -> int:
    for line in (process / "fdinfo" / number).read_text().splitlines():
        name, _, value = line.partition(":")
        if name == "flags":
            return int(value, 8)
    return 0


def _read_process_name(process: Path) -> str:
    try:
        return (process / "comm").read_text().strip()
    except OSError:
        return "a program"


def _may_be_leased(path: Path) -> bool:
    """Whether the kernel grants a read lease, which it does only if the file is not open for
    writing.

    This also covers unreadable processes, but only for files of one's own.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return True
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except BlockingIOError:
        return False
    except (OSError, AttributeError):
        # Not the owner, or a file system without leases: unknown.
        return True
    finally:
        os.close(descriptor)
    return True
