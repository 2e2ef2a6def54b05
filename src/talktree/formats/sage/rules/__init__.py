"""All rules for Sage sessions, by subject."""

from __future__ import annotations

from talktree.formats.rule import find_rules
from talktree.formats.sage.rules import (
    backups,
    lines,
    metadata,
    place,
    snapshots,
    state,
    store,
    tools,
)

RULES = find_rules(lines, place, tools, state, snapshots, backups, metadata, store)
