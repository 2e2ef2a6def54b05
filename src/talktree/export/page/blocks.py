"""A block of a message as HTML that folds without script."""

from __future__ import annotations

from talktree.views.html.block import MessageBlock
from talktree.views.html.rendering import escape

_STATE_TEXTS = {"failed": "failed", "waiting": "no result"}
"""The outcome of a call that did not succeed."""
_NAMES = {"thinking": "Thinking", "result": "Result", "artifact": "Artifact", "file": "File"}


def render_block(block: MessageBlock, *, bare: bool = False) -> str:
    """Render a block; `bare` leaves out the contents of calls."""
    kind = block.kind
    if kind == "text":
        return f'<div class="tt-x-text tt-content">{block.html}</div>'
    if kind == "divider":
        return f'<p class="tt-x-divider">{escape(_render_line(block))}</p>'
    if kind == "chip" and not block.html:
        return f'<p class="tt-x-event">{escape(_render_line(block))}</p>'
    if kind == "image" and block.html:
        return f'<figure class="tt-x-image tt-content">{block.html}</figure>'
    if not block.html or (bare and kind in ("call", "result", "todos")):
        return (
            f'<p class="tt-x-line tt-x-{kind}{_render_failure(block)}">{_render_summary(block)}</p>'
        )
    is_open = " open" if block.open else ""
    return (
        f'<details class="tt-x-{kind}{_render_failure(block)}"{is_open}>'
        f"<summary>{_render_summary(block)}</summary>"
        f'<div class="tt-content">{block.html}</div></details>'
    )


def _render_failure(block: MessageBlock) -> str:
    return " tt-x-failed" if block.outcome == "failed" else ""


def _render_line(block: MessageBlock) -> str:
    return f"{block.title} {block.detail}".strip()


def _render_summary(block: MessageBlock) -> str:
    """Render the line that is always visible."""
    title = block.title or block.name
    name = _NAMES.get(block.kind, "") if block.kind != "call" else ""
    if block.kind == "call" and not title.startswith(block.name):
        name = block.name
    words = [f'<b class="tt-x-name">{escape(name)}</b>'] if name else []
    if title:
        words.append(f'<span class="tt-x-title">{escape(title)}</span>')
    if block.detail:
        words.append(f'<span class="tt-x-detail">{escape(block.detail)}</span>')
    if block.remote:
        words.append(f'<span class="tt-x-detail">{escape(block.remote)}</span>')
    if block.outcome in _STATE_TEXTS and not block.detail.endswith(_STATE_TEXTS[block.outcome]):
        words.append(f'<span class="tt-x-outcome">{_STATE_TEXTS[block.outcome]}</span>')
    return " ".join(words)
