"""Lines of operations.jsonl: recording a move before and after it happens, and reading it.

A move has two lines: `move` before the first file is touched, with everything needed to finish it
or to take it back, then `moved` or `withdrawn`. A move without either was interrupted.

Moves are in this log and nowhere else. `moved` says after which message and which snapshots the
move happened (`after`), so the three logs have one order (see `timeline`). Earlier versions wrote
no `after`: they added a message and a snapshot for each move.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias, overload
from uuid import uuid4

import msgspec
from msgspec import Struct

from talktree.session.capture.file_state import (
    State,
    from_json,
    name_from_json,
    name_to_json,
    to_json,
)
from talktree.text.times import from_iso

Verb: TypeAlias = Literal["undo", "redo", "restore", "switch", "revert", "recover"]
Scope: TypeAlias = Literal["files", "conversation", "todos"]
ALL: tuple[Scope, ...] = ("files", "conversation", "todos")
Fate: TypeAlias = Literal["done", "kept", "failed"]


class ScopeLeaves(NamedTuple):
    """The message that each scope is at; None is before the first one."""

    files: str | None
    conversation: str | None
    todos: str | None


class PathMove(NamedTuple):
    """The effect of a move on one path."""

    path: bytes
    before: State
    after: State


class Boundary(NamedTuple):
    """The place of a move in the order of the other two logs."""

    message: str | None
    """The last message of the main line when it happened."""
    snapshots: int
    """The length of snapshots.jsonl in bytes."""


class MovePaths(Sequence[PathMove]):
    """The paths of a move, parsed when they are needed; for most moves they never are."""

    def __init__(self, value: object) -> None:
        self._value = value if isinstance(value, dict) else {}

    def __len__(self) -> int:
        return len(self._value)

    @overload
    def __getitem__(self, at: int) -> PathMove: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[PathMove]: ...
    def __getitem__(self, at: int | slice) -> PathMove | Sequence[PathMove]:
        return self._read[at]

    def __iter__(self) -> Iterator[PathMove]:
        return iter(self._read)

    @cached_property
    def _read(self) -> tuple[PathMove, ...]:
        return tuple(_parse_movings(self._value))


class LoggedMove(Struct, frozen=True, kw_only=True):
    """A move in the log."""

    id: str
    verb: str
    point: str
    """The id of the move's point in the timeline."""
    parent: str | None
    """The message or the point that this point follows."""
    scopes: tuple[str, ...]
    origin: ScopeLeaves
    goal: ScopeLeaves
    at: ScopeLeaves
    """The position after the move; `files` is the point if only some paths moved."""
    leaf: str | None
    """The last message before the move."""
    paths: Sequence[PathMove]
    text: str
    left: Mapping[bytes, State] = {}
    """The paths that it leaves although they should change, and their states."""
    takes_back: str | None = None
    """The move that it takes back."""
    partial: tuple[bytes, ...] = ()
    """The requested paths, if not all."""
    state: Literal["open", "moved", "withdrawn"] = "open"
    fates: Mapping[bytes, str] = {}
    after: Boundary | None = None
    """Its place in the other logs; None if the move is not done, or is a message."""
    time: int | None = None

    @property
    def is_point(self) -> bool:
        """Whether it is a point in the timeline of its own, without a message."""
        return self.after is not None


def format_now() -> str:
    """Return the current time, formatted for a line."""
    now = datetime.now(UTC)
    return now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now.microsecond // 1000:03}Z"


def format_operation_line(
    session: str, kind: str, members: Mapping[str, Any], id: str = ""
) -> bytes:
    """Return a line of operations.jsonl."""
    head = {
        "type": "operation",
        "id": id or str(uuid4()),
        "kind": kind,
        "timestamp": format_now(),
        "sessionId": session,
    }
    return msgspec.json.encode({**head, **members})


def format_move_start_line(session: str, move: LoggedMove) -> bytes:
    """Return the line before a move."""
    members: dict[str, Any] = {
        "verb": move.verb,
        "point": move.point,
        "parent": move.parent,
        "scopes": list(move.scopes),
        "from": move.origin._asdict(),
        "to": move.goal._asdict(),
        "at": move.at._asdict(),
        "leaf": move.leaf,
        "text": move.text,
        "paths": {
            name_to_json(path): {"before": to_json(before), "after": to_json(after)}
            for path, before, after in move.paths
        },
    }
    if move.left:
        members["left"] = {name_to_json(path): to_json(state) for path, state in move.left.items()}
    if move.takes_back is not None:
        members["takesBack"] = move.takes_back
    if move.partial:
        members["partial"] = [name_to_json(path) for path in move.partial]
    return format_operation_line(session, "move", members, move.id)


