"""All rules for native files, by subject."""

from __future__ import annotations

from talktree.formats.native.rules import file, members
from talktree.formats.rule import find_rules

RULES = find_rules(file, members)
