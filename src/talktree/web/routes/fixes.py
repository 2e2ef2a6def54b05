"""Repairs of a source: plan or apply its safe fixes."""

from __future__ import annotations

from talktree.web.actions.repair import repair_conversation
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.edits_and_moves import Fixes, FixRequest
from talktree.web.studio import StudioContext


def fix(studio: StudioContext, call: RouteCall) -> Fixes:
    """Return the plan of a repair, or what was done with `apply`."""
    return repair_conversation(studio, call.path["cid"], call.body)


ROUTES = (
    # A plan has no effects, so a read-only studio makes one; applying it is refused there.
    Route(
        "POST", "/c/{cid}/fixes", fix, "Plan the safe fixes of a source, or make them.",
        body=FixRequest, gives=Fixes,
    ),
)  # fmt: skip
