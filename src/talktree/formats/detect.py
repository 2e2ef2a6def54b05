"""Which format a source is in: every format is asked, the surest answer wins."""

from __future__ import annotations

from typing import NamedTuple

from talktree.errors import UnknownFormat
from talktree.files import Source
from talktree.formats import all_formats, slugs
from talktree.formats.base import CARRY, Format, Probe
from talktree.formats.secrets import without_secrets

AT_LEAST = 0.3
MOST_TOGETHER = 64
"""A folder of more files is taken file by file."""
CONTENTS = "attachments/"
"""Where contents of attachments lie beside a conversation."""
SEARCHED = 1 << 22


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
        raise UnknownFormat(source.name, slugs())
    return found[0]


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
