"""All rules for native files, by subject."""

from __future__ import annotations

from collections.abc import Sequence

from talktree.formats.native import rules_file, rules_members
from talktree.formats.rule import Rule, rules_in


def native_rules() -> Sequence[Rule]:
    """NAT1 versions, NAT2 conversations, NAT3 members, NAT4 places in the tree."""
    return rules_in(rules_file, rules_members)
