"""A conversation without its messages."""

from __future__ import annotations

from talktree.web.actions.summary import build_summary
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.transcript import ConversationDetails
from talktree.web.studio import StudioContext


def _conversation(studio: StudioContext, call: RouteCall) -> ConversationDetails:
    return build_summary(studio, studio.cache.open(call.path["cid"]))


ROUTES = (
    Route(
        "GET", "/c/{cid}", _conversation, "A conversation without its messages.",
        gives=ConversationDetails,
    ),
)  # fmt: skip
