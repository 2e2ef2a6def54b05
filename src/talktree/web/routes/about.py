"""What the page needs before anything else, and the description of the API."""

from __future__ import annotations

import os

from starlette.responses import Response

from talktree import __version__
from talktree.errors import TalktreeError
from talktree.formats import all_formats
from talktree.library.library import Library
from talktree.library.retention.apply import find_retention_notice
from talktree.web.host import StudioHost
from talktree.web.response import JSON
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.general import FormatSummary, LibraryInfo, StudioInfo
from talktree.web.studio import StudioContext

NANOSECONDS = 1_000_000


def about(studio: StudioContext, call: RouteCall) -> StudioInfo:
    """Return what is served and what can be done with it."""
    library = studio.cache.get_library()
    host: StudioHost = call.request.app.state.host
    return StudioInfo(
        version=__version__,
        read_only=studio.read_only,
        encrypted=host.served.find_encrypted_root() is not None,
        given=tuple(map(str, studio.given)),
        formats=tuple(
            FormatSummary(
                slug=each.info.slug,
                title=each.info.title,
                folder=each.info.layout != "file",
                writes=True,
                aliases=each.info.aliases,
                origin=each.info.origin,
            )
            for each in all_formats()
        ),
        library=_build_library_info(library),
        retention=_describe_retention(studio, library),
        job=studio.jobs.find_running("import"),
    )


def _describe_retention(studio: StudioContext, library: Library) -> str | None:
    if studio.given or studio.read_only:
        return None
    try:
        notice = find_retention_notice(library)
    except TalktreeError as error:
        return error.message
    return None if notice is None else f"{notice.why_not}. {notice.hint}"


def _build_library_info(library: Library) -> LibraryInfo:
    info = library.info()
    return LibraryInfo(
        conversations=info.conversations,
        bytes=info.raw,
        stored=info.database + info.index,
        failures=len(info.not_imported) + len(info.damaged),
        places=tuple(map(os.fsdecode, info.places)),
        last_import=None if info.last_import is None else info.last_import // NANOSECONDS,
    )


def description(studio: StudioContext | None, call: RouteCall) -> Response:
    """Return the API's description for programs."""
    from talktree.web.openapi import encode_openapi

    return Response(encode_openapi(), media_type=JSON)


ROUTES = (
    Route(
        "GET", "/about", about, "What is served, and what can be done with it.", gives=StudioInfo
    ),
    Route("GET", "/openapi.json", description, "This description.", media=JSON, when_locked=True),
)
