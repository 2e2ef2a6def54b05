"""The rules for the files Claude Code writes."""

from __future__ import annotations

from talktree.formats.claude_code import rules_blocks, rules_files, rules_lines, rules_notes
from talktree.formats.rule import rules_in

RULES = rules_in(rules_lines, rules_blocks, rules_files, rules_notes)
