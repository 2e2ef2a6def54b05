"""An open session without verbs, which all modules of the store work on."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from talktree.files.sandbox import Anchor
from talktree.session.capture.blobs import Contents
from talktree.session.capture.budget import Budget
from talktree.session.capture.file_cache import KnownFiles
from talktree.session.capture.limits import Limits
from talktree.session.index.index import SessionIndex
from talktree.session.journal.journal import Journal


@dataclass
class SessionHandle:
    """The parts of an open session."""

    id: str
    root: Path
    folder: Anchor
    journal: Journal
    contents: Contents
    index: SessionIndex
    workspace: Anchor | None = None
    """The folder whose files it restores; None if the session is from elsewhere and not mapped."""
    limits: Limits = field(default_factory=Limits)
    known: KnownFiles = field(default_factory=KnownFiles)
    """The files that were read, so that only changed files are read again."""
    budget: Budget = field(default_factory=Budget)
    notices: list[str] = field(default_factory=list)
    """Messages for the user: what was found and done while opening, and since."""
    session: str = ""
    """The session's id in its messages; another program may use a different one than the
    folder's."""

    def __post_init__(self) -> None:
        self.session = self.session or self.id

    def close(self) -> None:
        """Close every descriptor."""
        self.index.close()
        self.journal.close()
        self.contents.close()
        self.folder.close()
        if self.workspace is not None:
            self.workspace.close()
