"""Edits: made, undone, done again, listed."""

from __future__ import annotations

from talktree.web.actions import edit
from talktree.web.routes.route import Call, Route
from talktree.web.schemas.edits_and_moves import Do, Edited, History, Turn
from talktree.web.studio import Studio


def history(studio: Studio, call: Call) -> History:
    """All edits, the oldest first."""
    return edit.history(studio, call.path["cid"])


def do(studio: Studio, call: Call) -> Edited:
    """One more edit."""
    return edit.done(studio, call.path["cid"], call.body.stamp, call.body.deed)


def undo(studio: Studio, call: Call) -> Edited:
    """The last edit that counts, taken back."""
    return edit.undone(studio, call.path["cid"], call.body.stamp, call.body.edit)


def redo(studio: Studio, call: Call) -> Edited:
    """The edit that was undone last, done again."""
    return edit.redone(studio, call.path["cid"], call.body.stamp, call.body.edit)


ROUTES = (
    Route("GET", "/c/{cid}/edits", history, "All edits, the oldest first.", gives=History),
    Route(
        "POST", "/c/{cid}/edits", do, "Edit a conversation; nothing happens on another stamp.",
        body=Do, gives=Edited, effects=True,
    ),
    Route(
        "POST", "/c/{cid}/undo", undo, "Undo the last edit, if it is the one that is meant.",
        body=Turn, gives=Edited, effects=True,
    ),
    Route(
        "POST", "/c/{cid}/redo", redo, "Redo the last undone edit, if it is the one that is meant.",
        body=Turn, gives=Edited, effects=True,
    ),
)  # fmt: skip
