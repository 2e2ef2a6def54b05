"""Names that users give to branches."""

from __future__ import annotations

from talktree.library.branch_names import name_branch
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.edits_and_moves import NameBranch
from talktree.web.studio import StudioContext


def name(studio: StudioContext, call: RouteCall) -> None:
    """Name a branch, or remove its name."""
    asked: NameBranch = call.body
    opened = studio.cache.open(call.path["cid"])
    with studio.cache.open_for_writing() as library:
        name_branch(library.db, opened.kept.source, opened.conversation, asked.leaf, asked.name)


ROUTES = (
    Route(
        "POST", "/c/{cid}/branch-names", name, "Name a branch by its last message; empty for none.",
        body=NameBranch, effects=True,
    ),
)  # fmt: skip
