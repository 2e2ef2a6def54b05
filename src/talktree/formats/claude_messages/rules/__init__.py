"""The rules for the documented message types."""

from __future__ import annotations

from talktree.formats.claude_messages.rules import compaction, message_fields, subtypes
from talktree.formats.rule import find_rules

RULES = find_rules(message_fields, subtypes, compaction)
