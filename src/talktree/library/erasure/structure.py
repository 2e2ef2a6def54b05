"""Whether masking changes more than words: the readable records, the messages, their links.

A word such as `null`, `type` or the id of a message is part of how a file is written. Stars in its
place would make records unreadable, or change what they say about others.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from talktree.errors import TalktreeError
from talktree.formats import get_format
from talktree.formats.engine import read_document
from talktree.library.archive.file_content import read_archived_source
from talktree.model.parts import Part, ToolCall, ToolResult

if TYPE_CHECKING:
    from talktree.library.library import Library

WHOLE = 64 << 20
"""A document up to this size is compared as a whole if its lines are not JSON."""
_OF_TALK = 2
"""How many values the outline of a conversation has."""
_COPY = re.compile(r"#\d+$")
_SOURCE = "SELECT format FROM sources WHERE id = ?"
Outlines = dict[tuple[object, ...], None]
"""What must not change in each conversation and each message of a source, in order.

Duplicate messages in a file count as one: masking may make the two differ.
"""


class ShapeComparison:
    """Compares the old and the new bytes of a file as a stream: only strings may differ."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._old: list[bytes] = []
        self._new: list[bytes] = []
        """The bytes after the last line end."""
        self._line = 0
        self._parts: list[tuple[bytes, bytes]] = []
        self._all_lines = True
        self.fault: str | None = None

    def feed(self, old: bytes, new: bytes) -> None:
        """Compare more bytes; both have the same length and the same line ends."""
        if self._size <= WHOLE:
            self._parts.append((old, new))
        end = old.rfind(b"\n") + 1
        if end:
            self._compare_lines(
                b"".join([*self._old, old[:end]]), b"".join([*self._new, new[:end]])
            )
            self._old, self._new = [], []
        self._old.append(old[end:])
        self._new.append(new[end:])

    def finish(self) -> str | None:
        """Return the first difference, if there is one."""
        self._compare_lines(b"".join(self._old), b"".join(self._new))
        if self.fault is None and not self._all_lines and self._parts:
            olds, news = zip(*self._parts, strict=True)
            if has_same_shape(b"".join(olds), b"".join(news)) is False:
                return "it would be no JSON any more, or other JSON"
        return self.fault

    def _compare_lines(self, old: bytes, new: bytes) -> None:
        if old == new:
            self._line += old.count(b"\n")
            return
        for before, after in zip(old.splitlines(), new.splitlines(), strict=False):
            self._line += 1
            if before == after or self.fault is not None:
                continue
            same = has_same_shape(before, after)
            if same is None:
                self._all_lines = False
            elif not same:
                self.fault = f"line {self._line} would be no JSON any more, or other JSON"


def has_same_shape(old: bytes, new: bytes) -> bool | None:
    """Whether two texts are the same JSON apart from strings; None if the old one is not JSON.

    A text without any objects and lists is not a JSON line.
    """
    try:
        before = json.loads(old, object_pairs_hook=_Object)
    except (ValueError, RecursionError):
        return None
    if not isinstance(before, list):
        return None
    try:
        after = json.loads(new, object_pairs_hook=_Object)
    except (ValueError, RecursionError):
        return False
    return _is_alike(before, after)


class _Object(list[tuple[str, object]]):
    """The members of an object, in order and with duplicates."""


def _is_alike(old: object, new: object) -> bool:
    """Whether two values differ in strings only; names of members do not count as strings."""
    pairs: list[tuple[object, object]] = [(old, new)]
    while pairs:
        before, after = pairs.pop()
        if type(before) is not type(after):
            return False
        if isinstance(before, _Object) and isinstance(after, _Object):
            if [name for name, _ in before] != [name for name, _ in after]:
                return False
            pairs += zip((each for _, each in before), (each for _, each in after), strict=True)
        elif isinstance(before, list) and isinstance(after, list):
            if len(before) != len(after):
                return False
            pairs += zip(before, after, strict=True)
        elif not isinstance(before, str) and before != after:
            return False
    return True


def outline_source(library: Library, source: int) -> Outlines | None:
    """Return what must not change in a source; None if it cannot be read."""
    row = library.db.read_one(_SOURCE, (source,))
    if row is None:
        return None
    try:
        format = get_format(row[0])
        document = read_document(read_archived_source(library.db, library.archive, source), format)
        found: Outlines = {}
        for talk in document.conversations:
            found[talk.native_id, talk.record_count] = None
            for each in talk.messages():
                found[
                    *(_find_own_id(each.id), _find_own_id(each.parent), _find_own_id(each.follows)),
                    *(each.role, each.time_ns, each.agent, each.session, each.api_message),
                    tuple(_describe_parts(each.parts)),
                    tuple(format.record_ids(each)),
                    tuple(reply.name for reply in format.replies(each, each.id)),
                ] = None
        return found
    except TalktreeError:
        return None


def _find_own_id(id: str | None) -> str | None:
    """Return an id as the file has it, if it occurs there more than once."""
    return None if id is None else _COPY.sub("", id)


def _describe_parts(parts: tuple[Part, ...]) -> Iterator[object]:
    """Yield the kinds of parts a message has, and how calls and results are linked."""
    for part in parts:
        yield type(part).__name__
        if isinstance(part, ToolCall):
            yield part.id, part.name
        elif isinstance(part, ToolResult):
            yield part.call, part.error
            yield from map(type, part.output)


def find_fault(before: Outlines | None, after: Outlines | None, path: bytes) -> str | None:
    """Return the first difference between two outlines of a source, as a message."""
    shown = os.fsdecode(path)
    if before is None:
        return None
    if after is None:
        return f"{shown}: it could not be read any more"
    old = next((each for each in before if each not in after), None)
    if old is not None:
        what = "message" if len(old) > _OF_TALK else "conversation"
        return f"{shown}: {what} {old[0]} would have another id, role, time, link or kind"
    if len(after) != len(before):
        return f"{shown}: it would have more messages"
    return None
