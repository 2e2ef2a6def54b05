"""What Talktree's own store says of files: contents named by their hash, and states before.

The store adds `paths` to the document's snapshots and keeps a log of operations beside them. Both
name contents of `backups/` by SHA-256; here they are only looked up, nothing is opened but the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from talktree.files import Source
from talktree.formats.lens import Object
from talktree.formats.sage.layout import BACKUPS, OPERATIONS_LOG
from talktree.model.entries import Snapshot
from talktree.text.json.decode import decode
from talktree.text.json.value import Json

PATHS = "paths"
SEEN = "seen"
LEFT = "left"
SIDES = ("before", "after")


def backup_named(session: str, hash: str) -> str:
    """The file that holds the content with this hash, if the store keeps it."""
    path = f"{BACKUPS}/{hash}.backup"
    return f"{session}/{path}" if session else path


def named_contents(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """The contents a snapshot names beyond its backups, each with the way to where it does."""
    held = snapshot.extra.get("snapshot")
    if not isinstance(held, dict):
        return
    for name, states in _items(held.get(PATHS)):
        for side in SIDES:
            for hash in _hashes(states.get(side)):
                yield hash, f"snapshot/{PATHS}/{name}/{side}"
    for name, state in _items(held.get(SEEN)):
        for hash in _hashes(state):
            yield hash, f"snapshot/{SEEN}/{name}"


def knows_before(snapshot: Snapshot, path: str) -> bool:
    """Whether a snapshot has the earlier state of a file, whatever it was."""
    held = snapshot.extra.get("snapshot")
    paths = held.get(PATHS) if isinstance(held, dict) else None
    states = paths.get(path.replace("%", "%25")) if isinstance(paths, dict) else None
    before = states.get("before") if isinstance(states, dict) else None
    return isinstance(before, dict) and before.get("kind") in ("file", "link", "folder", "absent")


def operations(source: Source, session: str) -> Iterator[tuple[int, Object]]:
    """The operations of a session, each with its line; what is no operation is passed over."""
    content = source.files.get(f"{session}/{OPERATIONS_LOG}" if session else OPERATIONS_LOG)
    if content is None:
        return
    for number, raw in enumerate(content.lines(), 1):
        value, _, usable = decode(raw)
        if usable and isinstance(value, dict):
            yield number, value


def contents_of_operations(lines: Iterable[tuple[int, Object]]) -> Iterator[str]:
    """The contents that moves name: what was there before them, what they wrote, what they left."""
    for _, value in lines:
        for _, states in _items(value.get(PATHS)):
            for side in SIDES:
                yield from _hashes(states.get(side))
        for _, state in _items(value.get(LEFT)):
            yield from _hashes(state)


def _items(value: Json) -> Iterator[tuple[str, Object]]:
    for name, item in value.items() if isinstance(value, dict) else ():
        if isinstance(item, dict):
            yield name, item


def _hashes(state: Json) -> Iterator[str]:
    """The contents a state needs: the pieces of a file that is kept in pieces, else its own."""
    if not isinstance(state, dict) or state.get("kind") != "file":
        return
    chunks = state.get("chunks")
    for each in chunks if isinstance(chunks, list) and chunks else [state.get("hash")]:
        if isinstance(each, str):
            yield each
