"""The ledger on the command line: told on stderr, printed, saved to a file."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO

from talktree.cli.errors import tell
from talktree.conversion.batch_losses import FiledLedger
from talktree.conversion.ledger import KINDS
from talktree.files import OutputGate, save
from talktree.text.json.value import Json
from talktree.views.losses import Examples, Sums, counts_shape, ledger_lines, ledger_text
from talktree.views.terminal import as_text

HELD = 4 << 20
"""Losses up to this size stay in memory."""


class Account:
    """The ledger of one conversion, and its losses if they are wanted one by one."""

    def __init__(self, *, each: bool, step: Callable[[], None]) -> None:
        self._file: IO[bytes] | None = None
        if each:
            self._file = tempfile.SpooledTemporaryFile(HELD)  # noqa: SIM115
            weakref.finalize(self, self._file.close)
        self.ledger = FiledLedger(self._file, step=step)

    @property
    def sums(self) -> Sums:
        """Counts, and what the carry costs."""
        counts = {(kind, str(kept)): count for (kind, kept), count in self.ledger.counts.items()}
        return Sums(counts, self.ledger.carried_bytes)

    @property
    def examples(self) -> Examples:
        """Some losses of each kind."""
        return {
            (kind, str(kept)): [(loss.entry, loss.what) for loss in shown]
            for (kind, kept), shown in self.ledger.examples.items()
        }

    def losses(self) -> Iterator[str]:
        """All losses as JSON."""
        assert self._file is not None
        self._file.seek(0)
        return (each.decode().removesuffix("\n") for each in self._file)


def ledger_document(
    written: Sequence[Json], losses: Iterable[str], sums: Sums, **more: Json
) -> Iterator[str]:
    """What `--json` prints and `--ledger` saves."""
    tail: dict[str, Json] = {
        "counts": counts_shape(sums.counts),
        "carried_bytes": sums.carried_bytes,
        **more,
    }
    return ledger_text({"written": [*written]}, losses, tail)


def save_ledger(path: str, text: Iterable[str], gate: OutputGate) -> None:
    """Save a ledger, whole or not at all."""
    pieces = (each.encode("utf-8", "surrogatepass") for each in text)
    save({"ledger": pieces}, path, folder=False, gate=gate)


def tell_ledger(sums: Sums, *, hint: str) -> None:
    """The short ledger on stderr; silent if there is nothing to tell."""
    if not sums.counts and not sums.carried_bytes:
        return
    for each in ledger_lines(sums, KINDS):
        tell(as_text(each))
    if sums.counts:
        tell(f"hint: {hint}")
