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
_BEFORE_A_RECORD = b"\xef\xbb\xbf \t\r\n"


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
        if _begins_as_claude_code(head):
            return Recognised(CLAUDE_CODE, lines=True)
        if not head:
            return None
    from talktree.formats.detect import detect

    try:
        slug = detect(source_of(found)).format.info.slug
    except TalktreeError:
        return None
    return Recognised(slug, lines=found.kind == "file" and slug == CLAUDE_CODE and _is_lines(head))


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


def _begins_as_claude_code(head: bytes) -> bool:
    """Whether the first line alone shows what it is, as that of nearly every session does."""
    if not head.startswith(b'{"'):
        return False
    from talktree.formats.claude_code.records import looks_real

    end = head.find(b"\n")
    try:
        first = msgspec.json.decode(head[: end if end >= 0 else len(head)])
    except (msgspec.DecodeError, RecursionError):
        return False
    return looks_real(first) is not None and b'"loglines"' not in head[:4096]


def _is_lines(head: bytes) -> bool:
    if head.lstrip(_BEFORE_A_RECORD)[:1] != b"{":
        return False
    from talktree.formats.claude_code.records import Dialect
    from talktree.formats.json_lines import is_lines

    return b'"loglines"' not in head[:4096] and is_lines(head, Dialect())
