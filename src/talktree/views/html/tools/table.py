"""Which tool is shown in which way, whatever the case of its name."""

from __future__ import annotations

from talktree.views.html.tools.agents import agent, command
from talktree.views.html.tools.anything import anything
from talktree.views.html.tools.files import edit, read, write
from talktree.views.html.tools.looking import fetched, found
from talktree.views.html.tools.planning import plan, question, todos
from talktree.views.html.tools.shape import View
from talktree.views.html.tools.shell import shell

TOOLS: dict[str, View] = {
    **dict.fromkeys(("bash", "shell", "execute", "runcommand", "terminal"), shell),
    **dict.fromkeys(("edit", "multiedit", "notebookedit", "strreplace", "strreplaceeditor"), edit),
    **dict.fromkeys(("write", "create", "writefile", "createfile"), write),
    **dict.fromkeys(("read", "readfile", "notebookread", "view"), read),
    **dict.fromkeys(("grep", "glob", "ls", "listdir", "search", "bashoutput", "killshell"), found),
    **dict.fromkeys(("webfetch", "websearch", "fetch"), fetched),
    **dict.fromkeys(("task", "agent"), agent),
    **dict.fromkeys(("slashcommand", "skill"), command),
    "todowrite": todos,
    "exitplanmode": plan,
    "askuserquestion": question,
}
ANY: View = anything
