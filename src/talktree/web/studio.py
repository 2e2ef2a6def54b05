"""The context of a running studio: the document cache, the jobs, and what it serves."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from talktree.web.actions.previews import Previews
from talktree.web.documents.cache import DocumentCache
from talktree.web.job_runner import Jobs


class StudioContext(NamedTuple):
    """Passed to every handler."""

    cache: DocumentCache
    jobs: Jobs
    scratch: Path
    """The studio's own folder, emptied when it ends: uploads, and files that jobs make."""
    previews: Previews
    read_only: bool = False
    given: tuple[Path, ...] = ()
    """The paths that were named; empty if the whole library is served."""
