"""What a running studio still holds of conversations that were forgotten, here or elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from talktree.library.listing import by_source

if TYPE_CHECKING:
    from talktree.web.studio import Studio


def drop_forgotten(studio: Studio) -> None:
    """Drop open documents, running work, files to download and previews of what is forgotten."""
    cached, jobs, _, previews, *_ = studio
    held = cached.sources() | jobs.sources()
    if not held:
        return
    db = cached.library().db
    gone = {source for source in held if by_source(db, source) is None}
    if gone:
        jobs.drop(gone)
        cached.drop(gone)
        previews.clear()
