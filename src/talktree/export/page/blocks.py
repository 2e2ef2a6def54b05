"""A block of a message as HTML that folds without script."""

from __future__ import annotations

from talktree.views.html.block import Block
from talktree.views.html.rendering import escape

_TOLD = {"failed": "failed", "waiting": "no result"}
"""How a call came out, if not well."""
_NAMES = {"thinking": "Thinking", "result": "Result", "artifact": "Artifact", "file": "File"}


def block_html(block: Block, *, bare: bool = False) -> str:
    """A block; `bare` leaves out what is inside of calls."""
    kind = block.kind
    if kind == "text":
        return f'<div class="tt-x-text tt-content">{block.html}</div>'
    if kind == "divider":
        return f'<p class="tt-x-divider">{escape(_line(block))}</p>'
    if kind == "chip" and not block.html:
        return f'<p class="tt-x-event">{escape(_line(block))}</p>'
    if kind == "image" and block.html:
        return f'<figure class="tt-x-image tt-content">{block.html}</figure>'
    if not block.html or (bare and kind in ("call", "result", "todos")):
        return f'<p class="tt-x-line tt-x-{kind}{_failed(block)}">{_summary(block)}</p>'
    is_open = " open" if block.open else ""
    return (
        f'<details class="tt-x-{kind}{_failed(block)}"{is_open}>'
        f'<summary>{_summary(block)}</summary><div class="tt-content">{block.html}</div></details>'
    )


def _failed(block: Block) -> str:
    return " tt-x-failed" if block.outcome == "failed" else ""


def _line(block: Block) -> str:
    return f"{block.title} {block.detail}".strip()


def _summary(block: Block) -> str:
    """The line that is always there."""
    title = block.title or block.name
    name = _NAMES.get(block.kind, "") if block.kind != "call" else ""
    if block.kind == "call" and not title.startswith(block.name):
        name = block.name
    told = [f'<b class="tt-x-name">{escape(name)}</b>'] if name else []
    if title:
        told.append(f'<span class="tt-x-title">{escape(title)}</span>')
    if block.detail:
        told.append(f'<span class="tt-x-detail">{escape(block.detail)}</span>')
    if block.remote:
        told.append(f'<span class="tt-x-detail">{escape(block.remote)}</span>')
    if block.outcome in _TOLD and not block.detail.endswith(_TOLD[block.outcome]):
        told.append(f'<span class="tt-x-outcome">{_TOLD[block.outcome]}</span>')
    return " ".join(told)
