"""The options of an export."""

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
"""The levels of detail, and what each leaves out."""
PAGES = {"html": ".html", "md": ".md", "text": ".txt"}
"""Targets for readers, and their file endings; all others are formats."""


class Scope(Struct, frozen=True, kw_only=True):
    """Which messages: one branch, chosen ones, or all if neither is set."""

    leaf: str | None = None
    """The branch through this message; `active` is the one that was continued last."""
    ids: tuple[str, ...] = ()


class ExportOptions(Struct, frozen=True, kw_only=True):
    """How to export."""

    to: str = "html"
    """One of `PAGES`, or a format."""
    scope: Scope = Scope()
    detail: Detail = "full"
    redact: bool = True
    words: tuple[str, ...] = ()
    """Words to replace, in addition to secrets."""
    personal: bool = False
    """Whether to replace personal data, too."""
    images: Images = "keep"
    theme: Theme = "system"
    include_deleted: bool = False
    """Whether to include deleted messages, messages not shown to the user, and hidden artifacts."""
