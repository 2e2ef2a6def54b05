"""Helpers of the rules for the lists of a comment: its attachments and its artifacts."""

from __future__ import annotations

import re
from typing import NamedTuple

from talktree.formats.lens import Object
from talktree.formats.rule import Diagnostic
from talktree.formats.rule_context import RuleRecord
from talktree.formats.studio.schema import Make, with_item
from talktree.text.json.value import Json

LONGEST_SHOWN = 40
MEDIA = re.compile(r"[\w.+-]{1,100}/[\w.+-]{1,100}(?:\s*;.*)?", re.ASCII | re.DOTALL)
"""A media type and its parameters."""


class Items(NamedTuple):
    """One of the lists."""

    name: str
    """The member of the comment that holds it."""
    one: str
    """The name of an item in messages."""
    labelled: str
    """The member of an item that identifies it for the user."""

    def report(
        self, what: str, place: int, item: Object, *, at: str = "", make: Make | None = None
    ) -> Diagnostic:
        """Return a diagnostic for an item, and how it is fixed."""
        label = item.get(self.labelled)
        shown = f"{label[:LONGEST_SHOWN]!r}" if isinstance(label, str) else f"{place + 1}"
        way = f"{self.name}/{place}/{at}" if at else f"{self.name}/{place}"
        says = f"the {self.one} {shown} {what}"
        return Diagnostic(says, way=way, about=(place, make), fixable=make is not None)

    def replace_item(self, seen: RuleRecord, diagnostic: Diagnostic) -> Json:
        """Return the comment with the fix of a diagnostic applied to one of its items."""
        about = diagnostic.about
        assert isinstance(about, tuple)
        return with_item(seen.value, self.name, *about)
