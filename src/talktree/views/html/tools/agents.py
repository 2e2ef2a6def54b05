"""Sub-agents, skills and commands that a tool begins."""

from __future__ import annotations

from talktree.views.arguments import first
from talktree.views.html.markdown import markdown
from talktree.views.html.tools.output import output
from talktree.views.html.tools.shape import TITLE, Asked, Shown
from talktree.views.width import one_line


def agent(asked: Asked) -> Shown:
    """A sub-agent: what it is to do, and what it reported."""
    kind = first(asked.arguments, "subagent_type", "agent_type") or ""
    prompt, cut = asked.look.cut(first(asked.arguments, "prompt") or "")
    about = first(asked.arguments, "description") or one_line(prompt, TITLE)
    said, less = output(asked.result, asked.look, form="markdown")
    asks = f'<div class="tt-prompt">{markdown(prompt)}</div>' if prompt else ""
    return Shown(one_line(about, TITLE), kind, asks + said, open=asked.failed, cut=cut + less)


def command(asked: Asked) -> Shown:
    """A slash command or a skill as a chip."""
    name = first(asked.arguments, "command", "skill", "name") or ""
    rest = first(asked.arguments, "args", "arguments") or ""
    html, cut = output(asked.result, asked.look, form="markdown")
    return Shown(
        one_line(name, TITLE),
        one_line(rest, TITLE // 2),
        html,
        kind="chip",
        open=asked.failed,
        cut=cut,
    )
