"""Sub-agents, skills and commands that a tool starts."""

from __future__ import annotations

from talktree.views.arguments import find_first_text
from talktree.views.html.markdown import render_markdown
from talktree.views.html.tools.output import render_result_output
from talktree.views.html.tools.shape import TITLE, ToolInvocation, ToolView
from talktree.views.width import to_one_line


def render_agent(asked: ToolInvocation) -> ToolView:
    """Return a sub-agent: its task and its report."""
    kind = find_first_text(asked.arguments, "subagent_type", "agent_type") or ""
    prompt, cut = asked.look.cut(find_first_text(asked.arguments, "prompt") or "")
    about = find_first_text(asked.arguments, "description") or to_one_line(prompt, TITLE)
    said, less = render_result_output(asked.result, asked.look, form="markdown")
    asks = f'<div class="tt-prompt">{render_markdown(prompt)}</div>' if prompt else ""
    return ToolView(to_one_line(about, TITLE), kind, asks + said, open=asked.failed, cut=cut + less)


def render_command(asked: ToolInvocation) -> ToolView:
    """Return a slash command or a skill as a chip."""
    name = find_first_text(asked.arguments, "command", "skill", "name") or ""
    rest = find_first_text(asked.arguments, "args", "arguments") or ""
    html, cut = render_result_output(asked.result, asked.look, form="markdown")
    return ToolView(
        to_one_line(name, TITLE),
        to_one_line(rest, TITLE // 2),
        html,
        kind="chip",
        open=asked.failed,
        cut=cut,
    )
