"""Messages as blocks of safe HTML, and everything the page and the export show besides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from talktree.model.message import Message
from talktree.model.parts import (
    Artifact, Attachment, Event, Part, Text, Thinking, ToolCall, ToolResult,
)  # fmt: skip
from talktree.text.json_value import Json
from talktree.text.json_write import encode
from talktree.views.folding import Step
from talktree.views.html.block import Block, Chip
from talktree.views.html.escaped import escape
from talktree.views.html.markdown import markdown
from talktree.views.measure import counted, one_line
from talktree.views.parts import COMPACTIONS, details
from talktree.views.tools import call_title

__all__ = [
    "Diffed", "Look", "blocks", "chips", "code", "diff_split", "diff_unified", "escape",
    "json_html", "markdown", "terminal", "words_diff",
]  # fmt: skip


class Look(Struct, frozen=True, kw_only=True):
    """How much of a message is shown, and where its files can be had."""

    limit: int | None = 20_000
    """Characters a block; None shows all."""
    address: Callable[[int], str] | None = None
    """Where image or file number N of the message can be had."""
    leaf: Callable[[int], str] | None = None
    """The leaf of the sub-agent that the call with this number began, or nothing."""


class Diffed(Struct, frozen=True):
    """Two texts side by side or above each other."""

    html: str
    added: int
    removed: int
    hunks: int


def blocks(step: Step, look: Look) -> tuple[Block, ...]:
    """What a message shows, piece by piece."""
    return tuple(_blocks(step, look))


def _blocks(step: Step, look: Look) -> Iterator[Block]:
    for number, part in enumerate(step.message.parts):
        if number not in step.elsewhere:
            yield _block(step, number, part, look)


def _block(step: Step, number: int, part: Part, look: Look) -> Block:
    match part:
        case Text():
            return Block(kind="text", html=markdown(part.text, look.limit), open=True)
        case Thinking():
            return Block(kind="thinking", title=one_line(part.text, 100), html=markdown(part.text))
        case ToolCall():
            answer = step.answers.get(number)
            outcome = "waiting" if answer is None else "failed" if answer.error else "ok"
            html = json_html(part.input) + ("" if answer is None else _output(answer))
            return Block(
                kind="call", name=part.name, title=call_title(part), html=html, outcome=outcome  # type: ignore[arg-type]
            )
        case ToolResult():
            outcome = "failed" if part.error else "ok"
            return Block(kind="result", title=step.names.get(number, ""), html=_output(part))
        case Attachment():
            return Block(kind="file", name=part.name or "", title=part.name or "", number=number)
        case Artifact():
            return Block(
                kind="artifact", title=part.title or "", number=number, html=code(part.content or "", "")
            )
        case Event():
            kind = "divider" if part.kind in COMPACTIONS else "chip"
            return Block(kind=kind, title=part.kind, detail=part.text or details(part.data))  # type: ignore[arg-type]
        case _:
            return Block(kind="unknown", title=part.kind, html=json_html(part.value))


def _output(result: ToolResult) -> str:
    return "".join(terminal(each.text) for each in result.output if isinstance(each, Text))


def chips(message: Message, format: str) -> tuple[Chip, ...]:
    """Small facts beside a message."""
    found = [Chip("model", message.model)] if message.model else []
    found += [Chip("author", each.name) for each in message.authors]
    found += [Chip("tag", each) for each in message.tags]
    found += [Chip("flag", each) for each in sorted(message.flags)]
    return tuple(found)


def code(text: str, language: str) -> str:
    """Source text, highlighted."""
    return f'<pre class="tt-code"><code>{escape(text)}</code></pre>'


def terminal(text: str) -> str:
    """What a program printed, ANSI colours as classes."""
    return f'<pre class="tt-terminal">{escape(text)}</pre>'


def json_html(value: Json) -> str:
    """A JSON value, highlighted."""
    return code(encode(value).decode(), "json")


def diff_unified(old: str, new: str, *, space: bool = True, context: int = 3) -> Diffed:
    """Two texts above each other."""
    return Diffed(code(new, ""), 0, 0, 0)


def diff_split(old: str, new: str, *, space: bool = True, context: int = 3) -> Diffed:
    """Two texts side by side."""
    return Diffed(code(new, ""), 0, 0, 0)


def words_diff(old: str, new: str) -> str:
    """Two short texts as one, with the words marked that went and came."""
    return f"<del>{escape(old)}</del><ins>{escape(new)}</ins>"
