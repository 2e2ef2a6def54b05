"""By what rows can be chosen: who speaks, what kinds of parts there are, flags, tools, tags."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.model.compaction import COMPACTIONS
from talktree.model.derived import TODO_TOOLS, tool_key
from talktree.model.message import ERROR
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
)  # fmt: skip
from talktree.views.transcript import Step
from talktree.web.documents.steps import Shown

Traits = frozenset[str]


class TraitList:
    """For each row what it can be chosen by; rows alike share one set."""

    def __init__(self) -> None:
        self.rows: list[Traits] = []
        self._known: dict[Traits, Traits] = {}

    def take(self, shown: Shown) -> None:
        """Note the next row."""
        mine = frozenset(each.casefold() for each in _traits(shown))
        self.rows.append(self._known.setdefault(mine, mine))


def _traits(shown: Shown) -> Iterator[str]:
    message = shown.head.message
    yield f"role:{message.role}"
    yield from (f"flag:{flag}" for flag in message.flags)
    yield from (f"tag:{tag}" for tag in message.tags)
    if message.todos:
        yield "kind:todos"
    if ERROR in message.flags or any(_failed(step) for step in shown.steps):
        yield "flag:failed"
    for step in shown.steps:
        for number, part in enumerate(step.message.parts):
            if number not in step.elsewhere:
                yield from _of_part(part, step.answers.get(number))


def _failed(step: Step) -> bool:
    alone = (part for part in step.message.parts if isinstance(part, ToolResult))
    return any(each.error for each in (*step.answers.values(), *alone))


def _of_part(part: Part, answer: ToolResult | None) -> Iterator[str]:
    match part:
        case Text():
            yield "kind:text"
        case Thinking():
            yield "kind:thinking"
        case ToolCall():
            yield "kind:call"
            yield f"tool:{part.name}"
            if tool_key(part.name) in TODO_TOOLS:
                yield "kind:todos"
            for each in answer.output if answer is not None else ():
                if isinstance(each, Attachment):
                    yield from _of_part(each, None)
        case ToolResult():
            yield "kind:result"
        case Attachment():
            yield "kind:image" if (part.media_type or "").startswith("image/") else "kind:file"
        case Artifact():
            yield "kind:artifact"
        case Event():
            yield "kind:divider" if part.kind in COMPACTIONS else "kind:chip"
        case Unknown():
            yield "kind:unknown"
