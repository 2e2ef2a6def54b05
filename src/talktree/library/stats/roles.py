"""How many messages were of which role."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from talktree.library.database.connection import Database
from talktree.library.stats.filter import Chosen

_ROLES = "SELECT source, role, messages FROM roles ORDER BY source, role"


def messages_by_role(
    db: Database, chosen: Chosen, sources: Collection[int]
) -> tuple[tuple[str, int], ...]:
    """The roles in some sources, the most frequent first."""
    found: Counter[str] = Counter()
    for source, role, messages in db.read(_ROLES):
        if source in sources:
            found[chosen.names.get(role, "")] += messages
    return tuple(sorted(found.items(), key=lambda item: (-item[1], item[0])))
