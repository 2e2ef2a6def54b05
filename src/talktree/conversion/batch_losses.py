"""A ledger that keeps its losses in a file, so that millions of them take no memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
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
        counts = Counter(map(kind_of, losses))
        self.counts.update(counts)
        self._show(losses, counts)
        if self._file is not None:
            self._file.writelines(map(line_of, losses))

    def _show(self, losses: Sequence[Loss], counts: Mapping[tuple[str, Kept], int]) -> None:
        """Keep the first losses of each kind that has too few examples yet."""
        wanted = {}
        for kind, count in counts.items():
            missing = EXAMPLES - len(self.examples.setdefault(kind, []))
            if missing > 0:
                wanted[kind] = min(missing, count)
        for loss in losses:
            # Soon there are examples of every kind, and nobody need look at each loss.
            if not wanted:
                return
            kind = kind_of(loss)
            if kind in wanted:
                self.examples[kind].append(loss)
                wanted[kind] -= 1
                if not wanted[kind]:
                    del wanted[kind]

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
