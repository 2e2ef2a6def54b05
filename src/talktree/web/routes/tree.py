"""The tree with linear runs folded, and the messages of one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from talktree.model.message import Message
from talktree.model.outline import Trait
from talktree.views.speakers import speaker_in
from talktree.web.documents.graph import graph_of, segments_of
from talktree.web.documents.neighbours import label
from talktree.web.documents.row_list import milliseconds
from talktree.web.routes.route import Call, Route
from talktree.web.routes.rows import stretch
from talktree.web.schemas.segments import Graph, Node, Run

if TYPE_CHECKING:
    from talktree.web.studio import Studio

MOST_NODES = 500


class RunQuery(Struct, frozen=True, kw_only=True):
    """Which run, by its first message, and which stretch of it."""

    first: str = ""
    start: int = field(default=0, name="from")
    limit: int = 100


def _graph(studio: Studio, call: Call) -> Graph:
    return graph_of(studio.desk.open(call.path["cid"]))


def _run(studio: Studio, call: Call) -> Run:
    query: RunQuery = call.query
    opened = studio.desk.open(call.path["cid"])
    segments = segments_of(opened)
    start, limit = stretch(query.start, query.limit, MOST_NODES)
    members = segments.members(segments.of[opened.conversation.position(query.first)])
    asked = members[start : start + limit]
    bones = opened.conversation.skeleton
    return Run(
        total=len(members),
        start=start,
        nodes=tuple(
            Node(
                id=bones.ids[position],
                # What a tool gave back may be noted as the person's message; nobody wrote it.
                role="tool" if bones.traits[position] == Trait.RESULT else bones.roles[position],
                speaker=speaker_in(opened.conversation.format, entry)
                if isinstance(entry, Message)
                else "",
                label=label(entry),
                time=milliseconds(bones.times[position]),
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
        "GET", "/c/{cid}/run", _run, "The messages of a folded run.", query=RunQuery, gives=Run
    ),
)  # fmt: skip
