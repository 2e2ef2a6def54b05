"""A conversation: all of it but its messages."""

from __future__ import annotations

from talktree.web.actions.summary import summary_of
from talktree.web.routes.route import Call, Route
from talktree.web.schemas.transcript import Conversation
from talktree.web.studio import Studio


def _conversation(studio: Studio, call: Call) -> Conversation:
    return summary_of(studio, studio.desk.open(call.path["cid"]))


ROUTES = (
    Route(
        "GET", "/c/{cid}", _conversation, "A conversation without its messages.",
        gives=Conversation,
    ),
)  # fmt: skip
