"""The rules for comments, in any of the three encodings."""

from __future__ import annotations

from talktree.formats.rule import find_rules
from talktree.formats.studio.rules import artifacts, attachments, comment, hash, names, tree

RULES = find_rules(comment, hash, tree, names, attachments, artifacts)
