"""Artifacts in their sandbox, and images; both have addresses of their own and no effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from starlette.responses import Response

from talktree.errors import NotFound, Unreadable
from talktree.model.parts import Artifact
from talktree.text.media import PICTURES
from talktree.web.artifacts.artifact_page import HEADERS, build_artifact_page
from talktree.web.artifacts.dimensions import is_too_large
from talktree.web.artifacts.kinds import find_kind
from talktree.web.documents.blobs import find_part, read_blob
from talktree.web.routes.route import Route, RouteCall

if TYPE_CHECKING:
    from talktree.web.studio import StudioContext

IMAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""An image that is opened as a page of its own cannot do anything, not even a drawing."""
SVG = "image/svg+xml"


class ArtifactQuery(Struct, frozen=True, kw_only=True):
    """The appearance of the page around the artifact."""

    theme: Literal["light", "dark"] = "light"


def _artifact(studio: StudioContext, call: RouteCall) -> Response:
    opened = studio.cache.open(call.path["cid"])
    part = find_part(opened, call.path["id"], _parse_number(call.path["number"]))
    if not isinstance(part, Artifact):
        raise NotFound("that is no artifact", hint="only artifacts run")
    query: ArtifactQuery = call.query
    page = build_artifact_page(find_kind(part.media_type), part.content or "", query.theme)
    return Response(page.encode("utf-8", "replace"), media_type="text/html", headers=HEADERS)


def _image(studio: StudioContext, call: RouteCall) -> Response:
    opened = studio.cache.open(call.path["cid"])
    blob = read_blob(opened, call.path["id"], _parse_number(call.path["number"]))
    if blob.data is None:
        raise NotFound("the image itself is not here", hint="only its address is known")
    kind = (
        SVG
        if find_kind(blob.details) == "svg" and b"<svg" in blob.data[:65536]
        else blob.media_type
    )
    if kind not in PICTURES and kind != SVG:
        raise NotFound("that is no image", hint="PNG, JPEG, GIF, WebP and SVG are shown")
    if kind in PICTURES and is_too_large(blob.data):
        raise Unreadable("the image is too large to be shown", hint="download it instead")
    headers = {"Content-Security-Policy": IMAGE_POLICY, "Content-Disposition": "inline"}
    return Response(blob.data, media_type=kind, headers=headers)


def _parse_number(text: str) -> int:
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
