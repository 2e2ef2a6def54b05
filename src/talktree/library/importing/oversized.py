"""Attachments over the limit, in sources that were just imported.

They are imported like everything else. The import only names the sources, so that the user learns
why a library grows.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from talktree.errors import TalktreeError
from talktree.files import load
from talktree.formats.collection import read_source
from talktree.library.importing.result import Oversized
from talktree.model.message import Message
from talktree.model.parts import Attachment, Part, ToolResult
from talktree.text.media import data_size, parse_data_url

_BLOCK = 1 << 20


def find_oversized(paths: Iterable[bytes], limit: int) -> list[Oversized]:
    """Return those of some sources that hold attachments over the limit."""
    found = []
    for path in paths:
        count = _count_oversized(os.fsdecode(path), limit) if _may_hold(path, limit) else 0
        if count:
            found.append(Oversized(path, count))
    return found


def _may_hold(path: bytes, limit: int) -> bool:
    """Whether a file may hold one. In JSON a text is on one line, so a long one is needed."""
    try:
        with open(path, "rb") as file:
            if file.read(64).lstrip()[:1] not in (b"{", b"["):
                return True
            file.seek(0)
            length = 0
            while block := file.read(_BLOCK):
                first = block.find(b"\n")
                if first < 0:
                    length += len(block)
                else:
                    length = max(length + first, len(block) - block.rfind(b"\n"))
                if length > limit:
                    return True
                if first >= 0:
                    length = len(block) - block.rfind(b"\n") - 1
    except IsADirectoryError:
        return True
    except OSError:
        return False
    return False


def _count_oversized(path: str, limit: int) -> int:
    try:
        conversations = read_source(load(path), alone=True).conversations
        return sum(
            _is_oversized(attached, limit)
            for conversation in conversations
            for entry in conversation.entries
            if isinstance(entry, Message)
            for part in entry.parts
            for attached in _list_attachments(part)
        )
    except (TalktreeError, OSError):
        return 0  # the import reports what is wrong with it


def _list_attachments(part: Part) -> Sequence[Part]:
    return part.output if isinstance(part, ToolResult) else (part,)


def _is_oversized(part: Part, limit: int) -> bool:
    if not isinstance(part, Attachment) or not part.url or len(part.url) <= limit:
        return False
    head = parse_data_url(part.url)
    return head is not None and data_size(part.url, head) > limit
