"""What is exported, and how."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Detail = Literal["full", "high", "low", "minimal", "user-only"]
Images = Literal["keep", "link", "drop"]
Theme = Literal["light", "dark", "system"]
DETAILS: dict[Detail, str] = {
    "full": "everything",
    "high": "no thinking, no notes of the program; long outputs of tools are cut",
    "low": "tools only as one line each, no thinking, no notes",
    "minimal": "only what people and models said",
    "user-only": "only what people said",
}
"""How much is told, and what that leaves out."""
PAGES = {"html": ".html", "md": ".md", "text": ".txt"}
"""What is made for people, and how such files end; everything else is a format."""


class Scope(Struct, frozen=True, kw_only=True):
    """Which messages: one branch, just some, or without either all of them."""

    leaf: str | None = None
    """The branch through this message; `active` is the one where the talk went on last."""
    ids: tuple[str, ...] = ()


class ExportOptions(Struct, frozen=True, kw_only=True):
    """How to export."""

    to: str = "html"
    """One of `PAGES`, or a format."""
    scope: Scope = Scope()
    detail: Detail = "full"
    redact: bool = True
    words: tuple[str, ...] = ()
    """Words to replace besides secrets."""
    personal: bool = False
    """Whether to replace personal data, too."""
    images: Images = "keep"
    theme: Theme = "system"
    include_deleted: bool = False
    """Also deleted messages, messages that are not shown to the user, and hidden artifacts."""
