"""Reports of moves, for a model that continues from there: the messages do not show moves."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from talktree.session.handle import SessionHandle
from talktree.session.undo.move_log import PathChange, describe_move, find_change_word
from talktree.session.undo.move_records import LoggedMove
from talktree.session.undo.timeline import Timeline
from talktree.text.times import to_datetime


class MoveReport(NamedTuple):
    """One completed move."""

    id: str
    """The id of the operation."""
    verb: str
    time_ns: int | None
    message: str | None
    """The message that the session continued from; None before the first one."""
    files: tuple[PathChange, ...]
    """The files that it changed on the disk, each with its change."""
    text: str
    """The report as text, which can be sent to a model."""

    @property
    def time(self) -> datetime | None:
        """When it happened, in UTC."""
        return to_datetime(self.time_ns)


def find_moves_since_reply(opened: SessionHandle) -> tuple[MoveReport, ...]:
    """Return the moves since the last reply on the main line, in their order."""
    timeline = Timeline(opened.index)
    reply = opened.index.newest("assistant")
    found = []
    for move in timeline.moves:
        number = timeline.find_number(move) if move.state == "moved" else None
        if number is not None and (reply is None or number >= reply.number):
            found.append(_make_report(move))
    return tuple(found)


def _make_report(move: LoggedMove) -> MoveReport:
    done = (each for each in move.paths if move.fates.get(each.path) == "done")
    files = tuple(
        PathChange(each.path, became)
        for each in done
        if (became := find_change_word(each.before, each.after)) is not None
    )
    text = describe_move(move, move.fates)
    return MoveReport(move.id, move.verb, move.time, move.at.conversation, files, text)
