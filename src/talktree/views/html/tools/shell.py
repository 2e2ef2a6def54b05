"""Shell commands: the command, its output, and its exit status."""

from __future__ import annotations

import re
from collections.abc import Mapping

from talktree.model.parts import Text, ToolResult
from talktree.views.arguments import describe_amount, find_first_text
from talktree.views.html.highlight import color_code, escape_between_tags
from talktree.views.html.tools.output import render_result_output
from talktree.views.html.tools.shape import TITLE, ToolInvocation, ToolView
from talktree.views.width import to_one_line

_EXIT = re.compile(r"\s*(?:Error: )?(?:Exit|exit) code:? (\d{1,3})\b")


def render_shell(asked: ToolInvocation) -> ToolView:
    """Return a command as on a terminal."""
    command = find_first_text(asked.arguments, "command", "cmd", "script") or ""
    about = find_first_text(asked.arguments, "description") or ""
    command, cut = asked.look.cut(command)
    printed, less = render_result_output(asked.result, asked.look)
    colored = color_code(escape_between_tags(command), "bash")
    shown = f'<pre class="tt-command"><code>{colored}</code></pre>'
    ended = describe_exit(asked.result)
    detail = " · ".join(each for each in (to_one_line(about, TITLE // 2), ended) if each)
    return ToolView(
        to_one_line(command, TITLE), detail, f'<div class="tt-shell">{shown}{printed}</div>',
        open=asked.failed, cut=cut + less,
    )  # fmt: skip


def describe_exit(result: ToolResult | None) -> str:
    """Describe how a program ended."""
    if result is None:
        return ""
    if isinstance(result.detail, Mapping) and result.detail.get("interrupted") is True:
        return "interrupted"
    for part in result.output:
        found = _EXIT.match(part.text) if isinstance(part, Text) else None
        if found and result.error:
            return f"exit {found[1]}"
    return "failed" if result.error else describe_amount(result)
