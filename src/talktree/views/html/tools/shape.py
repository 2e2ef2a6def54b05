"""What a view of a tool is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, TypeAlias

from talktree.model.parts import ToolCall, ToolResult
from talktree.views.html.look import RenderOptions

TITLE = 160


class ToolInvocation(NamedTuple):
    """A call with its arguments and its result, if there is one."""

    call: ToolCall
    arguments: Mapping[str, object]
    result: ToolResult | None
    look: RenderOptions

    @property
    def failed(self) -> bool:
        """Whether the tool says so."""
        return self.result is not None and self.result.error


class ToolView(NamedTuple):
    """How a call is shown."""

    title: str = ""
    detail: str = ""
    html: str = ""
    """What is below the title; safe."""
    kind: Literal["call", "chip", "todos"] = "call"
    open: bool = False
    cut: int = 0
    name: str = ""
    """What the tool is called for people, if that is not its name."""


View: TypeAlias = Callable[[ToolInvocation], ToolView]
