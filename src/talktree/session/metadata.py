"""metadata.json: what lists of sessions show, updated while messages are written.

It is a cache of the log. Its counts cover the log up to a length (`talktree.length`), so an update
reads only what was written since. If it is missing, damaged or contradicts the log, it is rebuilt.
Members of other programs stay as they are.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from time import time_ns
from typing import Any

import msgspec
from msgspec import Struct

from talktree.errors import PathEscapes
from talktree.files.durable import replace
from talktree.files.sandbox import Anchor
from talktree.formats.sage.detect_kinds import METADATA, SNAPSHOT, TYPES
from talktree.formats.sage.repair import PROMPT_LENGTH
from talktree.model.message import Context
from talktree.model.parts import NOTHING
from talktree.session.journal.journal import Journal, LinePosition
from talktree.session.journal.lines import read_lines
from talktree.text.json.decode import decode
from talktree.text.json.encode import PRETTY, encode_json
from talktree.text.json.patch import patch_json
from talktree.text.json.value import REFUSALS, Json
from talktree.text.times import MILLI, from_iso, to_iso

NAME = METADATA.encode()
OWN = "talktree"
LARGEST = 16 << 20
STATES = ("active", "paused", "completed", "failed", "cancelled")


class _Said(Struct, gc=False):
    content: str | None = None


class _Line(Struct, gc=False):
    type: str | None = None
    uuid: str | None = None
    timestamp: str | None = None
    message: _Said | None = None


_quick = msgspec.json.Decoder(_Line).decode


@dataclass
class LogSummary:
    """The counts of the log up to a length."""

    length: int = 0
    count: int = 0
    first: int | None = None
    last: int | None = None
    first_prompt: str | None = None
    last_prompt: str | None = None
    title: str | None = None

    def add(self, type: str, time: int | None, words: str | None) -> None:
        """Count one message."""
        self.count += 1
        if time is not None:
            self.first = time if self.first is None else min(self.first, time)
            self.last = time if self.last is None else max(self.last, time)
        if words and type == "user":
            self.last_prompt = words
            self.first_prompt = self.first_prompt or _shorten_prompt(words)
        elif words and type == "custom_title":
            self.title = words

    def catch_up(self, journal: Journal) -> None:
        """Count what was written since."""
        end = journal.length("messages")
        if end < self.length:
            # A log only grows; a shorter one is another file.
            self.__init__()  # type: ignore[misc]
        if end == self.length:
            return
        for line in read_lines(journal.descriptor("messages"), self.length, end):
            self._add_line(line.raw)
            self.length = line.start + len(line.raw) + 1
        if os.pread(journal.descriptor("messages"), 1, end - 1) == b"\n":
            # After the last line there are only blanks.
            self.length = end

    def _add_line(self, raw: bytes) -> None:
        try:
            line = _quick(raw)
        except REFUSALS:
            # The line is not quite valid; what can be read of it is counted.
            value = decode(raw).value
            line = _parse_tolerantly(value) if isinstance(value, dict) else _Line()
        if line.type is None or line.type == SNAPSHOT or not (line.uuid or line.type in TYPES):
            return
        time = None if line.timestamp is None else from_iso(line.timestamp)
        self.add(line.type, time, None if line.message is None else line.message.content)


def _parse_tolerantly(value: dict[str, Json]) -> _Line:
    type, uuid, stamp = value.get("type"), value.get("uuid"), value.get("timestamp")
    said = value.get("message")
    words = said.get("content") if isinstance(said, dict) else None
    return _Line(
        type if isinstance(type, str) else None,
        uuid if isinstance(uuid, str) else None,
        stamp if isinstance(stamp, str) else None,
        _Said(words if isinstance(words, str) else None),
    )


def _shorten_prompt(words: str) -> str:
    words = words.strip()
    return words if len(words) <= PROMPT_LENGTH else f"{words[:PROMPT_LENGTH]}..."


class Metadata:
    """The metadata.json of one session."""

    def __init__(
        self, folder: Anchor, journal: Journal, id: str, details: Mapping[str, Json] = NOTHING
    ) -> None:
        self._folder, self._journal, self._id = folder, journal, id
        self._text = read_metadata(folder)
        self._value = _parse_object(self._text)
        self.tally = _read_tally(self._value, journal)
        self._describe = details
        """The details given when the session was begun: its title, its parent."""
        self.state: str | None = None

    def count(self, place: LinePosition, *, type: str, time: int, words: str | None) -> None:
        """Count a message of this writer, and any that others wrote in between."""
        if place.start == self.tally.length:
            self.tally.add(type, time, words)
            self.tally.length = place.start + place.length + 1
        else:
            self.tally.catch_up(self._journal)

    def reset_tally(self) -> None:
        """Reset the counts, because counted lines do not exist."""
        self.tally = LogSummary()

    def save(self, context: Context) -> None:
        """Write the file if it differs from the log."""
        self.tally.catch_up(self._journal)
        current = read_metadata(self._folder)
        if current != self._text:
            # Another writer of the session was here; its other members stay.
            self._text, self._value = current, _parse_object(current)
        value = self._build_value(context)
        if value == self._value:
            return
        sound = self._text is not None and self._value is not None
        text = (
            patch_json(self._text, value)
            if sound and self._text
            else encode_json(value, PRETTY) + b"\n"
        )
        replace(self._folder, NAME, text)
        self._text, self._value = text, value

    def _build_value(self, context: Context) -> dict[str, Json]:
        tally, value = self.tally, dict(self._value or {})
        usual: dict[str, Json] = {
            "id": self._id,
            "createdAt": _format_now(),
            "workingDirectory": context.cwd or "",
            **({} if context.git_branch is None else {"gitBranch": context.git_branch}),
            "version": context.version or "",
            "state": STATES[0],
            "isSidechain": False,
        }
        value = {**usual, **self._describe, **value, "id": self._id}
        if self.state is not None:
            value["state"] = self.state
        if tally.title is not None:
            value["customTitle"] = tally.title
        if tally.first_prompt is not None:
            value["firstPrompt"] = tally.first_prompt
            value["lastPrompt"] = _shorten_prompt(tally.last_prompt or "")
        value["createdAt"] = _choose_bound(value.get("createdAt"), tally.first, least=True)
        value["updatedAt"] = _choose_bound(value.get("updatedAt"), tally.last, least=False)
        value["messageCount"] = tally.count
        value[OWN] = {"length": tally.length}
        return value


def _choose_bound(details: Json, seen: int | None, *, least: bool) -> str:
    """Return the earlier or the later of a recorded time and one from the log."""
    known = from_iso(details) if isinstance(details, str) else None
    times = [time for time in (known, seen) if time is not None]
    if not times:
        return _format_now()
    time = min(times) if least else max(times)
    return details if time == known and isinstance(details, str) else to_iso(time)


def _format_now() -> str:
    return to_iso(time_ns() // MILLI * MILLI)


def read_metadata(folder: Anchor) -> bytes | None:
    """Return the bytes of the file; None if it is missing or cannot be read."""
    try:
        with os.fdopen(folder.open(NAME, os.O_RDONLY), "rb") as file:
            return file.read(LARGEST)
    except (OSError, PathEscapes):
        return None


def read_value(folder: Anchor) -> dict[str, Any]:
    """Return the value of the file; empty if it is missing or damaged."""
    return _parse_object(read_metadata(folder)) or {}


def _parse_object(text: bytes | None) -> dict[str, Json] | None:
    if text is None or not text.strip(b"\0 \t\r\n"):
        return None
    value, problems, usable = decode(text)
    return value if usable and not problems and isinstance(value, dict) else None


def _read_tally(value: dict[str, Json] | None, journal: Journal) -> LogSummary:
    """Return the counts in the file, if they belong to this log; else empty ones."""
    own = value.get(OWN) if value is not None else None
    length = own.get("length") if isinstance(own, dict) else None
    count = value.get("messageCount") if value is not None else None
    if value is None or type(length) is not int or type(count) is not int:
        return LogSummary()
    if not 0 <= length <= journal.length("messages"):
        return LogSummary()

    def text(name: str) -> str | None:
        """Return a member that is a text."""
        found = value.get(name)
        return found if isinstance(found, str) else None

    return LogSummary(
        length=length,
        count=count,
        first=from_iso(text("createdAt") or ""),
        last=from_iso(text("updatedAt") or ""),
        first_prompt=text("firstPrompt"),
        last_prompt=text("lastPrompt"),
        title=text("customTitle"),
    )
