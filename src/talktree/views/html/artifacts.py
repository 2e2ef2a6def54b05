"""Artifacts: their highlighted source, and whether they can be run."""

from __future__ import annotations

from talktree.model.parts import Artifact
from talktree.text.media import normalize_media_type
from talktree.views.html.block import MessageBlock
from talktree.views.html.highlight import render_code
from talktree.views.html.languages import LANGUAGES, find_language
from talktree.views.html.look import RenderOptions
from talktree.views.html.markdown import render_markdown
from talktree.views.width import format_count, to_one_line

_KINDS = {
    "application/vnd.ant.react": ("React", "tsx"),
    "application/vnd.ant.mermaid": ("Mermaid", "mermaid"),
    "application/vnd.ant.code": ("Code", ""),
    "text/html": ("HTML", "html"),
    "image/svg+xml": ("SVG", "svg"),
    "text/markdown": ("Markdown", "markdown"),
    "text/vnd.mermaid": ("Mermaid", "mermaid"),
    "text/jsx": ("React", "tsx"),
    "text/tsx": ("React", "tsx"),
}
RUNNING = frozenset({"React", "Mermaid", "HTML", "SVG"})
"""Kinds that are shown by running them in the sandbox."""


def render_artifact(part: Artifact, number: int, look: RenderOptions) -> MessageBlock:
    """Return an artifact as a block."""
    media_type = to_one_line(normalize_media_type(part.media_type or ""), 100)
    kind, language = _KINDS.get(media_type, (media_type or "Artifact", ""))
    content, cut = look.cut(part.content or "")
    language = language or _find_language(part, media_type)
    if kind == "Markdown":
        html = f'<div class="tt-prose">{render_markdown(content)}</div>'
    else:
        html = render_code(content, language) if content else ""
    words = [
        kind,
        format_count(len(text), "character") if (text := part.content) else "content not here",
    ]
    return MessageBlock(
        kind="artifact", html=html, number=number, media_type=media_type, cut=cut,
        title=to_one_line(part.title or part.id or "artifact", 200), detail=" · ".join(words),
        name=to_one_line(part.id or "", 200), runs=kind in RUNNING and bool(part.content),
        size=len(part.content or ""),
    )  # fmt: skip


def _find_language(part: Artifact, media_type: str) -> str:
    """Return the declared language, else the one of the title, else of the type."""
    said = part.extra.get("language")
    for each in (said, find_language(part.title or ""), media_type.rpartition("/")[2]):
        if isinstance(each, str) and each.lower() in LANGUAGES:
            return each
    words = (part.title or "").lower().replace(":", " ").split()
    return next((word for word in words if word in LANGUAGES and len(word) > 2), "")
