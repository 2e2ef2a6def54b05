"""Tool calls in the form people expect: a title line, and what is worth seeing below it.

Known tools have a view of their own, whatever the case of their name; all others show their
arguments and the first lines of what came back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from talktree.model.derived import tool_key, written_todos
from talktree.model.parts import Text, ToolCall, ToolResult
from talktree.text.escape import uncoloured
from talktree.views.arguments import PATHS, SUBJECTS, amount, arguments_of, first
from talktree.views.diffs import changes, diff_lines
from talktree.views.lines import Line, Span, line, styled
from talktree.views.parts import compact_json, details, part_line
from talktree.views.todos import checklist
from talktree.views.width import counted, one_line, text_lines

CUT = 12
"""Lines of output that are shown; the rest is counted."""
FEW = 4
"""The same for what is told elsewhere in full."""
LONGEST = 400
"""Characters of one line of output that are shown."""
TITLE = 100
Body: TypeAlias = tuple[Line, list[Line]]
"""The title line of a call, and the lines below it."""


def call_lines(call: ToolCall, result: ToolResult | None, *, full: bool = False) -> list[Line]:
    """A call and what came of it."""
    arguments = arguments_of(call)
    view = _VIEWS.get(tool_key(call.name), _any_tool)
    title, below = view(call, arguments, result)
    lines = [title, *((("  ", ""), *each) for each in below)]
    lines += [(("  ", ""), *each) for each in _outcome(call, result, full=full)]
    return lines


def result_lines(result: ToolResult, name: str, *, full: bool = False) -> list[Line]:
    """A result without its call."""
    title = line(("result", "tool"), f" of {name}" if name else "")
    return [title, *((("  ", ""), *each) for each in output_lines(result, full=full))]


def output_lines(result: ToolResult, *, full: bool = False, cut: int = CUT) -> list[Line]:
    """What a tool gave back, cut to its first lines."""
    style = "error" if result.error else ""
    lines: list[Line] = []
    for part in result.output:
        if isinstance(part, Text):
            lines += styled(text_lines(uncoloured(part.text)) if part.text else [], style)
        else:
            lines.append(part_line(part))
    if full:
        return lines
    kept = [_short(each) for each in lines[:cut]]
    if len(lines) > cut:
        kept.append(line((f"… {counted(len(lines) - cut, 'more line')}", "faint")))
    return kept


def _short(shown: Line) -> Line:
    return tuple(
        (text if len(text) <= LONGEST else f"{text[:LONGEST]}… (+{len(text) - LONGEST:,})", style)
        for text, style in shown
    )


def _outcome(call: ToolCall, result: ToolResult | None, *, full: bool) -> Iterable[Line]:
    """What is shown of the result: failures always, successes where they tell something."""
    if result is None:
        return [line(("no result", "faint"))]
    if result.error:
        return [line(("failed", "error")), *output_lines(result, full=full)]
    if _VIEWS.get(tool_key(call.name)) in _QUIET and not full:
        return []
    cut = FEW if _VIEWS.get(tool_key(call.name)) is _agent else CUT
    return output_lines(result, full=full, cut=cut)


# the views


def _any_tool(call: ToolCall, arguments: Mapping[str, object], result: ToolResult | None) -> Body:
    told = one_line(compact_json(call.input), TITLE) if call.input not in (None, {}) else ""
    return line((call.name, "tool"), f" {told}" if told else ""), []


def _shell(call: ToolCall, arguments: Mapping[str, object], result: ToolResult | None) -> Body:
    command = first(arguments, "command", "cmd")
    if command is None:
        return _any_tool(call, arguments, result)
    top, *rest = text_lines(command) or [""]
    return line(("$ ", "tool"), (top, "title")), styled(rest, "title")


def _edit(call: ToolCall, arguments: Mapping[str, object], result: ToolResult | None) -> Body:
    edits = arguments.get("edits")
    listed = edits if isinstance(edits, list) else [arguments]
    below: list[Line] = []
    added = removed = 0
    for each in listed:
        if not isinstance(each, Mapping):
            continue
        old = first(each, "old_string", "old_str") or ""
        new = first(each, "new_string", "new_str", "new_source") or ""
        shown = diff_lines(old, new)
        plus, minus = changes(shown)
        added, removed = added + plus, removed + minus
        below += ([line(("⋯", "faint"))] if below else []) + shown
    tail = f"  +{added} -{removed}" if below else ""
    return _file_title(call, arguments, (tail, "faint")), below


def _write(call: ToolCall, arguments: Mapping[str, object], result: ToolResult | None) -> Body:
    content = first(arguments, "content", "file_text") or ""
    lines = text_lines(content) if content else []
    below = [line((f"+{each[:LONGEST]}", "added")) for each in lines[:CUT]]
    if len(lines) > CUT:
        below.append(line((f"… {counted(len(lines) - CUT, 'more line')}", "faint")))
    return _file_title(call, arguments, (f"  +{len(lines)}", "faint")), below


def _todos(call: ToolCall, arguments: Mapping[str, object], result: ToolResult | None) -> Body:
    todos = written_todos(call)
    if todos is None:
        return _any_tool(call, arguments, result)
    return line((call.name, "tool")), checklist(todos)


def _folded(call: ToolCall, arguments: Mapping[str, object], result: ToolResult | None) -> Body:
    subject = first(arguments, *SUBJECTS) or ""
    rest = details({key: item for key, item in arguments.items() if item != subject})
    told = f" {one_line(subject, TITLE)}" if subject else ""
    more = f"  {one_line(rest, TITLE // 2)}" if rest else ""
    came = f"  → {told_amount}" if (told_amount := amount(result)) else ""
    return line((call.name, "tool"), told, (more, "faint"), (came, "faint")), []


def _agent(call: ToolCall, arguments: Mapping[str, object], result: ToolResult | None) -> Body:
    kind = first(arguments, "subagent_type", "agent_type")
    about = first(arguments, "description") or ""
    prompt = first(arguments, "prompt") or ""
    below = [line((one_line(prompt, TITLE), "faint"))] if prompt else []
    return line(
        (call.name, "tool"), f" {one_line(about, TITLE)}", (f"  ({kind})" if kind else "", "faint")
    ), below


def _chip(call: ToolCall, arguments: Mapping[str, object], result: ToolResult | None) -> Body:
    command = first(arguments, "command", "skill", "name")
    if command is None:
        return _any_tool(call, arguments, result)
    return line(("[", "faint"), (one_line(command, TITLE), "tool"), ("]", "faint")), []


def _file_title(call: ToolCall, arguments: Mapping[str, object], tail: Span) -> Line:
    path = first(arguments, *PATHS) or ""
    return line((call.name, "tool"), f" {one_line(path, TITLE)}", tail)


_View: TypeAlias = Callable[[ToolCall, Mapping[str, object], ToolResult | None], Body]
_VIEWS: dict[str, _View] = {
    **dict.fromkeys(("bash", "shell", "execute", "runcommand"), _shell),
    **dict.fromkeys(("edit", "multiedit", "notebookedit", "strreplace"), _edit),
    **dict.fromkeys(("write", "create", "writefile"), _write),
    **dict.fromkeys(("read", "grep", "glob", "ls", "notebookread", "readfile"), _folded),
    **dict.fromkeys(("webfetch", "websearch", "killshell", "todoread"), _folded),
    **dict.fromkeys(("task", "agent"), _agent),
    **dict.fromkeys(("slashcommand", "skill"), _chip),
    "todowrite": _todos,
}
_QUIET = frozenset({_edit, _write, _folded, _todos})
"""Views that leave a successful result out: it says nothing that the call does not show."""


def call_title(call: ToolCall) -> str:
    """A call in a few words."""
    arguments = arguments_of(call)
    title, _ = _VIEWS.get(tool_key(call.name), _any_tool)(call, arguments, None)
    return "".join(text for text, style in title if style != "faint").strip()
