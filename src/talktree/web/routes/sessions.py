"""Moves of a session and its files: the current state, the plan, and applying exactly that."""

from __future__ import annotations

from talktree.web.actions.edit import read_history
from talktree.web.actions.summary import build_summary
from talktree.web.actions.undo import (
    build_claude_shape,
    build_move_outcome,
    build_own_shape,
    build_plan_shape,
    find_path,
    open_claude_history,
    open_navigation,
    open_own_session,
    parse_choices,
    require_session_kind,
)
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.edits_and_moves import (
    ApplyPlan,
    ApplyResult,
    NavigationRequest,
    PlanPreview,
    SessionState,
)
from talktree.web.studio import StudioContext


def session(studio: StudioContext, call: RouteCall) -> SessionState:
    """Return the state of a session and its files."""
    opened = studio.cache.open(call.path["cid"])
    if require_session_kind(opened.kept) == "claude-code":
        with open_claude_history(opened) as history:
            return build_claude_shape(opened, history)
    with open_own_session(opened, write=False, cache=not studio.read_only) as found:
        return build_own_shape(found)


def plan(studio: StudioContext, call: RouteCall) -> PlanPreview:
    """Return what a move would do, without doing it."""
    travel: NavigationRequest = call.body
    opened = studio.cache.open(call.path["cid"])
    with open_navigation(opened, travel, write=False, cache=not studio.read_only) as found:
        return build_plan_shape(found.move.plan(), found.contents, {**parse_choices(travel)})


def apply(studio: StudioContext, call: RouteCall) -> ApplyResult:
    """Make a move, if its plan is still the one with this digest."""
    asked: ApplyPlan = call.body
    cid, cache = call.path["cid"], studio.cache
    opened = cache.open(cid)
    with cache.open_for_writing() as library:
        with open_navigation(opened, asked.travel, write=True) as found:
            moved = build_move_outcome(found.move.apply(asked.digest), found.session)
        if found.session is not None:
            library.import_([find_path(opened.kept)])
            cache.forget_source(cid)
        after = cache.open(cid)
    return ApplyResult(
        stamp=after.stamp,
        done=moved.done,
        notices=moved.notices,
        leaf=moved.leaf,
        conversation=build_summary(studio, after),
        history=read_history(studio, cid),
    )


ROUTES = (
    Route("GET", "/c/{cid}/session", session, "Where a session stands.", gives=SessionState),
    Route(
        "POST", "/c/{cid}/session/plan", plan, "What a move would do; nothing is done.",
        body=NavigationRequest, gives=PlanPreview,
    ),
    Route(
        "POST", "/c/{cid}/session/apply", apply, "Do what the plan with this digest says.",
        body=ApplyPlan, gives=ApplyResult, effects=True,
    ),
)  # fmt: skip
