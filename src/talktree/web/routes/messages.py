"""One message: its full content, its source record, and its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from starlette.responses import Response

from talktree.errors import NotFound
from talktree.text.file_names import sanitize_name
from talktree.text.media import PICTURES
from talktree.web.documents.blobs import UNKNOWN, read_blob
from talktree.web.documents.raw import read_raw
from talktree.web.documents.row_body import RowMaker
from talktree.web.documents.row_list import build_rows
from talktree.web.documents.row_place import find_place
from talktree.web.download import format_disposition
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.transcript import Raw, Row

if TYPE_CHECKING:
    from talktree.web.studio import StudioContext

WHOLE = 4_000_000
"""Characters of a block beyond which even a single message is cut."""


def _message(studio: StudioContext, call: RouteCall) -> Row:
    opened = studio.cache.open(call.path["cid"])
    place = find_place(opened, call.path["id"], None)
    rows = opened.get_rows(place.leaf)
    (found,) = build_rows(opened.conversation, rows, place.number, place.number + 1)
    return RowMaker(opened, rows).make_row(found, WHOLE)


def _raw(studio: StudioContext, call: RouteCall) -> Raw:
    opened, id = studio.cache.open(call.path["cid"]), call.path["id"]
    place = find_place(opened, id, None)
    return replace(read_raw(opened, id), beside=opened.get_rows(place.leaf).ids(place.number))


def _blob(studio: StudioContext, call: RouteCall) -> Response:
    opened = studio.cache.open(call.path["cid"])
    blob = read_blob(opened, call.path["id"], _parse_number(call.path["number"]))
    if blob.data is None:
        raise NotFound("the file itself is not here", hint="only its address is known")
    inline = blob.media_type in PICTURES
    return Response(
        blob.data,
        media_type=blob.media_type if inline else UNKNOWN,
        headers={
            "Content-Disposition": format_disposition(sanitize_name(blob.name), inline=inline)
        },
    )


def _parse_number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise NotFound("there is no such file", hint="files are numbered")
    return int(text)


ROUTES = (
    Route("GET", "/c/{cid}/messages/{id}", _message, "A message with nothing cut.", gives=Row),
    Route("GET", "/c/{cid}/messages/{id}/raw", _raw, "A message as its source has it.", gives=Raw),
    Route(
        "GET", "/c/{cid}/messages/{id}/blobs/{number}", _blob, "A file that goes with a message.",
        media="*/*",
    ),
)  # fmt: skip
