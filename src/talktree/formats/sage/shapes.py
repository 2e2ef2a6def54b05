"""The three ways in which Sage writes a message, and what each calls its members.

*Documented* is the design document's form, in which tool results stand beside the message;
*nested* is what the program writes, with the results inside; *legacy* is the older session file.
"""

from __future__ import annotations

from typing import NamedTuple

from talktree.formats.lens import Object


class Shape(NamedTuple):
    """What a form calls things."""

    calls: str = "toolCalls"
    results: str = "toolResults"
    call: str = "toolCallId"
    tool: str = "toolName"
    usage: str = "usage"
    tokens: tuple[str, str, str, str] = (
        "inputTokens",
        "outputTokens",
        "cacheReadTokens",
        "cacheWriteTokens",
    )
    nested: bool = False
    """Whether tool results stand inside the message."""
    stamped: bool = False
    """Whether each call and result has a time of its own."""
    full: bool = False
    """Whether lines with tool results have what all other lines have."""


DOCUMENTED = Shape()
FULL = Shape(full=True)
"""As documented twice: the example's results at the top, and all that the struct requires."""
NESTED = Shape(nested=True, full=True)
LEGACY = Shape(
    calls="tool_calls",
    results="tool_results",
    call="tool_call_id",
    tool="tool_name",
    usage="token_usage",
    tokens=("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"),
    stamped=True,
)


def shape_of(value: Object) -> Shape:
    """The form a message line has; what does not tell is as documented."""
    message = value.get("message")
    if isinstance(message, dict) and isinstance(message.get("toolResults"), list):
        return NESTED
    if isinstance(value.get("toolResults"), list) or not isinstance(message, dict):
        return DOCUMENTED
    return NESTED if value.get("type") == "tool_result" else DOCUMENTED
