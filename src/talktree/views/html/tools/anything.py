"""Any other tool: its arguments as a table, and its result."""

from __future__ import annotations

from collections.abc import Mapping

from talktree.text.json.value import Json
from talktree.views.arguments import SUBJECTS, describe_amount, find_first_text
from talktree.views.html.json_view import render_facts
from talktree.views.html.tools.output import render_result_output
from talktree.views.html.tools.shape import TITLE, ToolInvocation, ToolView
from talktree.views.parts import format_compact_json
from talktree.views.width import to_one_line

_ABOUT = (*SUBJECTS, "command", "description", "title", "name", "prompt", "text", "id")
_SERVED = "mcp__"


def render_any_tool(asked: ToolInvocation) -> ToolView:
    """Return an unknown tool, including those of MCP servers."""
    given: Json = asked.call.input
    words = find_first_text(asked.arguments, *_ABOUT)
    if words is None and given not in (None, {}, []):
        words = format_compact_json(given if not isinstance(given, Mapping) else dict(given))
    html, cut = render_result_output(asked.result, asked.look)
    return ToolView(
        to_one_line(words or "", TITLE), describe_amount(asked.result),
        render_facts(given, asked.look.limit) + html,
        open=asked.failed, cut=cut, name=format_tool_name(asked.call.name),
    )  # fmt: skip


def format_tool_name(name: str) -> str:
    """Return the display name of a tool; for a server's tool, the server comes first."""
    if not name.startswith(_SERVED):
        return name
    server, _, tool = name.removeprefix(_SERVED).partition("__")
    return f"{server.replace('_', ' ')}: {tool.replace('_', ' ')}" if tool else name
