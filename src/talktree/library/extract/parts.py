"""The parts of one message as pieces, calls and outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from talktree.library.extract.keys import states, title_rank
from talktree.library.extract.tags import tags_of
from talktree.library.extract.texts import (
    call_files,
    call_text,
    event_text,
    is_todo_tool,
    result_text,
    spoken,
    todo_text,
    whole,
)
from talktree.library.extract.told import COMMAND, Call, Outcome, Piece, key_of
from talktree.model import message as flags
from talktree.model.derive import written_todos
from talktree.model.message import Message, Todo
from talktree.model.parts import Attachment, Event, Part, Text, Thinking, ToolCall, ToolResult

if TYPE_CHECKING:
    from talktree.library.extract.collector import Telling

SUMMARIES = frozenset({"summary", "compacted"})
"""Events in whose place all that was said before is no longer sent."""


class Parts:
    """The parts of one message."""

    def __init__(
        self,
        telling: Telling,
        message: Message,
        at: int,
        time: int | None,
        reply: int | None,
        labels: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.telling = telling
        self.message = message
        self.at = at
        self.time = time
        self.reply = reply
        self.labels = labels
        self.compacts = False
        self.failed = False
        context = message.context
        self.project = context.cwd if context else None
        self.branch = context.git_branch if context else None
        self.side = flags.SIDECHAIN in message.flags
        self.error = flags.ERROR in message.flags

    def take(self, part: Part) -> None:
        """Tell of one part."""
        match part:
            case Text():
                self._text(part)
            case Thinking():
                self.add("thinking", part.text)
            case ToolCall():
                self._call(part)
            case ToolResult():
                self._result(part)
            case Event():
                self._event(part)
            case Attachment():
                self.add("other", "", files=part.name or "")
            case _:
                self.add("other", spoken(part))

    def add(
        self,
        kind: str,
        text: str,
        *,
        role: str | None = None,
        tool: str | None = None,
        error: bool = False,
        files: str = "",
    ) -> None:
        """One more piece, unless it has nothing to be found."""
        if not files and (not text or text.isspace()):
            return
        role = self.message.role if role is None else role
        tags = tags_of(
            self.telling.format,
            kind,
            role,
            tool,
            self.message.model,
            self.project,
            self.branch,
            self._states(error=error),
            self.labels,
        )
        time = None if self.time is None else self.time // 1_000_000_000
        piece = Piece(self.at, kind, role, whole(text), time, tags, whole(files))
        self.telling.pieces.append(piece)

    def _states(self, *, error: bool) -> tuple[str, ...]:
        found = states(self.error or error, self.side)
        return (*found, flags.DELETED) if flags.DELETED in self.message.flags else found

    def _text(self, part: Text) -> None:
        meta = flags.META in self.message.flags
        self.add("other" if meta else "text", part.text)
        if not meta:
            rank = title_rank(self.message.role, self.side)
            self.telling.prompted(part.text, rank)

    def _event(self, part: Event) -> None:
        if part.kind in SUMMARIES:
            self.compacts = True
            self.add("summary", part.text or "")
        elif part.kind == "command":
            text = event_text(part)
            self.add("text", text)
            if flags.META not in self.message.flags:
                self.telling.prompted(text, COMMAND)
        else:
            self.add("other", event_text(part))

    def _call(self, part: ToolCall) -> None:
        listed = written_todos(part) if is_todo_tool(part.name) else None
        if listed is not None:
            self.todos(listed, tool=part.name)
        else:
            text = call_text(part.name, part.input)
            self.add("call", text, tool=part.name, files=call_files(part.input))
        if part.id:
            key, tool = key_of(part.id), whole(part.name)
            self.telling.calls.append(Call(key, self.at, self.time, tool, self.reply))
            self.telling.called(key, tool)

    def _result(self, part: ToolResult) -> None:
        tool = part.name
        if part.call:
            key = key_of(part.call)
            tool = self.telling.open.pop(key, tool)
            self.telling.outcomes.append(Outcome(key, part.error, self.time))
        self.failed = self.failed or part.error
        self.add("result", result_text(part), role="tool", tool=tool, error=part.error)

    def todos(
        self, listed: Sequence[Todo], *, tool: str | None = None, told_before: bool = False
    ) -> None:
        """A list of tasks; one that goes with many messages is told when it changes."""
        text = todo_text(listed)
        if not told_before or key_of(whole(text)) != self.telling.todo:
            self.add("todo", text, tool=tool)
        self.telling.tasks(listed, whole(text), self.time)
