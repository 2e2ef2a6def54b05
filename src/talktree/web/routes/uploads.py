"""Uploads: receive a file, inspect it, then keep or discard it."""

from __future__ import annotations

import anyio
from msgspec import Struct
from starlette.requests import ClientDisconnect

from talktree import api
from talktree.errors import TalktreeError, UsageError
from talktree.formats import get_format
from talktree.web.actions.edit import review_upload
from talktree.web.actions.save import preview_losses
from talktree.web.actions.upload import Uploads, inspect_upload, make_keep_work
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.edits_and_moves import LossSummary
from talktree.web.schemas.general import JobState
from talktree.web.schemas.library import KeepUpload, Upload
from talktree.web.studio import StudioContext


class UploadName(Struct, frozen=True):
    """Its original name, and whether it is a folder."""

    name: str = ""
    folder: bool = False
    attach: bool = False
    """Whether it is to be attached to a message; then only that is checked."""
    type: str = ""
    """The declared media type."""


class UploadTarget(Struct, frozen=True):
    """The target format."""

    to: str = ""


async def bring(studio: StudioContext, call: RouteCall) -> Upload:
    """Write the body to disk as it arrives, and inspect it."""
    uploads, asked = Uploads(studio.scratch), call.query
    try:
        file = await uploads.receive(asked.name, call.request.stream(), folder=asked.folder)
    except ClientDisconnect:
        raise UsageError("the file ended before it was whole", hint="bring it in again") from None
    if not asked.attach:
        return await anyio.to_thread.run_sync(inspect_upload, file)
    try:
        return await anyio.to_thread.run_sync(review_upload, file, asked.type)
    except TalktreeError:
        uploads.drop(file.id)
        raise


def ledger(studio: StudioContext, call: RouteCall) -> LossSummary:
    """Return what a format could not hold of a file."""
    file = Uploads(studio.scratch).get(call.path["upload"])
    to = get_format(call.query.to).info.slug
    return preview_losses(api.read(file.source), to, api.DEFAULT)


def keep(studio: StudioContext, call: RouteCall) -> JobState:
    """Return a job that keeps a file and imports it into the library."""
    uploads = Uploads(studio.scratch)
    file = uploads.get(call.path["upload"])
    work = make_keep_work(studio.cache, uploads, file, call.body.to, retention=not studio.given)
    return studio.jobs.start("upload", work)


def drop(studio: StudioContext, call: RouteCall) -> None:
    """Discard a file."""
    Uploads(studio.scratch).drop(call.path["upload"])


ROUTES = (
    Route(
        "POST", "/uploads", bring, "Bring a file or a folder in; nothing is kept of it yet.",
        query=UploadName, gives=Upload, effects=True,
    ),
    Route(
        "GET", "/uploads/{upload}/ledger", ledger, "What a format would lose of it.",
        query=UploadTarget, gives=LossSummary,
    ),
    Route(
        "POST", "/uploads/{upload}/keep", keep, "Keep it, as it is or converted, and import it.",
        body=KeepUpload, gives=JobState, effects=True,
    ),
    Route("DELETE", "/uploads/{upload}", drop, "Throw it away.", effects=True),
)  # fmt: skip
