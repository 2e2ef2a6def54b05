"""Uploads: a file is brought in, looked over, and then kept or thrown away."""

from __future__ import annotations

import anyio
from msgspec import Struct
from starlette.requests import ClientDisconnect

from talktree import api
from talktree.errors import TalktreeError, UsageError
from talktree.formats import by_slug
from talktree.web.actions.edit import reviewed
from talktree.web.actions.save import previewed
from talktree.web.actions.upload import Uploads, keeping, looked_over
from talktree.web.routes.route import Call, Route
from talktree.web.schemas.edits_and_moves import Ledger
from talktree.web.schemas.general import Job
from talktree.web.schemas.library import KeepUpload, Upload
from talktree.web.studio import Studio


class Named(Struct, frozen=True):
    """What it is called where it comes from, and whether it is a folder."""

    name: str = ""
    folder: bool = False
    attach: bool = False
    """Whether it is to be attached to a message; then only that is looked at."""
    type: str = ""
    """The media type that its sender claims."""


class Target(Struct, frozen=True):
    """A format."""

    to: str = ""


async def bring(studio: Studio, call: Call) -> Upload:
    """Write the body to the disk as it arrives, and look it over."""
    uploads, asked = Uploads(studio.scratch), call.query
    try:
        file = await uploads.take(asked.name, call.request.stream(), folder=asked.folder)
    except ClientDisconnect:
        raise UsageError("the file ended before it was whole", hint="bring it in again") from None
    if not asked.attach:
        return await anyio.to_thread.run_sync(looked_over, file)
    try:
        return await anyio.to_thread.run_sync(reviewed, file, asked.type)
    except TalktreeError:
        uploads.drop(file.id)
        raise


def ledger(studio: Studio, call: Call) -> Ledger:
    """What a format could not hold of a file."""
    file = Uploads(studio.scratch).get(call.path["upload"])
    to = by_slug(call.query.to).info.slug
    return previewed(api.read(file.source), to, api.DEFAULT)


def keep(studio: Studio, call: Call) -> Job:
    """A job that keeps a file and takes it into the library."""
    uploads = Uploads(studio.scratch)
    file = uploads.get(call.path["upload"])
    work = keeping(studio.desk, uploads, file, call.body.to, retention=not studio.given)
    return studio.jobs.start("upload", work)


def drop(studio: Studio, call: Call) -> None:
    """Throw a file away."""
    Uploads(studio.scratch).drop(call.path["upload"])


ROUTES = (
    Route(
        "POST", "/uploads", bring, "Bring a file or a folder in; nothing is kept of it yet.",
        query=Named, gives=Upload, effects=True,
    ),
    Route(
        "GET", "/uploads/{upload}/ledger", ledger, "What a format would lose of it.",
        query=Target, gives=Ledger,
    ),
    Route(
        "POST", "/uploads/{upload}/keep", keep, "Keep it, as it is or converted, and import it.",
        body=KeepUpload, gives=Job, effects=True,
    ),
    Route("DELETE", "/uploads/{upload}", drop, "Throw it away.", effects=True),
)  # fmt: skip
