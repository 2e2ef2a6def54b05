"""What a conversion would lose, carry and render, as the page shows it."""

from __future__ import annotations

from talktree import api
from talktree.conversion.losses import FiledLedger
from talktree.conversion.options import Options
from talktree.model.document import Document
from talktree.views.width import one_line
from talktree.web.schemas.edits_and_moves import Ledger, LossLine

SHORT = 100


def previewed(document: Document, to: str, options: Options) -> Ledger:
    """The ledger of a conversion that is not made."""
    ledger = FiledLedger()
    api.preview(document, to=to, options=options, ledger=ledger)
    return told(ledger, to)


def told(ledger: FiledLedger, to: str) -> Ledger:
    """A ledger with counts and a few examples."""
    sums = dict.fromkeys(("lost", "carried"), 0)
    for (_, kept), count in ledger.counts.items():
        sums[kept] = sums.get(kept, 0) + count
    return Ledger(
        to=to,
        losses=tuple(
            LossLine(
                kind=kind,
                kept=kept,
                count=count,
                examples=tuple(
                    one_line(f"{loss.entry}: {loss.what}", SHORT)
                    for loss in ledger.examples.get((kind, kept), ())
                ),
            )
            for (kind, kept), count in sorted(ledger.counts.items())
        ),
        lost=sums["lost"],
        carried=sums["carried"],
        carried_bytes=ledger.carried_bytes,
    )
