"""What the rules for the documented message types share."""

from __future__ import annotations

from talktree.formats.lens import Object
from talktree.formats.rule_context import CheckedConversation, RuleRecord

CLAUDE_MESSAGES = ("claude-messages",)


def get_line_value(seen: RuleRecord) -> Object:
    """A line's value; empty if it is no object."""
    value = seen.record.value
    return value if isinstance(value, dict) else {}


def is_documented(value: Object) -> bool:
    """Whether a line is in the words of the document, not an API object as other lines hold."""
    return not isinstance(value.get("message"), dict)


def find_only_session(talk: CheckedConversation) -> str | None:
    """The session of all lines so far that name one, if it is the same."""
    known = [name for name in talk.facts.session_names if name]
    return known[0] if len(known) == 1 else None
