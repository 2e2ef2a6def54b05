"""All rules for Muse histories, by subject."""

from __future__ import annotations

from talktree.formats.muse.rules import classes, messages, root, times
from talktree.formats.rule import rules_in

RULES = rules_in(root, messages, times, classes)
