"""The id of a conversation (cid): the number of its source, and its number in that source."""

from __future__ import annotations

import re
from typing import NamedTuple

from talktree.errors import NotFound

_CID = re.compile(r"([1-9][0-9]{0,17})(?:\.(0|[1-9][0-9]{0,8}))?")


class ConversationName(NamedTuple):
    """A source and the number of one of its conversations."""

    source: int
    number: int = 0

    def __str__(self) -> str:
        return f"{self.source}.{self.number}" if self.number else str(self.source)


def parse_cid(cid: str) -> ConversationName:
    """Parse a cid: `12` is the first conversation of source 12, `12.3` its fourth."""
    found = _CID.fullmatch(cid)
    if found is None:
        raise NotFound("there is no such conversation", hint="the list shows all")
    return ConversationName(int(found[1]), int(found[2] or 0))
