"""The budget for the contents of a session on the disk; exceeding it gives a warning.

Nothing is refused or removed because of it: the user decides what to do.
"""

from __future__ import annotations

from talktree.session.capture.blobs import Contents
from talktree.session.capture.limits import GIB, MIB

USUAL = 5 * GIB


class Budget:
    """The budget as seen by one handle on a session; `most` None means no budget."""

    def __init__(self, most: int | None = USUAL) -> None:
        self.most = most
        self._others: int | None = None
        """The size of all other contents when this handle first looked."""
        self._describe = False

    def warn_once(self, contents: Contents) -> list[str]:
        """Return a warning once, when the contents exceed the budget."""
        if self.most is None or self._describe or not contents.written:
            return []
        if self._others is None:
            self._others = contents.size() - contents.written
        size = self._others + contents.written
        self._describe = size > self.most
        return [self._format_warning(size)] if self._describe else []

    def describe_excess(self, size: int) -> list[str]:
        """Return a warning about a size, if it exceeds the budget."""
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
