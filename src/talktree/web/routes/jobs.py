"""Jobs: their progress, cancelling them, and the files they make."""

from __future__ import annotations

from starlette.responses import FileResponse, Response

from talktree.errors import NotFound
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.general import JobState
from talktree.web.studio import StudioContext

BYTES = "application/octet-stream"
"""Any file is downloaded and not displayed."""


def job(studio: StudioContext, call: RouteCall) -> JobState:
    """Return the progress of a job."""
    return studio.jobs.get(call.path["job"])


def cancel(studio: StudioContext, call: RouteCall) -> JobState:
    """Cancel a job."""
    return studio.jobs.cancel(call.path["job"])


def file(studio: StudioContext, call: RouteCall) -> Response:
    """Return the file of a job as a download."""
    path, name = studio.jobs.get_file(call.path["job"])
    if not path.is_file():
        raise NotFound(f"{name} is not there any more", hint="make it again")
    return FileResponse(path, media_type=BYTES, filename=name)


ROUTES = (
    Route("GET", "/jobs/{job}", job, "How far a job is.", gives=JobState),
    Route("POST", "/jobs/{job}/cancel", cancel, "Ask a job to stop.", gives=JobState),
    Route("GET", "/jobs/{job}/file", file, "Download the file a job made.", media=BYTES),
)
