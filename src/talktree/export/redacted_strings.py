"""Redacting strings of JSON one by one in the bytes; all other bytes stay.

Only strings that may contain a secret are decoded: those with a key name in them, values of members
with such a name, and those with escaped letters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from talktree.export.redaction import Redactor
from talktree.export.targets import PROTECTED
from talktree.text.secrets import Secret
from talktree.text.secrets.finds import find_suspects
from talktree.text.secrets.json_objects import find_members
from talktree.text.secrets.manifests import SECRET_VALUE
from talktree.text.secrets.named_values import is_number_secret
from talktree.text.secrets.patterns import NAMED_PASSWORD

_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_ESCAPED = re.compile(rb"\\u00[2-7]|\\/")
"""Escapes that hide letters in the bytes of JSON."""
_NUMBER = re.compile(rb"\s*:\s*([0-9]{4,64})(?=\s*[,}\]])")
_FOLLOWING = 300
"""How far after the line of a name its value may be, in JSON of many lines."""
_LABELS = frozenset({"name", "key", "Name", "Key"})


def redact_json(data: bytes, redactor: Redactor, *, every: bool) -> bytes:
    """Return bytes of JSON with the secrets in its strings replaced; `every` checks all strings."""
    if every:
        return _redact_strings(data, [], redactor, every=True)
    hits = list(find_suspects(data))
    held = {span for hit in hits for span in find_members(data, hit)}
    if held:
        data = _redact_members(data, sorted(held), redactor)
        hits = list(find_suspects(data))
    places = sorted({*hits, *(found.start() for found in _ESCAPED.finditer(data))})
    if not places:
        return data
    out: list[bytes] = []
    at = 0
    for start, stop, inside in _group_by_line(data, places):
        out += (data[at:start], _redact_strings(data[start:stop], inside, redactor, every=False))
        at = stop
    return b"".join((*out, data[at:]))


def _redact_members(data: bytes, spans: list[tuple[int, int]], redactor: Redactor) -> bytes:
    """Return the bytes with placeholders for strings that are secret because of their object."""
    out: list[bytes] = []
    at = 0
    for start, stop in spans:
        text = _decode_string(data[start:stop])
        words = redactor.make_placeholder(Secret(NAMED_PASSWORD, 0, len(text), SECRET_VALUE), text)
        out += (data[at:start], _encode_string(words, data[start:stop]))
        at = stop
    return b"".join((*out, data[at:]))


def _group_by_line(data: bytes, places: list[int]) -> Iterator[tuple[int, int, list[int]]]:
    """Yield the lines that contain some offsets, with the offsets relative to the line."""
    number = 0
    while number < len(places):
        start = data.rfind(b"\n", 0, places[number]) + 1
        stop = start
        inside: list[int] = []
        while number < len(places) and (places[number] < stop or not inside):
            inside.append(places[number] - start)
            line = data.find(b"\n", places[number])
            stop = len(data) if line < 0 else line + 1
            if stop - start < _FOLLOWING:
                line = data.find(b"\n", min(len(data), stop + _FOLLOWING))
                stop = len(data) if line < 0 else line + 1
            number += 1
        yield start, stop, inside


class _Previous(NamedTuple):
    """The previous string."""

    text: str
    stop: int
    flagged: bool


def _redact_strings(data: bytes, places: list[int], redactor: Redactor, *, every: bool) -> bytes:
    out: list[bytes] = []
    at = number = 0
    previous = _Previous("", 0, flagged=False)
    pair: str | None = None
    covered = 0
    for found in _STRING.finditer(data):
        start, stop = found.span()
        flagged = every
        while number < len(places) and places[number] < stop:
            covered += places[number] >= start
            flagged |= places[number] >= start
            number += 1
        between = data[previous.stop : start].strip()
        named = between == b":" or (between == b"," and previous.text.startswith("-"))
        if not flagged and not (named and (previous.flagged or pair)):
            previous = _Previous(_decode_name(data, start, stop), stop, flagged=False)
            continue
        text = _decode_string(found.group())
        name = previous.text if named else None
        if between == b":" and name in _LABELS:
            pair = text
        elif between == b":" and name in ("value", "Value") and pair:
            name, pair = pair, None
        if text and data[stop : stop + 8].lstrip()[:1] != b":":
            clean = _redact_string(redactor, text, name)
            if clean != text:
                out += (data[at:start], _encode_string(clean, found.group()))
                at = stop
        elif text and (value := _NUMBER.match(data, stop)) is not None:
            digits = value.group(1).decode()
            if is_number_secret(text, digits):
                out += (
                    data[at : value.start(1)],
                    _encode_string(redactor.make_number(digits), b""),
                )
                at = value.end(1)
        previous = _Previous(text, stop, flagged=flagged)
    if covered < len(places) and not every and b'"' not in data[:200]:
        # It is not JSON after all.
        return redactor.without_secrets(_decode_text(data)).encode("utf-8", "surrogateescape")
    return b"".join((*out, data[at:])) if out else data


def _redact_string(redactor: Redactor, text: str, name: str | None) -> str:
    clean = redactor.without_secrets(text, name)
    return clean if name in PROTECTED else redactor.without_targets(clean)


def _decode_name(data: bytes, start: int, stop: int) -> str:
    """Return a short string that is only used as a name."""
    return data[start + 1 : stop - 1].decode("ascii", "replace") if stop - start < 64 else ""


def _decode_string(raw: bytes) -> str:
    if b"\\" not in raw:
        return raw[1:-1].decode("utf-8", "surrogateescape")
    try:
        text: str = json.loads(raw.decode("utf-8", "surrogateescape"), strict=False)
    except ValueError:
        return ""
    return text


def _encode_string(text: str, raw: bytes) -> bytes:
    return json.dumps(text, ensure_ascii=raw.isascii()).encode("utf-8", "surrogateescape")


def _decode_text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
