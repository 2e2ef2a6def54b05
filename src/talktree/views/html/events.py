"""Things that happened: compactions, commands, summaries, hooks; and what nobody knows."""

from __future__ import annotations

from collections.abc import Mapping

from talktree.model.compaction import COMPACTIONS
from talktree.model.parts import Event, Unknown
from talktree.views.compactions import compaction_facts
from talktree.views.html.ansi import terminal, unsteered
from talktree.views.html.block import Block
from talktree.views.html.json_view import facts, json_html
from talktree.views.html.look import Look
from talktree.views.html.markdown import markdown
from talktree.views.parts import compact_json, details
from talktree.views.width import one_line, unwrapped

_WORDS = {
    "compacted": "Conversation compacted",
    "compaction": "Conversation compacted",
    "microcompacted": "Old results left out",
    "compacting": "Compacting",
    "restoring": "Restoring",
    "restored": "Conversation restored",
}


def event(part: Event, look: Look) -> Block:
    """Something that happened as a block."""
    if part.kind in COMPACTIONS:
        return _compaction(part, look)
    match part.kind:
        case "summary":
            text, cut = look.cut(part.text or "")
            html = f'<div class="tt-summary">{markdown(text)}</div>'
            return Block(kind="text", title="Summary", html=html, cut=cut, open=len(text) < 2000)
        case "command":
            return _command(part)
        case "command_output":
            return _printed(part, look)
        case _:
            return _other(part, look)


def _compaction(part: Event, look: Look) -> Block:
    told = compaction_facts(part)
    title = _WORDS.get(part.kind, part.kind)
    said = part.text or ""
    html = ""
    if said and said.strip().lower() != title.lower():
        html = markdown(*look.cut(said)[:1])
    return Block(kind="divider", title=title, detail=told, html=html)


def _command(part: Event) -> Block:
    data = part.data if isinstance(part.data, Mapping) else {}
    name, args = (
        each if isinstance(each := data.get(key), str) else "" for key in ("name", "args")
    )
    title = one_line(name or unwrapped(part.text or "command"), 100)
    return Block(kind="chip", title=title, detail=one_line(args, 400), name="command")


def _printed(part: Event, look: Look) -> Block:
    text, cut = look.cut(unwrapped(part.text or ""))
    html = terminal(text) if text.strip() else ""
    lines = one_line(unsteered(text[:2000]), 120)
    return Block(kind="result", name="output", title=lines or "no output", html=html, cut=cut)


def _other(part: Event, look: Look) -> Block:
    title = one_line(part.kind.replace("_", " "), 60)
    text, cut = look.cut(part.text or "")
    if len(text) > 160 or "\n" in text.strip():
        return Block(
            kind="chip", title=title, detail=one_line(text, 120), html=markdown(text), cut=cut,
            name=title,
        )  # fmt: skip
    html = facts(part.data, look.limit) if part.data and not text else ""
    return Block(
        kind="chip",
        title=title,
        detail=one_line(text, 200) or details(part.data),
        html=html,
        name=title,
    )


def unknown(part: Unknown, look: Look) -> Block:
    """A part of a kind nobody knows, as it is."""
    told = one_line(compact_json(part.value), 120)
    html = json_html(part.value, look.limit)
    return Block(kind="unknown", title=one_line(part.kind, 80), detail=told, html=html)
