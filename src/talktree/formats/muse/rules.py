"""All rules for Muse histories, by subject."""

from __future__ import annotations

from collections.abc import Sequence

from talktree.formats.muse import rules_classes, rules_messages, rules_root, rules_times
from talktree.formats.rule import Rule, rules_in


def muse_rules() -> Sequence[Rule]:
    """MUS1 conversations, MUS2 messages, MUS3 times, MUS4 classification."""
    return rules_in(rules_root, rules_messages, rules_times, rules_classes)
