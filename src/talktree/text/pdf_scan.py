"""Active content of a PDF: scripts, programs it starts, actions on opening.

It is searched for names, not parsed: names count outside strings, comments and the contents of
pages, also if they are escaped or inside compressed objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from talktree.text.archive_scan import inflate

HEADER = re.compile(rb"%PDF-[0-9]")
FURTHEST = 1024
"""Readers accept a header within this many bytes."""
MOST_INFLATED = 8 << 20
"""Maximum number of bytes of compressed objects that are scanned."""
LONGEST_HEAD = 4096
"""How far before a stream its dictionary may begin."""
_STREAM = re.compile(rb"(?<!end)stream\r?\n")
_TOKEN = re.compile(rb"\((?:[^()\\]|\\.)*+\)?|%[^\r\n]*+|/([^\x00\s()<>\[\]{}/%]*+)", re.DOTALL)
_ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")
_VALUE = re.compile(rb"\s*+(?:[(<]|[0-9]+\s+[0-9]+\s+R)")
_TARGET = re.compile(rb"\s*+(?:<<|([0-9]{1,10})\s+([0-9]{1,5})\s+R)")
_ACTION = re.compile(rb"/S\s*+/([A-Za-z#0-9]{1,40})")
_ACTING = frozenset({b"URI", b"SubmitForm", b"ImportData", b"GoToR", b"GoToE", b"Rendition"})
_NEAR = 400
MOST_OPENED = 8
"""Maximum number of actions on opening that are followed; a document has one, and each needs a
search."""


def is_pdf(data: bytes) -> bool:
    """Whether readers accept bytes as a PDF."""
    return HEADER.search(data, 0, FURTHEST) is not None


def describe_pdf_actions(data: bytes) -> str | None:
    """Describe the active content of a PDF; None if there is none."""
    found: dict[str, None] = {}
    objects = list(_iterate_objects(data))
    for each in objects:
        found.update(dict.fromkeys(_find_actions(each, objects)))
    return ", ".join(found) or None


def _iterate_objects(data: bytes) -> Iterator[bytes]:
    """Yield the content outside streams, and the content of object streams."""
    at, left = 0, MOST_INFLATED
    outside: list[bytes] = []
    while (found := _STREAM.search(data, at)) is not None:
        end = data.find(b"endstream", found.end())
        end = len(data) if end < 0 else end
        outside.append(data[at : found.start()])
        names = {_decode_name(each) for each in _TOKEN.findall(outside[-1][-LONGEST_HEAD:]) if each}
        if b"ObjStm" in names and left > 0:
            body = data[found.end() : end]
            inside = inflate(body, left) if names & {b"FlateDecode", b"Fl"} else body[:left]
            left -= len(inside)
            yield inside
        at = end
    outside.append(data[at:])
    yield b"\n".join(outside)


def _decode_name(written: bytes) -> bytes:
    if b"#" not in written:
        return written
    return _ESCAPE.sub(lambda found: bytes([int(found.group(1), 16)]), written)


def _find_actions(text: bytes, objects: list[bytes]) -> Iterator[str]:
    before, opened = b"", 0
    for found in _TOKEN.finditer(text):
        if found.group(1) is None:
            continue
        name = _decode_name(found.group(1))
        if name == b"JavaScript" or (name == b"JS" and _VALUE.match(text, found.end())):
            yield "JavaScript"
        elif name == b"Launch" and before == b"S":
            yield "starts a program (Launch)"
        elif name == b"OpenAction" and opened < MOST_OPENED:
            opened += 1
            if action := _describe_open_action(text, found.end(), objects):
                yield f"acts when it is opened ({action})"
        before = name


def _describe_open_action(text: bytes, at: int, objects: list[bytes]) -> str | None:
    """Describe the action on opening, unless it only goes to a page."""
    found = _TARGET.match(text, at)
    if found is None:
        return None
    near = [text[found.end() : found.end() + _NEAR]]
    if found.group(1) is not None:
        named = re.compile(rb"(?<![0-9])%s\s+%s\s+obj" % found.groups())
        near = [
            each[start.end() : start.end() + _NEAR].partition(b"endobj")[0]
            for each in objects
            if (start := named.search(each)) is not None
        ]
    for each in near:
        for action in _ACTION.finditer(each):
            if (name := _decode_name(action.group(1))) in _ACTING:
                return name.decode("ascii", "replace")
    return None
