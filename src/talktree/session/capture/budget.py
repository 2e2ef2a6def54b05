"""How much the contents of a session may take on the disk before it is told.

Nothing is refused and nothing is removed for it: people decide what to do about it.
"""

from __future__ import annotations

from talktree.session.capture.blobs import Contents
from talktree.session.capture.limits import GIB, MIB

USUAL = 5 * GIB


class Budget:
    """What one handle on a session knows of its size; `most` None is no budget."""

    def __init__(self, most: int | None = USUAL) -> None:
        self.most = most
        self._others: int | None = None
        """What was there beside the contents of this handle when it first looked."""
        self._describe = False

    def warn_once(self, contents: Contents) -> list[str]:
        """What to tell after contents were kept: once, when they take more than they should."""
        if self.most is None or self._describe or not contents.written:
            return []
        if self._others is None:
            self._others = contents.size() - contents.written
        size = self._others + contents.written
        self._describe = size > self.most
        return [self._format_warning(size)] if self._describe else []

    def describe_excess(self, size: int) -> list[str]:
        """What to tell of contents of a size, if that is more than it should be."""
        return [] if self.most is None or size <= self.most else [self._format_warning(size)]

    def _format_warning(self, size: int) -> str:
        assert self.most is not None
        return (
            f"the contents kept for this session take {_format_space(size)}, its budget is "
            f"{_format_space(self.most)}; nothing is removed for it "
            "(`talktree session gc` tells more)"
        )


def _format_space(size: int) -> str:
    if size < MIB:
        return f"{size:,} bytes"
    return f"{size / GIB:.1f} GiB" if size >= GIB else f"{size / MIB:.1f} MiB"
