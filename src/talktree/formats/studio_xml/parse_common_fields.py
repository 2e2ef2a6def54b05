"""The fields of an ordinary comment, read together: most files hold nothing else.

Anything that is written in another way, or has any oddity, is left to the exact reader.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from talktree.formats.lens import Object
from talktree.formats.studio_xml import elements
from talktree.formats.studio_xml.elements import COMMENT, EXTRA, FIELDS, ITEMS
from talktree.formats.studio_xml.lens import AbsentValue, read_natural
from talktree.text import utf8
from talktree.text.json import decode

_NAMES = (*FIELDS[COMMENT], *ITEMS, EXTRA)
_SECTION = rb"<!\[CDATA\[[^\]]*+(?:\](?!\]>)[^\]]*+)*+\]\]>"


class Fields(NamedTuple):
    """The values of a comment's fields, and where they end."""

    value: Object
    stop: int


def _field_pattern(name: str, text: bytes) -> bytes:
    """Return a pattern for one optional field; its groups are a bare tag's slash and the text."""
    tag = name.encode()
    if name in ITEMS:
        return rb"(?:\s*+<" + tag + rb"(/)>())?+"
    return rb"(?:\s*+<" + tag + rb"(/?)>(?:(?<=/>)|(" + text + rb")</" + tag + rb">))?+"


_BARE, _FIELDS = (
    re.compile(b"".join(_field_pattern(name, text) for name in _NAMES))
    for text in (rb"[^<]*+", rb"[^<]*+|" + _SECTION)
)


def take_fields(text: bytes, start: int, *, sections: bool) -> Fields | None:
    """Return the fields from an offset on, in the usual order; None if they need the exact reader.

    After the last section, none is searched for: each search would go to the end of the file.
    """
    found = (_FIELDS if sections else _BARE).match(text, start)
    assert found is not None
    groups = found.groups()
    value: Object = {}
    for name, mark, raw in zip(_NAMES, groups[::2], groups[1::2], strict=True):
        if mark is None:
            continue
        if name in ITEMS:
            value[name] = []
            continue
        words, odd = elements.decode(raw or b"")
        if odd or (name == EXTRA and not _take_extra(words, value)):
            return None
        item = read_natural(name, words)
        if name != EXTRA and not isinstance(item, AbsentValue):
            value[name] = item
    return Fields(value, found.end())


def _take_extra(words: str, value: Object) -> bool:
    """Add the members in `extra`; return False if it is not an object or repeats a member."""
    decoded = decode.decode(utf8.encode(words))
    extra = decoded.value
    if not decoded.usable or not isinstance(extra, dict) or not value.keys().isdisjoint(extra):
        return False
    value.update(extra)
    return True
