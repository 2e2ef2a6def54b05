"""All rules for Sage sessions, by subject."""

from __future__ import annotations

from talktree.formats.rule import rules_in
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

RULES = rules_in(lines, place, tools, state, snapshots, backups, metadata, store)
