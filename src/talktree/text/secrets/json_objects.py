"""Secret values in JSON objects in which another member marks them as secret.

`{"kind": "Secret", "data": {…}}`, `{"sensitive": true, "value": "…"}`, `{"type": "secret", …}`. The
bytes may be a text that contains JSON, or JSON itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from talktree.text.secrets.patterns import NAMED_PASSWORD, Found
from talktree.text.secrets.placeholders import is_placeholder
from talktree.text.secrets.quoting import read_value
from talktree.text.secrets.values import Value, is_password

_FAR = 1 << 11
"""Maximum distance of an object's values from the mark."""
_BRACES = re.compile(rb"[{}]")
_SPACE = rb"(?:\s|\\n|[+>]){0,24}"
_VALUE = re.compile(
    rb"\\{0,7}[\"']?\b[vV]alue\\{0,7}[\"']?" + _SPACE + rb"[:=]" + _SPACE + rb"(?=\\{0,7}[\"'])"
)
_TYPE = re.compile(rb"type\\{0,7}[\"'][ \t]{0,4}:[ \t]{0,4}\\{0,7}[\"']\Z", re.IGNORECASE)
_KIND = re.compile(rb"\"kind\"\s{0,8}:\s{0,8}\"\Z")
_BLOCK = re.compile(rb"\"(?:data|stringData)\"\s{0,8}:\s{0,8}\{")
_MEMBER = re.compile(
    rb"\s{0,40},?\s{0,40}\"[^\"\\]{1,253}\"\s{0,8}:\s{0,8}(\"[^\"\\]*(?:\\.[^\"\\]*)*\")", re.DOTALL
)
_MANIFEST = 1 << 14


def find_values_around(data: bytes, at: int) -> Iterator[Found]:
    """Return the values of the object around a place."""
    # Braces are only searched for if there is a value at all.
    if data.find(b"alue", max(0, at - _FAR), at + _FAR) < 0:
        return
    start, stop = _find_object_around(data, at, _FAR)
    for sign in _VALUE.finditer(data, start, stop):
        written = read_value(data, sign.end())
        if written is not None and is_password(Value(written.text, True, True)):
            yield NAMED_PASSWORD, written.start, written.stop, "a value that is called secret"


def is_typed(data: bytes, hit: int) -> bool:
    """Whether `"type": "secret"` is written around the end of its last word."""
    begin = hit - 3
    if data[begin : hit + 3].lower() != b"secret" or data[hit + 3 : hit + 4] not in b"\\\"'":
        return False
    return _TYPE.search(data, max(0, begin - 24), begin) is not None


def find_members(data: bytes, hit: int) -> Iterator[tuple[int, int]]:
    """Return the ranges of the JSON strings, with quotes, in an object whose kind is here."""
    if data[hit - 3 : hit + 4] != b'Secret"':
        return
    if _KIND.search(data, max(0, hit - 40), hit - 3) is None:
        return
    start, stop = _find_object_around(data, hit, _MANIFEST)
    for block in _BLOCK.finditer(data, start, stop):
        at = block.end()
        while (member := _MEMBER.match(data, at)) is not None:
            at = member.end()
            text = member.group(1)[1:-1]
            # JSON in braces is a value; other words in braces are a placeholder.
            if len(text) >= 4 and (text.startswith(b'{\\"') or not is_placeholder(text)):
                yield member.span(1)


def _find_object_around(data: bytes, at: int, far: int) -> tuple[int, int]:
    """Return the range of the object around a place, within the maximum distance."""
    start = max(0, at - far)
    open_braces = 0
    for brace in reversed(list(_BRACES.finditer(data, start, at))):
        open_braces += 1 if brace.group() == b"{" else -1
        if open_braces > 0:
            start = brace.start()
            break
    stop = min(len(data), at + far)
    closed = 0
    for brace in _BRACES.finditer(data, at, stop):
        closed += 1 if brace.group() == b"}" else -1
        if closed > 0:
            return start, brace.end()
    return start, stop
