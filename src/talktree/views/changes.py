"""The differences between two conversations, as text and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from talktree.model.message import Message
from talktree.text.json.value import Json
from talktree.views.diffs import format_diff_lines
from talktree.views.lines import Line, indent_lines, line
from talktree.views.parts import format_part
from talktree.views.width import to_one_line

_SIGNS = {"added": "+", "removed": "-", "changed": "~", "moved": ">"}
_STYLES = {"added": "added", "removed": "removed", "changed": "mark", "moved": "mark"}
WIDTH = 70


class ShownSide(NamedTuple):
    """One of the two conversations: how to read a message of it, and its name."""

    read: Callable[[str], Message]
    name: Callable[[str], str]


class ChangeLike(Protocol):
    """One difference."""

    @property
    def kind(self) -> str: ...
    @property
    def a(self) -> str | None: ...
    @property
    def b(self) -> str | None: ...
    @property
    def what(self) -> tuple[str, ...]: ...


def format_change_lines(change: ChangeLike, first: ShownSide, second: ShownSide) -> Iterator[Line]:
    """Yield a change: its kind, its message, and the words that differ."""
    a = None if change.a is None else first.read(change.a)
    b = None if change.b is None else second.read(change.b)
    shown = b or a
    assert shown is not None
    name = second.name(change.b) if change.b is not None else first.name(change.a or "")
    sign, style = _SIGNS[change.kind], _STYLES[change.kind]
    yield line(
        (f"{sign} {name}", style),
        f" {shown.role}: {_summarize_message(shown)}",
        _describe_change(change),
    )
    if a is not None and b is not None and "parts" in change.what:
        yield from indent_lines(format_diff_lines(a.text, b.text), "    ")


def _describe_change(change: ChangeLike) -> tuple[str, str]:
    if change.kind == "moved":
        return "  follows another message", "faint"
    return (f"  {', '.join(change.what)}" if change.what else ""), "faint"


def _summarize_message(message: Message) -> str:
    if message.text:
        return to_one_line(message.text, WIDTH)
    return "".join(text for part in message.parts[:1] for text, _ in format_part(part))[:WIDTH]


def format_changes(counts: dict[str, int]) -> str:
    """Return the number of differences in one line."""
    if not any(counts.values()):
        return "no difference"
    return ", ".join(f"{counts[kind]} {kind}" for kind in _SIGNS if counts.get(kind))


def build_change_shape(change: ChangeLike) -> dict[str, Json]:
    """Return a change as JSON values."""
    return {"kind": change.kind, "a": change.a, "b": change.b, "what": list(change.what)}
