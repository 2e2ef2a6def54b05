"""Forgetting a conversation: what would go, and doing it."""

from __future__ import annotations

import os

from talktree.library.dropped_files import is_dropped
from talktree.library.temporary import forget_everywhere
from talktree.web.actions.leftovers import drop_forgotten
from talktree.web.routes.route import Call, Route
from talktree.web.schemas.edits_and_moves import Forgettable, Forgotten
from talktree.web.studio import Studio


def preview(studio: Studio, call: Call) -> Forgettable:
    """What would be forgotten with a conversation."""
    kept, _ = studio.desk.kept(call.path["cid"])
    library = studio.desk.library()
    return Forgettable(
        path=os.fsdecode(kept.raw_path),
        on_disk=kept.state == "here",
        dropped=is_dropped(library.root, kept.raw_path),
        conversations=max(1, kept.several),
        versions=len(library.versions(kept)),
        files=tuple(os.fsdecode(each) for each in library.belonging(kept) if each != kept.raw_path),
    )


def forget(studio: Studio, call: Call) -> Forgotten:
    """Erase a conversation and keep it away from later imports."""
    cid, desk = call.path["cid"], studio.desk
    with desk.writing() as library:
        kept, _ = desk.kept(cid)
        done = forget_everywhere(library, [kept])
    drop_forgotten(studio)
    return Forgotten(freed=done.freed, left=done.left)


ROUTES = (
    Route(
        "GET", "/c/{cid}/forget", preview, "What would be forgotten with a conversation.",
        gives=Forgettable,
    ),
    Route(
        "POST", "/c/{cid}/forget", forget,
        "Erase it from the library; its file stays unless it was dropped into the studio.",
        gives=Forgotten, effects=True,
    ),
)  # fmt: skip
