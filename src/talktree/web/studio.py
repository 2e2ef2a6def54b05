"""What a running studio has: the desk, the jobs, and what it was asked to serve."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from talktree.web.actions.previews import Previews
from talktree.web.documents.cache import DocumentCache
from talktree.web.job_runner import Jobs


class StudioContext(NamedTuple):
    """Handed to every answer."""

    cache: DocumentCache
    jobs: Jobs
    scratch: Path
    """A folder of its own, emptied when the studio ends: uploads, and files that jobs make."""
    previews: Previews
    read_only: bool = False
    given: tuple[Path, ...] = ()
    """The paths that were named; none if all of the library is served."""
