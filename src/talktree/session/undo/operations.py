"""Lines of operations.jsonl: how a move is told before and after it happens, and read again.

A move is told twice: `move` before the first file is touched, with everything needed to finish or
to take it back, then `moved` or `withdrawn`. A move without either was interrupted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias, overload
from uuid import uuid4

import msgspec
from msgspec import Struct

from talktree.session.capture.states import State, from_json, name_from_json, name_to_json, to_json

Verb: TypeAlias = Literal["undo", "redo", "restore", "switch", "revert", "recover"]
Scope: TypeAlias = Literal["files", "conversation", "todos"]
ALL: tuple[Scope, ...] = ("files", "conversation", "todos")
Fate: TypeAlias = Literal["done", "kept", "failed"]


class Standing(NamedTuple):
    """The message each scope stands at; None is before the first one."""

    files: str | None
    conversation: str | None
    todos: str | None


class Moving(NamedTuple):
    """What a move does to one path."""

    path: bytes
    before: State
    after: State


class ToldPaths(Sequence[Moving]):
    """The paths of a move as its line has them; of most moves nobody ever asks for them."""

    def __init__(self, value: object) -> None:
        self._value = value if isinstance(value, dict) else {}

    def __len__(self) -> int:
        return len(self._value)

    @overload
    def __getitem__(self, at: int) -> Moving: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Moving]: ...
    def __getitem__(self, at: int | slice) -> Moving | Sequence[Moving]:
        return self._read[at]

    def __iter__(self) -> Iterator[Moving]:
        return iter(self._read)

    @cached_property
    def _read(self) -> tuple[Moving, ...]:
        return tuple(_movings(self._value))


class Moved(Struct, frozen=True, kw_only=True):
    """A move as the log tells it."""

    id: str
    verb: str
    note: str
    parent: str | None
    """The message the note hangs on."""
    scopes: tuple[str, ...]
    origin: Standing
    goal: Standing
    at: Standing
    """Where the session stands once it happened; `files` is the note if only some paths moved."""
    leaf: str | None
    """The last message before the move."""
    paths: Sequence[Moving]
    text: str
    left: Mapping[bytes, State] = {}
    """The paths it leaves as they are though they should be otherwise, and what is there."""
    takes_back: str | None = None
    """The move that it takes back."""
    partial: tuple[bytes, ...] = ()
    """The paths it was asked for, if not for all."""
    state: Literal["open", "moved", "withdrawn"] = "open"
    fates: Mapping[bytes, str] = {}


def stamp() -> str:
    """This moment, as lines have it."""
    now = datetime.now(UTC)
    return now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now.microsecond // 1000:03}Z"


def operation_line(session: str, kind: str, members: Mapping[str, Any], id: str = "") -> bytes:
    """A line of operations.jsonl."""
    head = {
        "type": "operation",
        "id": id or str(uuid4()),
        "kind": kind,
        "timestamp": stamp(),
        "sessionId": session,
    }
    return msgspec.json.encode({**head, **members})


def move_line(session: str, move: Moved) -> bytes:
    """What is going to happen."""
    members: dict[str, Any] = {
        "verb": move.verb,
        "note": move.note,
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
    return operation_line(session, "move", members, move.id)


def moved_line(session: str, move: str, fates: Mapping[bytes, str]) -> bytes:
    """That it happened."""
    told = {name_to_json(path): fate for path, fate in fates.items()}
    return operation_line(session, "moved", {"move": move, "paths": told})


def withdrawn_line(session: str, move: str, why: str) -> bytes:
    """That it did not, and everything was put back."""
    return operation_line(session, "withdrawn", {"move": move, "why": why})


# reading


def moves(operations: Iterable[Mapping[str, Any]]) -> list[Moved]:
    """All moves in order, each with what became of it; lines nobody understands are passed over."""
    found: dict[str, Moved] = {}
    for value in operations:
        match value.get("kind"):
            case "move":
                move = _move(value)
                if move is not None and move.id not in found:
                    found[move.id] = move
            case "moved" | "withdrawn" as state:
                id = value.get("move")
                if isinstance(id, str) and id in found:
                    fates = _fates(value.get("paths"))
                    found[id] = msgspec.structs.replace(found[id], state=state, fates=fates)
    return list(found.values())


def _move(value: Mapping[str, Any]) -> Moved | None:
    try:
        return Moved(
            id=_text(value["id"]),
            verb=_text(value["verb"]),
            note=_text(value["note"]),
            parent=_id(value.get("parent")),
            scopes=tuple(map(_text, value["scopes"])),
            origin=_standing(value["from"]),
            goal=_standing(value["to"]),
            at=_standing(value["at"]),
            leaf=_id(value.get("leaf")),
            paths=ToldPaths(value.get("paths")),
            text=_text(value.get("text", "")),
            takes_back=_id(value.get("takesBack")),
            partial=tuple(map(name_from_json, map(_text, value.get("partial", ())))),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _movings(paths: Mapping[str, Any]) -> Iterable[Moving]:
    for name, told in paths.items():
        states = told if isinstance(told, dict) else {}
        before, after = from_json(states.get("before")), from_json(states.get("after"))
        yield Moving(name_from_json(name), before, after)


def _fates(paths: object) -> dict[bytes, str]:
    if not isinstance(paths, dict):
        return {}
    return {name_from_json(name): str(fate) for name, fate in paths.items()}


def _standing(value: Mapping[str, Any]) -> Standing:
    return Standing(_id(value["files"]), _id(value["conversation"]), _id(value["todos"]))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _id(value: object) -> str | None:
    return None if value is None else _text(value)
