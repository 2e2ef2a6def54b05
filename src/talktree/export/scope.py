"""The scope of an export: lines of the tree, one after the other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from talktree.export.choice import Scope
from talktree.model.conversation import Conversation
from talktree.model.tree import Branch
from talktree.views.transcript import find_own_positions, find_path_through

ACTIVE = "active"


class ExportSection(NamedTuple):
    """A line of messages that is shown as one section."""

    positions: Sequence[int]
    branch: Branch | None = None
    """Its branch, if it is not the first one."""
    loose: bool = False
    """Whether messages may be missing between those in the section."""


def select_sections(
    conversation: Conversation, scope: Scope, hidden: Collection[int] = ()
) -> list[ExportSection]:
    """Return the sections, the current branch first. Sub-agents' messages are with their calls."""
    found = _split_into_sections(conversation, scope)
    return [each._replace(positions=select_visible(each.positions, hidden)) for each in found]


def select_visible(positions: Sequence[int], hidden: Collection[int]) -> Sequence[int]:
    """Return the positions of messages that are not hidden."""
    return [each for each in positions if each not in hidden] if hidden else positions


def _split_into_sections(conversation: Conversation, scope: Scope) -> list[ExportSection]:
    if scope.ids:
        return [ExportSection(_find_positions(conversation, scope.ids), loose=True)]
    if scope.leaf is not None and scope.leaf != ACTIVE:
        return [ExportSection(find_path_through(conversation, scope.leaf))]
    end = conversation.tree.active_leaf()
    if end is None:
        return [ExportSection(())]
    main = ExportSection(conversation.tree.path(end))
    if scope.leaf == ACTIVE:
        return [main]
    return [main, *_find_undone(conversation, end), *_find_other_branches(conversation)]


def _find_positions(conversation: Conversation, ids: Iterable[str]) -> list[int]:
    return sorted({conversation.find_position(id) for id in ids})


def _find_undone(conversation: Conversation, end: int) -> Iterable[ExportSection]:
    """Yield what follows the current message of the conversation."""
    tree, ids = conversation.tree, conversation.skeleton.ids
    rest = tree.list_undone()
    if rest:
        behind = tree.order_with_asides(rest)
        branch = Branch(leaf=ids[rest[-1]], fork=ids[end], kind="fork", messages=len(behind))
        yield ExportSection(behind, branch)


def _find_other_branches(conversation: Conversation) -> Iterable[ExportSection]:
    for branch in conversation.branches():
        if branch.kind == "active" or (branch.kind == "sidechain" and branch.fork is not None):
            continue
        yield ExportSection(find_own_positions(conversation, branch), branch)


def find_side_positions(conversation: Conversation, start: int) -> list[int]:
    """Return the messages of a sub-agent that begins at a message."""
    return conversation.tree.order_with_asides(list(conversation.tree.line(start)))


def select_positions(
    conversation: Conversation, scope: Scope, hidden: Collection[int] = ()
) -> list[int]:
    """Return every message that is exported, in source order, sub-agents included."""
    found: set[int] = set()
    pending = [each.positions for each in select_sections(conversation, scope, hidden)]
    while pending:
        line = pending.pop()
        found.update(line)
        if scope.ids:
            continue
        tree = conversation.tree
        for here in line:
            sides = (find_side_positions(conversation, start) for start in tree.sidechains(here))
            pending += [select_visible(side, hidden) for side in sides]
    return sorted(found)
