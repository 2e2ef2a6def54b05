"""Work that goes on: how far it is, stopping it, the file it made."""

from __future__ import annotations

from starlette.responses import FileResponse, Response

from talktree.errors import NotFound
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.general import JobState
from talktree.web.studio import StudioContext

BYTES = "application/octet-stream"
"""Whatever it is, it is downloaded and not shown."""


def job(studio: StudioContext, call: RouteCall) -> JobState:
    """How far it is."""
    return studio.jobs.get(call.path["job"])


def cancel(studio: StudioContext, call: RouteCall) -> JobState:
    """Ask it to stop."""
    return studio.jobs.cancel(call.path["job"])


def file(studio: StudioContext, call: RouteCall) -> Response:
    """The file it made, to be downloaded."""
    path, name = studio.jobs.get_file(call.path["job"])
    if not path.is_file():
        raise NotFound(f"{name} is not there any more", hint="make it again")
    return FileResponse(path, media_type=BYTES, filename=name)


ROUTES = (
    Route("GET", "/jobs/{job}", job, "How far a job is.", gives=JobState),
    Route("POST", "/jobs/{job}/cancel", cancel, "Ask a job to stop.", gives=JobState),
    Route("GET", "/jobs/{job}/file", file, "Download the file a job made.", media=BYTES),
)
