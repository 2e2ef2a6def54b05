"""A request for every line of the route table, on the bundled conversations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from talktree.web.routes import TABLE
from talktree.web.routes.route import Route
from tests.web.running import Running

PARTS = {
    "cid": "1", "id": "m", "number": "0", "job": "j", "upload": "u", "browser": "b", "preview": "p",
}  # fmt: skip
"""A value for each name in an address."""


class Question(NamedTuple):
    """A request to a route."""

    route: Route
    path: str
    query: Mapping[str, Any]


def filled(route: Route, parts: Mapping[str, str]) -> str:
    """Return the address of a route with a value in the place of each name."""
    pieces = route.address.split("/")
    return "/".join(
        quote(parts[piece[1:-1]], safe="") if piece.startswith("{") else piece for piece in pieces
    )


def questions(studio: Running) -> Iterator[Question]:
    """Return a request that succeeds for every GET, for each format of the demo."""
    job = studio.post("/c/1/share", {"to": "md"})["id"]
    assert studio.ended(job)["state"] == "done"
    upload = "none" if studio.studio.read_only else _upload(studio)
    for card in studio.get("/conversations")["cards"]:
        cid = card["cid"]
        leaves = [branch["leaf"] for branch in studio.get(f"/c/{cid}")["branches"]]
        parts = {"cid": cid, "id": _first(studio, cid), "job": job, "upload": upload, "number": "0"}
        page = studio.post(f"/c/{cid}/share/preview", {"to": "html"})["page"]
        parts["preview"] = page.rpartition("/")[2]
        for route in TABLE:
            if route.method == "GET" and ("{cid}" in route.path or cid == "1"):
                yield Question(route, filled(route, parts), _query(studio, cid, leaves, route))


def _upload(studio: Running) -> str:
    (given,) = studio.studio.given
    answer = studio.client.post(
        "/api/v1/uploads",
        params={"name": "session.jsonl"},
        content=(given / "claude-code.jsonl").read_bytes(),
    )
    return str(answer.json()["upload"])


def _first(studio: Running, cid: str) -> str:
    return str(studio.get(f"/c/{cid}/rows", limit=1)["rows"][0]["id"])


def _query(studio: Running, cid: str, leaves: list[str], route: Route) -> dict[str, Any]:
    match route.path:
        case "/search":
            return {"query": "the"}
        case "/c/{cid}/place":
            return {"id": leaves[-1]}
        case "/c/{cid}/find":
            return {"text": "a"}
        case "/c/{cid}/run":
            return {"first": studio.get(f"/c/{cid}/graph")["segments"][0]["first"]}
        case "/c/{cid}/compare":
            return {"a": leaves[0], "b": leaves[-1]}
        case "/c/{cid}/files/diff":
            files = studio.get(f"/c/{cid}/files")["files"]
            return {"path": files[0]["path"] if files else "nowhere"}
        case "/c/{cid}/ledger" | "/uploads/{upload}/ledger":
            return {"to": "native"}
        case _:
            return {}
