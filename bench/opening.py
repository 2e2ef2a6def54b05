"""Opening a large session and showing its current state, against reading its log once."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

import msgspec

from bench.measure import Row, peak_memory, side_by_side
from talktree.session import Store
from talktree.session.journal.lines import seal_line

MESSAGES_PER_MEGABYTE = 200
SHOWN = 20
BLOCK = 1 << 20
_INDEX = """
import sys
from talktree.session import Store
with Store(sys.argv[1]).open("large", write=False) as session:
    session.opened.index.count_messages()
"""


def rows(megabytes: int) -> list[Row]:
    """Measure the head of a session, and the indexing of all of it."""
    with TemporaryDirectory() as folder:
        root = Path(folder) / ".sage"
        log = made(root, megabytes)
        ours, other = side_by_side(partial(_head, root), partial(_read, log), rounds=7)
        index, again = side_by_side(partial(_indexed, root), partial(_read, log), rounds=1)
        later, _ = side_by_side(partial(_count, root), partial(_read, log), rounds=3)
        memory = peak_memory(_INDEX, str(root))
    size = f"{megabytes} MB, {megabytes * MESSAGES_PER_MEGABYTE:,} messages"
    return [
        Row(
            f"opening a session of {size}, last {SHOWN}",
            f"{1000 * ours:.1f} ms",
            f"reading the file: {1000 * other:.0f} ms",
            f"{ours / other:.3f}×",
            "≤ 0.1×",
        ),
        Row(
            "indexing all of it, once",
            f"{index:.2f} s",
            f"reading the file: {1000 * again:.0f} ms",
            f"{index / again:.1f}×",
            "",
        ),
        Row(
            "opening and asking the index afterwards",
            f"{1000 * later:.1f} ms",
            f"indexing: {1000 * index:.0f} ms",
            f"{later / index:.3f}×",
            "",
        ),
        Row("memory with the index", f"{memory >> 20} MiB", "", "", "≤ 300 MiB"),
    ]


def made(root: Path, megabytes: int) -> Path:
    """Return a session of one long line of messages, about 5 KB each."""
    folder = root / "sessions" / "large"
    folder.mkdir(parents=True)
    log = folder / "messages.jsonl"
    with log.open("wb", buffering=BLOCK) as file:
        parent = None
        for number in range(1, megabytes * MESSAGES_PER_MEGABYTE + 1):
            line = _message(number, parent)
            parent = line["uuid"]
            file.write(seal_line(msgspec.json.encode(line), number) + b"\n")
    return log


def _message(number: int, parent: object) -> dict[str, object]:
    type = "user" if number % 2 else "assistant"
    return {
        "type": type,
        "uuid": str(UUID(int=number * 0x9E3779B97F4A7C15 % (1 << 128))),
        "parentUuid": parent,
        "timestamp": f"2026-01-05T08:{number // 60 % 60:02}:{number % 60:02}.000Z",
        "sessionId": "large",
        "version": "0.1.0",
        "context": {"cwd": "/home/ada/tides", "platform": "linux"},
        "message": {"role": type, "content": f'{number}: the tide\nis "high" \u2014 ' * 138},
        "todos": [],
        "isSidechain": False,
    }


def _read(log: Path) -> None:
    """Read every byte of the log once."""
    fd = os.open(log, os.O_RDONLY)
    try:
        while os.read(fd, BLOCK):
            pass
    finally:
        os.close(fd)


def _head(root: Path) -> None:
    """Read the current state of the session, and its last messages."""
    with Store(root).open("large", write=False) as session:
        index = session.opened.index
        assert index.leaf() is not None
        found = [index.message(node) for node in index.last_messages(SHOWN)]
        assert len(found) == SHOWN
    assert not (root / "cache").exists()


def _indexed(root: Path) -> None:
    _count(root)


def _count(root: Path) -> None:
    with Store(root).open("large", write=False) as session:
        assert session.opened.index.count_messages()
