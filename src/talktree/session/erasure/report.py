"""The report of an erasure."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct


class SessionErasure(Struct, frozen=True, kw_only=True):
    """What is erased from a store, and what can no longer be undone because of it."""

    session: str
    dry_run: bool
    """Whether nothing was changed."""
    sessions: tuple[str, ...] = ()
    """The sessions that are erased completely: the one that was named and its children."""
    messages: tuple[str, ...] = ()
    """The erased messages, including results of their calls."""
    emptied: tuple[str, ...] = ()
    """Results of calls that stay: only their content is erased."""
    paths: tuple[str, ...] = ()
    """The files whose recorded states are erased."""
    snapshots: int = 0
    """Lines of the file history that are removed or changed."""
    moves: int = 0
    """Lines about undo, redo and branches that are removed or changed."""
    files: tuple[Path, ...] = ()
    """Files of the store that are removed: stored contents, bytes cut off logs, whole sessions."""
    bytes: int = 0
    """The size of these files."""
    not_undoable: tuple[str, ...] = ()
    """What can no longer be undone, in sentences."""
    warnings: tuple[str, ...] = ()
    """What stays although it may reveal erased data, in sentences."""
