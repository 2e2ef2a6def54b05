"""Messages as blocks of safe HTML, and everything the page and the export show besides."""

from __future__ import annotations

from typing import Literal

from talktree.model.derived import tool_key
from talktree.model.parts import (
    Artifact,
    Attachment,
    Event,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from talktree.views.arguments import amount, arguments_of
from talktree.views.html.ansi import terminal
from talktree.views.html.artifacts import artifact
from talktree.views.html.attachments import attachment
from talktree.views.html.block import Block
from talktree.views.html.chips import chips
from talktree.views.html.diffs.diff import Diffed, diff_split, diff_unified
from talktree.views.html.diffs.words import words_diff
from talktree.views.html.escaped import escape
from talktree.views.html.events import event, unknown
from talktree.views.html.highlight import code
from talktree.views.html.json_view import json_html
from talktree.views.html.look import Look
from talktree.views.html.markdown import markdown
from talktree.views.html.registry import Registry, registry
from talktree.views.html.tools.output import output, said
from talktree.views.html.tools.shape import Asked
from talktree.views.html.tools.table import ANY, TOOLS
from talktree.views.parts import NOT_KEPT, is_filler
from talktree.views.transcript import Step
from talktree.views.width import one_line

__all__ = [
    "Diffed", "Look", "blocks", "chips", "code", "diff_split", "diff_unified", "escape",
    "json_html", "markdown", "terminal", "words_diff",
]  # fmt: skip


def blocks(step: Step, look: Look) -> tuple[Block, ...]:
    """What a message shows, piece by piece; results shown with their calls are left out."""
    added = registry()
    parts = [
        (number, part)
        for number, part in enumerate(step.message.parts)
        if number not in step.elsewhere and not is_filler(step.message, number)
    ]
    if added.is_empty:
        return tuple([_block(step, number, part, look) for number, part in parts])
    own = added.shown_message(step.message, look)
    if own is not None:
        return own
    return tuple(
        _added(added, part, step.answers.get(number), look) or _block(step, number, part, look)
        for number, part in parts
    )


def _added(added: Registry, part: Part, result: ToolResult | None, look: Look) -> Block | None:
    """A part as a plug-in shows it, if one does."""
    match part:
        case ToolCall():
            return added.shown_call(part, result, look)
        case Event() | Unknown():
            return added.shown_part(part, look)
        case Attachment() | Artifact():
            return added.shown_media(part, look)
        case _:
            return None


def _block(step: Step, number: int, part: Part, look: Look) -> Block:
    match part:
        case Text():
            return text(part, look)
        case Thinking():
            return _thinking(part, look)
        case ToolCall():
            return _call(part, step.answers.get(number), number, look)
        case ToolResult():
            return _result(
                part, step.names.get(number, ""), look.of_result(number) if look.address else look
            )
        case Attachment():
            return attachment(part, number, look)
        case Artifact():
            return artifact(part, number, look)
        case Event():
            return event(part, look)
        case Unknown():
            return unknown(part, look)


def text(part: Text, look: Look) -> Block:
    """Words."""
    shown, cut = look.cut(part.text)
    html = markdown(shown) if shown.strip() else '<p class="tt-faint">(empty)</p>'
    return Block(kind="text", html=html, open=True, cut=cut)


def _thinking(part: Thinking, look: Look) -> Block:
    shown, cut = look.cut(part.text)
    title = one_line(shown, 120) or NOT_KEPT
    return Block(kind="thinking", title=title, html=markdown(shown) if shown else "", cut=cut)


def _outcome(result: ToolResult | None) -> Literal["ok", "failed", "waiting"]:
    return "waiting" if result is None else "failed" if result.error else "ok"


def _call(call: ToolCall, result: ToolResult | None, number: int, look: Look) -> Block:
    if look.address and result and any(isinstance(each, Attachment) for each in result.output):
        look = look.of_result(number)
    asked = Asked(call, arguments_of(call), result, look)
    shown = TOOLS.get(tool_key(call.name), ANY)(asked)
    return Block(
        kind=shown.kind, html=shown.html, title=shown.title, detail=shown.detail,
        name=one_line(shown.name or call.name, 80), outcome=_outcome(result), open=shown.open,
        cut=shown.cut, number=number, leaf=look.leaf(number) if look.leaf else "",
    )  # fmt: skip


def _result(result: ToolResult, name: str, look: Look) -> Block:
    """A result whose call is not here."""
    html, cut = output(result, look)
    return Block(
        kind="result", html=html, title=said(result), detail=amount(result), cut=cut,
        name=one_line(name or result.name or "", 80), outcome=_outcome(result), open=result.error,
    )  # fmt: skip
