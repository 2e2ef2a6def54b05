"""Sessions made by hand: a folder, its journal and index, lines as the recorder writes them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from talktree.files.sandbox import Anchor
from talktree.session.capture.blobs import Contents
from talktree.session.handle import SessionHandle
from talktree.session.index.index import SessionIndex
from talktree.session.journal.journal import Journal

SESSION = "s1"


def folder_of(root: Path) -> Path:
    """Return the folder of the only session below a root."""
    folder = root / "sessions" / SESSION
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def opened(root: Path, *, cached: bool = True) -> Iterator[SessionHandle]:
    """Open the session below a root as the store does."""
    folder = Anchor(folder_of(root))
    journal = Journal(folder, "fast")
    index = SessionIndex(journal, root / "cache" / f"{SESSION}.sqlite" if cached else None)
    found = SessionHandle(SESSION, root, folder, journal, Contents(folder), index)
    try:
        yield found
    finally:
        found.close()


def said(id: str | None, parent: str | None = None, **members: Any) -> bytes:
    """Return a message line, without its seal."""
    line: dict[str, Any] = {
        "type": "user",
        "uuid": id,
        "parentUuid": parent,
        "timestamp": "2026-01-05T08:00:00.000Z",
        "sessionId": SESSION,
        "version": "0.1.0",
        "context": {"cwd": "/home/ada", "platform": "linux"},
        "message": {"role": "user", "content": f"I am {id}"},
        "todos": [],
        "isSidechain": False,
        **members,
    }
    if id is None:
        del line["uuid"]
    return json.dumps(line).encode()


def note(id: str, parent: str | None) -> bytes:
    """Return a note, as a move leaves it."""
    words = {"role": "system", "content": "undone"}
    return said(id, parent, type="system", message=words, operation={"id": "o1", "verb": "undo"})


def aside(id: str, parent: str | None) -> bytes:
    """Return a message of a sidechain."""
    return said(id, parent, isSidechain=True)
