"""How much of a message is shown, and where its files can be had."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace


class RenderOptions(Struct, frozen=True, kw_only=True):
    """What the page or the export wants to see of a message."""

    limit: int | None = 20_000
    """Characters a block; None shows all."""
    address: Callable[[int], str] | None = None
    """Where image or file number N of the message can be had; nothing if it cannot."""
    leaf: Callable[[int], str] | None = None
    """The leaf of the sub-agent that the call with this number began, or nothing."""

    inside: int = 0
    """Where the numbers of attachments begin while a result is shown; 0 if they have none."""

    def for_result(self, number: int) -> RenderOptions:
        """The same for the result of part N: its attachment K has the number (N + 1) * 1000 + K."""
        return replace(self, inside=(number + 1) * 1000)

    def cut(self, text: str) -> tuple[str, int]:
        """As much of a text as is shown, and how many characters are left out."""
        if self.limit is None or len(text) <= self.limit:
            return text, 0
        return text[: self.limit], len(text) - self.limit
