"""The rules for the files Claude Code writes."""

from __future__ import annotations

from talktree.formats.claude_code.rules import blocks, files, lines, notes
from talktree.formats.rule import rules_in

RULES = rules_in(lines, blocks, files, notes)
