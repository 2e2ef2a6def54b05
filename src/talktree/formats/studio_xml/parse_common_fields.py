"""The fields of an ordinary comment, read at once: most files hold nothing else.

Whatever is written in another way, or odd in any respect, is left to the exact reader.
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
    """What the fields of a comment say, and where they stop."""

    value: Object
    stop: int


def _field_pattern(name: str, text: bytes) -> bytes:
    """One field, if it is there; two groups: the slash of a bare tag, and the text."""
    tag = name.encode()
    if name in ITEMS:
        return rb"(?:\s*+<" + tag + rb"(/)>())?+"
    return rb"(?:\s*+<" + tag + rb"(/?)>(?:(?<=/>)|(" + text + rb")</" + tag + rb">))?+"


_BARE, _FIELDS = (
    re.compile(b"".join(_field_pattern(name, text) for name in _NAMES))
    for text in (rb"[^<]*+", rb"[^<]*+|" + _SECTION)
)


def take_fields(text: bytes, start: int, *, sections: bool) -> Fields | None:
    """The fields from a place on, in the usual order; None if they need a closer look.

    Where no section ends any more, none is looked for: each search would go to the end of the file.
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
    """Add what elements cannot say; False if it is not an object, or says something again."""
    decoded = decode.decode(utf8.encode(words))
    extra = decoded.value
    if not decoded.usable or not isinstance(extra, dict) or not value.keys().isdisjoint(extra):
        return False
    value.update(extra)
    return True
