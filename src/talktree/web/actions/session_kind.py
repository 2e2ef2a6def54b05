"""Which conversations are sessions whose files can be moved, and where these are kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from talktree.errors import UsageError
from talktree.library.listing import Kept
from talktree.session.legacy import SUFFIX
from talktree.session.names import FORMAT as SESSION_FORMAT
from talktree.session.names import is_id

SESSIONS = "sessions"
Kind = Literal["own", "claude-code"]


def session_kind(kept: Kept) -> Kind | None:
    """What kind of session a conversation is; None if it is none."""
    path = path_of(kept)
    if kept.format == "claude-code":
        return "claude-code" if path.suffix == ".jsonl" else None
    # A session in the older form is one file; it knows of no files that it changed.
    in_store = path.parent.name == SESSIONS and is_id(path.name) and path.suffix != SUFFIX
    return "own" if kept.format == SESSION_FORMAT and in_store and kept.state != "gone" else None


def required_kind(kept: Kept) -> Kind:
    """The same, or why nothing can be moved."""
    found = session_kind(kept)
    if found is None:
        raise UsageError(
            "this conversation has no files that could be moved",
            hint="sessions in a store and sessions of Claude Code have",
        )
    return found


def path_of(kept: Kept) -> Path:
    """Where a conversation lies."""
    return Path(os.fsdecode(kept.raw_path))
