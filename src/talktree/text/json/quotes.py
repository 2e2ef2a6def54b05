"""Where a JSON string really ends if a quote was lost or inserted.

A single wrong quote inverts everything after it: names become values and values names. The text
after a quote shows whether it ends a string, so the damage stays in one value.
"""

from __future__ import annotations

import re

from talktree.text.json.syntax import COLON, SPACE

_REST = rb'[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+"'
_BLANKS = rb"[ \t\r\n]*+"
REST_OF_STRING = re.compile(_REST)
"""The rest of a string on its line, with its closing quote."""
NAME = re.compile(rb'"' + _REST + _BLANKS + rb":")
BEHIND_MEMBER = re.compile(_BLANKS + rb"(?:," + _BLANKS + rb'"' + _REST + _BLANKS + rb":|\}|\Z)")
"""What follows a member of an object: the next one, or the object's end."""
BEHIND_ITEM = re.compile(_BLANKS + rb"(?:[,\]]|\Z)")
"""What follows an item of a list."""
UNOPENED_NAME = re.compile(rb'([A-Za-z_$][\w$.-]{0,80}+)"' + _BLANKS + rb":")
"""A name without its opening quote."""
UNCLOSED_NAME = re.compile(rb'"([A-Za-z_$][\w$.-]{0,80}+)[ \t]*+:(?=[ \t]*+["\[{\dtfn-])')
"""A name without its closing quote."""
BEFORE_OBJECT = re.compile(rb'"[ \t]*+[\[{][ \t]*+"[A-Za-z_$][\w$.-]{0,80}+"' + _BLANKS + rb":")
"""A quote before an object, and its first name."""
FIRST_NAME = re.compile(rb"\{" + _BLANKS + rb'"' + _REST + _BLANKS + rb":")
"""The beginning of an object, with its first name."""
STRUCTURE = re.compile(rb"[ \t\r]*+[\[\]{},]++[ \t\r]*+")
"""A line after a quote that is unlikely to be the beginning of a text."""
MOST_QUOTES = 64
"""Maximum number of quotes tried before a string ends where it seems to end."""
LONGEST_NAME = 256
_NO_TEXT = frozenset(b",}]:{[\0/")


def end_of_value(text: bytes, stop: int, *, in_list: bool) -> int:
    """Return where a value ends that seems to end at `stop`, after a quote."""
    behind = BEHIND_ITEM if in_list else BEHIND_MEMBER
    if text[stop : stop + 1] == b'"':
        return stop + 1 if behind.match(text, stop + 1) else stop
    after = SPACE.match(text, stop).end()  # type: ignore[union-attr]
    if after >= len(text) or text[after] in _NO_TEXT or text[after] == 0x22:
        return stop
    return _find_next_end(text, stop, behind) or stop


def end_of_unopened(text: bytes, start: int, word_end: int, *, in_list: bool) -> int | None:
    """Return where a value without its opening quote ends; None if it does not look like one.

    The value begins with a word.
    """
    after = SPACE.match(text, word_end).end()  # type: ignore[union-attr]
    if after >= len(text) or text[after] in _NO_TEXT:
        return None
    return _find_next_end(text, start, BEHIND_ITEM if in_list else BEHIND_MEMBER)


def _find_next_end(text: bytes, at: int, behind: re.Pattern[bytes]) -> int | None:
    for _ in range(MOST_QUOTES):
        found = REST_OF_STRING.match(text, at)
        if found is None:
            return None
        at = found.end()
        if behind.match(text, at):
            return at
    return None


def end_of_name(text: bytes, stop: int) -> int | None:
    """Return where a name ends that seems to end at `stop`, where no colon follows; None if
    nowhere."""
    found = REST_OF_STRING.match(text, stop)
    if found is None or found.end() - stop > LONGEST_NAME:
        return None
    return found.end() if COLON.match(text, found.end()) else None
