"""The input and output of a tool's view."""

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
        """Whether the tool reports a failure."""
        return self.result is not None and self.result.error


class ToolView(NamedTuple):
    """How a call is shown."""

    title: str = ""
    detail: str = ""
    html: str = ""
    """Safe HTML below the title."""
    kind: Literal["call", "chip", "todos"] = "call"
    open: bool = False
    cut: int = 0
    name: str = ""
    """The display name of the tool, if it differs from its name."""


View: TypeAlias = Callable[[ToolInvocation], ToolView]
