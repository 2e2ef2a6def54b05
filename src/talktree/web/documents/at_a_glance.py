"""Which records surely do not say a text, told from their bytes without decoding them."""

from __future__ import annotations

import re
from collections.abc import Callable

from talktree.formats.engine import Origin
from talktree.formats.jsonl_file import LineSheet
from talktree.model.conversation import Conversation

_PLAIN = re.compile(r"[a-z0-9 .,:;_@#$%&*()+=<>?!|{}\[\]~^'`-]+")
"""What stands in a line of JSON as it is, unless it is spelled with `\\u`."""
_SPELLED = re.compile(rb"\\u(?!00[01])")
"""Letters that are spelled by number; control characters are no letters."""
_ODD = tuple(
    chr(code)
    for code in (
        *(0xDF, 0x130, 0x149, 0x17F, 0x1F0, 0x1E9E, 0x212A),
        *range(0x1E96, 0x1E9B),
        *range(0xFB00, 0xFB07),
    )
)
"""Letters that are written with plain ones where case does not count."""

Silent = Callable[[int], bool]


def silent(conversation: Conversation, wanted: str) -> Silent:
    """Tells of a position whether its record surely does not have a text; that has no capitals."""
    origin = conversation.store
    if not isinstance(origin, Origin) or not _PLAIN.fullmatch(wanted):
        return lambda position: False
    sought, members, changed = wanted.encode(), conversation.members, conversation.changed
    odd = [each.encode() for each in _ODD if not set(each.casefold()).isdisjoint(wanted)]

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
        return sought not in raw.lower() and not _may_mean_others(raw, odd)

    return is_silent


def _may_mean_others(raw: bytes, odd: list[bytes]) -> bool:
    """Whether plain letters may be meant by something else in these bytes."""
    if not raw.isascii() and any(letter in raw for letter in odd):
        return True
    return b"\\u" in raw and _SPELLED.search(raw) is not None
