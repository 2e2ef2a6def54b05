"""What people call branches."""

from __future__ import annotations

from talktree.library.branch_names import name_branch
from talktree.web.routes.route import Call, Route
from talktree.web.schemas.edits_and_moves import NameBranch
from talktree.web.studio import Studio


def name(studio: Studio, call: Call) -> None:
    """Give a branch a name, or take it away."""
    asked: NameBranch = call.body
    opened = studio.desk.open(call.path["cid"])
    with studio.desk.writing() as library:
        name_branch(library.db, opened.kept.source, opened.conversation, asked.leaf, asked.name)


ROUTES = (
    Route(
        "POST", "/c/{cid}/branch-names", name, "Name a branch by its last message; empty for none.",
        body=NameBranch, effects=True,
    ),
)  # fmt: skip
