"""What a conversion would lose, told before anything is written."""

from __future__ import annotations

from msgspec import Struct

from talktree.errors import UsageError
from talktree.formats import by_slug
from talktree.web.actions.save import alone, options_of, previewed
from talktree.web.routes.route import Call, Route
from talktree.web.schemas.edits_and_moves import Ledger
from talktree.web.studio import Studio


class LedgerOf(Struct, frozen=True, kw_only=True):
    """Which conversion is meant."""

    to: str = ""
    branch: str | None = None
    clean: bool = False


def ledger(studio: Studio, call: Call) -> Ledger:
    """What a format could not hold of a conversation."""
    asked: LedgerOf = call.query
    if not asked.to:
        raise UsageError("say which format", hint="to=SLUG")
    to = by_slug(asked.to).info.slug
    document = alone(studio.desk.open(call.path["cid"]))
    return previewed(document, to, options_of(asked.branch, clean=asked.clean))


ROUTES = (
    Route(
        "GET", "/c/{cid}/ledger", ledger, "What a format would lose, carry and render.",
        query=LedgerOf, gives=Ledger,
    ),
)  # fmt: skip
