"""A question for every line of the route table."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from talktree.web.route import Route
from tests.web.running import Running


def filled(route: Route, parts: Mapping[str, str]) -> str:
    """The address of a route with something in the place of each name."""
    pieces = route.address.split("/")
    return "/".join(
        quote(parts[piece[1:-1]], safe="") if piece.startswith("{") else piece for piece in pieces
    )


def parts_of(seen: Running) -> dict[str, str]:
    """Names that lead somewhere: a conversation of the demo, and a message of it."""
    (card,) = [c for c in seen.get("/conversations")["cards"] if c["format"] == "claude-code"]
    rows = seen.get(f"/c/{card['cid']}/rows")["rows"]
    return {
        "cid": card["cid"],
        "id": rows[0]["id"],
        "number": "0",
        "job": "none",
        "upload": "none",
    }
