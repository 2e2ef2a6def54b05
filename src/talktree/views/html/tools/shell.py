"""Programs that were run: the command, what it printed, how it ended."""

from __future__ import annotations

import re
from collections.abc import Mapping

from talktree.model.parts import Text, ToolResult
from talktree.views.arguments import amount, first
from talktree.views.html.highlight import bare, colored
from talktree.views.html.tools.output import output
from talktree.views.html.tools.shape import TITLE, Asked, Shown
from talktree.views.width import one_line

_EXIT = re.compile(r"\s*(?:Error: )?(?:Exit|exit) code:? (\d{1,3})\b")


def shell(asked: Asked) -> Shown:
    """A command as on a terminal."""
    command = first(asked.arguments, "command", "cmd", "script") or ""
    about = first(asked.arguments, "description") or ""
    command, cut = asked.look.cut(command)
    printed, less = output(asked.result, asked.look)
    shown = f'<pre class="tt-command"><code>{colored(bare(command), "bash")}</code></pre>'
    ended = ending(asked.result)
    detail = " · ".join(each for each in (one_line(about, TITLE // 2), ended) if each)
    return Shown(
        one_line(command, TITLE), detail, f'<div class="tt-shell">{shown}{printed}</div>',
        open=asked.failed, cut=cut + less,
    )  # fmt: skip


def ending(result: ToolResult | None) -> str:
    """How a program ended, in words."""
    if result is None:
        return ""
    if isinstance(result.detail, Mapping) and result.detail.get("interrupted") is True:
        return "interrupted"
    for part in result.output:
        found = _EXIT.match(part.text) if isinstance(part, Text) else None
        if found and result.error:
            return f"exit {found[1]}"
    return "failed" if result.error else amount(result)
