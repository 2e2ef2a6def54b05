"""All rules for Sage sessions, by subject."""

from __future__ import annotations

from collections.abc import Sequence

from talktree.formats.rule import Rule, rules_in
from talktree.formats.sage import (
    rules_backups,
    rules_lines,
    rules_metadata,
    rules_place,
    rules_snapshots,
    rules_state,
    rules_tools,
)


def sage_rules() -> Sequence[Rule]:
    """SAG1 lines, SAG2 tools, SAG3 state, SAG4 snapshots, SAG5 backups, SAG6 metadata."""
    return rules_in(
        rules_lines,
        rules_place,
        rules_tools,
        rules_state,
        rules_snapshots,
        rules_backups,
        rules_metadata,
    )
