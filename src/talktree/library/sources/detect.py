"""Detecting the format of a source, and whether it can be read line by line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import msgspec

from talktree.errors import TalktreeError
from talktree.files import OnDisk, Source, load
from talktree.library.sources.scan import SESSION_ENDINGS, FileStat, FoundPath

CLAUDE_CODE = "claude-code"
GLANCE, HEAD = 1 << 13, 1 << 16
"""How many bytes are read first, and how many if those are not enough."""
EMPTY = "the file is empty"
KEYS = "settings that may hold keys; never opened"
MOST_LINES = 50
"""How many of the first lines are examined."""
PART = 1 << 20
LONGEST_FIRST = 32 << 20
"""Maximum length of a first line that is read as a whole for detection."""
_MARK = b"\xef\xbb\xbf"
_OBJECTS = (b'{"', _MARK)
"""How files of lines begin."""


class RecognisedFormat(NamedTuple):
    """The format of a source."""

    format: str
    lines: bool
    """Whether each line is a record that can be read alone, and more lines may follow."""


class NotAConversation(NamedTuple):
    """Why something is not a conversation."""

    why: str


def detect_format(found: FoundPath, file: int | None = None) -> RecognisedFormat | NotAConversation:
    """Return the format of what was found, or why it has none. Read errors are raised.

    A file is already open.
    """
    if file is not None:
        if "body" in (
            _classify_start(os.pread(file, GLANCE, 0)),
            _classify_start(_read_head(file)),
        ):
            return RecognisedFormat(CLAUDE_CODE, lines=True)
        if not os.pread(file, 1, 0):
            return NotAConversation(EMPTY)
    from talktree.formats.detect import detect

    source = make_source(found)
    try:
        format = detect(source).format
        elsewhere = format.read_elsewhere(source)
    except TalktreeError as error:
        return NotAConversation(error.message.removeprefix(f"{source.name}: "))
    if elsewhere is not None:
        return NotAConversation(f"imported with the folder {elsewhere}, in which it goes on")
    slug = format.info.slug
    # A file that begins with lines without a message is a file of lines, too.
    lines = (
        file is not None and slug == CLAUDE_CODE and _classify_start(_read_head(file)) == "envelope"
    )
    return RecognisedFormat(slug, lines=lines)


def may_hold_keys(found: FoundPath) -> bool:
    """Whether a format considers a file secret, by its name and possibly those next to it.

    The names next to it are only listed if its own name makes that possible, and not for a file
    that the user named. Files of lines, which are the most common imports, do not contain settings.
    """
    if found.path.endswith(SESSION_ENDINGS):
        return False
    from talktree.formats import all_formats

    folder, name = os.path.split(os.fsdecode(found.path))
    formats = [format for format in all_formats() if format.can_withhold(name)]
    if not formats:
        return False
    source = make_source(found)
    if not found.asked:
        try:
            around = load(folder)
        except TalktreeError:
            return True
        # The name of the folder shows whether it contains settings.
        source = Source(os.path.basename(folder), around.files, folder=True)
    return any(name in format.find_withheld_files(source) for format in formats)


def find_parts_of_folder(found: FoundPath) -> tuple[FileStat, ...]:
    """Return the files of a folder that are one source together; none if no format recognises it.

    Files next to them that are conversations of other formats are sources of their own.
    """
    from talktree.formats.sources import find_foreign

    source = make_source(found)
    try:
        foreign = find_foreign(source)
    except TalktreeError:
        return ()
    if foreign is None:
        return ()
    if not foreign:
        return found.files
    return tuple(
        seen for seen in found.files if relative_path(seen.path, found.path) not in foreign
    )


def make_source(found: FoundPath) -> Source:
    """Return what was found as a source for formats."""
    name = os.fsdecode(os.path.basename(found.path))
    if found.kind == "file":
        return Source(
            name,
            {name: OnDisk(Path(os.fsdecode(found.path)))},
            folder=False,
            place=Path(os.fsdecode(found.path)),
        )
    files = {relative_path(seen.path, found.path): seen.path for seen in found.files}
    contents = {path: OnDisk(Path(os.fsdecode(full))) for path, full in files.items()}
    return Source(name, contents, folder=True)


def relative_path(path: bytes, root: bytes) -> str:
    """Return the path of a file below its folder, in the form that formats use."""
    return os.fsdecode(path[len(root) :].lstrip(b"/"))


def _read_head(file: int) -> bytes:
    """Return the first lines of an open file, or the first one if that is long."""
    head = os.pread(file, HEAD, 0)
    if not head.startswith(_OBJECTS) or b"\n" in head:
        return head
    whole = [head]
    at = len(head)
    while at < LONGEST_FIRST and b"\n" not in whole[-1]:
        more = os.pread(file, PART, at)
        if not more:
            break
        whole.append(more)
        at += len(more)
    return b"".join(whole)


def _classify_start(head: bytes) -> str | None:
    """Return what the first lines are: `body`, `misfit`, only an `envelope`, or None.

    The first readable message decides, nearly always on one of the first lines. Lines without a
    message come before it; other programs write the same, so they prove little alone. Only lines
    with an end count: their meaning stays the same while the file grows.
    """
    if not head.startswith(_OBJECTS) or b"\n" not in head:
        return None
    from talktree.formats.claude_code.detect import judge_record

    shown = None
    start = len(_MARK) if head.startswith(_MARK) else 0
    for _ in range(MOST_LINES):
        end = head.find(b"\n", start)
        if end < 0:
            break
        line, start = head[start:end], end + 1
        try:
            value = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            continue
        clue = judge_record(value) if isinstance(value, dict) else None
        if clue is not None and clue.kind != "envelope":
            return clue.kind
        shown = shown or (clue and clue.kind)
    return shown
