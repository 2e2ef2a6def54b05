"""A conversation as Markdown or plain text, line by line as it is read."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from talktree.export.walk import Begin, SideBegin, SideEnd, Stop, Walk
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
    Unknown,
)
from talktree.text.escape import uncoloured
from talktree.views.html.escaped import shown
from talktree.views.lines import Line
from talktree.views.parts import compact_json, part_line
from talktree.views.speakers import speaker_in
from talktree.views.tools import call_title
from talktree.views.transcript import Step
from talktree.views.width import counted, moment, one_line

MARKS = {DELETED: "deleted", META: "not shown to the user"}
"""What is said about messages that are exported only if that was asked for."""
_TICKS = re.compile("`{3,}")
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~])")


class Writer(ABC):
    """How a kind of text is written."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._format = walk.conversation.format
        self._low = walk.choice.detail == "low"
        self._speaker = ""

    def texts(self) -> Iterator[str]:
        """All of it, piece by piece."""
        for stop in self._walk.stops():
            yield from self._stop(stop)

    def _stop(self, stop: Stop) -> Iterable[str]:
        match stop:
            case Begin(section=section):
                return [] if section.branch is None else [self._branch(len(section.positions))]
            case SideBegin():
                return [self._aside(f"sub-agent: {counted(stop.messages, 'message')}")]
            case SideEnd():
                return [self._aside("end of the sub-agent")]
            case Step():
                return self._row(stop)

    def _row(self, step: Step) -> Iterator[str]:
        shown = [
            text
            for number, part in enumerate(step.message.parts)
            if number not in step.elsewhere
            and (text := self._part(part, step.answers.get(number), step.names.get(number, "")))
        ]
        if not shown:
            return
        hidden = [word for flag, word in MARKS.items() if flag in step.message.flags]
        who = " · ".join([speaker_in(self._format, step.message), *hidden])
        says = any(isinstance(part, Text) for part in step.message.parts)
        if says or who != self._speaker:
            yield self._heading(who, step.message)
        self._speaker = who
        yield from shown

    def _part(self, part: Part, answer: ToolResult | None, name: str) -> str:
        match part:
            case Text():
                return self._said(part.text)
            case Thinking():
                return self._quoted("Thinking", part.text)
            case ToolCall():
                return self._call(part, answer)
            case ToolResult():
                return self._block(f"Result {name}".strip(), _output(part))
            case Artifact(content=str(content)):
                return self._block(f"Artifact: {part.title or part.id or ''}", content)
            case Attachment() | Artifact() | Event() | Unknown():
                return self._aside(_plain(part_line(part)))

    def _call(self, call: ToolCall, answer: ToolResult | None) -> str:
        failed = " (failed)" if answer is not None and answer.error else ""
        title = call_title(call)
        named = title if title.startswith(call.name) else f"{call.name}: {title}"
        if self._low:
            return self._aside(f"{named}{failed}")
        out = [self._block(f"{named}{failed}", _given(call))]
        if answer is not None and (output := _output(answer)):
            out.append(self._block("Result", output))
        return "".join(out)

    @abstractmethod
    def _heading(self, who: str, message: Message) -> str: ...

    @abstractmethod
    def _branch(self, messages: int) -> str: ...

    @abstractmethod
    def _aside(self, text: str) -> str: ...

    @abstractmethod
    def _said(self, text: str) -> str: ...

    @abstractmethod
    def _quoted(self, title: str, text: str) -> str: ...

    @abstractmethod
    def _block(self, title: str, text: str) -> str: ...


class Markdown(Writer):
    """Headings for who speaks, fences around what tools were given and gave back."""

    @staticmethod
    def title(title: str, facts: Iterable[str]) -> str:
        """How a document begins."""
        told = " · ".join(marked(fact) for fact in facts if fact)
        return f"# {marked(title)}\n\n{told}\n\n"

    def _heading(self, who: str, message: Message) -> str:
        time = moment(message.time_ns)
        when = f" · {time}" if time else ""
        return f"## {marked(who)}{when}\n\n"

    def _branch(self, messages: int) -> str:
        return f"---\n\n# Branch of {counted(messages, 'message')}\n\n"

    def _aside(self, text: str) -> str:
        return f"*{marked(one_line(text, 200))}*\n\n"

    def _said(self, text: str) -> str:
        # Headings of what is said must not seem to be ours, nor may an open fence swallow the rest.
        return f"{_closed(_clean(text)).strip()}\n\n" if text.strip() else ""

    def _quoted(self, title: str, text: str) -> str:
        lines = _clean(text).strip().split("\n")
        return "".join(f"> {line}\n" for line in (f"**{title}**", "", *lines)) + "\n"

    def _block(self, title: str, text: str) -> str:
        head = f"**{marked(one_line(title, 200))}**\n\n"
        return head + (fenced(_clean(text)) if text else "")


class Plain(Writer):
    """Just words, indented below who says them."""

    @staticmethod
    def title(title: str, facts: Iterable[str]) -> str:
        """How a document begins."""
        line = one_line(title, 200)
        return f"{line}\n{'=' * min(len(line), 72)}\n{', '.join(f for f in facts if f)}\n\n"

    def _heading(self, who: str, message: Message) -> str:
        time = moment(message.time_ns)
        return f"{one_line(who, 80)}{f'  {time}' if time else ''}\n\n"

    def _branch(self, messages: int) -> str:
        return f"{'-' * 72}\nBranch of {counted(messages, 'message')}\n\n"

    def _aside(self, text: str) -> str:
        return f"    [{one_line(text, 200)}]\n\n"

    def _said(self, text: str) -> str:
        return f"{_indented(text, '  ')}\n" if text.strip() else ""

    def _quoted(self, title: str, text: str) -> str:
        return f"  {title}\n{_indented(text, '  | ')}\n"

    def _block(self, title: str, text: str) -> str:
        return f"    {one_line(title, 200)}\n{_indented(text, '      ') if text else ''}\n"


def fenced(text: str) -> str:
    """A text between fences that are longer than any in it."""
    longest = max((len(each) for each in _TICKS.findall(text)), default=2)
    ticks = "`" * (longest + 1)
    end = "" if text.endswith("\n") else "\n"
    return f"{ticks}\n{text}{end}{ticks}\n\n"


def marked(text: str) -> str:
    """A text of one line that Markdown takes as it is."""
    return _SPECIAL.sub(r"\\\1", " ".join(_clean(text).split()))


def _clean(text: str) -> str:
    """A text without colours, and with everything written out that would act on a terminal."""
    return shown(uncoloured(text))


def _closed(text: str) -> str:
    """What is said with its last fence closed, so that what follows is not in it."""
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


def _given(call: ToolCall) -> str:
    """What a tool was given: its one text, or all of it as JSON."""
    given = call.input
    if isinstance(given, dict) and len(given) == 1:
        (only,) = given.values()
        given = only if isinstance(only, str) else given
    return "" if given in (None, {}) else compact_json(given)


def _output(result: ToolResult) -> str:
    """What a tool gave back, as text."""
    return "\n".join(
        part.text if isinstance(part, Text) else _plain(part_line(part)) for part in result.output
    )


def _plain(line: Line) -> str:
    return "".join(text for text, _ in line)


def _indented(text: str, lead: str) -> str:
    return "".join(f"{lead}{line}".rstrip() + "\n" for line in _clean(text).strip("\n").split("\n"))
