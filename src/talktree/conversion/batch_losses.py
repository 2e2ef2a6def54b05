"""A ledger that keeps its losses in a file, so that millions of them take no memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import IO

import msgspec

from talktree.conversion.ledger import Kept, Ledger, Loss, kind_of
from talktree.text.json_write import encode

EXAMPLES = 3
"""How many losses of each kind are kept at hand."""


def _untold() -> None:
    """Nobody wants to know how far it is."""


class FiledLedger(Ledger):
    """Losses as JSON lines in a file, counts and a few examples at hand."""

    def __init__(self, file: IO[bytes] | None = None, *, step: Callable[[], None] = _untold):
        super().__init__(keep=False)
        self.examples: dict[tuple[str, Kept], list[Loss]] = {}
        self._file = file
        self._step = step

    def add(self, losses: Iterable[Loss]) -> None:
        losses = list(losses)
        super().add(losses)
        # Soon there are examples of every kind, and nobody need look at each loss.
        for kind in dict.fromkeys(map(kind_of, losses)):
            shown = self.examples.setdefault(kind, [])
            if len(shown) < EXAMPLES:
                more = [loss for loss in losses if kind_of(loss) == kind]
                shown += more[: EXAMPLES - len(shown)]
        if self._file is not None:
            self._file.writelines(map(line_of, losses))

    def step(self, count: int = 1) -> None:
        for _ in range(count):
            self._step()


def line_of(loss: Loss) -> bytes:
    """A loss as one line of JSON."""
    try:
        return msgspec.json.encode(loss) + b"\n"
    except UnicodeEncodeError:
        # Half a character in an id: only an escape can say it.
        return encode(msgspec.structs.asdict(loss)) + b"\n"
