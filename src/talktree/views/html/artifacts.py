"""Things the assistant made: their source in colours, and whether they can be run."""

from __future__ import annotations

from talktree.model.parts import Artifact
from talktree.text.media import usual
from talktree.views.html.block import Block
from talktree.views.html.highlight import code
from talktree.views.html.languages import LANGUAGES, language_of
from talktree.views.html.look import Look
from talktree.views.html.markdown import markdown
from talktree.views.width import counted, one_line

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


def artifact(part: Artifact, number: int, look: Look) -> Block:
    """An artifact as a block."""
    media_type = one_line(usual(part.media_type or ""), 100)
    kind, language = _KINDS.get(media_type, (media_type or "Artifact", ""))
    content, cut = look.cut(part.content or "")
    language = language or _language(part, media_type)
    if kind == "Markdown":
        html = f'<div class="tt-prose">{markdown(content)}</div>'
    else:
        html = code(content, language) if content else ""
    told = [kind, counted(len(text), "character") if (text := part.content) else "content not here"]
    return Block(
        kind="artifact", html=html, number=number, media_type=media_type, cut=cut,
        title=one_line(part.title or part.id or "artifact", 200), detail=" · ".join(told),
        name=one_line(part.id or "", 200), runs=kind in RUNNING and bool(part.content),
        size=len(part.content or ""),
    )  # fmt: skip


def _language(part: Artifact, media_type: str) -> str:
    """The language as it is said, else by the title, else by the type."""
    said = part.extra.get("language")
    for each in (said, language_of(part.title or ""), media_type.rpartition("/")[2]):
        if isinstance(each, str) and each.lower() in LANGUAGES:
            return each
    words = (part.title or "").lower().replace(":", " ").split()
    return next((word for word in words if word in LANGUAGES and len(word) > 2), "")
