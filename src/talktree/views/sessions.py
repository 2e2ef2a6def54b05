"""Sessions of a store: lists of them, and the head of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from talktree.model.message import Message
from talktree.model.parts import Event, Text, ToolCall, ToolResult
from talktree.session.names import FORMAT as SESSION_FORMAT
from talktree.text.json.value import Json
from talktree.views.lines import Line, line
from talktree.views.speakers import find_format_speaker
from talktree.views.width import format_count, format_moment, format_stamp, to_one_line

WIDTH = 90
SHORT = 8


class SessionSummaryLike(Protocol):
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


def format_session_lines(sessions: Iterable[SessionSummaryLike]) -> Iterator[Line]:
    """Yield one line for each session."""
    any = False
    for each in sessions:
        any = True
        yield line(
            (f"{format_moment(each.updated_ns) or '?':19}", "faint"),
            (f"  {each.id}", "mark"),
            f"  {_format_extent(each)}",
            (f"  {to_one_line(each.title, WIDTH)}" if each.title else "", "title"),
        )
    if not any:
        yield line(("no sessions", "faint"))


def _format_extent(session: SessionSummaryLike) -> str:
    said = [] if session.messages is None else [format_count(session.messages, "message")]
    if session.parent:
        said.append(f"child of {session.parent[:SHORT]}")
    return ", ".join(said)


def build_session_shape(session: SessionSummaryLike) -> dict[str, Json]:
    """Return a session as JSON values."""
    return {
        "id": session.id,
        "title": session.title,
        "created": format_stamp(session.created_ns) or None,
        "updated": format_stamp(session.updated_ns) or None,
        "messages": session.messages,
        "state": session.state,
        "parent": session.parent,
    }


def format_head_lines(session: SessionSummaryLike, workspace: str | None) -> Iterator[Line]:
    """Yield the head of a session."""
    title = to_one_line(session.title, WIDTH) if session.title else session.id
    yield line((title, "title"), (f"  {_format_extent(session)}", "faint"))
    yield line(("session    ", "faint"), (session.id, "mark"))
    yield line(("workspace  ", "faint"), workspace or "none here: files go where --into says")


def format_first_words(messages: Iterable[Message], agent: str | None) -> Iterator[Line]:
    """Yield the first words of each message; the assistant is called `agent`."""
    for message in messages:
        yield line(
            (f"{format_moment(message.time_ns) or '?':19}", "faint"),
            (f"  {message.id[:SHORT]:8}", "mark"),
            (f"  {find_format_speaker(SESSION_FORMAT, message, agent):9}", "other"),
            f"  {to_one_line(_extract_words(message), WIDTH)}".rstrip(),
        )


def _extract_words(message: Message) -> str:
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
