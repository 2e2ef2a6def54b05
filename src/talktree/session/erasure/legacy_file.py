"""Erasing messages of an older session file, in which they have no ids of their own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from talktree.errors import NotFound, Unreadable
from talktree.formats.sage.detect_kinds import CONTINUES
from talktree.session.erasure.line_changes import ERASED_RESULT
from talktree.text.json.decode import decode
from talktree.text.json.patch import patch_json

FIRST = 2
"""`@2` is the first message: `@1` is the session itself."""
_TITLES = ("name", "title", "summary", "description")
_RESULT_MEMBERS = ("tool_call_id", "tool_name", "success", "timestamp")


class OlderFile:
    """An older file without some of its messages, by the names that every view shows."""

    def __init__(self, data: bytes, aliases: Iterable[str]) -> None:
        value = decode(data).value
        messages: Any = value.get("messages") if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(messages, list):
            raise Unreadable(
                "the older session file cannot be read", hint="`talktree check` says why"
            )
        self._messages = messages
        asked = {self._find_place(alias) for alias in aliases}
        self._gone, self._emptied = self._find_exchanges(asked)
        self.text = "\n".join(_get_text(messages[at]) for at in sorted(asked | self._gone))
        kept = [
            _without_result(each) if at in self._emptied else each
            for at, each in enumerate(messages)
            if at not in self._gone
        ]
        changed: dict[str, Any] = {**value, "messages": kept}
        for name in _TITLES:
            if is_quoted(value.get(name), self.text):
                del changed[name]
        self.data = patch_json(data, changed)

    @property
    def removed(self) -> tuple[str, ...]:
        """The messages that are removed."""
        return tuple(f"@{at + FIRST}" for at in sorted(self._gone))

    @property
    def emptied(self) -> tuple[str, ...]:
        """Results whose calls stay, so that only their content is removed."""
        return tuple(f"@{at + FIRST}" for at in sorted(self._emptied))

    def update_continuation(self, line: dict[str, Any]) -> dict[str, Any]:
        """Return a line that follows a message of the file, with the new name of that message."""
        details = line.get(CONTINUES)
        alias = details.get("message") if isinstance(details, dict) else None
        if not isinstance(details, dict) or not isinstance(alias, str) or not alias.startswith("@"):
            return line
        at = self._find_place(alias)
        while at in self._gone:
            at -= 1
        if at < 0:
            return {name: each for name, each in line.items() if name != CONTINUES}
        now = f"@{at - sum(each < at for each in self._gone) + FIRST}"
        return {**line, CONTINUES: {**details, "message": now}}

    def _find_place(self, alias: str) -> int:
        number = alias.removeprefix("@")
        at = int(number) - FIRST if number.isascii() and number.isdigit() else -1
        if not 0 <= at < len(self._messages):
            raise NotFound(f"there is no message {alias!r}", hint="name a message of this session")
        return at

    def _find_exchanges(self, asked: set[int]) -> tuple[set[int], set[int]]:
        """Return the messages to remove, and the results to empty because their call stays."""
        gone = {
            at for at in asked if not _list_ids(self._messages[at], "tool_results", "tool_call_id")
        }
        made = [set(_list_ids(each, "tool_calls", "id")) for each in self._messages]
        emptied: set[int] = set()
        for at, each in enumerate(self._messages):
            results = _list_ids(each, "tool_results", "tool_call_id")
            if not results or at in gone:
                continue
            callers = [
                next((above for above in range(at - 1, -1, -1) if call in made[above]), None)
                for call in results
            ]
            if all(caller is None or caller in gone for caller in callers):
                if at in asked or any(caller in gone for caller in callers):
                    gone.add(at)
            elif at in asked:
                emptied.add(at)
        return gone, emptied


def is_quoted(words: object, text: str) -> bool:
    """Whether some words are a part of an erased text."""
    if not isinstance(words, str):
        return False
    bare = " ".join(words.removesuffix("...").removesuffix("…").split())
    return bool(bare) and bare in " ".join(text.split())


def _list_ids(message: object, member: str, name: str) -> list[str]:
    items = message.get(member) if isinstance(message, dict) else None
    found = (each.get(name) for each in items or () if isinstance(each, dict))
    return [each for each in found if isinstance(each, str)]


def _without_result(message: dict[str, Any]) -> dict[str, Any]:
    results = [
        {
            **{name: each[name] for name in _RESULT_MEMBERS if name in each},
            "content": ERASED_RESULT,
            "error": None,
        }
        for each in message["tool_results"]
        if isinstance(each, dict)
    ]
    names: tuple[str, ...] = ("role", "timestamp")
    kept = {name: message[name] for name in names if name in message}
    return {**kept, "content": "", "tool_results": results}


def _get_text(message: object) -> str:
    found = message.get("content") if isinstance(message, dict) else None
    return found if isinstance(found, str) else ""
