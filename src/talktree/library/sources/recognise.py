"""Which format what was found is in, and whether its lines can be read as they come."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import msgspec

from talktree.errors import TalktreeError
from talktree.files import OnDisk, Source
from talktree.library.sources.find import Found

CLAUDE_CODE = "claude-code"
HEAD = 1 << 16
MOST_LINES = 50
"""So many of the first lines are looked at."""
LONGEST_FIRST = 32 << 20
"""A first line that is not longer than that is read whole to see what it is."""
_MARK = b"\xef\xbb\xbf"
_OBJECTS = (b'{"', _MARK)
"""How files of lines begin."""


class Recognised(NamedTuple):
    """The format of a source."""

    format: str
    lines: bool
    """Whether each line is a record that can be read alone, and more lines may follow."""


def recognised(found: Found) -> Recognised | None:
    """The format of what was found; None if it is no conversation. Errors of reading are raised."""
    if found.kind == "file":
        with open(found.path, "rb") as file:
            head = file.read(HEAD)
            if head.startswith(_OBJECTS) and b"\n" not in head:
                head += file.readline(LONGEST_FIRST)
        if _shows_lines(head):
            return Recognised(CLAUDE_CODE, lines=True)
        if not head:
            return None
    from talktree.formats.detect import detect

    try:
        return Recognised(detect(source_of(found)).format.info.slug, lines=False)
    except TalktreeError:
        return None


def is_conversation_folder(found: Found) -> bool:
    """Whether a format recognises a folder as one conversation."""
    from talktree.formats.sources import is_one

    try:
        return is_one(source_of(found))
    except TalktreeError:
        return False


def source_of(found: Found) -> Source:
    """What was found, as formats see it."""
    name = os.fsdecode(os.path.basename(found.path))
    if found.kind == "file":
        return Source(
            name,
            {name: OnDisk(Path(os.fsdecode(found.path)))},
            folder=False,
            place=Path(os.fsdecode(found.path)),
        )
    files = {relative(seen.path, found.path): seen.path for seen in found.files}
    contents = {path: OnDisk(Path(os.fsdecode(full))) for path, full in files.items()}
    return Source(name, contents, folder=True)


def relative(path: bytes, root: bytes) -> str:
    """The path of a file below its folder, as formats know it."""
    return os.fsdecode(path[len(root) :].lstrip(b"/"))


def _shows_lines(head: bytes) -> bool:
    """Whether the first line that can be read, nearly always the first, shows what all are.

    Only lines with an end count: what they show stays so while the file grows.
    """
    if not head.startswith(_OBJECTS) or b"\n" not in head:
        return False
    from talktree.formats.claude_code.records import looks_real

    for line in head.removeprefix(_MARK).split(b"\n", MOST_LINES)[:-1]:
        try:
            value = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            continue
        if isinstance(value, dict) and value:
            return looks_real(value) is not None
    return False
