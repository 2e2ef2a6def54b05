"""Imports: all places again, and the known ones of this machine if that is asked for."""

from __future__ import annotations

from talktree.web.routes.route import Call, Route
from talktree.web.schemas.general import Job
from talktree.web.schemas.library import ImportPlaces
from talktree.web.studio import Studio
from talktree.web.watcher import taking_in


def start(studio: Studio, call: Call) -> Job:
    """A job that takes in what is new; the one that goes on already if there is one."""
    running = studio.jobs.going_on("import")
    if running is not None:
        return studio.jobs.get(running)
    work = taking_in(studio.desk.root, (), known=call.body.known, retention=not studio.given)
    return studio.jobs.start("import", work)


ROUTES = (
    Route(
        "POST", "/imports", start, "Take in what is new.",
        body=ImportPlaces, gives=Job, effects=True,
    ),
)  # fmt: skip
