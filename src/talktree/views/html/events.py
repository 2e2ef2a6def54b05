"""Events: compactions, commands, summaries, hooks; and unknown parts."""

from __future__ import annotations

from collections.abc import Mapping

from talktree.model.compaction import COMPACTIONS
from talktree.model.parts import Event, UnknownPart
from talktree.views.compactions import format_compaction_facts
from talktree.views.html.ansi import render_terminal, strip_terminal_codes
from talktree.views.html.block import MessageBlock
from talktree.views.html.json_view import render_facts, render_json
from talktree.views.html.look import RenderOptions
from talktree.views.html.markdown import render_markdown
from talktree.views.parts import format_compact_json, format_details
from talktree.views.width import to_one_line, unwrap_tag

_WORDS = {
    "compacted": "Conversation compacted",
    "compaction": "Conversation compacted",
    "microcompacted": "Old results left out",
    "compacting": "Compacting",
    "restoring": "Restoring",
    "restored": "Conversation restored",
}


def render_event(part: Event, look: RenderOptions) -> MessageBlock:
    """Return an event as a block."""
    if part.kind in COMPACTIONS:
        return _render_compaction(part, look)
    match part.kind:
        case "summary":
            text, cut = look.cut(part.text or "")
            html = f'<div class="tt-summary">{render_markdown(text)}</div>'
            return MessageBlock(
                kind="text", title="Summary", html=html, cut=cut, open=len(text) < 2000
            )
        case "command":
            return _render_command(part)
        case "command_output":
            return _render_output(part, look)
        case _:
            return _render_other(part, look)


def _render_compaction(part: Event, look: RenderOptions) -> MessageBlock:
    words = format_compaction_facts(part)
    title = _WORDS.get(part.kind, part.kind)
    said = part.text or ""
    html = ""
    if said and said.strip().lower() != title.lower():
        html = render_markdown(*look.cut(said)[:1])
    return MessageBlock(kind="divider", title=title, detail=words, html=html)


def _render_command(part: Event) -> MessageBlock:
    data = part.data if isinstance(part.data, Mapping) else {}
    name, args = (
        each if isinstance(each := data.get(key), str) else "" for key in ("name", "args")
    )
    title = to_one_line(name or unwrap_tag(part.text or "command"), 100)
    return MessageBlock(kind="chip", title=title, detail=to_one_line(args, 400), name="command")


def _render_output(part: Event, look: RenderOptions) -> MessageBlock:
    text, cut = look.cut(unwrap_tag(part.text or ""))
    html = render_terminal(text) if text.strip() else ""
    lines = to_one_line(strip_terminal_codes(text[:2000]), 120)
    return MessageBlock(
        kind="result", name="output", title=lines or "no output", html=html, cut=cut
    )


def _render_other(part: Event, look: RenderOptions) -> MessageBlock:
    title = to_one_line(part.kind.replace("_", " "), 60)
    text, cut = look.cut(part.text or "")
    if len(text) > 160 or "\n" in text.strip():
        return MessageBlock(
            kind="chip", title=title, detail=to_one_line(text, 120),
            html=render_markdown(text), cut=cut,
            name=title,
        )  # fmt: skip
    html = render_facts(part.data, look.limit) if part.data and not text else ""
    return MessageBlock(
        kind="chip",
        title=title,
        detail=to_one_line(text, 200) or format_details(part.data),
        html=html,
        name=title,
    )


def render_unknown(part: UnknownPart, look: RenderOptions) -> MessageBlock:
    """Return a part of an unknown kind, as it is."""
    words = to_one_line(format_compact_json(part.value), 120)
    html = render_json(part.value, look.limit)
    return MessageBlock(kind="unknown", title=to_one_line(part.kind, 80), detail=words, html=html)
