"""Rewriting a log line by line: remaining lines keep their bytes, and seals are renumbered.

The number in a seal is the old one minus the number of lines removed before it. So an existing gap
stays a gap, and a broken seal stays broken.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from talktree.files.sandbox import Anchor
from talktree.session.capture.file_state import name_from_json
from talktree.session.capture.scan import HERE
from talktree.session.erasure.line_changes import LineChanges
from talktree.session.erasure.targets import ErasureTargets, read_log_lines
from talktree.session.journal.lines import LONGEST, SEAL, JournalLine, seal_line, verify_seal
from talktree.text.json.decode import decode
from talktree.text.json.encode import encode_new

Change = Callable[[dict[str, Any], bytes], bytes | None]
_BLANK = b" \t\r\n\0"


class LogRewrite:
    """The rewriting of one log, and its result."""

    def __init__(self, change: Change, words: Iterable[bytes] = ()) -> None:
        self.change = change
        self._words = tuple(words)
        """An unreadable line is removed if it contains one of these."""
        self.removed = 0
        self.changed = 0
        self._old: list[int] = []
        self._new: list[int] = []

    def run(self, lines: Iterable[JournalLine]) -> Iterator[bytes]:
        """Yield the new lines with their newlines."""
        end = 0
        for line in lines:
            new = self._rewrite_line(line.raw.strip(_BLANK))
            self._old.append(line.start)
            self._new.append(end)
            if new is None:
                self.removed += 1
                continue
            end += len(new) + 1
            yield new + b"\n"
        self._old.append(2**63)
        self._new.append(end)

    def _rewrite_line(self, raw: bytes) -> bytes | None:
        value, _, usable = decode(raw)
        if not usable or not isinstance(value, dict):
            return None if any(word in raw for word in self._words) else raw
        verdict = verify_seal(raw)
        if verdict.state != "good" or verdict.number is None:
            new = self.change(value, raw)
            self.changed += new is not None and new is not raw
            return new
        body = _strip_seal(raw)
        value.pop("seal", None)
        new = self.change(value, body)
        if new is None:
            return None
        if new is body and not self.removed:
            return raw
        self.changed += new is not body
        return seal_line(new, verdict.number - self.removed)

    def map_offset(self, old: int) -> int:
        """Return the new offset of a line that starts, or would start, at an old offset."""
        return self._new[bisect_left(self._old, old)]

    @property
    def is_same(self) -> bool:
        """Whether nothing changed."""
        return not self.removed and not self.changed


def _strip_seal(raw: bytes) -> bytes:
    found = list(SEAL.finditer(raw, max(0, len(raw) - LONGEST)))[-1]
    return raw[: found.start()] + b"}" if found[1] == b"," else b"{}"


class Rewrites:
    """Rewrites the three logs of a session without the erased data."""

    def __init__(self, folder: Anchor, targets: ErasureTargets) -> None:
        self._folder = folder
        only, lost = _find_lost(folder, targets)
        self._changes = LineChanges(targets, only, lost)
        words = [id.encode() for id in targets.erased] + list(targets.paths)
        self.messages = LogRewrite(self._changes.change_message, words)
        self.snapshots = LogRewrite(self._changes.change_snapshot, words)
        self.operations = LogRewrite(self._rewrite_operation, words)
        self.gone = only
        """The paths that only erased messages had."""

    def rewrite_logs(self) -> Iterator[tuple[str, LogRewrite, Iterator[bytes]]]:
        """Yield each log with its new lines; operations come last: they hold snapshot offsets."""
        logs = {
            "messages": self.messages,
            "snapshots": self.snapshots,
            "operations": self.operations,
        }
        for log, rewrite in logs.items():
            yield log, rewrite, rewrite.run(read_log_lines(self._folder, log))

    def _rewrite_operation(self, value: dict[str, Any], body: bytes) -> bytes | None:
        new = self._changes.change_operation(value, body)
        after = value.get("after")
        length = after.get("snapshots") if isinstance(after, dict) else None
        if new is None or type(length) is not int or self.snapshots.is_same:
            return new
        changed = decode(new).value
        assert isinstance(changed, dict)
        counted = self.snapshots.map_offset(length)
        if counted == length:
            return new
        moved = changed["after"]
        assert isinstance(moved, dict)
        return encode_new({**changed, "after": {**moved, "snapshots": counted}})


def _find_lost(folder: Anchor, targets: ErasureTargets) -> tuple[frozenset[bytes], frozenset[str]]:
    """Return the paths and the hashes that only snapshots of erased messages have."""
    if not targets.messages:
        return frozenset(), frozenset()
    notes = _find_move_notes(folder)
    ours: tuple[set[bytes], set[str]] = set(), set()
    others: tuple[set[bytes], set[str]] = set(), set()
    for log in ("snapshots", "messages"):
        for line in read_log_lines(folder, log):
            value = decode(line.raw).value
            held = value.get("snapshot") if isinstance(value, dict) else None
            if not isinstance(value, dict) or not isinstance(held, dict):
                continue
            owner = value.get("messageId")
            if owner in notes:
                continue
            is_ours = owner in targets.messages and "point" not in value
            found = ours if is_ours else others
            found[0].update(_list_paths(held))
            found[1].update(_list_hashes(held))
    return frozenset(ours[0] - others[0]), frozenset(ours[1] - others[1])


def find_recorded_names(folder: Anchor) -> set[bytes]:
    """Return the files and folders directly in the workspace that snapshots have a history of."""
    found: set[bytes] = set()
    for log in ("snapshots", "messages"):
        for line in read_log_lines(folder, log):
            value = decode(line.raw).value
            held = value.get("snapshot") if isinstance(value, dict) else None
            if isinstance(held, dict):
                found.update(path.split(b"/")[0] for path in _list_paths(held))
    return found - {b"", HERE}


def _find_move_notes(folder: Anchor) -> set[str]:
    """Return the messages that only record a move."""
    found: set[str] = set()
    for line in read_log_lines(folder, "messages"):
        if b'"operation"' in line.raw:
            value = decode(line.raw).value
            if isinstance(value, dict) and isinstance(value.get("operation"), dict):
                found.add(str(value.get("uuid")))
    return found


def _list_paths(held: dict[str, Any]) -> Iterator[bytes]:
    for member in ("paths", "seen"):
        entries = held.get(member)
        yield from map(name_from_json, entries if isinstance(entries, dict) else ())
    for member in ("trackedFiles", "fileBackups"):
        entries = held.get(member)
        for name in entries if isinstance(entries, dict) else ():
            yield name.encode("utf-8", "surrogatepass")


def _list_hashes(held: dict[str, Any]) -> Iterator[str]:
    """Yield the hashes of all files that a snapshot names."""
    entries = [held.get(member) for member in ("paths", "seen", "trackedFiles", "fileBackups")]
    for each in (item for group in entries if isinstance(group, dict) for item in group.values()):
        for state in (each, *(each.values() if isinstance(each, dict) else ())):
            for name in ("hash", "contentHash", "originalHash"):
                found = state.get(name) if isinstance(state, dict) else None
                if isinstance(found, str):
                    yield found
