"""The values in the first part of a JSON text, which may be truncated anywhere.

Missing ends of a plain text are added, so that the compiled decoder can read it; that is ten times
as fast as `scanner`, which reads everything else. Both return the same values.
"""

from __future__ import annotations

import re

import msgspec

from talktree.text.json.decode import decode
from talktree.text.json.scanner import NodeKind, scan_values
from talktree.text.json.value import REFUSALS, Json

_decode = msgspec.json.Decoder().decode
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|' + _STRING + rb")*+[\[\]{}]", re.DOTALL)
_TRUNCATED_STRING = rb'"[^"\\]*+(?:\\(?:[^u]|u[0-9a-fA-F]{4})[^"\\]*+)*+'
"""A string without its end, but without a truncated escape."""
_REST = re.compile(rb'((?:[^"]++|' + _STRING + rb")*+)(" + _TRUNCATED_STRING + rb")?+", re.DOTALL)
_CLOSED_BY = {0x7B: b"}", 0x5B: b"]"}


def decode_head(head: bytes) -> list[Json]:
    """Yield the objects and lists in a text, the last as far as it goes; bare words are left
    out."""
    value = _decode_plain(head)
    if value is not None:
        return [value]
    return [root.value for root in scan_values(head).roots if root.kind is not NodeKind.SCALAR]


def decode_truncated(line: bytes) -> Json:
    """Return the one value in a text, as far as it goes."""
    value = _decode_plain(line)
    return decode(line).value if value is None else value


def _decode_plain(head: bytes) -> dict[str, Json] | list[Json] | None:
    """Return the object or list in a plain text that may be truncated."""
    for text in (head, complete_truncated(head)):
        try:
            value: Json = _decode(text) if text else None
        except REFUSALS:
            continue
        if isinstance(value, dict | list):
            return value
    return None


def complete_truncated(head: bytes) -> bytes:
    """Return a truncated text with its missing end; empty if that is not easily determined."""
    at, open = 0, list[bytes]()
    while (found := _BRACKET.match(head, at)) is not None:
        at = found.end()
        bracket = head[at - 1]
        if bracket in _CLOSED_BY:
            open.append(_CLOSED_BY[bracket])
        elif not open or open.pop() != head[at - 1 : at]:
            return b""
    rest = _REST.fullmatch(head, at)
    if not open or rest is None:
        return b""
    whole = _with_string(head, rest, in_list=open[-1] == b"]")
    return whole + b"".join(reversed(open)) if whole else b""


def _with_string(head: bytes, rest: re.Match[bytes], *, in_list: bool) -> bytes:
    """Return the text up to its last whole value, or with its last string closed."""
    before, truncated = rest.group(1).strip(), rest.group(2)
    start = len(head[: rest.end(1)].rstrip())
    if truncated is not None and (in_list or before.endswith(b":")):
        return head + b'"'
    if before.endswith(b","):
        return head[: start - 1]
    return head[:start] if not before else b""
