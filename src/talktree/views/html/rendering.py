"""Messages as blocks of safe HTML, for the page and the export."""

from __future__ import annotations

from typing import Literal

from talktree.model.derived import normalize_tool_name
from talktree.model.parts import (
    Artifact,
    Attachment,
    Event,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    UnknownPart,
)
from talktree.views.arguments import describe_amount, get_arguments
from talktree.views.html.ansi import render_terminal
from talktree.views.html.artifacts import render_artifact
from talktree.views.html.attachments import render_attachment
from talktree.views.html.block import MessageBlock
from talktree.views.html.chips import build_chips
from talktree.views.html.diffs.diff import RenderedDiff, diff_split, diff_unified
from talktree.views.html.diffs.words import render_words_diff
from talktree.views.html.escaped import escape
from talktree.views.html.events import render_event, render_unknown
from talktree.views.html.highlight import render_code
from talktree.views.html.json_view import render_json
from talktree.views.html.look import RenderOptions
from talktree.views.html.markdown import render_markdown
from talktree.views.html.registry import Registry, load_registry
from talktree.views.html.tools.output import first_result_line, render_result_output
from talktree.views.html.tools.shape import ToolInvocation
from talktree.views.html.tools.table import ANY, TOOLS
from talktree.views.parts import NOT_KEPT, is_filler
from talktree.views.transcript import FoldedMessage
from talktree.views.width import to_one_line

__all__ = [
    "RenderOptions",
    "RenderedDiff",
    "build_chips",
    "diff_split",
    "diff_unified",
    "escape",
    "render_blocks",
    "render_code",
    "render_json",
    "render_markdown",
    "render_terminal",
    "render_words_diff",
]  # fmt: skip


def render_blocks(step: FoldedMessage, look: RenderOptions) -> tuple[MessageBlock, ...]:
    """Return the blocks of a message; results shown with their calls are left out."""
    added = load_registry()
    parts = [
        (number, part)
        for number, part in enumerate(step.message.parts)
        if number not in step.elsewhere and not is_filler(step.message, number)
    ]
    if added.is_empty:
        return tuple([_render_block(step, number, part, look) for number, part in parts])
    own = added.render_message(step.message, look)
    if own is not None:
        return own
    return tuple(
        _render_with_plugin(added, part, step.answers.get(number), look)
        or _render_block(step, number, part, look)
        for number, part in parts
    )


def _render_with_plugin(
    added: Registry, part: Part, result: ToolResult | None, look: RenderOptions
) -> MessageBlock | None:
    """Return a part as a plug-in shows it, if one does."""
    match part:
        case ToolCall():
            return added.render_call(part, result, look)
        case Event() | UnknownPart():
            return added.render_part(part, look)
        case Attachment() | Artifact():
            return added.render_media(part, look)
        case _:
            return None


def _render_block(
    step: FoldedMessage, number: int, part: Part, look: RenderOptions
) -> MessageBlock:
    match part:
        case Text():
            return render_text(part, look)
        case Thinking():
            return _render_thinking(part, look)
        case ToolCall():
            return _render_call(part, step.answers.get(number), number, look)
        case ToolResult():
            return _render_result(
                part, step.names.get(number, ""), look.for_result(number) if look.address else look
            )
        case Attachment():
            return render_attachment(part, number, look)
        case Artifact():
            return render_artifact(part, number, look)
        case Event():
            return render_event(part, look)
        case UnknownPart():
            return render_unknown(part, look)


def render_text(part: Text, look: RenderOptions) -> MessageBlock:
    """Return a text as a block."""
    shown, cut = look.cut(part.text)
    html = render_markdown(shown) if shown.strip() else '<p class="tt-faint">(empty)</p>'
    return MessageBlock(kind="text", html=html, open=True, cut=cut)


def _render_thinking(part: Thinking, look: RenderOptions) -> MessageBlock:
    shown, cut = look.cut(part.text)
    title = to_one_line(shown, 120) or NOT_KEPT
    return MessageBlock(
        kind="thinking", title=title, html=render_markdown(shown) if shown else "", cut=cut
    )


def _find_outcome(result: ToolResult | None) -> Literal["ok", "failed", "waiting"]:
    return "waiting" if result is None else "failed" if result.error else "ok"


def _render_call(
    call: ToolCall, result: ToolResult | None, number: int, look: RenderOptions
) -> MessageBlock:
    if look.address and result and any(isinstance(each, Attachment) for each in result.output):
        look = look.for_result(number)
    asked = ToolInvocation(call, get_arguments(call), result, look)
    shown = TOOLS.get(normalize_tool_name(call.name), ANY)(asked)
    return MessageBlock(
        kind=shown.kind, html=shown.html, title=shown.title, detail=shown.detail,
        name=to_one_line(shown.name or call.name, 80), outcome=_find_outcome(result),
        open=shown.open,
        cut=shown.cut, number=number, leaf=look.leaf(number) if look.leaf else "",
    )  # fmt: skip


def _render_result(result: ToolResult, name: str, look: RenderOptions) -> MessageBlock:
    """Return a result whose call is not in the same branch."""
    html, cut = render_result_output(result, look)
    return MessageBlock(
        kind="result", html=html, title=first_result_line(result),
        detail=describe_amount(result), cut=cut,
        name=to_one_line(name or result.name or "", 80), outcome=_find_outcome(result),
        open=result.error,
    )  # fmt: skip
