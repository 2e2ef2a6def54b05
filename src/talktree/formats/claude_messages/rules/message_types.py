"""Helpers of the rules for the documented message types."""

from __future__ import annotations

from talktree.formats.lens import Object
from talktree.formats.rule_context import CheckedConversation, RuleRecord

CLAUDE_MESSAGES = ("claude-messages",)


def get_line_value(seen: RuleRecord) -> Object:
    """Return a line's value; empty if it is not an object."""
    value = seen.record.value
    return value if isinstance(value, dict) else {}


def is_documented(value: Object) -> bool:
    """Whether a line is of a documented type, not an API object as other lines hold."""
    return not isinstance(value.get("message"), dict)


def find_only_session(talk: CheckedConversation) -> str | None:
    """Return the session that all lines so far name, if it is the same, or None."""
    known = [name for name in talk.facts.session_names if name]
    return known[0] if len(known) == 1 else None
