"""A process that records until it is killed, and reports each message once it is acknowledged.

python -m tests.session.recording ROOT SESSION WRITER DURABILITY
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from talktree.errors import WorldMoved
from talktree.session import Session, Store


def record(session: Session, writer: str, workspace: Path) -> None:
    """Record messages, and work on a file now and then, forever."""
    count = 0
    while True:
        count += 1
        text = f"{writer} {count} " + "x" * (count * 37 % 900)
        try:
            id = session.user(text)
        except WorldMoved:
            session.refresh()
            continue
        os.write(1, f"{id} {text}\n".encode())
        if count % 7 == 0:
            session.assistant("", calls=[{"id": f"{writer}-{count}", "name": "edit"}], parent=id)
            name = f"{writer}.txt"
            with session.step(paths=[name]):
                (workspace / name).write_text(text)
            session.results({"call": f"{writer}-{count}", "output": "ok"})


if __name__ == "__main__":
    root, id, writer, durability = sys.argv[1:]
    record(
        Store(root).open(id, durability="fast" if durability == "fast" else "safe"),
        writer,
        Path(root).parent,
    )
