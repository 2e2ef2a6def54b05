"""The tree with linear runs folded, and the messages of one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from talktree.model.message import Message
from talktree.model.outline import Trait
from talktree.views.speakers import find_format_speaker
from talktree.web.documents.graph import get_graph, get_segments
from talktree.web.documents.neighbours import make_label
from talktree.web.documents.row_list import to_milliseconds
from talktree.web.routes.route import Route, RouteCall
from talktree.web.routes.rows import clamp_range
from talktree.web.schemas.segments import FoldedRun, Graph, TreeNode

if TYPE_CHECKING:
    from talktree.web.studio import StudioContext

MOST_NODES = 500


class RunQuery(Struct, frozen=True, kw_only=True):
    """Which run, by its first message, and which range of it."""

    first: str = ""
    start: int = field(default=0, name="from")
    limit: int = 100


def _graph(studio: StudioContext, call: RouteCall) -> Graph:
    return get_graph(studio.cache.open(call.path["cid"]))


def _run(studio: StudioContext, call: RouteCall) -> FoldedRun:
    query: RunQuery = call.query
    opened = studio.cache.open(call.path["cid"])
    segments = get_segments(opened)
    start, limit = clamp_range(query.start, query.limit, MOST_NODES)
    members = segments.list_members(segments.of[opened.conversation.find_position(query.first)])
    asked = members[start : start + limit]
    skeleton = opened.conversation.skeleton
    return FoldedRun(
        total=len(members),
        start=start,
        nodes=tuple(
            TreeNode(
                id=skeleton.ids[position],
                # The result of a tool may be recorded as a user message, but the user did not write
                # it.
                role="tool"
                if skeleton.traits[position] == Trait.RESULT
                else skeleton.roles[position],
                speaker=find_format_speaker(opened.conversation.format, entry)
                if isinstance(entry, Message)
                else "",
                label=make_label(entry),
                time=to_milliseconds(skeleton.times[position]),
                flags=tuple(sorted(entry.flags)) if isinstance(entry, Message) else (),
            )
            for position, entry in zip(asked, opened.conversation.entries_at(asked), strict=True)
        ),
    )


ROUTES = (
    Route(
        "GET", "/c/{cid}/graph", _graph, "The tree with its linear runs folded.", gives=Graph
    ),
    Route(
        "GET", "/c/{cid}/run", _run, "The messages of a folded run.",
        query=RunQuery, gives=FoldedRun,
    ),
)  # fmt: skip
