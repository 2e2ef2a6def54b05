"""The view of each tool, ignoring the case of its name."""

from __future__ import annotations

from talktree.views.html.tools.agents import render_agent, render_command
from talktree.views.html.tools.anything import render_any_tool
from talktree.views.html.tools.files import render_edit, render_read, render_write
from talktree.views.html.tools.looking import render_fetch, render_search
from talktree.views.html.tools.planning import render_plan, render_questions, render_todos
from talktree.views.html.tools.shape import View
from talktree.views.html.tools.shell import render_shell

TOOLS: dict[str, View] = {
    **dict.fromkeys(("bash", "shell", "execute", "runcommand", "terminal"), render_shell),
    **dict.fromkeys(
        ("edit", "multiedit", "notebookedit", "strreplace", "strreplaceeditor"), render_edit
    ),
    **dict.fromkeys(("write", "create", "writefile", "createfile"), render_write),
    **dict.fromkeys(("read", "readfile", "notebookread", "view"), render_read),
    **dict.fromkeys(
        ("grep", "glob", "ls", "listdir", "search", "bashoutput", "killshell"), render_search
    ),
    **dict.fromkeys(("webfetch", "websearch", "fetch"), render_fetch),
    **dict.fromkeys(("task", "agent"), render_agent),
    **dict.fromkeys(("slashcommand", "skill"), render_command),
    "todowrite": render_todos,
    "exitplanmode": render_plan,
    "askuserquestion": render_questions,
}
ANY: View = render_any_tool
