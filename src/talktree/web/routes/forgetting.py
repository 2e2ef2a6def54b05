"""Forget a conversation: preview what would be erased, and erase it."""

from __future__ import annotations

import os

from talktree.library.dropped_files import is_dropped
from talktree.library.temporary import forget_everywhere
from talktree.web.actions.leftovers import drop_forgotten
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.edits_and_moves import ForgetPreview, ForgetSummary
from talktree.web.studio import StudioContext


def preview(studio: StudioContext, call: RouteCall) -> ForgetPreview:
    """Return what would be forgotten with a conversation."""
    kept, _ = studio.cache.find_library_entry(call.path["cid"])
    library = studio.cache.get_library()
    return ForgetPreview(
        path=os.fsdecode(kept.raw_path),
        on_disk=kept.state == "here",
        dropped=is_dropped(library.root, kept.raw_path),
        conversations=max(1, kept.several),
        versions=len(library.versions(kept)),
        files=tuple(
            os.fsdecode(each) for each in library.list_group_paths(kept) if each != kept.raw_path
        ),
    )


def forget(studio: StudioContext, call: RouteCall) -> ForgetSummary:
    """Erase a conversation and keep it away from later imports."""
    cid, cache = call.path["cid"], studio.cache
    with cache.open_for_writing() as library:
        kept, _ = cache.find_library_entry(cid)
        done = forget_everywhere(library, [kept])
    drop_forgotten(studio)
    return ForgetSummary(freed=done.freed, left=done.left)


ROUTES = (
    Route(
        "GET", "/c/{cid}/forget", preview, "What would be forgotten with a conversation.",
        gives=ForgetPreview,
    ),
    Route(
        "POST", "/c/{cid}/forget", forget,
        "Erase it from the library; its file stays unless it was dropped into the studio.",
        gives=ForgetSummary, effects=True,
    ),
)  # fmt: skip
