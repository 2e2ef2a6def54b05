"""The output of the renderer: pieces of a message, ready to be shown."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Chip(Struct, frozen=True):
    """A short fact about a message."""

    name: str
    """model, author, tag, cwd, git, version, agent, hash, device ..."""
    text: str
    tone: Literal["plain", "good", "bad"] = "plain"


class MessageBlock(Struct, frozen=True, kw_only=True):
    """A piece of a message, ready to be shown."""

    kind: Literal[
        "text", "thinking", "call", "result", "image", "file", "artifact", "divider", "chip",
        "todos", "unknown",
    ]  # fmt: skip
    html: str = ""
    """Safe HTML; for a folded block, its content."""
    title: str = ""
    """Plain text: the line that is always visible."""
    detail: str = ""
    """Plain text, dimmed, after the title."""
    name: str = ""
    """The tool of a call, or the name of a file."""
    outcome: Literal["", "ok", "failed", "waiting"] = ""
    open: bool = False
    """Whether it is unfolded by default."""
    cut: int = 0
    """Number of characters left out; the message on its own page has all of them."""
    number: int = -1
    """The number of the part, for images, files and artifacts."""
    media_type: str = ""
    size: int | None = None
    remote: str = ""
    """The address of external content; it is never loaded automatically."""
    leaf: str = ""
    """For a call that started a sub-agent: the last message of its conversation."""
    runs: bool = False
    """For an artifact: whether it can be run in the sandbox."""
