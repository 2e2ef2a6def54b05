"""What people call branches.

A name is given to the branch that ends at a message. It is kept under that message, and goes with
the branch as that grows: it belongs to wherever the line goes on to from there. If the branch forks
later, the name stays with the line that was written last; if the message is gone, the name is not
shown, and comes back with the message.
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
    """The names of branches by the leaves they end at now."""
    found = {}
    for kept, name in db.read(_ALL, (source, conversation.id)):
        leaf = _find_current_leaf(conversation, kept)
        if leaf is not None:
            found[leaf] = name
    return found


def name_branch(
    db: Database, source: int, conversation: Conversation, leaf: str, name: str
) -> None:
    """Give the branch that ends at a message a name, or with an empty one none any more."""
    name = " ".join(name.split())
    if len(name) > LONGEST:
        raise UsageError(f"a name has at most {LONGEST} characters", hint="say it in fewer words")
    end = _find_current_leaf(conversation, conversation[leaf].id)
    if end is None:
        raise NotFound(f"no branch goes through {leaf}", hint="name it by its last message")
    facts = (source, conversation.id)
    with db.transaction(durable=True):
        for kept, _ in db.read(_ALL, facts):
            # Else an older name of the same branch would come to light.
            if _find_current_leaf(conversation, kept) == end:
                db.run(_DROP, (*facts, kept))
        if name:
            db.run(_SET, (*facts, end, name, time.time_ns()))


def _find_current_leaf(conversation: Conversation, leaf: str) -> str | None:
    """Where the line ends now that once ended at a message; None if the message is gone."""
    try:
        start = conversation.find_position(leaf)
    except NotFound:
        return None
    if not conversation.skeleton.traits[start]:
        return None
    *_, end = conversation.tree.line(start)
    return conversation.skeleton.ids[end]
