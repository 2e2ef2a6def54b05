"""Any other tool: its arguments as a table, and what came back."""

from __future__ import annotations

from collections.abc import Mapping

from talktree.text.json.value import Json
from talktree.views.arguments import SUBJECTS, amount, first
from talktree.views.html.json_view import facts
from talktree.views.html.tools.output import output
from talktree.views.html.tools.shape import TITLE, Asked, Shown
from talktree.views.parts import compact_json
from talktree.views.width import one_line

_ABOUT = (*SUBJECTS, "command", "description", "title", "name", "prompt", "text", "id")
_SERVED = "mcp__"


def anything(asked: Asked) -> Shown:
    """A tool nobody here knows, also those of MCP servers."""
    given: Json = asked.call.input
    told = first(asked.arguments, *_ABOUT)
    if told is None and given not in (None, {}, []):
        told = compact_json(given if not isinstance(given, Mapping) else dict(given))
    html, cut = output(asked.result, asked.look)
    return Shown(
        one_line(told or "", TITLE), amount(asked.result), facts(given, asked.look.limit) + html,
        open=asked.failed, cut=cut, name=readable(asked.call.name),
    )  # fmt: skip


def readable(name: str) -> str:
    """The name of a tool for people: of a server's tool, the server first."""
    if not name.startswith(_SERVED):
        return name
    server, _, tool = name.removeprefix(_SERVED).partition("__")
    return f"{server.replace('_', ' ')}: {tool.replace('_', ' ')}" if tool else name
