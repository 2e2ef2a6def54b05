"""Tool calls as text: a title line, and the important lines below it.

Known tools have a view of their own, whatever the case of their name; all others show their
arguments and the first lines of their result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from talktree.model.derived import normalize_tool_name, read_written_todos
from talktree.model.parts import Text, ToolCall, ToolResult
from talktree.text.escape import strip_colors
from talktree.views.arguments import (
    PATHS,
    SUBJECTS,
    describe_amount,
    find_first_text,
    get_arguments,
)
from talktree.views.diffs import count_changes, format_diff_lines
from talktree.views.lines import Line, Span, line, style_lines
from talktree.views.parts import format_compact_json, format_details, format_part
from talktree.views.todos import format_checklist
from talktree.views.width import format_count, split_text_lines, to_one_line

CUT = 12
"""Maximum number of output lines shown; the rest is counted."""
FEW = 4
"""The same for output that is shown in full elsewhere."""
LONGEST = 400
"""Maximum number of characters shown of an output line."""
TITLE = 100
Body: TypeAlias = tuple[Line, list[Line]]
"""The title line of a call, and the lines below it."""


def format_call_lines(
    call: ToolCall, result: ToolResult | None, *, full: bool = False
) -> list[Line]:
    """Yield a call and its result."""
    arguments = get_arguments(call)
    view = _VIEWS.get(normalize_tool_name(call.name), _format_any_tool)
    title, below = view(call, arguments, result)
    lines = [title, *((("  ", ""), *each) for each in below)]
    lines += [(("  ", ""), *each) for each in _format_outcome(call, result, full=full)]
    return lines


def format_result_lines(result: ToolResult, name: str, *, full: bool = False) -> list[Line]:
    """Yield a result without its call."""
    title = line(("result", "tool"), f" of {name}" if name else "")
    return [title, *((("  ", ""), *each) for each in format_output_lines(result, full=full))]


def format_output_lines(result: ToolResult, *, full: bool = False, cut: int = CUT) -> list[Line]:
    """Yield the output of a tool, cut to its first lines."""
    style = "error" if result.error else ""
    lines: list[Line] = []
    for part in result.output:
        if isinstance(part, Text):
            lines += style_lines(
                split_text_lines(strip_colors(part.text)) if part.text else [], style
            )
        else:
            lines.append(format_part(part))
    if full:
        return lines
    kept = [_shorten_line(each) for each in lines[:cut]]
    if len(lines) > cut:
        kept.append(line((f"… {format_count(len(lines) - cut, 'more line')}", "faint")))
    return kept


def _shorten_line(shown: Line) -> Line:
    return tuple(
        (text if len(text) <= LONGEST else f"{text[:LONGEST]}… (+{len(text) - LONGEST:,})", style)
        for text, style in shown
    )


def _format_outcome(call: ToolCall, result: ToolResult | None, *, full: bool) -> Iterable[Line]:
    """Yield the visible part of the result: failures always, successes where they are
    informative."""
    if result is None:
        return [line(("no result", "faint"))]
    if result.error:
        return [line(("failed", "error")), *format_output_lines(result, full=full)]
    if _VIEWS.get(normalize_tool_name(call.name)) in _QUIET and not full:
        return []
    cut = FEW if _VIEWS.get(normalize_tool_name(call.name)) is _format_agent else CUT
    return format_output_lines(result, full=full, cut=cut)


# the views


def _format_any_tool(
    call: ToolCall, arguments: Mapping[str, object], result: ToolResult | None
) -> Body:
    words = (
        to_one_line(format_compact_json(call.input), TITLE) if call.input not in (None, {}) else ""
    )
    return line((call.name, "tool"), f" {words}" if words else ""), []


def _format_shell(
    call: ToolCall, arguments: Mapping[str, object], result: ToolResult | None
) -> Body:
    command = find_first_text(arguments, "command", "cmd")
    if command is None:
        return _format_any_tool(call, arguments, result)
    top, *rest = split_text_lines(command) or [""]
    return line(("$ ", "tool"), (top, "title")), style_lines(rest, "title")


def _format_edit(
    call: ToolCall, arguments: Mapping[str, object], result: ToolResult | None
) -> Body:
    edits = arguments.get("edits")
    listed = edits if isinstance(edits, list) else [arguments]
    below: list[Line] = []
    added = removed = 0
    for each in listed:
        if not isinstance(each, Mapping):
            continue
        old = find_first_text(each, "old_string", "old_str") or ""
        new = find_first_text(each, "new_string", "new_str", "new_source") or ""
        shown = format_diff_lines(old, new)
        plus, minus = count_changes(shown)
        added, removed = added + plus, removed + minus
        below += ([line(("⋯", "faint"))] if below else []) + shown
    tail = f"  +{added} -{removed}" if below else ""
    return _format_file_title(call, arguments, (tail, "faint")), below


def _format_write(
    call: ToolCall, arguments: Mapping[str, object], result: ToolResult | None
) -> Body:
    content = find_first_text(arguments, "content", "file_text") or ""
    lines = split_text_lines(content) if content else []
    below = [line((f"+{each[:LONGEST]}", "added")) for each in lines[:CUT]]
    if len(lines) > CUT:
        below.append(line((f"… {format_count(len(lines) - CUT, 'more line')}", "faint")))
    return _format_file_title(call, arguments, (f"  +{len(lines)}", "faint")), below


def _format_todos(
    call: ToolCall, arguments: Mapping[str, object], result: ToolResult | None
) -> Body:
    todos = read_written_todos(call)
    if todos is None:
        return _format_any_tool(call, arguments, result)
    return line((call.name, "tool")), format_checklist(todos)


def _format_lookup(
    call: ToolCall, arguments: Mapping[str, object], result: ToolResult | None
) -> Body:
    subject = find_first_text(arguments, *SUBJECTS) or ""
    rest = format_details({key: item for key, item in arguments.items() if item != subject})
    words = f" {to_one_line(subject, TITLE)}" if subject else ""
    more = f"  {to_one_line(rest, TITLE // 2)}" if rest else ""
    came = f"  → {amount_text}" if (amount_text := describe_amount(result)) else ""
    return line((call.name, "tool"), words, (more, "faint"), (came, "faint")), []


def _format_agent(
    call: ToolCall, arguments: Mapping[str, object], result: ToolResult | None
) -> Body:
    kind = find_first_text(arguments, "subagent_type", "agent_type")
    about = find_first_text(arguments, "description") or ""
    prompt = find_first_text(arguments, "prompt") or ""
    below = [line((to_one_line(prompt, TITLE), "faint"))] if prompt else []
    return line(
        (call.name, "tool"),
        f" {to_one_line(about, TITLE)}",
        (f"  ({kind})" if kind else "", "faint"),
    ), below


def _format_command(
    call: ToolCall, arguments: Mapping[str, object], result: ToolResult | None
) -> Body:
    command = find_first_text(arguments, "command", "skill", "name")
    if command is None:
        return _format_any_tool(call, arguments, result)
    return line(("[", "faint"), (to_one_line(command, TITLE), "tool"), ("]", "faint")), []


def _format_file_title(call: ToolCall, arguments: Mapping[str, object], tail: Span) -> Line:
    path = find_first_text(arguments, *PATHS) or ""
    return line((call.name, "tool"), f" {to_one_line(path, TITLE)}", tail)


_View: TypeAlias = Callable[[ToolCall, Mapping[str, object], ToolResult | None], Body]
_VIEWS: dict[str, _View] = {
    **dict.fromkeys(("bash", "shell", "execute", "runcommand"), _format_shell),
    **dict.fromkeys(("edit", "multiedit", "notebookedit", "strreplace"), _format_edit),
    **dict.fromkeys(("write", "create", "writefile"), _format_write),
    **dict.fromkeys(("read", "grep", "glob", "ls", "notebookread", "readfile"), _format_lookup),
    **dict.fromkeys(("webfetch", "websearch", "killshell", "todoread"), _format_lookup),
    **dict.fromkeys(("task", "agent"), _format_agent),
    **dict.fromkeys(("slashcommand", "skill"), _format_command),
    "todowrite": _format_todos,
}
_QUIET = frozenset({_format_edit, _format_write, _format_lookup, _format_todos})
"""Views that leave out a successful result: it adds nothing to the call."""


def format_call_title(call: ToolCall) -> str:
    """Return a call in a few words."""
    arguments = get_arguments(call)
    title, _ = _VIEWS.get(normalize_tool_name(call.name), _format_any_tool)(call, arguments, None)
    return "".join(text for text, style in title if style != "faint").strip()
