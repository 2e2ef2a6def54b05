"""The rules for the files that Claude Code writes."""

from __future__ import annotations

from talktree.formats.claude_code.rules import (
    content_blocks,
    notes,
    session_lines,
    sessions_on_disk,
)
from talktree.formats.rule import find_rules

RULES = find_rules(session_lines, content_blocks, sessions_on_disk, notes)
