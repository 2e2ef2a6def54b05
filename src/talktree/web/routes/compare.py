"""Two branches side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from talktree.errors import UsageError
from talktree.library.branch_names import list_branch_names
from talktree.web.documents.comparison import compare_branches
from talktree.web.routes.route import Route, RouteCall
from talktree.web.schemas.segments import BranchComparison

if TYPE_CHECKING:
    from talktree.web.studio import StudioContext


class CompareQuery(Struct, frozen=True, kw_only=True):
    """The two branches, by their last messages."""

    a: str = ""
    b: str = ""


def _compare(studio: StudioContext, call: RouteCall) -> BranchComparison:
    query: CompareQuery = call.query
    if not query.a or not query.b:
        raise UsageError("two branches are compared", hint="name the leaves of both")
    opened = studio.cache.open(call.path["cid"])
    names = list_branch_names(
        studio.cache.get_library().db, opened.kept.source, opened.conversation
    )
    return compare_branches(opened, query.a, query.b, names)


ROUTES = (
    Route(
        "GET", "/c/{cid}/compare", _compare, "What two branches share, and both tails.",
        query=CompareQuery, gives=BranchComparison,
    ),
)  # fmt: skip
