"""One message: all of it, as it stands in its source, and the files that go with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from starlette.responses import Response

from talktree.errors import NotFound
from talktree.text.file_names import tame
from talktree.text.media import PICTURES
from talktree.web.documents.blobs import UNKNOWN, blob_of
from talktree.web.documents.raw import raw_of
from talktree.web.documents.row_body import RowMaker
from talktree.web.documents.row_list import shown
from talktree.web.documents.row_place import place_of
from talktree.web.download import disposition
from talktree.web.routes.route import Call, Route
from talktree.web.schemas.transcript import Raw, Row

if TYPE_CHECKING:
    from talktree.web.studio import Studio

WHOLE = 4_000_000
"""Characters of a block beyond which even a message by itself is cut."""


def _message(studio: Studio, call: Call) -> Row:
    opened = studio.desk.open(call.path["cid"])
    place = place_of(opened, call.path["id"], None)
    rows = opened.rows(place.leaf)
    (found,) = shown(opened.conversation, rows, place.number, place.number + 1)
    return RowMaker(opened, rows).row(found, WHOLE)


def _raw(studio: Studio, call: Call) -> Raw:
    opened, id = studio.desk.open(call.path["cid"]), call.path["id"]
    place = place_of(opened, id, None)
    return replace(raw_of(opened, id), beside=opened.rows(place.leaf).ids(place.number))


def _blob(studio: Studio, call: Call) -> Response:
    opened = studio.desk.open(call.path["cid"])
    blob = blob_of(opened, call.path["id"], _number(call.path["number"]))
    if blob.data is None:
        raise NotFound("the file itself is not here", hint="only its address is known")
    inline = blob.media_type in PICTURES
    return Response(
        blob.data,
        media_type=blob.media_type if inline else UNKNOWN,
        headers={"Content-Disposition": disposition(tame(blob.name), inline=inline)},
    )


def _number(text: str) -> int:
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
