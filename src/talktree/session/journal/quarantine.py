"""Bytes that are cut off a log are saved first, with the reason.

Names contain the log, the offset and the content: saving the same bytes twice, because a writer
died in between, changes nothing.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from hashlib import blake2b

import msgspec

from talktree.files.durable import copy_range, create_whole, write_all

FOLDER = "quarantine"
_BLOCK = 1 << 20


def quarantine_range(session: int, log: str, fd: int, start: int, stop: int, why: str) -> str:
    """Copy a range of a log into the quarantine, synced, and return its name there."""
    folder = _open_folder(session)
    try:
        name = f"{log}-{start}-{_hash_range(fd, start, stop)}"
        create_whole(
            folder, f"{name}.bytes".encode(), lambda target: copy_range(fd, start, stop, target)
        )
        about = {
            "log": log,
            "start": start,
            "length": stop - start,
            "why": why,
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        }
        text = msgspec.json.encode(about) + b"\n"
        create_whole(folder, f"{name}.json".encode(), lambda target: write_all(target, text))
    finally:
        os.close(folder)
    return f"{FOLDER}/{name}.bytes"


def _open_folder(session: int) -> int:
    try:
        os.mkdir(FOLDER, 0o700, dir_fd=session)
        os.fsync(session)
    except FileExistsError:
        pass
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(FOLDER, flags, dir_fd=session)


def _hash_range(fd: int, start: int, stop: int) -> str:
    seen = blake2b(digest_size=8)
    while start < stop:
        block = os.pread(fd, min(_BLOCK, stop - start), start)
        if not block:
            break
        seen.update(block)
        start += len(block)
    return seen.hexdigest()
