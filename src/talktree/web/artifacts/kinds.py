"""The kind of an artifact, by the media type in its source."""

from __future__ import annotations

from typing import Literal

Kind = Literal["react", "mermaid", "html", "svg", "markdown", "code"]
_KINDS: dict[str, Kind] = {
    "application/vnd.ant.react": "react",
    "application/react": "react",
    "text/jsx": "react",
    "text/tsx": "react",
    "application/vnd.ant.mermaid": "mermaid",
    "text/vnd.mermaid": "mermaid",
    "text/mermaid": "mermaid",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "image/svg+xml": "svg",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
}


def find_kind(media_type: str | None) -> Kind:
    """Return the kind of a media type; unknown types are code."""
    bare = (media_type or "").partition(";")[0].strip().lower()
    return _KINDS.get(bare, "code")
