"""A conversation as Markdown or plain text, written line by line as it is read."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from talktree.export.walk import ExportWalk, SectionBegin, SideBegin, SideEnd, Stop
from talktree.model.message import DELETED, META, Message
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
from talktree.text.escape import strip_colors
from talktree.views.html.escaped import escape_visible
from talktree.views.lines import Line
from talktree.views.parts import format_compact_json, format_part
from talktree.views.speakers import find_format_speaker
from talktree.views.tools import format_call_title
from talktree.views.transcript import FoldedMessage
from talktree.views.width import format_count, format_moment, to_one_line

MARKS = {DELETED: "deleted", META: "not shown to the user"}
"""Marks of messages that are exported only on request."""
_TICKS = re.compile("`{3,}")
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~])")


class TextWriter(ABC):
    """The writer of a kind of text."""

    def __init__(self, walk: ExportWalk) -> None:
        self._walk = walk
        self._format = walk.conversation.format
        self._low = walk.choice.detail == "low"
        self._speaker = ""

    def render_texts(self) -> Iterator[str]:
        """Yield the whole text, piece by piece."""
        for stop in self._walk.iter_stops():
            yield from self._render_stop(stop)

    def _render_stop(self, stop: Stop) -> Iterable[str]:
        match stop:
            case SectionBegin(section=section):
                return (
                    [] if section.branch is None else [self._render_branch(len(section.positions))]
                )
            case SideBegin():
                return [self._render_aside(f"sub-agent: {format_count(stop.messages, 'message')}")]
            case SideEnd():
                return [self._render_aside("end of the sub-agent")]
            case FoldedMessage():
                return self._render_row(stop)

    def _render_row(self, step: FoldedMessage) -> Iterator[str]:
        shown = [
            text
            for number, part in enumerate(step.message.parts)
            if number not in step.elsewhere
            and (
                text := self._render_part(
                    part, step.answers.get(number), step.names.get(number, "")
                )
            )
        ]
        if not shown:
            return
        hidden = [word for flag, word in MARKS.items() if flag in step.message.flags]
        who = " · ".join([find_format_speaker(self._format, step.message), *hidden])
        says = any(isinstance(part, Text) for part in step.message.parts)
        if says or who != self._speaker:
            yield self._render_heading(who, step.message)
        self._speaker = who
        yield from shown

    def _render_part(self, part: Part, answer: ToolResult | None, name: str) -> str:
        match part:
            case Text():
                return self._render_said(part.text)
            case Thinking():
                return self._render_quote("Thinking", part.text)
            case ToolCall():
                return self._render_call(part, answer)
            case ToolResult():
                return self._render_block(f"Result {name}".strip(), _format_output(part))
            case Artifact(content=str(content)):
                return self._render_block(f"Artifact: {part.title or part.id or ''}", content)
            case Attachment() | Artifact() | Event() | UnknownPart():
                return self._render_aside(_join_line(format_part(part)))

    def _render_call(self, call: ToolCall, answer: ToolResult | None) -> str:
        failed = " (failed)" if answer is not None and answer.error else ""
        title = format_call_title(call)
        named = title if title.startswith(call.name) else f"{call.name}: {title}"
        if self._low:
            return self._render_aside(f"{named}{failed}")
        out = [self._render_block(f"{named}{failed}", _format_arguments(call))]
        if answer is not None and (output := _format_output(answer)):
            out.append(self._render_block("Result", output))
        return "".join(out)

    @abstractmethod
    def _render_heading(self, who: str, message: Message) -> str: ...

    @abstractmethod
    def _render_branch(self, messages: int) -> str: ...

    @abstractmethod
    def _render_aside(self, text: str) -> str: ...

    @abstractmethod
    def _render_said(self, text: str) -> str: ...

    @abstractmethod
    def _render_quote(self, title: str, text: str) -> str: ...

    @abstractmethod
    def _render_block(self, title: str, text: str) -> str: ...


class Markdown(TextWriter):
    """Headings for authors, fences around inputs and outputs of tools."""

    @staticmethod
    def render_title(title: str, facts: Iterable[str]) -> str:
        """Return the beginning of a document."""
        words = " · ".join(escape_markdown(fact) for fact in facts if fact)
        return f"# {escape_markdown(title)}\n\n{words}\n\n"

    def _render_heading(self, who: str, message: Message) -> str:
        time = format_moment(message.time_ns)
        when = f" · {time}" if time else ""
        return f"## {escape_markdown(who)}{when}\n\n"

    def _render_branch(self, messages: int) -> str:
        return f"---\n\n# Branch of {format_count(messages, 'message')}\n\n"

    def _render_aside(self, text: str) -> str:
        return f"*{escape_markdown(to_one_line(text, 200))}*\n\n"

    def _render_said(self, text: str) -> str:
        # Headings in messages must not look like those of the page, nor may an open fence swallow
        # the rest.
        return f"{_close_fence(_escape_controls(text)).strip()}\n\n" if text.strip() else ""

    def _render_quote(self, title: str, text: str) -> str:
        lines = _escape_controls(text).strip().split("\n")
        return "".join(f"> {line}\n" for line in (f"**{title}**", "", *lines)) + "\n"

    def _render_block(self, title: str, text: str) -> str:
        head = f"**{escape_markdown(to_one_line(title, 200))}**\n\n"
        return head + (fence_text(_escape_controls(text)) if text else "")


class PlainTextWriter(TextWriter):
    """Plain text, indented below its author."""

    @staticmethod
    def render_title(title: str, facts: Iterable[str]) -> str:
        """Return the beginning of a document."""
        line = to_one_line(title, 200)
        return f"{line}\n{'=' * min(len(line), 72)}\n{', '.join(f for f in facts if f)}\n\n"

    def _render_heading(self, who: str, message: Message) -> str:
        time = format_moment(message.time_ns)
        return f"{to_one_line(who, 80)}{f'  {time}' if time else ''}\n\n"

    def _render_branch(self, messages: int) -> str:
        return f"{'-' * 72}\nBranch of {format_count(messages, 'message')}\n\n"

    def _render_aside(self, text: str) -> str:
        return f"    [{to_one_line(text, 200)}]\n\n"

    def _render_said(self, text: str) -> str:
        return f"{_indent_text(text, '  ')}\n" if text.strip() else ""

    def _render_quote(self, title: str, text: str) -> str:
        return f"  {title}\n{_indent_text(text, '  | ')}\n"

    def _render_block(self, title: str, text: str) -> str:
        return f"    {to_one_line(title, 200)}\n{_indent_text(text, '      ') if text else ''}\n"


def fence_text(text: str) -> str:
    """Return a text between fences that are longer than any in it."""
    longest = max((len(each) for each in _TICKS.findall(text)), default=2)
    ticks = "`" * (longest + 1)
    end = "" if text.endswith("\n") else "\n"
    return f"{ticks}\n{text}{end}{ticks}\n\n"


def escape_markdown(text: str) -> str:
    """Return a text of one line, escaped for Markdown."""
    return _SPECIAL.sub(r"\\\1", " ".join(_escape_controls(text).split()))


def _escape_controls(text: str) -> str:
    """Return a text without colours, and with terminal control characters escaped."""
    return escape_visible(strip_colors(text))


def _close_fence(text: str) -> str:
    """Return a message with its last fence closed, so that what follows is not inside."""
    fence = ""
    for line in text.split("\n") if "```" in text or "~~~" in text else ():
        bare = line.lstrip()
        mark = bare[:1]
        if len(line) - len(bare) > 3 or mark not in ("`", "~"):
            continue
        ticks = mark * (len(bare) - len(bare.lstrip(mark)))
        if len(ticks) < 3:
            continue
        if not fence:
            fence = "" if mark == "`" and "`" in bare[len(ticks) :] else ticks
        elif ticks[0] == fence[0] and len(ticks) >= len(fence) and not bare[len(ticks) :].strip():
            fence = ""
    return f"{text}\n{fence}" if fence else text


def _format_arguments(call: ToolCall) -> str:
    """Return the input of a tool: its only text, or all of it as JSON."""
    given = call.input
    if isinstance(given, dict) and len(given) == 1:
        (only,) = given.values()
        given = only if isinstance(only, str) else given
    return "" if given in (None, {}) else format_compact_json(given)


def _format_output(result: ToolResult) -> str:
    """Return the output of a tool as text."""
    return "\n".join(
        part.text if isinstance(part, Text) else _join_line(format_part(part))
        for part in result.output
    )


def _join_line(line: Line) -> str:
    return "".join(text for text, _ in line)


def _indent_text(text: str, lead: str) -> str:
    return "".join(
        f"{lead}{line}".rstrip() + "\n" for line in _escape_controls(text).strip("\n").split("\n")
    )
