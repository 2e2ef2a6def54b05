"""The text of a file's bytes without escapes, with the origin of each byte.

A letter may be written as `\\u0073` or `&#115;`, escaped several times because JSON is inside a
string of JSON, and in UTF-16. Removing one layer of escapes gives another reading. All readings are
UTF-8. A reading holds only the text around escapes: the rest is the same as before.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

Span = tuple[int, int]
LITTLE, BIG = "utf-16-le", "utf-16-be"
_BOMS = {b"\xff\xfe": LITTLE, b"\xfe\xff": BIG}
_RUNS = {
    LITTLE: re.compile(rb"(?:[\t\n\r\x20-\x7e]\0){4}"),
    BIG: re.compile(rb"(?:\0[\t\n\r\x20-\x7e]){4}"),
}
"""Text that UTF-16 files nearly always contain."""
_JSON = re.compile(rb'\s*(?:\{\s*["}]|\[\s*(?:["{\[\]]|-?\d|true|false|null))')
_JSON_ESCAPE = re.compile(
    rb"\\(?:u(?:([dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|([0-9a-fA-F]{4}))"
    rb"|([\"\\/bfnrt]))"
)
_ENTITY = re.compile(rb"&(?:(lt|gt|quot|apos|amp)|#0*([0-9]{1,7})|#[xX]0*([0-9a-fA-F]{1,6}));")
_PIECES = re.compile("[\0-\x7f]+|[^\0-\x7f]")
_SHORT = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_NAMED = {b"lt": b"<", b"gt": b">", b"quot": b'"', b"apos": b"'", b"amp": b"&"}
_NO_TEXT = b"\xff"
"""A byte that no text contains: marks the end of a string, and what is omitted between escapes."""
_DEEPEST = 5
"""How many layers of escapes are removed, such as JSON in XML in JSON."""
_LONGEST_CHAR = 4
"""Maximum bytes of a character."""


class MappedRun(NamedTuple):
    """Bytes of a reading that come from adjacent bytes of its source.

    A run that is not longer than a character is one character, which is masked as a whole.
    """

    start: int
    source: int
    size: int
    source_size: int

    def offset(self, offset: int, *, is_end: bool) -> int:
        """Return the offset in the source of an offset in the run."""
        if self.size > _LONGEST_CHAR:
            return offset * (self.source_size // self.size)
        return self.source_size if is_end else 0


class LayerReading:
    """A text and where its bytes come from."""

    def __init__(
        self, data: bytes, batches: list[MappedRun] | None = None, base: LayerReading | None = None
    ) -> None:
        self.data = data
        self._batches = batches
        self._base = base
        self._starts = [] if batches is None else [batch.start for batch in batches]

    def source_span(self, start: int, stop: int) -> Span:
        """Return the span of the file for a part of the text."""
        if self._batches is not None:
            first = self._batches[bisect_right(self._starts, start) - 1]
            last = self._batches[bisect_right(self._starts, stop - 1) - 1]
            start = first.source + first.offset(start - first.start, is_end=False)
            stop = last.source + last.offset(stop - last.start, is_end=True)
        return (start, stop) if self._base is None else self._base.source_span(start, stop)


def detect_encoding(head: bytes) -> str | None:
    """Return the encoding of a file that begins with a UTF-16 byte order mark."""
    return _BOMS.get(head[:2])


def is_json(head: bytes) -> bool:
    """Whether a file with this beginning is JSON or JSON lines."""
    encoding = detect_encoding(head)
    if encoding is not None:
        head = head[2:].decode(encoding, "replace").encode("utf-8", "replace")
    return _JSON.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def iter_plain_readings(data: bytes, encoding: str | None) -> Iterator[LayerReading]:
    """Yield the bytes of a file as text with all its escapes, also as UTF-16 if they look so."""
    if encoding is not None:
        yield _decode_utf16(data, encoding, 0)
        return
    yield LayerReading(data)
    if b"\0" in data:
        for each, pattern in _RUNS.items():
            for at in sorted({found.start() % 2 for found in pattern.finditer(data)}):
                yield _decode_utf16(data, each, at)


def iter_unescaped_readings(
    reading: LayerReading, around: int, *, json: bool, depth: int = 0
) -> Iterator[LayerReading]:
    """Yield a text with one or more layers of escapes removed, in every order.

    `around` is how many bytes next to an escape are kept.
    """
    if depth == _DEEPEST:
        return
    for pattern in (_JSON_ESCAPE, _ENTITY):
        found = _unescape(reading, pattern, around, json=json and pattern is _JSON_ESCAPE)
        if found is not None:
            yield found
            yield from iter_unescaped_readings(found, around, json=False, depth=depth + 1)


def _unescape(
    reading: LayerReading, pattern: re.Pattern[bytes], around: int, *, json: bool
) -> LayerReading | None:
    """Return the text around escapes without them; None if there are none."""
    making = _ReadingBuilder(reading, json=json)
    at = 0
    for found in pattern.finditer(reading.data):
        start, stop = found.span()
        if start - at > 2 * around:
            making.add_plain(at, at + around if at else 0)
            making.leave_out(start - around)
            at = start - around
        making.add_plain(at, start)
        making.add_char(
            _decode_escape(found) if pattern is _JSON_ESCAPE else _decode_entity(found), start, stop
        )
        at = stop
    if not at:
        return None
    making.add_plain(at, min(len(reading.data), at + around))
    return making.build()


class _ReadingBuilder:
    """Builds a reading from another one."""

    def __init__(self, base: LayerReading, *, json: bool) -> None:
        self._base = base
        self._json = json
        self._out: list[bytes] = []
        self._batches: list[MappedRun] = []
        self._size = 0

    def add_plain(self, start: int, stop: int) -> None:
        """Add bytes without escapes. A quotation mark without a backslash ends a string."""
        data = self._base.data[start:stop]
        if len(data) > _LONGEST_CHAR:
            self._batches.append(MappedRun(self._size, start, len(data), len(data)))
        else:
            self._batches += [MappedRun(self._size + n, start + n, 1, 1) for n in range(len(data))]
        self._out.append(data.replace(b'"', _NO_TEXT) if self._json else data)
        self._size += len(data)

    def add_char(self, char: bytes, start: int, stop: int) -> None:
        """Add the character of an escape."""
        self._batches.append(MappedRun(self._size, start, len(char), stop - start))
        self._out.append(char)
        self._size += len(char)

    def leave_out(self, stop: int) -> None:
        """Omit what precedes an offset."""
        self.add_char(_NO_TEXT, stop, stop)

    def build(self) -> LayerReading:
        """Return the reading."""
        return LayerReading(b"".join(self._out), self._batches, self._base)


def _decode_escape(found: re.Match[bytes]) -> bytes:
    """Return the character of a JSON escape."""
    pair, unit, short = found.groups()
    if short is not None:
        return _SHORT.get(short, short)
    units = unit if pair is None else pair.replace(b"\\u", b"")
    return (
        bytes.fromhex(units.decode()).decode(BIG, "surrogatepass").encode("utf-8", "surrogatepass")
    )


def _decode_entity(found: re.Match[bytes]) -> bytes:
    """Return the character of an entity."""
    name, decimal, hexadecimal = found.groups()
    if name is not None:
        return _NAMED[name]
    number = int(decimal) if decimal is not None else int(hexadecimal, 16)
    return chr(number).encode("utf-8", "surrogatepass") if number < 0x110000 else _NO_TEXT


def _decode_utf16(data: bytes, encoding: str, at: int) -> LayerReading:
    """Return UTF-16 bytes as UTF-8."""
    stop = at + (len(data) - at) // 2 * 2
    text = data[at:stop].decode(encoding, "surrogatepass")
    out: list[bytes] = []
    batches: list[MappedRun] = []
    size = 0
    for found in _PIECES.finditer(text):
        piece = found[0]
        new = piece.encode("utf-8", "surrogatepass")
        width = len(piece.encode(encoding, "surrogatepass"))
        if len(new) == len(piece) and len(new) <= _LONGEST_CHAR:
            batches += [MappedRun(size + n, at + 2 * n, 1, 2) for n in range(len(new))]
        else:
            batches.append(MappedRun(size, at, len(new), width))
        out.append(new)
        size += len(new)
        at += width
    return LayerReading(b"".join(out), batches, LayerReading(data))
