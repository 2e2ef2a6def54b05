"""The rules for the documented message types."""

from __future__ import annotations

from talktree.formats.claude_messages.rules import compaction, fields, subtypes
from talktree.formats.rule import rules_in

RULES = rules_in(fields, subtypes, compaction)
