"""All rules for Muse histories, by subject."""

from __future__ import annotations

from talktree.formats.muse.rules import classes, messages, root, times
from talktree.formats.rule import find_rules

RULES = find_rules(root, messages, times, classes)
