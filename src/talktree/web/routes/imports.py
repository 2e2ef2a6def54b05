"""Imports: all places again, and the known ones of this machine if requested."""

from __future__ import annotations

from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.general import JobState
from talktree.web.schemas.library import ImportPlaces
from talktree.web.studio import StudioContext
from talktree.web.watcher import start_import


def start(studio: StudioContext, call: RouteCall) -> JobState:
    """Return a job that imports what is new; if one is already running, return that."""
    running = studio.jobs.find_running("import")
    if running is not None:
        return studio.jobs.get(running)
    work = start_import(studio.cache.root, (), known=call.body.known, retention=not studio.given)
    return studio.jobs.start("import", work)


ROUTES = (
    Route(
        "POST", "/imports", start, "Take in what is new.",
        body=ImportPlaces, gives=JobState, effects=True,
    ),
)  # fmt: skip
