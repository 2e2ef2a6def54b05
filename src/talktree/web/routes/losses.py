"""What a conversion would lose, computed before anything is written."""

from __future__ import annotations

from msgspec import Struct

from talktree.errors import UsageError
from talktree.formats import get_format
from talktree.web.actions.save import isolate_document, make_options, preview_losses
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.edits_and_moves import LossSummary
from talktree.web.studio import StudioContext


class LossQuery(Struct, frozen=True, kw_only=True):
    """Which conversion."""

    to: str = ""
    branch: str | None = None
    clean: bool = False


def ledger(studio: StudioContext, call: RouteCall) -> LossSummary:
    """Return what a format could not hold of a conversation."""
    asked: LossQuery = call.query
    if not asked.to:
        raise UsageError("say which format", hint="to=SLUG")
    to = get_format(asked.to).info.slug
    document = isolate_document(studio.cache.open(call.path["cid"]))
    return preview_losses(document, to, make_options(asked.branch, clean=asked.clean))


ROUTES = (
    Route(
        "GET", "/c/{cid}/ledger", ledger, "What a format would lose, carry and render.",
        query=LossQuery, gives=LossSummary,
    ),
)  # fmt: skip
