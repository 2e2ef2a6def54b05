"""The rules for the documented message types."""

from __future__ import annotations

from talktree.formats.claude_messages import rules_compaction, rules_fields, rules_subtypes
from talktree.formats.rule import rules_in

RULES = rules_in(rules_fields, rules_subtypes, rules_compaction)
