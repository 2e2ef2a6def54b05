"""What a tool call is about, from its arguments alone; used by the terminal and by HTML."""

from __future__ import annotations

from collections.abc import Mapping

from talktree.model.parts import Text, ToolCall, ToolResult
from talktree.views.width import format_count

SUBJECTS = (
    "pattern", "query", "url", "file_path", "path", "notebook_path", "bash_id", "shell_id",
)  # fmt: skip
"""The subject of a folded call is the first of these arguments that it has."""
PATHS = ("file_path", "path", "notebook_path")


def get_arguments(call: ToolCall) -> Mapping[str, object]:
    """Return the named arguments of a call; empty if they have no names."""
    return call.input if isinstance(call.input, Mapping) else {}


def find_first_text(arguments: Mapping[str, object], *keys: str) -> str | None:
    """Return the first of these arguments that is a text."""
    for key in keys:
        found = arguments.get(key)
        if isinstance(found, str):
            return found
    return None


def extract_edits(arguments: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return the texts an editing tool replaces, with their replacements."""
    edits = arguments.get("edits")
    listed = edits if isinstance(edits, list) else [arguments]
    return [
        (
            find_first_text(each, "old_string", "old_str") or "",
            find_first_text(each, "new_string", "new_str", "new_source", "content") or "",
        )
        for each in listed
        if isinstance(each, Mapping)
    ]


def describe_amount(result: ToolResult | None) -> str:
    """Describe the size of a result in words."""
    if result is None or result.error:
        return ""
    lines = sum(_count_lines(part.text) for part in result.output if isinstance(part, Text))
    other = sum(not isinstance(part, Text) for part in result.output)
    return (
        format_count(lines, "line")
        if lines
        else format_count(other, "part")
        if other
        else "nothing"
    )


def _count_lines(text: str) -> int:
    """Return how many lines a text has; a newline at its end does not begin another one."""
    breaks = text.count("\n")
    return breaks + 1 - (breaks > 0 and text.endswith("\n"))
