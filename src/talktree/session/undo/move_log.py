"""The log of a session, newest first: prompts, steps, moves, names of branches.

The logs are read from their ends, so the newest entries of a long session appear immediately.

It also describes moves: one sentence for the log, and a full text for a model that continues.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from heapq import merge
from typing import Any, Literal, NamedTuple, TypeAlias

from talktree.model.message import Message
from talktree.model.parts import ToolCall
from talktree.session.capture.file_state import (
    AbsentState,
    State,
    UnknownState,
    is_same,
    is_same_content,
    name_to_json,
)
from talktree.session.capture.snapshots import FileChange, SnapshotLine, parse_snapshot
from talktree.session.handle import SessionHandle
from talktree.session.index.node import IndexedMessage, parse_node
from talktree.session.journal.lines import read_last_lines
from talktree.session.undo.move_records import LoggedMove, parse_moves
from talktree.text.json.decode import decode
from talktree.text.times import from_iso, to_datetime

Word: TypeAlias = Literal["created", "changed", "deleted", "mode", "unfinished", "unknown"]
LONG_AGO = -(1 << 62)


class PathChange(NamedTuple):
    """A path and its change."""

    path: bytes
    word: Word


class LogEntry(NamedTuple):
    """One event."""

    kind: str
    """begin, prompt, step, name, unname, or the verb of a move."""
    time_ns: int | None
    id: str
    """The id of the message, the step or the operation."""
    message: str | None
    """The message it belongs to: the owner of the step, or the target of the move."""
    text: str
    state: str
    """Of moves: moved, withdrawn or open; of steps: done or unfinished; else empty."""
    touched: tuple[PathChange, ...] = ()
    uncovered: tuple[tuple[str, str], ...] = ()

    @property
    def time(self) -> datetime | None:
        """When it happened, in UTC."""
        return to_datetime(self.time_ns)


def read_logbook(opened: SessionHandle) -> Iterator[LogEntry]:
    """Yield all events, newest first."""
    streams = (_read_moves(opened), _read_steps(opened), _read_prompts(opened))
    return merge(*streams, key=lambda each: each.time_ns or LONG_AGO, reverse=True)


def find_change_word(before: State | None, after: State | None) -> Word | None:
    """Return the change of a path in a word; None if there is none."""
    if after is None:
        return "unfinished"
    if before is None or isinstance(before, UnknownState) or isinstance(after, UnknownState):
        return "unknown"
    if is_same(before, after):
        return None
    if isinstance(before, AbsentState):
        return "created"
    if isinstance(after, AbsentState):
        return "deleted"
    return "mode" if is_same_content(before, after) else "changed"


def list_path_changes(found: Iterable[FileChange]) -> list[PathChange]:
    """Return the changes of paths, without unchanged ones."""
    details = ((each.path, find_change_word(each.before, each.after)) for each in found)
    return [PathChange(path, word) for path, word in details if word is not None]


# prompts


def _read_prompts(opened: SessionHandle) -> Iterator[LogEntry]:
    for line in read_last_lines(opened.journal.descriptor("messages")):
        node = parse_node(line.raw, line.start)
        if node is not None and node.type == "user" and not node.sidechain and not node.note:
            yield LogEntry("prompt", node.time, node.id, node.id, _read_words(opened, node), "")


def _read_words(opened: SessionHandle, node: IndexedMessage) -> str:
    return opened.index.message(node).text


# steps


def _read_steps(opened: SessionHandle) -> Iterator[LogEntry]:
    later: dict[tuple[str, str | None], list[SnapshotLine]] = {}
    for line in read_last_lines(opened.journal.descriptor("snapshots")):
        value = decode(line.raw).value
        if not isinstance(value, dict):
            continue
        found = parse_snapshot(value)
        whose = found.message, found.step
        if found.update and found.watched is None and not found.foreign:
            later.setdefault(whose, []).insert(0, found)
            continue
        node = opened.index.node(found.message)
        if node is None or not node.note:
            # The snapshot of a note is part of its move.
            said = "" if node is None else _describe_message(opened.index.message(node))
            yield _make_step_entry(found, later.pop(whose, []), value, said)


def _describe_message(message: Message) -> str:
    """Return what a message was about to do: its tool calls, else its text."""
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    return ", ".join(map(_describe_call, calls)) or message.text


def _describe_call(call: ToolCall) -> str:
    given = call.input.get("command") if isinstance(call.input, Mapping) else None
    return f"$ {given}" if isinstance(given, str) else call.name


def _make_step_entry(
    first: SnapshotLine, updates: list[SnapshotLine], value: Mapping[str, Any], said: str
) -> LogEntry:
    before: dict[bytes, State | None] = {}
    after: dict[bytes, State | None] = {}
    for each in (first, *updates):
        for change in each.changes:
            before.setdefault(change.path, change.before)
            if change.after is not None:
                after[change.path] = change.after
    touched = (
        PathChange(path, details)
        for path in before
        if (details := find_change_word(before[path], after.get(path)))
    )
    ended = any(each.ended or each.foreign for each in (first, *updates))
    stamp = value.get("timestamp")
    return LogEntry(
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


def _read_moves(opened: SessionHandle) -> Iterator[LogEntry]:
    operations = opened.index.operations()
    known = {move.id: move for move in parse_moves(operations)}
    for value in reversed(operations):
        id, kind = value.get("id"), value.get("kind")
        if not isinstance(id, str) or not isinstance(kind, str):
            continue
        stamp = value.get("timestamp")
        time = from_iso(stamp) if isinstance(stamp, str) else None
        if kind == "move" and id in known:
            yield _make_move_entry(known[id], time)
        elif kind in ("begin", "name", "unname"):
            message, name = value.get("message"), value.get("name")
            about = message if isinstance(message, str) else None
            yield LogEntry(kind, time, id, about, _find_subject(value, name), "")


def _find_subject(value: Mapping[str, Any], name: object) -> str:
    if isinstance(name, str):
        return name
    place = value.get("workspace")
    path = place.get("path") if isinstance(place, Mapping) else None
    return path if isinstance(path, str) else ""


def _make_move_entry(move: LoggedMove, time: int | None) -> LogEntry:
    touched = (
        PathChange(each.path, details)
        for each in move.paths
        if (details := find_change_word(each.before, each.after)) is not None
    )
    return LogEntry(
        move.verb, time, move.id, move.goal.conversation, move.text, move.state, tuple(touched)
    )


LISTED = 50
"""Maximum number of paths that a text names."""
SHOWN = 60
_DONE = {
    "undo": "Undone",
    "redo": "Done again",
    "restore": "Restored",
    "switch": "Switched",
    "revert": "Taken back",
    "recover": "Recovered",
}


def format_heading(
    opened: SessionHandle, verb: str, goal: str | None, *, partial: bool = False
) -> str:
    """Return what happened, in one sentence."""
    done = _DONE.get(verb, verb)
    if verb == "revert":
        return f"{done}: what message {shorten_id(goal)} did to files."
    if partial:
        return f"{done}: some files are as they were at {_describe_point(opened, goal)}."
    return f"{done}: the session stands at {_describe_point(opened, goal)}."


def _describe_point(opened: SessionHandle, id: str | None) -> str:
    if id is None:
        return "its beginning, before the first message"
    node = opened.index.node(id)
    words = "" if node is None else " ".join(opened.index.message(node).text.split())
    if len(words) > SHOWN:
        words = words[: SHOWN - 1] + "…"
    return f'message {shorten_id(id)} ("{words}")' if words else f"message {shorten_id(id)}"


def shorten_id(id: str | None) -> str:
    """Return the beginning of an id, for people."""
    return "none" if id is None else id[:8]


def describe_move(move: LoggedMove, fates: Mapping[bytes, str]) -> str:
    """Return the whole move as text, for a model that continues from here."""
    lines = [move.text]
    if "files" not in move.scopes:
        lines.append("The files were not touched.")
    else:
        states = {each.path: each.after for each in move.paths}
        done = [path for path, fate in fates.items() if fate == "done"]
        lines += _format_path_list("Files that changed on the disk", done, states)
        left = {path: fate for path, fate in fates.items() if fate != "done"}
        lines += _format_path_list("Files that were left as they are", left, {})
        if not fates:
            lines.append("No file had to be changed.")
    if "conversation" not in move.scopes:
        lines.append("The conversation goes on as it was.")
    return "\n".join(lines)


def _format_path_list(
    title: str, paths: list[bytes] | dict[bytes, str], states: Mapping[bytes, State]
) -> list[str]:
    if not paths:
        return []
    lines = [f"{title}:"]
    for path in list(paths)[:LISTED]:
        gone = " (removed)" if isinstance(states.get(path), AbsentState) else ""
        lines.append(f"- {name_to_json(path)}{gone}")
    if len(paths) > LISTED:
        lines.append(f"- and {len(paths) - LISTED} more")
    return lines
