"""Detection of message files, by numbered names and by the header of a file."""

from __future__ import annotations

from talktree.formats.chatbuilder.parse import MessageLayout, parse_layout
from talktree.formats.chatbuilder.parse_header import ROLE, UUID
from talktree.formats.chatbuilder.write import parse_digits
from talktree.formats.format import Detection, Probe
from talktree.text import utf8

LOOKED_AT = 8
"""Maximum number of numbered files that are read."""


def detect(probe: Probe) -> Detection | None:
    """Whether this is a message file, or a folder with some."""
    return (
        _detect_folder(probe)
        if probe.folder
        else _detect_file(parse_layout(utf8.decode(probe.read_head())))
    )


def _detect_file(layout: MessageLayout) -> Detection | None:
    names = {line.name for line in layout.lines}
    if not names & {ROLE, UUID}:
        return None
    what = "a role" if ROLE in names else "a Block-UUID"
    if layout.comment:
        return Detection(0.85, f"a comment header with {what}")
    if any(line.has_semicolon for line in layout.lines):
        return Detection(0.95 if ROLE in names else 0.8, f"a header of ; lines with {what}")
    return Detection(0.75 if layout.has_separator else 0.6, f"a header with {what}")


def _detect_folder(probe: Probe) -> Detection | None:
    numbered = [path for path in probe.names if parse_digits(path) is not None]
    if not numbered:
        return None
    share = len(numbered) / len(probe.names)
    count = f"{len(numbered)} numbered .md file{'s' if len(numbered) > 1 else ''}"
    heads = (parse_layout(utf8.decode(probe.read_head(path))) for path in numbered[:LOOKED_AT])
    if any(_detect_file(layout) for layout in heads):
        return Detection(0.75 + 0.2 * share, f"{count}, with headers of messages")
    starts = any(int(parse_digits(path) or 9) <= 1 for path in numbered)
    return Detection(0.3 + 0.3 * share + 0.1 * starts, f"{count}, without headers")
