"""Removing erased data from one line of a log: it is kept, changed or removed.

A changed line is encoded again from its value: with the old bytes, a duplicate member would
survive.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from talktree.formats.sage.detect_kinds import CONTINUES, SNAPSHOT
from talktree.session.capture.erased_paths import WHY, make_path_mark
from talktree.session.capture.file_state import name_from_json
from talktree.session.erasure.targets import WHY_MESSAGE, ErasureTargets
from talktree.text.json.encode import encode_new
from talktree.text.json.patch import patch_json

EMBEDDED = "x-talktree"
"""The member with the record that a line was converted from."""
ERASED_RESULT = "The result was erased."
_RESULT_MEMBERS = ("toolCallId", "toolName", "success")
_LINE_MEMBERS = (
    "type",
    "uuid",
    "parentUuid",
    CONTINUES,
    "timestamp",
    "sessionId",
    "version",
    "context",
    "todos",
    "isSidechain",
)
UNKNOWN = {"kind": "unknown", "why": WHY_MESSAGE}
Value = dict[str, Any]


class LineChanges:
    """Changes the lines of the three logs."""

    def __init__(
        self, targets: ErasureTargets, only: frozenset[bytes], lost: frozenset[str]
    ) -> None:
        self._targets = targets
        self._only = only
        """The paths that only snapshots of erased messages have."""
        self._lost = lost
        """The hashes that only snapshots of erased messages have."""
        self._updated: set[object] = set()
        """The messages of which a snapshot stays."""
        self._quotes = [
            re.compile(rf'message {re.escape(id[:8])} \(".*"\)') for id in targets.erased
        ]

    # messages.jsonl

    def change_message(self, value: Value, body: bytes) -> bytes | None:
        """Change a line of messages.jsonl."""
        if value.get("type") == SNAPSHOT:
            return self.change_snapshot(value, body)
        targets, id = self._targets, value.get("uuid")
        if id in targets.messages:
            return None
        if id in targets.emptied:
            return encode_new(self._relink_message(self._empty_message(value)))
        changed = self._without_embedded(self._without_results(value), self._targets.erased)
        if isinstance(value.get("operation"), dict):
            changed = self._change_note(changed)
        if changed != value:
            return encode_new(self._relink_message(changed))
        relinked = self._relink_message(value)
        return body if relinked == value else patch_json(body, relinked)

    def _relink_message(self, value: Value) -> Value:
        """Return the same message, with ids of messages that stay."""
        places = self._targets.places
        changed = {
            name: places[item].parent
            if isinstance(item, str) and name != "uuid" and item in places
            else item
            for name, item in value.items()
        }
        parent = value.get("parentUuid")
        if isinstance(parent, str) and parent in places and places[parent].continues is not None:
            changed[CONTINUES] = places[parent].continues
        return changed

    def _empty_message(self, value: Value) -> Value:
        kept = {name: value[name] for name in _LINE_MEMBERS if name in value}
        results = value.get("toolResults")
        if not isinstance(results, list):
            message = value.get("message")
            results = message.get("toolResults") if isinstance(message, dict) else None
            role = message.get("role") if isinstance(message, dict) else None
            kept["message"] = {
                "role": role,
                "content": "",
                "toolResults": _make_erased_results(results),
            }
        else:
            kept["toolResults"] = _make_erased_results(results)
        return kept

    def _without_results(self, value: Value) -> Value:
        """Return the line without the results of erased calls."""
        gone = {call for line, call in self._targets.calls if line == value.get("uuid")}
        if not gone:
            return value
        results = value.get("toolResults")
        if isinstance(results, list):
            return {**value, "toolResults": _filter_results(results, gone)}
        message = value.get("message")
        if not isinstance(message, dict) or not isinstance(message.get("toolResults"), list):
            return value
        left = _filter_results(message["toolResults"], gone)
        return {**value, "message": {**message, "toolResults": left}}

    def _without_embedded(self, value: Value, words: Iterable[str]) -> Value:
        """Return the line without the record it was converted from, if that names erased data."""
        if EMBEDDED not in value:
            return value
        text = encode_new(value[EMBEDDED]).decode("utf-8", "surrogatepass")
        if not any(word in text for word in words):
            return value
        return {name: each for name, each in value.items() if name != EMBEDDED}

    def _change_note(self, value: Value) -> Value:
        """Change a move that an earlier version recorded as a message."""
        message = value.get("message")
        changed = {**value, "operation": self._relink_references(value["operation"])}
        if isinstance(message, dict) and isinstance(message.get("content"), str):
            changed["message"] = {**message, "content": self._redact_words(message["content"])}
        return changed

    def _redact_words(self, text: str) -> str:
        """Return the text of a move without quotes and without paths."""
        for quote in self._quotes:
            text = quote.sub("a message that was erased", text)
        kept = (line for line in text.split("\n") if not self._names_path(line))
        return "\n".join(kept)

    def _names_path(self, line: str) -> bool:
        if not line.startswith("- "):
            return False
        name = line[2:].removesuffix(" (removed)")
        return not self._is_kept(name_from_json(name))

    def _relink_references(self, value: Any) -> Any:  # noqa: ANN401
        """Return a value with the ids of messages that stay; it is at most two levels deep."""
        if isinstance(value, dict):
            return {name: self._relink_reference(item) for name, item in value.items()}
        return value

    def _relink_reference(self, item: Any) -> Any:  # noqa: ANN401
        if isinstance(item, str):
            return self._targets.resolve_message(item)
        if isinstance(item, dict):
            return {
                name: self._targets.resolve_message(each) if isinstance(each, str) else each
                for name, each in item.items()
            }
        return item

    # snapshots.jsonl

    def change_snapshot(self, value: Value, body: bytes) -> bytes | None:
        """Change a line of snapshots.jsonl."""
        held = value.get("snapshot")
        if not isinstance(held, dict):
            return None if value.get("messageId") in self._targets.messages else body
        if value.get("messageId") in self._targets.messages and "point" not in value:
            return self._keep_orphan(value, held)
        names = [path.decode("utf-8", "replace") for path in self._targets.paths]
        kept = self._without_embedded(value, [*self._targets.erased, *names])
        changed = self._without_erased_paths(held)
        point = self._targets.resolve_message(value.get("messageId"))
        is_first = point not in self._updated
        self._updated.add(point)
        if kept is value and changed == held and point == value.get("messageId"):
            return body
        if is_first and kept.get("isSnapshotUpdate") is True:
            kept = {**kept, "isSnapshotUpdate": False}
        return encode_new({**kept, "messageId": point, "snapshot": changed})

    def _keep_orphan(self, value: Value, held: Value) -> bytes | None:
        """Return an erased message's snapshot with only the names of the other files it changed."""
        parent = self._targets.resolve_message(value.get("messageId"))
        paths = {
            name: dict.fromkeys(sides, UNKNOWN)
            for name, sides in _as_dict(held.get("paths")).items()
            if isinstance(sides, dict) and self._is_kept(name_from_json(name))
        }
        if parent is None or not paths:
            return None
        left: Value = {"trackedFiles": {}, "fileBackups": {}, "paths": paths, "uncovered": []}
        if held.get("ended") is True:
            left["ended"] = True
        whole = {name: each for name, each in value.items() if name != EMBEDDED}
        whole["isSnapshotUpdate"] = parent in self._updated
        self._updated.add(parent)
        return encode_new({**whole, "messageId": parent, "snapshot": left})

    def _without_erased_paths(self, held: Value) -> Value:
        """Return a snapshot without erased paths; the names are replaced by marks."""
        changed, marks = dict(held), list[str]()
        for member, read in _PATH_MEMBERS.items():
            entries = held.get(member)
            if isinstance(entries, dict):
                kept = {name: each for name, each in entries.items() if self._is_kept(read(name))}
                marks += [
                    self._make_mark(path)
                    for path in map(read, entries)
                    if not self._is_unerased(path)
                ]
                changed[member] = {
                    name: self._without_lost_states(each) for name, each in kept.items()
                }
        if isinstance(held.get("watched"), list):
            changed["watched"] = [
                name
                for name in held["watched"]
                if not isinstance(name, str) or self._is_kept(name_from_json(name))
            ]
        if isinstance(held.get("uncovered"), list) or marks:
            changed["uncovered"] = self._mark_uncovered(_as_list(held.get("uncovered")), marks)
        return changed

    def _mark_uncovered(self, entries: list[Any], marks: list[str]) -> list[Any]:
        kept: list[Any] = []
        for each in entries:
            name = each.get("path") if isinstance(each, dict) else None
            if isinstance(name, str) and not self._is_unerased(_encode_name(name)):
                marks = [*marks, self._make_mark(_encode_name(name))]
            else:
                kept.append(each)
        details = {each.get("path") for each in kept if isinstance(each, dict)}
        new = [mark for mark in dict.fromkeys(marks) if mark not in details]
        return [*kept, *({"path": mark, "why": WHY} for mark in new)]

    def _without_lost_states(self, each: Any) -> Any:  # noqa: ANN401
        """Return the entry of a path without the lost states."""
        if not isinstance(each, dict) or not self._lost:
            return each
        if each.get("contentHash") in self._lost or each.get("originalHash") in self._lost:
            return {"state": each["state"]} if "state" in each else {}
        return {name: self._without_lost_state(item) for name, item in each.items()}

    def _without_lost_state(self, state: Any) -> Any:  # noqa: ANN401
        is_lost = isinstance(state, dict) and state.get("hash") in self._lost
        return UNKNOWN if is_lost else state

    # operations.jsonl

    def change_operation(self, value: Value, body: bytes) -> bytes | None:
        """Change a line of operations.jsonl; the caller changes offsets of snapshots."""
        kind = value.get("kind")
        if kind == "child" and value.get("child") in self._targets.children:
            return None
        named = value.get("message") if kind == "name" else None
        if named in self._targets.places and self._targets.resolve_message(named) is None:
            return None
        changed = self._relink_references(value)
        if kind == "moved" and isinstance(value.get("after"), dict):
            last = value["after"].get("message")
            if last in self._targets.before:
                changed["after"] = {**value["after"], "message": self._targets.before[last]}
        if kind in ("move", "moved"):
            changed = self._change_move(changed)
        return body if changed == value else encode_new(changed)

    def _change_move(self, value: Value) -> Value:
        changed = dict(value)
        for member in ("paths", "left"):
            if isinstance(value.get(member), dict):
                changed[member] = {
                    name: self._change_moved_states(each)
                    for name, each in value[member].items()
                    if self._is_kept(name_from_json(name))
                }
        if isinstance(value.get("partial"), list):
            changed["partial"] = [
                name
                for name in value["partial"]
                if not isinstance(name, str) or self._is_kept(name_from_json(name))
            ]
        if isinstance(value.get("text"), str):
            changed["text"] = self._redact_words(value["text"])
        return changed

    def _change_moved_states(self, each: Any) -> Any:  # noqa: ANN401
        if isinstance(each, dict) and "kind" in each:
            return self._without_lost_state(each)
        return self._without_lost_states(each)

    # paths

    def _is_unerased(self, path: bytes) -> bool:
        return not self._targets.has_path(path)

    def _is_kept(self, path: bytes) -> bool:
        """Whether a line that stays may name a path."""
        return path not in self._only and not self._targets.has_path(path)

    def _make_mark(self, path: bytes) -> str:
        return make_path_mark(self._targets.session, path)


def _encode_name(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


_PATH_MEMBERS: Mapping[str, Callable[[str], bytes]] = {
    "trackedFiles": _encode_name,
    "fileBackups": _encode_name,
    "paths": name_from_json,
    "seen": name_from_json,
}


def _as_dict(value: object) -> Value:
    return value if isinstance(value, dict) else {}


def _as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _filter_results(results: list[Any], gone: set[str]) -> list[Any]:
    return [
        each for each in results if not (isinstance(each, dict) and each.get("toolCallId") in gone)
    ]


def _make_erased_results(results: object) -> list[Value]:
    """Return results that only say that they were erased."""
    return [
        {
            **{name: each[name] for name in _RESULT_MEMBERS if name in each},
            "content": ERASED_RESULT,
            "error": None,
        }
        for each in _as_list(results)
        if isinstance(each, dict)
    ]
