"""Moves of a session and its files: where it stands, the plan, and doing just that."""

from __future__ import annotations

from talktree.web.actions.edit import history
from talktree.web.actions.summary import summary_of
from talktree.web.actions.undo import (
    choices_of,
    claude_history,
    claude_shape,
    journey,
    moved_shape,
    own_session,
    own_shape,
    path_of,
    plan_shape,
    required_kind,
)
from talktree.web.routes.route import Call, Route
from talktree.web.schemas.edits_and_moves import Applied, Apply, Plan, Session, Travel
from talktree.web.studio import Studio


def session(studio: Studio, call: Call) -> Session:
    """Where a session and its files stand."""
    opened = studio.desk.open(call.path["cid"])
    if required_kind(opened.kept) == "claude-code":
        with claude_history(opened) as history:
            return claude_shape(opened, history)
    with own_session(opened, write=False, cache=not studio.read_only) as found:
        return own_shape(found)


def plan(studio: Studio, call: Call) -> Plan:
    """What a move would do; nothing is done."""
    travel: Travel = call.body
    opened = studio.desk.open(call.path["cid"])
    with journey(opened, travel, write=False, cache=not studio.read_only) as found:
        return plan_shape(found.move.plan(), found.contents, {**choices_of(travel)})


def apply(studio: Studio, call: Call) -> Applied:
    """Make a move, if its plan is still the one with this digest."""
    asked: Apply = call.body
    cid, desk = call.path["cid"], studio.desk
    opened = desk.open(cid)
    with desk.writing() as library:
        with journey(opened, asked.travel, write=True) as found:
            moved = moved_shape(found.move.apply(asked.digest), found.session)
        if found.session is not None:
            library.import_([path_of(opened.kept)])
            desk.changed(cid)
        after = desk.open(cid)
    return Applied(
        stamp=after.stamp,
        done=moved.done,
        notices=moved.notices,
        leaf=moved.leaf,
        conversation=summary_of(studio, after),
        history=history(studio, cid),
    )


ROUTES = (
    Route("GET", "/c/{cid}/session", session, "Where a session stands.", gives=Session),
    Route(
        "POST", "/c/{cid}/session/plan", plan, "What a move would do; nothing is done.",
        body=Travel, gives=Plan,
    ),
    Route(
        "POST", "/c/{cid}/session/apply", apply, "Do what the plan with this digest says.",
        body=Apply, gives=Applied, effects=True,
    ),
)  # fmt: skip
