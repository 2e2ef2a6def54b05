"""Which records surely do not say a text, told from their bytes without decoding them."""

from __future__ import annotations

import re
from collections.abc import Callable

from talktree.formats.engine import Origin
from talktree.formats.line_sheet import LineSheet
from talktree.model.conversation import Conversation

_PLAIN = re.compile(r"[a-z0-9 .,:;_@#$%&*()+=<>?!|{}\[\]~^'`-]+")
"""What stands in a line of JSON as it is, unless it is spelled with `\\u`."""

Silent = Callable[[int], bool]


def silent(conversation: Conversation, wanted: str) -> Silent:
    """Tells of a position whether its record surely does not have a text; that has no capitals."""
    origin = conversation.store
    if not isinstance(origin, Origin) or not _PLAIN.fullmatch(wanted):
        return lambda position: False
    sought, members, changed = wanted.encode(), conversation.members, conversation.changed

    def is_silent(position: int) -> bool:
        """Whether the bytes of a record rule it out."""
        number = members[position]
        if number in changed:
            return False
        which, index = origin.sheet_of(number)
        sheet = origin.sheets[which]
        if not isinstance(sheet, LineSheet):
            return False
        raw = sheet.content.read(sheet.starts[index], sheet.stops[index])
        # Other letters may be the same without case, and any letter may be spelled by number.
        return raw.isascii() and b"\\u" not in raw and sought not in raw.lower()

    return is_silent
