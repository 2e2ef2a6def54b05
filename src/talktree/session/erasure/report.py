"""What an erasure removes, or would remove."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct


class SessionErasure(Struct, frozen=True, kw_only=True):
    """What is erased from a store, and what can no longer be undone because of it."""

    session: str
    dry_run: bool
    """Whether nothing was changed."""
    sessions: tuple[str, ...] = ()
    """The sessions that go as a whole: the one that was named and its children."""
    messages: tuple[str, ...] = ()
    """The messages that go, results of their calls included."""
    emptied: tuple[str, ...] = ()
    """Results of calls that stay: only their content goes."""
    paths: tuple[str, ...] = ()
    """The files whose recorded states go."""
    snapshots: int = 0
    """Lines of the file history that go or change."""
    moves: int = 0
    """Lines about undo, redo and branches that go or change."""
    files: tuple[Path, ...] = ()
    """Files of the store that are removed: kept contents, bytes cut off logs, whole sessions."""
    bytes: int = 0
    """How much space they take."""
    not_undoable: tuple[str, ...] = ()
    """What can no longer be undone, in sentences."""
    warnings: tuple[str, ...] = ()
    """What stays although it may tell of what is erased, in sentences."""
