"""Artifacts in their sandbox, and images; both by addresses of their own, without effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from starlette.responses import Response

from talktree.errors import NotFound, Unreadable
from talktree.model.parts import Artifact
from talktree.text.media import PICTURES
from talktree.web.artifacts.artifact_page import HEADERS, artifact_page
from talktree.web.artifacts.dimensions import is_too_large
from talktree.web.artifacts.kinds import kind_of
from talktree.web.documents.blobs import blob_of, part_of
from talktree.web.routes.route import Call, Route

if TYPE_CHECKING:
    from talktree.web.studio import Studio

IMAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""An image that somebody opens by itself can do nothing, not even a drawing."""
SVG = "image/svg+xml"


class ArtifactQuery(Struct, frozen=True, kw_only=True):
    """How the page around it looks."""

    theme: Literal["light", "dark"] = "light"


def _artifact(studio: Studio, call: Call) -> Response:
    opened = studio.desk.open(call.path["cid"])
    part = part_of(opened, call.path["id"], _number(call.path["number"]))
    if not isinstance(part, Artifact):
        raise NotFound("that is no artifact", hint="only artifacts run")
    query: ArtifactQuery = call.query
    page = artifact_page(kind_of(part.media_type), part.content or "", query.theme)
    return Response(page.encode("utf-8", "replace"), media_type="text/html", headers=HEADERS)


def _image(studio: Studio, call: Call) -> Response:
    opened = studio.desk.open(call.path["cid"])
    blob = blob_of(opened, call.path["id"], _number(call.path["number"]))
    if blob.data is None:
        raise NotFound("the image itself is not here", hint="only its address is known")
    kind = SVG if kind_of(blob.told) == "svg" and b"<svg" in blob.data[:65536] else blob.media_type
    if kind not in PICTURES and kind != SVG:
        raise NotFound("that is no image", hint="PNG, JPEG, GIF, WebP and SVG are shown")
    if kind in PICTURES and is_too_large(blob.data):
        raise Unreadable("the image is too large to be shown", hint="download it instead")
    headers = {"Content-Security-Policy": IMAGE_POLICY, "Content-Disposition": "inline"}
    return Response(blob.data, media_type=kind, headers=headers)


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise NotFound("there is no such part", hint="parts are numbered")
    return int(text)


ROUTES = (
    Route(
        "GET", "//artifact/{cid}/{id}/{number}", _artifact, "An artifact in its sandbox.",
        query=ArtifactQuery, media="text/html",
    ),
    Route(
        "GET", "//img/{cid}/{id}/{number}", _image, "An image that goes with a message.",
        media="image/*",
    ),
)  # fmt: skip
