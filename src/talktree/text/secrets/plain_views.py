"""Views of a text without terminal codes and percent-encoding, so that secrets are found in it.

Colour codes are glued to keys or occur between a name and its value, and in addresses the signs
around a key are percent-encoded.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

_COLOUR = re.compile(
    rb"(?:\x1b|\\{1,7}(?:u001[bB]|x1[bB]|033|e))"
    rb"(?:\[[0-9;:?]{0,40}[A-Za-z@~]|\][^\x07\x1b\\]{0,400}(?:\x07|\\{1,7}(?:u0007|x07|a)|\x1b\\)?|\([A-B0-2])"
)
"""A colour code, as a character or as escaped in code and JSON."""
_BY_NUMBER = re.compile(rb"%(?:25)?([2-7][0-9A-Fa-f])")
_ESCAPE = re.compile(rb"\\{1,15}(n|r|t|\"|'|/|u[0-9a-fA-F]{4})")
_MEANINGS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b'"': b'"', b"'": b"'", b"/": b"/"}
_SIGNS = (b"%3", b"%2", b"%5", b"%7")
ESCAPES = (b"\x1b", b"u001b[", b"u001B[", b"x1b[", b"033[", b"\\e[")


class View(NamedTuple):
    """A text in another form, with the positions of its pieces in the original text."""

    data: bytes
    starts: list[int]
    """Where pieces start here."""
    places: list[int]
    """Where they start in the original text."""
    apart: bool
    """Whether something was left out between the pieces."""

    def span(self, start: int, stop: int) -> tuple[int, int]:
        """Return the range in the original text."""
        return self._map_place(start), self._map_place(
            stop - 1
        ) + 1 if self.apart else self._map_place(stop)

    def _map_place(self, at: int) -> int:
        number = bisect_right(self.starts, at) - 1
        return self.places[number] + at - self.starts[number]


def has_colours(data: bytes) -> bool:
    """Whether a text may contain terminal codes."""
    return any(sign in data for sign in ESCAPES)


def has_numbers(data: bytes) -> bool:
    """Whether a text may contain signs escaped by number, as in addresses."""
    return b"%" in data and any(sign in data for sign in _SIGNS)


def make_views(data: bytes) -> Iterator[View]:
    """Return the other forms of a text, if it has any."""
    if has_colours(data):
        bare = _strip_terminal_codes(data)
        if bare is not None:
            yield bare
            data = _COLOUR.sub(lambda found: b" " * len(found.group()), data)
            yield View(data, [0], [0], apart=False)
    if b"\\" in data and _ESCAPE.search(data) is not None:
        yield _unescape_view(data)
    if has_numbers(data) and _BY_NUMBER.search(data) is not None:
        yield _decode_numbers(data)


def _strip_terminal_codes(data: bytes) -> View | None:
    """Return the text without terminal codes; None if there are none after all."""
    pieces, starts, places = [], [], []
    at = size = 0
    for found in _COLOUR.finditer(data):
        pieces.append(data[at : found.start()])
        starts.append(size)
        places.append(at)
        size += found.start() - at
        at = found.end()
    if not at:
        return None
    return View(b"".join((*pieces, data[at:])), [*starts, size], [*places, at], apart=True)


def _unescape_view(data: bytes) -> View:
    """Return the decoded text of a JSON string, or of code in it, at any depth."""
    pieces: list[bytes] = []
    starts, places = [0], [0]
    at = size = 0
    for found in _ESCAPE.finditer(data):
        pieces += (data[at : found.start()], _MEANINGS.get(found.group(1)[:1], b"?"))
        size += found.start() - at
        at = found.end()
        starts += (size, size + 1)
        places += (found.start(), at)
        size += 1
    return View(b"".join((*pieces, data[at:])), starts, places, apart=False)


def _decode_numbers(data: bytes) -> View:
    """Return the text with escapes by number decoded."""
    pieces: list[bytes] = []
    starts, places = [0], [0]
    at = size = 0
    for found in _BY_NUMBER.finditer(data):
        pieces += (data[at : found.start()], bytes((int(found.group(1), 16),)))
        size += found.start() - at
        at = found.end()
        starts += (size, size + 1)
        places += (found.start(), at)
        size += 1
    return View(b"".join((*pieces, data[at:])), starts, places, apart=False)
