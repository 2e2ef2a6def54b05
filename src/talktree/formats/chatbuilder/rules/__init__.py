"""What message files must be like."""

from __future__ import annotations

from talktree.formats.chatbuilder.rules import fields, files, header, text, values
from talktree.formats.rule import rules_in

RULES = rules_in(fields, header, values, text, files)
