"""What happened in a session, newest first: prompts, steps, moves, names of branches.

The logs are read from their ends, so the newest entries of a long session come at once.

A move in words: one sentence for the log, and all of it for a model that goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from heapq import merge
from typing import Any, Literal, NamedTuple, TypeAlias

from talktree.model.message import Message
from talktree.model.parts import ToolCall
from talktree.session.capture.file_state import (
    Absent,
    State,
    Unknown,
    name_to_json,
    same,
    same_content,
)
from talktree.session.capture.snapshots import Change, Taken, taken
from talktree.session.handle import Opened
from talktree.session.index.node import Node, node_of
from talktree.session.journal.lines import last_lines
from talktree.session.undo.move_records import Moved, moves
from talktree.text.json.decode import decode
from talktree.text.times import from_iso, to_datetime

Word: TypeAlias = Literal["created", "changed", "deleted", "mode", "unfinished", "unknown"]
LONG_AGO = -(1 << 62)


class Touched(NamedTuple):
    """A path, and what became of it."""

    path: bytes
    word: Word


class Entry(NamedTuple):
    """One thing that happened."""

    kind: str
    """begin, prompt, step, name, unname, or the verb of a move."""
    time_ns: int | None
    id: str
    """Of the message, the step or the operation."""
    message: str | None
    """The message it belongs to: whose step it is, or where the move went."""
    text: str
    state: str
    """Of moves: moved, withdrawn or open; of steps: done or unfinished; else empty."""
    touched: tuple[Touched, ...] = ()
    uncovered: tuple[tuple[str, str], ...] = ()

    @property
    def time(self) -> datetime | None:
        """When it happened, in UTC."""
        return to_datetime(self.time_ns)


def logbook(opened: Opened) -> Iterator[Entry]:
    """Everything that happened, newest first."""
    streams = (_moves(opened), _steps(opened), _prompts(opened))
    return merge(*streams, key=lambda each: each.time_ns or LONG_AGO, reverse=True)


def word(before: State | None, after: State | None) -> Word | None:
    """What became of a path; None if nothing did."""
    if after is None:
        return "unfinished"
    if before is None or isinstance(before, Unknown) or isinstance(after, Unknown):
        return "unknown"
    if same(before, after):
        return None
    if isinstance(before, Absent):
        return "created"
    if isinstance(after, Absent):
        return "deleted"
    return "mode" if same_content(before, after) else "changed"


def changes(found: Iterable[Change]) -> list[Touched]:
    """What became of paths, without those that nothing became of."""
    told = ((each.path, word(each.before, each.after)) for each in found)
    return [Touched(path, word) for path, word in told if word is not None]


# prompts


def _prompts(opened: Opened) -> Iterator[Entry]:
    for line in last_lines(opened.journal.descriptor("messages")):
        node = node_of(line.raw, line.start)
        if node is not None and node.type == "user" and not node.sidechain and not node.note:
            yield Entry("prompt", node.time, node.id, node.id, _words(opened, node), "")


def _words(opened: Opened, node: Node) -> str:
    return opened.index.message(node).text


# steps


def _steps(opened: Opened) -> Iterator[Entry]:
    later: dict[tuple[str, str | None], list[Taken]] = {}
    for line in last_lines(opened.journal.descriptor("snapshots")):
        value = decode(line.raw).value
        if not isinstance(value, dict):
            continue
        found = taken(value)
        whose = found.message, found.step
        if found.update and found.watched is None and not found.foreign:
            later.setdefault(whose, []).insert(0, found)
            continue
        node = opened.index.node(found.message)
        if node is None or not node.note:
            # The snapshot of a note is told with its move.
            said = "" if node is None else _doing(opened.index.message(node))
            yield _step(found, later.pop(whose, []), value, said)


def _doing(message: Message) -> str:
    """What a message was about to do: its tool calls, else its words."""
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    return ", ".join(map(_call, calls)) or message.text


def _call(call: ToolCall) -> str:
    given = call.input.get("command") if isinstance(call.input, Mapping) else None
    return f"$ {given}" if isinstance(given, str) else call.name


def _step(first: Taken, updates: list[Taken], value: Mapping[str, Any], said: str) -> Entry:
    before: dict[bytes, State | None] = {}
    after: dict[bytes, State | None] = {}
    for each in (first, *updates):
        for change in each.changes:
            before.setdefault(change.path, change.before)
            if change.after is not None:
                after[change.path] = change.after
    touched = (
        Touched(path, told) for path in before if (told := word(before[path], after.get(path)))
    )
    ended = any(each.ended or each.foreign for each in (first, *updates))
    stamp = value.get("timestamp")
    return Entry(
        "step",
        from_iso(stamp) if isinstance(stamp, str) else None,
        first.step or first.message,
        first.message,
        said,
        "done" if ended else "unfinished",
        tuple(touched),
        tuple(missed for each in (first, *updates) for missed in each.uncovered),
    )


# moves and names


def _moves(opened: Opened) -> Iterator[Entry]:
    operations = opened.index.operations()
    known = {move.id: move for move in moves(operations)}
    for value in reversed(operations):
        id, kind = value.get("id"), value.get("kind")
        if not isinstance(id, str) or not isinstance(kind, str):
            continue
        stamp = value.get("timestamp")
        time = from_iso(stamp) if isinstance(stamp, str) else None
        if kind == "move" and id in known:
            yield _move(known[id], time)
        elif kind in ("begin", "name", "unname"):
            message, name = value.get("message"), value.get("name")
            about = message if isinstance(message, str) else None
            yield Entry(kind, time, id, about, _about(value, name), "")


def _about(value: Mapping[str, Any], name: object) -> str:
    if isinstance(name, str):
        return name
    place = value.get("workspace")
    path = place.get("path") if isinstance(place, Mapping) else None
    return path if isinstance(path, str) else ""


def _move(move: Moved, time: int | None) -> Entry:
    touched = (
        Touched(each.path, told)
        for each in move.paths
        if (told := word(each.before, each.after)) is not None
    )
    return Entry(
        move.verb, time, move.id, move.goal.conversation, move.text, move.state, tuple(touched)
    )


LISTED = 50
"""So many paths are named in words."""
SHOWN = 60
_DONE = {
    "undo": "Undone",
    "redo": "Done again",
    "restore": "Restored",
    "switch": "Switched",
    "revert": "Taken back",
    "recover": "Recovered",
}


def heading(opened: Opened, verb: str, goal: str | None, *, partial: bool = False) -> str:
    """What happened, in one sentence."""
    done = _DONE.get(verb, verb)
    if verb == "revert":
        return f"{done}: what message {short(goal)} did to files."
    if partial:
        return f"{done}: some files are as they were at {_point(opened, goal)}."
    return f"{done}: the session stands at {_point(opened, goal)}."


def _point(opened: Opened, id: str | None) -> str:
    if id is None:
        return "its beginning, before the first message"
    node = opened.index.node(id)
    words = "" if node is None else " ".join(opened.index.message(node).text.split())
    if len(words) > SHOWN:
        words = words[: SHOWN - 1] + "…"
    return f'message {short(id)} ("{words}")' if words else f"message {short(id)}"


def short(id: str | None) -> str:
    """The beginning of an id, for people."""
    return "none" if id is None else id[:8]


def words(move: Moved, fates: Mapping[bytes, str]) -> str:
    """The whole move in words, so that a model that goes on from here knows."""
    lines = [move.text]
    if "files" not in move.scopes:
        lines.append("The files were not touched.")
    else:
        states = {each.path: each.after for each in move.paths}
        done = [path for path, fate in fates.items() if fate == "done"]
        lines += _listed("Files that changed on the disk", done, states)
        left = {path: fate for path, fate in fates.items() if fate != "done"}
        lines += _listed("Files that were left as they are", left, {})
        if not fates:
            lines.append("No file had to be changed.")
    if "conversation" not in move.scopes:
        lines.append("The conversation goes on as it was.")
    return "\n".join(lines)


def _listed(
    title: str, paths: list[bytes] | dict[bytes, str], states: Mapping[bytes, State]
) -> list[str]:
    if not paths:
        return []
    lines = [f"{title}:"]
    for path in list(paths)[:LISTED]:
        gone = " (removed)" if isinstance(states.get(path), Absent) else ""
        lines.append(f"- {name_to_json(path)}{gone}")
    if len(paths) > LISTED:
        lines.append(f"- and {len(paths) - LISTED} more")
    return lines
