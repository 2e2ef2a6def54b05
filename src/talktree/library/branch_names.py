"""Names that users give to branches.

A name is stored under the message at which the branch ended, and follows the branch as it grows. If
the branch forks later, the name stays with the line that was written last. If the message is gone,
the name is hidden until the message is back.
"""

from __future__ import annotations

import time

from talktree.errors import NotFound, UsageError
from talktree.library.database.connection import Database
from talktree.model.conversation import Conversation

LONGEST = 200
_ALL = "SELECT leaf, name FROM branch_names WHERE source = ? AND conversation = ? ORDER BY time"
_SET = """
INSERT INTO branch_names (source, conversation, leaf, name, time) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (source, conversation, leaf) DO UPDATE SET name = excluded.name, time = excluded.time
"""
_DROP = "DELETE FROM branch_names WHERE source = ? AND conversation = ? AND leaf = ?"


def list_branch_names(db: Database, source: int, conversation: Conversation) -> dict[str, str]:
    """Return the names of branches by the leaves they end at now."""
    found = {}
    for kept, name in db.read(_ALL, (source, conversation.id)):
        leaf = _find_current_leaf(conversation, kept)
        if leaf is not None:
            found[leaf] = name
    return found


def name_branch(
    db: Database, source: int, conversation: Conversation, leaf: str, name: str
) -> None:
    """Name the branch that ends at a message; an empty name removes it."""
    name = " ".join(name.split())
    if len(name) > LONGEST:
        raise UsageError(f"a name has at most {LONGEST} characters", hint="say it in fewer words")
    end = _find_current_leaf(conversation, conversation[leaf].id)
    if end is None:
        raise NotFound(f"no branch goes through {leaf}", hint="name it by its last message")
    facts = (source, conversation.id)
    with db.transaction(durable=True):
        for kept, _ in db.read(_ALL, facts):
            # Otherwise an older name of the same branch would reappear.
            if _find_current_leaf(conversation, kept) == end:
                db.run(_DROP, (*facts, kept))
        if name:
            db.run(_SET, (*facts, end, name, time.time_ns()))


def _find_current_leaf(conversation: Conversation, leaf: str) -> str | None:
    """Return the current leaf of a line that once ended at a message; None if that is gone."""
    try:
        start = conversation.find_position(leaf)
    except NotFound:
        return None
    if not conversation.skeleton.traits[start]:
        return None
    *_, end = conversation.tree.line(start)
    return conversation.skeleton.ids[end]