def format_move_end_line(
    session: str, move: str, fates: Mapping[bytes, str], after: Boundary | None
) -> bytes:
    """Return the line after a completed move."""
    details = {name_to_json(path): fate for path, fate in fates.items()}
    members: dict[str, Any] = {"move": move, "paths": details}
    if after is not None:
        members["after"] = after._asdict()
    return format_operation_line(session, "moved", members)


def format_withdrawal_line(session: str, move: str, why: str) -> bytes:
    """Return the line for a move that was reverted."""
    return format_operation_line(session, "withdrawn", {"move": move, "why": why})


# reading


def parse_moves(operations: Iterable[Mapping[str, Any]]) -> list[LoggedMove]:
    """Return all moves in order, each with its result; unknown lines are ignored."""
    found: dict[str, LoggedMove] = {}
    for value in operations:
        match value.get("kind"):
            case "move":
                move = _parse_move(value)
                if move is not None and move.id not in found:
                    found[move.id] = move
            case "moved" | "withdrawn" as state:
                id = value.get("move")
                if isinstance(id, str) and id in found:
                    found[id] = msgspec.structs.replace(
                        found[id],
                        state=state,
                        fates=_parse_fates(value.get("paths")),
                        after=_parse_boundary(value.get("after")) if state == "moved" else None,
                    )
    return list(found.values())


def find_last_point(operations: Sequence[Mapping[str, Any]]) -> LoggedMove | None:
    """Return the last move that is a point in the timeline; earlier lines are not read."""
    for at in range(len(operations) - 1, -1, -1):
        value = operations[at]
        if value.get("kind") == "moved" and _parse_boundary(value.get("after")) is not None:
            id = value.get("move")
            both = [each for each in operations[:at] if each.get("id") == id]
            return next((move for move in parse_moves([*both, value]) if move.is_point), None)
    return None


def _parse_move(value: Mapping[str, Any]) -> LoggedMove | None:
    try:
        return LoggedMove(
            id=_require_text(value["id"]),
            verb=_require_text(value["verb"]),
            point=_require_text(value["point"] if "point" in value else value["note"]),
            parent=_parse_id(value.get("parent")),
            scopes=tuple(map(_require_text, value["scopes"])),
            origin=_parse_standing(value["from"]),
            goal=_parse_standing(value["to"]),
            at=_parse_standing(value["at"]),
            leaf=_parse_id(value.get("leaf")),
            paths=MovePaths(value.get("paths")),
            text=_require_text(value.get("text", "")),
            takes_back=_parse_id(value.get("takesBack")),
            partial=tuple(map(name_from_json, map(_require_text, value.get("partial", ())))),
            time=_parse_time(value.get("timestamp")),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _parse_movings(paths: Mapping[str, Any]) -> Iterable[PathMove]:
    for name, details in paths.items():
        states = details if isinstance(details, dict) else {}
        before, after = from_json(states.get("before")), from_json(states.get("after"))
        yield PathMove(name_from_json(name), before, after)


def _parse_time(value: object) -> int | None:
    return from_iso(value) if isinstance(value, str) else None


def _parse_boundary(value: object) -> Boundary | None:
    if not isinstance(value, dict):
        return None
    message, length = value.get("message"), value.get("snapshots")
    if type(length) is not int or not (message is None or isinstance(message, str)):
        return None
    return Boundary(message, length)


def _parse_fates(paths: object) -> dict[bytes, str]:
    if not isinstance(paths, dict):
        return {}
    return {name_from_json(name): str(fate) for name, fate in paths.items()}


def _parse_standing(value: Mapping[str, Any]) -> ScopeLeaves:
    return ScopeLeaves(
        _parse_id(value["files"]), _parse_id(value["conversation"]), _parse_id(value["todos"])
    )


def _require_text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _parse_id(value: object) -> str | None:
    return None if value is None else _require_text(value)
