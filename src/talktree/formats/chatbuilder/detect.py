"""How message files are recognised: by numbered names, and by the header of a file."""

from __future__ import annotations

from talktree.formats.chatbuilder.parse import Layout, take_apart
from talktree.formats.chatbuilder.parse_header import ROLE, UUID
from talktree.formats.chatbuilder.write import digits_of
from talktree.formats.format import Detection, Probe
from talktree.text import utf8

LOOKED_AT = 8
"""How many numbered files are looked into."""


def recognise(probe: Probe) -> Detection | None:
    """Whether this is a message file, or a folder with some."""
    return _folder(probe) if probe.folder else _file(take_apart(utf8.decode(probe.head())))


def _file(layout: Layout) -> Detection | None:
    names = {line.name for line in layout.lines}
    if not names & {ROLE, UUID}:
        return None
    what = "a role" if ROLE in names else "a Block-UUID"
    if layout.comment:
        return Detection(0.85, f"a comment header with {what}")
    if any(line.marked for line in layout.lines):
        return Detection(0.95 if ROLE in names else 0.8, f"a header of ; lines with {what}")
    return Detection(0.75 if layout.split else 0.6, f"a header with {what}")


def _folder(probe: Probe) -> Detection | None:
    numbered = [path for path in probe.names if digits_of(path) is not None]
    if not numbered:
        return None
    share = len(numbered) / len(probe.names)
    count = f"{len(numbered)} numbered .md file{'s' if len(numbered) > 1 else ''}"
    heads = (take_apart(utf8.decode(probe.head(path))) for path in numbered[:LOOKED_AT])
    if any(_file(layout) for layout in heads):
        return Detection(0.75 + 0.2 * share, f"{count}, with headers of messages")
    starts = any(int(digits_of(path) or 9) <= 1 for path in numbered)
    return Detection(0.3 + 0.3 * share + 0.1 * starts, f"{count}, without headers")
