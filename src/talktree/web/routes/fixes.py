"""Repairs of a source: what has a safe fix, planned or made."""

from __future__ import annotations

from talktree.web.actions.repair import fixed
from talktree.web.routes.route import Call, Route
from talktree.web.schemas.edits_and_moves import Fix, Fixes
from talktree.web.studio import Studio


def fix(studio: Studio, call: Call) -> Fixes:
    """The plan of a repair, or with `apply` what was done."""
    return fixed(studio, call.path["cid"], call.body)


ROUTES = (
    # A plan has no effects, so a read-only studio makes one; it refuses to apply it by itself.
    Route(
        "POST", "/c/{cid}/fixes", fix, "Plan the safe fixes of a source, or make them.",
        body=Fix, gives=Fixes,
    ),
)  # fmt: skip
