"""Imports: all places again, and the known ones of this machine if that is asked for."""

from __future__ import annotations

from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.general import JobState
from talktree.web.schemas.library import ImportPlaces
from talktree.web.studio import StudioContext
from talktree.web.watcher import start_import


def start(studio: StudioContext, call: RouteCall) -> JobState:
    """A job that takes in what is new; the one that goes on already if there is one."""
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
