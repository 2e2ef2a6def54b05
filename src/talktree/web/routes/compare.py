"""Two branches side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from talktree.errors import UsageError
from talktree.library.branch_names import branch_names
from talktree.web.documents.comparison import compared
from talktree.web.routes.route import Call, Route
from talktree.web.schemas.segments import Compared

if TYPE_CHECKING:
    from talktree.web.studio import Studio


class CompareQuery(Struct, frozen=True, kw_only=True):
    """The two branches, by their leaves."""

    a: str = ""
    b: str = ""


def _compare(studio: Studio, call: Call) -> Compared:
    query: CompareQuery = call.query
    if not query.a or not query.b:
        raise UsageError("two branches are compared", hint="name the leaves of both")
    opened = studio.desk.open(call.path["cid"])
    names = branch_names(studio.desk.library().db, opened.kept.source, opened.conversation)
    return compared(opened, query.a, query.b, names)


ROUTES = (
    Route(
        "GET", "/c/{cid}/compare", _compare, "What two branches share, and both tails.",
        query=CompareQuery, gives=Compared,
    ),
)  # fmt: skip
