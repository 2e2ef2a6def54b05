"""How much of a message is shown, and the addresses of its files."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace


class RenderOptions(Struct, frozen=True, kw_only=True):
    """Options of the page or the export for rendering a message."""

    limit: int | None = 20_000
    """Maximum characters of a block; None shows all."""
    address: Callable[[int], str] | None = None
    """Returns the address of image or file number N of the message, or an empty text."""
    leaf: Callable[[int], str] | None = None
    """Returns the last message of the sub-agent that call number N started, or an empty text."""

    inside: int = 0
    """First number of attachments while a result is shown; 0 if they have none."""

    def for_result(self, number: int) -> RenderOptions:
        """Return options for the result of part N: its attachment K has the number (N + 1) * 1000 +
        K."""
        return replace(self, inside=(number + 1) * 1000)

    def cut(self, text: str) -> tuple[str, int]:
        """Return the visible part of a text, and how many characters are left out."""
        if self.limit is None or len(text) <= self.limit:
            return text, 0
        return text[: self.limit], len(text) - self.limit
