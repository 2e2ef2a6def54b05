"""Writing messages: linked to their parents, with their context, and acknowledged.

A recorder belongs to one handle of a session and continues from that handle's own leaf. Reading the
session's position and appending happen under one lock, so that a message is never written after
another handle's move unnoticed. Several threads may share a recorder, and several processes may
each have their own: their messages are branches of one tree.

Lines of messages with text only are written by a typed encoder. Nearly all of a busy session's
lines are like that. The output is byte for byte what the format itself writes; the format writes
everything else, and whatever the encoder refuses.

Tool calls without a result are found, for an agent that was interrupted.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import Enum
from functools import partial
from time import monotonic, time_ns
from typing import Any, TypeAlias

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.json import Encoder
from msgspec.structs import replace

from talktree.errors import NotFound, NotSaved, TalktreeError, WorldMoved
from talktree.formats.sage import FORMAT
from talktree.formats.sage.detect_kinds import CONTINUES
from talktree.formats.sage.lens_members import context_value, todos_value
from talktree.formats.sage.lens_parts import find_event_kind
from talktree.formats.sage.write import make_strict
from talktree.model.message import NO_FLAGS, SIDECHAIN, Context, Message, ThinkingSetting, Todo
from talktree.model.parts import Event, Text, ToolCall, ToolResult
from talktree.session.handle import SessionHandle
from talktree.session.index.index import SessionIndex
from talktree.session.index.node import IndexedMessage
from talktree.session.journal.journal import LinePosition
from talktree.session.journal.lines import read_lines
from talktree.session.metadata import Metadata
from talktree.session.names import new_id
from talktree.session.recording.context import ContextCapture
from talktree.session.recording.todos import find_todos_at, read_todos
from talktree.text.json.decode import decode
from talktree.text.json.encode import encode_new
from talktree.text.times import MILLI, to_iso

PLAIN = frozenset({"user", "assistant", "system"})


class _Said(Struct, gc=False):
    role: str
    content: str


class _Usage(Struct, gc=False):
    inputTokens: int
    outputTokens: int
    cacheReadTokens: int
    cacheWriteTokens: int


class _Thinking(Struct, gc=False):
    level: str | UnsetType
    disabled: bool
    triggers: tuple[str, ...]


class _Line(Struct, gc=False):
    type: str
    uuid: str
    parentUuid: str | None
    timestamp: str
    sessionId: str
    version: str
    context: Raw
    message: _Said
    usage: _Usage | UnsetType
    thinkingMetadata: _Thinking | UnsetType
    todos: Raw
    isSidechain: bool


_put = FORMAT.lens.put
_encode = Encoder().encode


class MessageLines:
    """Writes messages; members that are the same in consecutive messages are encoded once."""

    def __init__(self) -> None:
        self._context: tuple[Context, Raw] | None = None
        self._todos: tuple[tuple[Todo, ...], Raw] = ((), Raw(b"[]"))
        self._time = (0, to_iso(0))

    def format_line(self, message: Message) -> bytes:
        """Return a message as a line that every JSON reader accepts."""
        match message.parts:
            case (Text(text=words, extra=extra),) if not extra and _is_plain(message):
                try:
                    return _encode(self._to_plain_line(message, words))
                except (TypeError, ValueError):
                    # The text has an unpaired surrogate.
                    pass
        return encode_new(_put(make_strict(message), None))

    def _to_plain_line(self, message: Message, words: str) -> _Line:
        context, usage, thinking = message.context, message.usage, message.thinking
        assert context is not None
        assert message.time_ns is not None
        assert message.todos is not None
        if self._context is None or self._context[0] is not context:
            self._context = context, Raw(encode_new(context_value(context, {})))
        if self._time[0] != message.time_ns:
            self._time = message.time_ns, to_iso(message.time_ns)
        if self._todos[0] is not message.todos:
            self._todos = message.todos, Raw(encode_new(todos_value(message.todos)))
        return _Line(
            message.role,
            message.id,
            message.parent,
            self._time[1],
            message.session or "",
            context.version or "",
            self._context[1],
            _Said(message.role, words),
            UNSET
            if usage is None
            else _Usage(usage.input, usage.output, usage.cache_read, usage.cache_write),
            UNSET if thinking is None else _to_thinking(thinking),
            self._todos[1],
            False,
        )


def _is_plain(message: Message) -> bool:
    return message.role in PLAIN and message.flags is NO_FLAGS and not message.extra


def _to_thinking(setting: ThinkingSetting) -> _Thinking:
    if setting.extra:
        raise TypeError
    return _Thinking(setting.level or UNSET, setting.disabled, setting.triggers)


METADATA_EVERY = 1.0
"""Seconds between two writes of metadata.json while messages are appended."""
MOVES = frozenset({"move", "moved"})


class TreePlace(Enum):
    """Places in the tree that have no id."""

    LEAF = "leaf"
    """After the last message of this handle."""
    ROOT = "root"
    """A new root."""


At: TypeAlias = str | TreePlace


class Recorder:
    """What one handle has written, and where it continues."""

    def __init__(
        self,
        opened: SessionHandle,
        surroundings: ContextCapture,
        metadata: Metadata,
        *,
        older: tuple[str, str] | None = None,
    ) -> None:
        self.opened = opened
        self.surroundings = surroundings
        self.metadata = metadata
        self._older = older
        """The older file this session continues, and its last message."""
        self.leaf: str | None = None
        self.todos: tuple[Todo, ...] = ()
        self.point: str | None = None
        """The point of the move that led to `leaf`, if this handle has written nothing since."""
        self.tools: dict[str, str] = {}
        """Names of the called tools, by the id of the call."""
        self._saved: tuple[int, str | None] = (0, None)
        """The newest acknowledged message of this handle's line, and its number."""
        self._lines = MessageLines()
        self._operations, self._operations_fd = 0, -1
        self._time = 0
        self._described = monotonic()
        self.refresh()

    def refresh(self) -> None:
        """Go to the current position of the session."""
        opened = self.opened
        # In this order: a move between the two is noticed when something is written.
        self._note_operations(opened.journal.length("operations"))
        node, move = opened.index.head()
        self.leaf = node.id if node is not None else self._older and self._older[1]
        if move is not None:
            self.todos = find_todos_at(opened.index, move.at.todos)
        else:
            self.todos = () if node is None else read_todos(opened.index, node)
        self.point = None if move is None or node is None else move.point
        self._saved = (0, self.leaf)

    def write(self, *drafts: Message, at: At = TreePlace.LEAF) -> list[str]:
        """Append messages, each as a child of the one before; return the ids of saved messages."""
        try:
            whole, places = self.opened.journal.run_in_group(
                partial(self._append_messages, drafts, at)
            )
        except NotSaved:
            self._forget_unsaved()
            raise
        last = whole[-1]
        if places[-1].number > self._saved[0] and SIDECHAIN not in last.flags:
            self._saved = places[-1].number, last.id
        self._update_metadata_sometimes()
        return [message.id for message in whole]

    def _append_messages(
        self, drafts: tuple[Message, ...], at: At
    ) -> tuple[list[Message], list[LinePosition]]:
        """Find the place of messages and write them there, under the append lock."""
        parent, held = self._find_start(at)
        whole = self._complete_messages(drafts, parent, held)
        places = self.opened.journal.append("messages", *map(self._lines.format_line, whole))
        self._move_to(whole[-1])
        self._remember_messages(whole, places)
        return whole, places

    def _forget_unsaved(self) -> None:
        """Discard the state after the last acknowledged message."""
        self.leaf = self._saved[1]
        own = self.leaf is not None and not self.leaf.startswith("@")
        self.todos = find_todos_at(self.opened.index, self.leaf) if own else ()
        self.metadata.reset_tally()

    # where it goes

    def _find_start(self, at: At) -> tuple[str | None, tuple[Todo, ...]]:
        """Return the message to continue, and the tasks at that message."""
        if at is TreePlace.LEAF:
            self._look_at_operations()
            return self.leaf, self.todos
        if at is TreePlace.ROOT:
            return None, ()
        assert isinstance(at, str)
        if at == self.leaf:
            return at, self.todos
        if self._older is not None and at.startswith("@"):
            return at, ()
        if self.opened.index.node(at) is None:
            raise NotFound(f"there is no message {at!r}", hint="name a message of this session")
        return at, find_todos_at(self.opened.index, at)

    def _look_at_operations(self) -> None:
        """Check whether another handle moved the session; names of branches do not matter."""
        if self._operations_fd >= 0:
            seen = os.fstat(self._operations_fd)
            if seen.st_size == self._operations and seen.st_nlink:
                # Unchanged, and not replaced by another file.
                return
        journal = self.opened.journal
        end = journal.length("operations")
        for line in read_lines(journal.descriptor("operations"), self._operations, end):
            value = decode(line.raw).value
            if isinstance(value, dict) and value.get("kind") in MOVES:
                raise WorldMoved(
                    "the session was moved by somebody else since this handle looked at it",
                    hint="refresh() goes to where it stands now; or name the parent yourself",
                )
        self._note_operations(end)

    def _note_operations(self, length: int) -> None:
        self._operations = length
        # A missing log has no descriptor that would show when it is created.
        self._operations_fd = self.opened.journal.descriptor("operations") if length else -1

    # what is written

    def _complete_messages(
        self, drafts: tuple[Message, ...], parent: str | None, held: tuple[Todo, ...]
    ) -> list[Message]:
        context, made = self.surroundings.capture(), []
        for draft in drafts:
            extra: Mapping[str, Any] = draft.extra
            if parent is not None and parent.startswith("@"):
                extra, parent = {**extra, CONTINUES: self._make_continuation(parent)}, None
            self._time = max(self._time, time_ns() // MILLI * MILLI)
            message = replace(
                draft,
                id=new_id(),
                parent=parent,
                time_ns=self._time,
                session=self.opened.session,
                context=context,
                todos=held if draft.todos is None else draft.todos,
                extra=extra,
            )
            made.append(message)
            parent, held = message.id, message.todos or ()
        return made

    def _make_continuation(self, alias: str) -> dict[str, str]:
        """Return which message without an id this one follows."""
        assert self._older is not None
        return {"file": self._older[0], "message": alias}

    def _move_to(self, last: Message) -> None:
        if SIDECHAIN not in last.flags:
            self.leaf, self.todos, self.point = last.id, last.todos or (), None

    def _remember_messages(self, whole: list[Message], places: list[LinePosition]) -> None:
        """Store what is needed later of the messages."""
        for message, place in zip(whole, places, strict=True):
            words = None
            for part in message.parts:
                if isinstance(part, Text | Event):
                    words = part.text
                elif isinstance(part, ToolCall) and part.id is not None:
                    self.tools[part.id] = part.name
            assert message.time_ns is not None
            kind = message.role if not message.flags else ""
            if words and kind == "system":
                kind = "custom_title" if find_event_kind(message.parts) == "title" else kind
            self.metadata.count(place, type=kind, time=message.time_ns, words=words)

    # metadata

    def _update_metadata_sometimes(self) -> None:
        now = monotonic()
        if now - self._described < METADATA_EVERY:
            return
        self._described = now
        self.update_metadata()

    def update_metadata(self) -> None:
        """Update metadata.json, if that is possible."""
        try:
            with self.opened.journal.append_lock():
                self.metadata.save(self.surroundings.capture())
        except (OSError, TalktreeError) as error:
            # The messages are saved; the metadata is rebuilt when the session is opened.
            self.opened.notices.append(f"metadata.json could not be written: {error}")


def find_call(index: SessionIndex, leaf: str | None, id: str) -> ToolCall | None:
    """Return the nearest call with this id on the way up from a message."""
    nodes: list[IndexedMessage] = [] if leaf is None else index.chain(leaf)
    for node in reversed(nodes):
        for part in index.message(node).parts if node.type == "assistant" else ():
            if isinstance(part, ToolCall) and part.id == id:
                return part
    return None


def find_unanswered(index: SessionIndex, leaf: str | None) -> tuple[ToolCall, ...]:
    """Return the calls of the last reply above a message that have no result yet."""
    answered: set[str | None] = set()
    for node in reversed(index.chain(leaf)) if leaf is not None else ():
        parts = index.message(node).parts
        answered |= {part.call for part in parts if isinstance(part, ToolResult)}
        calls = [part for part in parts if isinstance(part, ToolCall)]
        if calls or node.type == "assistant":
            return tuple(call for call in calls if call.id not in answered)
    return ()
