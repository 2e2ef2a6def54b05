"""The rules for message files."""

from __future__ import annotations

from talktree.formats.chatbuilder.rules import (
    header_fields,
    header_forms,
    header_values,
    message_text,
    numbering,
)
from talktree.formats.rule import find_rules

RULES = find_rules(header_fields, header_forms, header_values, message_text, numbering)
