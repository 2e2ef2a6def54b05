"""Which messages are exported: lines of the tree, one after the other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from talktree.export.choice import Scope
from talktree.model.conversation import Conversation
from talktree.model.tree import Branch
from talktree.views.transcript import own_positions, through

ACTIVE = "active"


class Section(NamedTuple):
    """A line of messages that is shown in one go."""

    positions: Sequence[int]
    branch: Branch | None = None
    """The branch it is, if it is another one than the first."""
    loose: bool = False
    """Whether messages may be missing between those that are there."""


def sections(
    conversation: Conversation, scope: Scope, hidden: Collection[int] = ()
) -> list[Section]:
    """What is exported, the current branch first. What sub-agents said goes with their calls."""
    found = _sections(conversation, scope)
    return [each._replace(positions=visible(each.positions, hidden)) for each in found]


def visible(positions: Sequence[int], hidden: Collection[int]) -> Sequence[int]:
    """Return the positions of messages that are not hidden."""
    return [each for each in positions if each not in hidden] if hidden else positions


def _sections(conversation: Conversation, scope: Scope) -> list[Section]:
    if scope.ids:
        return [Section(_chosen(conversation, scope.ids), loose=True)]
    if scope.leaf is not None and scope.leaf != ACTIVE:
        return [Section(through(conversation, scope.leaf))]
    end = conversation.tree.active_leaf()
    if end is None:
        return [Section(())]
    main = Section(conversation.tree.path(end))
    if scope.leaf == ACTIVE:
        return [main]
    return [main, *_undone(conversation, end), *_others(conversation)]


def _chosen(conversation: Conversation, ids: Iterable[str]) -> list[int]:
    return sorted({conversation.position(id) for id in ids})


def _undone(conversation: Conversation, end: int) -> Iterable[Section]:
    """What follows the message that the conversation is at."""
    tree, ids = conversation.tree, conversation.skeleton.ids
    rest = tree.rest_of_active()
    if rest:
        behind = tree.along(rest)
        branch = Branch(leaf=ids[rest[-1]], fork=ids[end], kind="fork", messages=len(behind))
        yield Section(behind, branch)


def _others(conversation: Conversation) -> Iterable[Section]:
    for branch in conversation.branches():
        if branch.kind == "active" or (branch.kind == "sidechain" and branch.fork is not None):
            continue
        yield Section(own_positions(conversation, branch), branch)


def side_positions(conversation: Conversation, start: int) -> list[int]:
    """The messages of a sub-agent that begins at a message."""
    return conversation.tree.along(list(conversation.tree.line(start)))


def positions(conversation: Conversation, scope: Scope, hidden: Collection[int] = ()) -> list[int]:
    """Every message that is exported, in source order, sub-agents included."""
    found: set[int] = set()
    pending = [each.positions for each in sections(conversation, scope, hidden)]
    while pending:
        line = pending.pop()
        found.update(line)
        if scope.ids:
            continue
        tree = conversation.tree
        for here in line:
            sides = (side_positions(conversation, start) for start in tree.sidechains(here))
            pending += [visible(side, hidden) for side in sides]
    return sorted(found)
