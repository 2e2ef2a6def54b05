"""Which format a source is in: every format is asked, the surest answer wins."""

from __future__ import annotations

from typing import NamedTuple, TypedDict

from talktree.errors import UnknownFormat
from talktree.files import Source
from talktree.files.packed import GZIP, ZSTD
from talktree.formats import all_formats, slugs
from talktree.formats.base import CARRY, Format, Probe
from talktree.formats.secrets import without_secrets

AT_LEAST = 0.3
MOST_TOGETHER = 64
"""A folder of more files is taken file by file."""
CONTENTS = "attachments/"
"""Where contents of attachments lie beside a conversation."""
SEARCHED = 1 << 22
HEAD = 512
_OTHERS = (
    (b"PK\x03\x04", 0, "a ZIP archive", "unpack it and name the folder"),
    (b"ustar", 257, "a tar archive", "unpack it and name the folder"),
    *(
        (sign, 0, "a packed file", "unpack it and name what was in it")
        for sign in (GZIP, ZSTD, b"BZh", b"\xfd7zXZ")
    ),
    (b"7z\xbc\xaf\x27\x1c", 0, "a 7z archive", "unpack it and name the folder"),
    (b"SQLite format 3\x00", 0, "a database", "name the files or folders of the sessions"),
)
"""How files begin that people try: the sign and its place, what it is, what helps."""


class Guess(NamedTuple):
    """A format and why it is the one."""

    format: Format
    confidence: float
    reason: str


def guesses(source: Source) -> list[Guess]:
    """All formats that recognise the source, surest first."""
    if not source.files:
        return []
    probe = Probe(without_secrets(source, all_formats()))
    found = []
    for format in all_formats():
        answer = format.detect(probe)
        if answer is not None and answer.confidence >= AT_LEAST:
            found.append(Guess(format, *answer))
    return sorted(found, key=lambda guess: -guess.confidence)


def detect(source: Source) -> Guess:
    """The format of a source."""
    if not any(content.size for content in source.files.values()):
        raise UnknownFormat(source.name, slugs(), why="nothing in it to recognise a format by")
    found = guesses(source) or _together(source)
    if not found:
        raise UnknownFormat(source.name, slugs(), **_other(source))
    return found[0]


class _Why(TypedDict, total=False):
    """What is told instead of what is told of any unknown file."""

    why: str
    hint: str


def _other(source: Source) -> _Why:
    """What a single file is that holds conversations, but not as a file."""
    if source.folder:
        return {}
    (content,) = source.files.values()
    head = content.read(0, HEAD)
    for sign, at, what, hint in _OTHERS:
        if head.startswith(sign, at):
            return {"why": f"{what}, no conversation", "hint": hint}
    return {}


def _together(source: Source) -> list[Guess]:
    """The format of a folder of files that one conversion wrote, as what they carry shows."""
    files = {
        path: content for path, content in source.files.items() if not path.startswith(CONTENTS)
    }
    if not source.folder or len(files) > MOST_TOGETHER:
        return []
    found: list[Guess] = []
    for path, content in files.items():
        if CARRY.encode() not in content.read(0, SEARCHED):
            return []
        best = guesses(Source(path, {path: content}, folder=False))[:1]
        if not best or best[0].format.info.layout != "file":
            return []
        found += best
    if len({guess.format.info.slug for guess in found}) != 1:
        return []
    return [
        found[0]._replace(
            reason=f"{len(found)} files that belong together, each: {found[0].reason}"
        )
    ]
