"""Drop what a running studio still holds of forgotten conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from talktree.library.listing import find_by_source

if TYPE_CHECKING:
    from talktree.web.studio import StudioContext


def drop_forgotten(studio: StudioContext) -> None:
    """Drop open documents, running jobs, downloads and previews of forgotten conversations."""
    cached, jobs, _, previews, *_ = studio
    held = cached.list_sources() | jobs.list_sources()
    if not held:
        return
    db = cached.get_library().db
    gone = {source for source in held if find_by_source(db, source) is None}
    if gone:
        jobs.drop(gone)
        cached.drop(gone)
        previews.clear()
