"""Edits: apply, undo, redo and list them."""

from __future__ import annotations

from talktree.web.actions import edit
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.edits_and_moves import EditRequest, EditResult, HistoryState, UndoRequest
from talktree.web.studio import StudioContext


def history(studio: StudioContext, call: RouteCall) -> HistoryState:
    """Return all edits, oldest first."""
    return edit.read_history(studio, call.path["cid"])


def do(studio: StudioContext, call: RouteCall) -> EditResult:
    """Apply one more edit."""
    return edit.apply_edit(studio, call.path["cid"], call.body.stamp, call.body.deed)


def undo(studio: StudioContext, call: RouteCall) -> EditResult:
    """Undo the last edit that is in effect."""
    return edit.undo_edit(studio, call.path["cid"], call.body.stamp, call.body.edit)


def redo(studio: StudioContext, call: RouteCall) -> EditResult:
    """Redo the edit that was undone last."""
    return edit.redo_edit(studio, call.path["cid"], call.body.stamp, call.body.edit)


ROUTES = (
    Route("GET", "/c/{cid}/edits", history, "All edits, the oldest first.", gives=HistoryState),
    Route(
        "POST", "/c/{cid}/edits", do, "Edit a conversation; nothing happens on another stamp.",
        body=EditRequest, gives=EditResult, effects=True,
    ),
    Route(
        "POST", "/c/{cid}/undo", undo, "Undo the last edit, if it is the one that is meant.",
        body=UndoRequest, gives=EditResult, effects=True,
    ),
    Route(
        "POST", "/c/{cid}/redo", redo, "Redo the last undone edit, if it is the one that is meant.",
        body=UndoRequest, gives=EditResult, effects=True,
    ),
)  # fmt: skip
