"""What the renderer gives: pieces of a message, ready to be shown."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Chip(Struct, frozen=True):
    """A small fact beside a message."""

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
    """Safe HTML; of a folded block what is inside."""
    title: str = ""
    """Plain text: the line that is always there."""
    detail: str = ""
    """Plain text, fainter, behind the title."""
    name: str = ""
    """Of a call the tool, of a file its name."""
    outcome: Literal["", "ok", "failed", "waiting"] = ""
    open: bool = False
    """Whether it is unfolded unless somebody folds it."""
    cut: int = 0
    """How many characters are left out; the message by itself has all."""
    number: int = -1
    """Which part it is, for images, files and artifacts."""
    media_type: str = ""
    size: int | None = None
    remote: str = ""
    """The address of what is not here; never loaded by itself."""
    leaf: str = ""
    """Of a call that began a sub-agent: the leaf of its conversation."""
    runs: bool = False
    """Of an artifact: whether it can be run in the sandbox."""
