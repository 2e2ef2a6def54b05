"""The words JSON is made of, and those that stand in its place when it is broken."""

from __future__ import annotations

import re

from talktree.text.json.value import Json

SPACE = re.compile(rb"[ \t\r\n]*")
STRING = re.compile(rb'"[^"\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*+)*+"', re.DOTALL)
LOOSE_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
STRING_OR_BLANKS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|([ \t\r\n]++)', re.DOTALL)
SOUND_ESCAPES = re.compile(rb'[^\\]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^\\]*+)*+')
COLON = re.compile(rb"[ \t\r\n\x00]*+:")
COLONLESS = re.compile(rb"[ \t\r\n\x00]*+[\[{]")
"""A list or an object right behind a name."""
NULS = re.compile(rb"\x00+")
CONTROL = re.compile(rb"[\x01-\x1f]")
NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?(?=[ \t\r\n\x00,\]}]|$)")
MEMBER = re.compile(
    rb'[ \t\r\n]*+"([ !#-\[\]-~]*+)"[ \t\r\n]*+:[ \t\r\n]*+'
    rb'(?:"([ !#-\[\]-~]*+)"|(-?(?:0|[1-9][0-9]{0,14}+))|(true|false|null))'
    rb"[ \t\r\n]*+(?:,|(?=\}))"
)
"""A whole member of an object, of the kind nearly all members are."""
FLAT = re.compile(rb'[\[{](?:[^"\[\]{}\x00]++|"[^"\\\x00-\x1f]*+")*+[\]}]')
"""A container with no other container and no escape inside."""
LONG_DIGITS = re.compile(rb"[0-9]{16}")
WORD = re.compile(rb'[^\s\x00,\[\]{}":]+')
COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
WORDS: dict[bytes, Json] = {b"true": True, b"false": False, b"null": None}
