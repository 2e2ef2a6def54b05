"""What is to be erased from the logs of one session, determined before anything is changed.

A call and its result are one exchange. With the message that calls a tool its results are erased as
well. The result of a call that stays is not removed but emptied, because a call without a result is
not a valid conversation.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from msgspec import Struct

from talktree.errors import NotFound, UsageError
from talktree.files.sandbox import Anchor
from talktree.formats.sage.detect_kinds import CONTINUES, SNAPSHOT
from talktree.session.care.inspection import open_plain_file
from talktree.session.journal.lines import JournalLine, read_lines
from talktree.text.json.decode import decode

WHY_MESSAGE = "the message that changed it was erased"


class MessageLink(NamedTuple):
    """The links of a message: its parent, and what it continues of an older file."""

    parent: str | None
    continues: Any


class ErasureTargets(Struct, frozen=True, kw_only=True):
    """What is erased, and what replaces the references to it."""

    session: str
    workspace: bytes | None = None
    messages: frozenset[str] = frozenset()
    """The ids of messages whose lines are removed."""
    emptied: frozenset[str] = frozenset()
    """Results of calls that stay: their content is removed."""
    places: Mapping[str, MessageLink] = {}
    """For each removed message, the new parent of its children."""
    before: Mapping[str, str | None] = {}
    """For each removed message, the message of the main line that was written before it."""
    calls: frozenset[tuple[str, str]] = frozenset()
    """Results that are removed from lines that stay: the line and the call."""
    paths: frozenset[bytes] = frozenset()
    children: frozenset[str] = frozenset()
    """Child sessions that are erased."""
    text: str = ""
    """The text of the erased messages, to detect quotes of it in metadata.json."""

    @property
    def erased(self) -> frozenset[str]:
        """All messages whose text is erased."""
        return self.messages | self.emptied

    def has_path(self, path: bytes) -> bool:
        """Whether a path is erased, or is in an erased folder."""
        if not self.paths:
            return False
        if self.workspace is not None and path.startswith(self.workspace + b"/"):
            path = path[len(self.workspace) + 1 :]
        path = os.path.normpath(path)
        parts = path.split(b"/")
        return any(b"/".join(parts[: at + 1]) in self.paths for at in range(len(parts)))

    def resolve_message(self, id: str | None) -> str | None:
        """Return a message, or the one that replaces it."""
        if id is None or id not in self.places:
            return id
        return self.places[id].parent


class _Said(NamedTuple):
    """The facts about a line of messages.jsonl that erasing needs."""

    id: str | None
    parent: str | None
    continues: Any
    calls: frozenset[str]
    results: tuple[str, ...]
    leads: bool
    """Whether it is on the main line."""
    note: bool


def read_log_lines(folder: Anchor, log: str) -> Iterator[JournalLine]:
    """Yield the lines of a log as it is now."""
    with open_plain_file(folder, f"{log}.jsonl") as fd:
        if fd is not None:
            yield from read_lines(fd)


def find_targets(
    folder: Anchor,
    session: str,
    messages: Iterable[str],
    paths: Iterable[bytes] = (),
    workspace: bytes | None = None,
) -> ErasureTargets:
    """Return everything that is erased with these messages and paths."""
    asked = set(messages)
    said: list[_Said] = []
    for line in read_log_lines(folder, "messages"):
        value = decode(line.raw).value
        if isinstance(value, dict) and value.get("type") != SNAPSHOT:
            said.append(_parse_line(value))
    known = {each.id: each for each in said if each.id is not None}
    _check_known(asked, known)
    removed, emptied, calls = _find_exchanges(asked, said, known)
    places, before = _find_places(removed, said)
    return ErasureTargets(
        session=session,
        workspace=workspace,
        messages=frozenset(removed),
        emptied=frozenset(emptied),
        places=places,
        before=before,
        calls=frozenset(calls),
        paths=frozenset(map(os.path.normpath, paths)),
        text=_read_text(folder, removed | emptied),
    )


def _check_known(asked: set[str], known: Mapping[str, _Said]) -> None:
    for id in asked:
        if id not in known:
            raise NotFound(f"there is no message {id!r}", hint="name a message of this session")
        if known[id].note:
            raise UsageError(
                f"{id[:8]} only records an undo", hint="name the message that it went back to"
            )


def _find_exchanges(
    asked: set[str], said: list[_Said], known: Mapping[str, _Said]
) -> tuple[set[str], set[str], set[tuple[str, str]]]:
    """Return the messages to remove, the ones to empty, and the single results to remove."""
    removed = {id for id in asked if not known[id].results}
    calls: set[tuple[str, str]] = set()
    emptied: set[str] = set()
    for each in said:
        if each.id is None or not each.results or each.id in removed:
            continue
        gone = {call for call in each.results if _find_caller(each, call, known) in removed}
        stays = set(each.results) - gone
        if not stays or (each.id in asked and not _is_answer(each, stays, known)):
            removed.add(each.id)
            continue
        calls |= {(each.id, call) for call in gone}
        if each.id in asked:
            emptied.add(each.id)
    return removed, emptied, calls


def _is_answer(each: _Said, results: set[str], known: Mapping[str, _Said]) -> bool:
    """Whether some of these results belong to an existing call."""
    return any(_find_caller(each, call, known) is not None for call in results)


def _find_caller(result: _Said, call: str, known: Mapping[str, _Said]) -> str | None:
    """Return the nearest message above a result that makes the call."""
    seen: set[str] = set()
    above = result.parent
    while above is not None and above in known and above not in seen:
        seen.add(above)
        if call in known[above].calls:
            return above
        above = known[above].parent
    return None


def _find_places(
    removed: set[str], said: list[_Said]
) -> tuple[dict[str, MessageLink], dict[str, str | None]]:
    direct: dict[str, MessageLink] = {}
    before: dict[str, str | None] = {}
    newest: str | None = None
    for each in said:
        if each.id is None:
            continue
        if each.id in removed:
            direct[each.id] = MessageLink(each.parent, each.continues)
            before[each.id] = newest
        elif each.leads:
            newest = each.id
    return {id: _find_remaining_place(place, direct) for id, place in direct.items()}, before


def _find_remaining_place(place: MessageLink, direct: Mapping[str, MessageLink]) -> MessageLink:
    """Return the links of the first ancestor that stays."""
    seen: set[str] = set()
    while place.parent in direct and place.parent not in seen:
        assert place.parent is not None
        seen.add(place.parent)
        place = direct[place.parent]
    return MessageLink(None, place.continues) if place.parent in direct else place


def _parse_line(value: Mapping[str, Any]) -> _Said:
    message = value.get("message")
    held: Mapping[str, Any] = message if isinstance(message, dict) else {}
    parent = value.get("parentUuid")
    id = value.get("uuid")
    return _Said(
        id if isinstance(id, str) and id else None,
        parent if isinstance(parent, str) and parent else None,
        value.get(CONTINUES),
        frozenset(_list_ids(held.get("toolCalls"), "id")),
        tuple(_list_ids(value.get("toolResults", held.get("toolResults")), "toolCallId")),
        value.get("isSidechain") is not True,
        isinstance(value.get("operation"), dict),
    )


def _list_ids(items: object, name: str) -> Iterator[str]:
    for each in items if isinstance(items, list) else ():
        found = each.get(name) if isinstance(each, dict) else None
        if isinstance(found, str):
            yield found


def _read_text(folder: Anchor, ids: set[str]) -> str:
    """Return the text of the erased messages, joined."""
    found: list[str] = []
    for line in read_log_lines(folder, "messages") if ids else ():
        value = decode(line.raw).value
        message = value.get("message") if isinstance(value, dict) else None
        if isinstance(value, dict) and value.get("uuid") in ids and isinstance(message, dict):
            content = message.get("content")
            if isinstance(content, str):
                found.append(content)
    return "\n".join(found)
