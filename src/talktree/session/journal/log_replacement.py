"""Replacing a log that could not be synced by a new file.

After a failed sync the kernel may have dropped what it could not write, and does not report it
again. What was synced before is copied to a new file; the rest was never acknowledged.
"""

from __future__ import annotations

import os

from talktree.files.durable import copy_range, create_whole
from talktree.session.journal.commit import Commit
from talktree.session.journal.lockfile import DurableMark, LockFile
from talktree.session.journal.log import Log

_BLOCK = 1 << 16


def renew_log(log: Log, commit: Commit, lock: LockFile) -> str | None:
    """Replace a log whose sync failed, unless this was already done; return what was done.

    The append lock is held.
    """
    with commit.hold_lock():
        mark = lock.read_mark(log.index)
        if mark is None or not mark.failed or mark.identity != log.find_identity():
            return None
        if mark.identity != log.identity:
            log.open()
        kept = _find_whole_length(log.fd, min(mark.length, log.size()))
        name = log.quarantine_rest(kept, "the disk did not take it: a sync failed")
        create_whole(
            log.folder, log.file.encode(), lambda target: copy_range(log.fd, 0, kept, target)
        )
        log.open()
        lock.write_mark(log.index, DurableMark(log.identity, kept))
    moved = f"; what was not saved is in {name}" if name else ""
    return f"{log.file}: a sync failed, so the file was renewed up to byte {kept}{moved}"


def _find_whole_length(fd: int, length: int) -> int:
    """Return the length up to the last newline: a sync may have covered half of a line."""
    while length > 0:
        begin = max(0, length - _BLOCK)
        newline = os.pread(fd, length - begin, begin).rfind(b"\n")
        if newline >= 0:
            return begin + newline + 1
        length = begin
    return 0
