"""Sessions of a store: lists of them, and the head of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from talktree.model.message import Message
from talktree.model.parts import Event, Text, ToolCall, ToolResult
from talktree.session.names import FORMAT as SESSION_FORMAT
from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.speakers import speaker_in
from talktree.views.width import counted, moment, one_line, stamp

WIDTH = 90
SHORT = 8


class Described(Protocol):
    """What is known of a session without reading it."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def created_ns(self) -> int | None: ...
    @property
    def updated_ns(self) -> int | None: ...
    @property
    def messages(self) -> int | None: ...
    @property
    def state(self) -> str | None: ...
    @property
    def parent(self) -> str | None: ...


def session_lines(sessions: Iterable[Described]) -> Iterator[Line]:
    """One line a session."""
    any = False
    for each in sessions:
        any = True
        yield line(
            (f"{moment(each.updated_ns) or '?':19}", "faint"),
            (f"  {each.id}", "mark"),
            f"  {_extent(each)}",
            (f"  {one_line(each.title, WIDTH)}" if each.title else "", "title"),
        )
    if not any:
        yield line(("no sessions", "faint"))


def _extent(session: Described) -> str:
    said = [] if session.messages is None else [counted(session.messages, "message")]
    if session.parent:
        said.append(f"child of {session.parent[:SHORT]}")
    return ", ".join(said)


def session_shape(session: Described) -> dict[str, Json]:
    """The same for scripts."""
    return {
        "id": session.id,
        "title": session.title,
        "created": stamp(session.created_ns) or None,
        "updated": stamp(session.updated_ns) or None,
        "messages": session.messages,
        "state": session.state,
        "parent": session.parent,
    }


def head_lines(session: Described, workspace: str | None) -> Iterator[Line]:
    """What a session is."""
    title = one_line(session.title, WIDTH) if session.title else session.id
    yield line((title, "title"), (f"  {_extent(session)}", "faint"))
    yield line(("session    ", "faint"), (session.id, "mark"))
    yield line(("workspace  ", "faint"), workspace or "none here: files go where --into says")


def spoken_lines(messages: Iterable[Message], agent: str | None) -> Iterator[Line]:
    """The first words of each message; the assistant is called `agent`."""
    for message in messages:
        yield line(
            (f"{moment(message.time_ns) or '?':19}", "faint"),
            (f"  {message.id[:SHORT]:8}", "mark"),
            (f"  {speaker_in(SESSION_FORMAT, message, agent):9}", "other"),
            f"  {one_line(_words(message), WIDTH)}".rstrip(),
        )


def _words(message: Message) -> str:
    said = message.text
    for part in message.parts:
        match part:
            case ToolCall():
                said += f" → {part.name}"
            case ToolResult():
                said += " ".join(each.text for each in part.output if isinstance(each, Text))
            case Event():
                said += part.text or part.kind
    return said
