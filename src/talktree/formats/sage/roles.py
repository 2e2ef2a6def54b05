"""A line's type and the role in its message say one thing twice; the model says it once.

An `error` line keeps who speaks in the role; a `summary` or `custom_title` line is an event.
"""

from __future__ import annotations

from talktree.formats.sage.detect_kinds import EVENTS
from talktree.text.json.value import Json


def role_of(type: str, said: Json) -> tuple[str, bool]:
    """The role of a message, and whether it tells of an error."""
    named = said if isinstance(said, str) and said else "system"
    match type:
        case "tool_result":
            return "tool", False
        case "error":
            return ("system" if named == "error" else named), True
        case _ if type in EVENTS:
            return named, False
        case _:
            return type, False


def names_of(role: str, *, error: bool = False, event: str | None = None) -> tuple[str, str]:
    """The type of a line and the role its message has."""
    if error:
        return "error", "error" if role == "system" else role
    if event is not None:
        for type, kind in EVENTS.items():
            if event == kind:
                return type, role
    return ("tool_result" if role == "tool" else role), role


def implied_type(said: str) -> str:
    """The type of a line whose message alone is known, as in older files."""
    return "tool_result" if said == "tool" else said
