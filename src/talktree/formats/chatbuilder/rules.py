"""What message files must be like."""

from __future__ import annotations

from collections.abc import Sequence

from talktree.formats.chatbuilder import (
    rules_fields,
    rules_files,
    rules_header,
    rules_text,
    rules_values,
)
from talktree.formats.rule import Rule, rules_in


def file_rules() -> Sequence[Rule]:
    """All rules about message files."""
    return rules_in(rules_fields, rules_header, rules_values, rules_text, rules_files)
