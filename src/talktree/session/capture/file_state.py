"""The state of a path: a closed union of states, and their JSON.

States are compared by content, mode and link target. `UnknownState` equals nothing, not even
itself, because two unknown states cannot be compared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeAlias
from urllib.parse import quote_from_bytes, unquote_to_bytes

from msgspec import Struct

HASH_LENGTH = 64


class FileContentState(Struct, frozen=True, kw_only=True):
    """A regular file."""

    hash: str
    """The SHA-256 of its content, in hex."""
    size: int
    mode: int
    chunks: tuple[str, ...] = ()
    """The hashes of its pieces, if its content is stored in pieces."""
    links: int = 1
    """The number of names of the file; more than one means hard links."""


class LinkState(Struct, frozen=True, kw_only=True):
    """A symbolic link, never followed."""

    target: bytes


class Folder(Struct, frozen=True, kw_only=True):
    """A directory; its members are separate paths."""

    mode: int


class AbsentState(Struct, frozen=True):
    """Nothing was there."""


class UnknownState(Struct, frozen=True):
    """The state is not known, which is not the same as absent."""

    why: str


State: TypeAlias = FileContentState | LinkState | Folder | AbsentState | UnknownState
ABSENT = AbsentState()


def is_same(one: State, other: State) -> bool:
    """Whether two states are known to look the same at the path."""
    match one, other:
        case FileContentState(), FileContentState():
            return (one.hash, one.size, one.mode) == (other.hash, other.size, other.mode)
        case (UnknownState(), _) | (_, UnknownState()):
            return False
        case _:
            return one == other


def is_same_content(one: State, other: State) -> bool:
    """Whether at most the mode differs."""
    match one, other:
        case FileContentState(), FileContentState():
            return one.hash == other.hash
        case Folder(), Folder():
            return True
        case _:
            return is_same(one, other)


# JSON


def to_json(state: State) -> dict[str, Any]:
    """Return the state as JSON for a line."""
    match state:
        case FileContentState():
            value: dict[str, Any] = {
                "kind": "file",
                "hash": state.hash,
                "size": state.size,
                "mode": f"{state.mode:04o}",
            }
            if state.chunks:
                value["chunks"] = list(state.chunks)
            if state.links > 1:
                value["links"] = state.links
            return value
        case LinkState():
            return {"kind": "link", "target": name_to_json(state.target)}
        case Folder():
            return {"kind": "folder", "mode": f"{state.mode:04o}"}
        case AbsentState():
            return {"kind": "absent"}
        case UnknownState():
            return {"kind": "unknown", "why": state.why}


def from_json(value: object) -> State:
    """Return the state from a line; anything invalid is unknown."""
    if not isinstance(value, dict):
        return UnknownState("no state is recorded")
    try:
        match value.get("kind"):
            case "file":
                return _parse_file(value)
            case "link":
                return LinkState(target=name_from_json(value["target"]))
            case "folder":
                return Folder(mode=_parse_mode(value["mode"]))
            case "absent":
                return ABSENT
            case "unknown":
                return UnknownState(str(value.get("why") or "nobody knows"))
            case _:
                return UnknownState("a state of a kind nobody knows")
    except (KeyError, TypeError, ValueError, AttributeError):
        return UnknownState("the recorded state cannot be read")


def _parse_file(value: Mapping[str, Any]) -> State:
    chunks = tuple(map(_parse_hash, value.get("chunks", ())))
    size, links = value["size"], value.get("links", 1)
    if type(size) is not int or size < 0 or type(links) is not int:
        raise ValueError
    mode = _parse_mode(value["mode"])
    return FileContentState(
        hash=_parse_hash(value["hash"]), size=size, mode=mode, chunks=chunks, links=links
    )


def _parse_hash(value: object) -> str:
    if not isinstance(value, str) or not _is_hash(value):
        raise ValueError
    return value


def _parse_mode(value: str) -> int:
    mode = int(value, 8)
    if not 0 <= mode <= 0o7777:
        raise ValueError
    return mode


_is_hash = re.compile(f"[0-9a-f]{{{HASH_LENGTH}}}").fullmatch
_PLAIN = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) != "%")


# names


def name_to_json(path: bytes) -> str:
    """Return a path as text: unchanged if it is UTF-8 without percent signs, else escaped."""
    try:
        plain = path.decode()
    except UnicodeDecodeError:
        return quote_from_bytes(path, safe=_PLAIN)
    return plain.replace("%", "%25")


def name_from_json(name: str) -> bytes:
    """Return the path that a text in a line means."""
    return unquote_to_bytes(name.encode("utf-8", "surrogatepass"))
