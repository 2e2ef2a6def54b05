"""In which order, and how deep, the records of a conversation stand in its file."""

from __future__ import annotations

from collections.abc import Iterator

from talktree.errors import WouldLose
from talktree.formats.engine.origin import Origin
from talktree.formats.piece_sheet import PieceSheet
from talktree.model.conversation import Conversation
from talktree.model.skeleton import ROOT

Placed = Iterator[tuple[int, int]]
"""Numbers of records with their depth."""


def placed(conversation: Conversation, origin: Origin) -> Placed:
    """The records of a conversation in file order."""
    links = {sheet.links for sheet in origin.sheets if sheet.path == conversation.main_file}
    if "nested" in links:
        return _nested(conversation, origin)
    if "chain" in links:
        _refuse_branches(conversation)
        return _listed(conversation)
    return ((number, 0) for number in conversation.members)


def _listed(conversation: Conversation) -> Placed:
    """Messages one after the other, inside the record that heads them if there is one."""
    depth = 0
    for position, number in enumerate(conversation.members):
        if conversation.skeleton.traits[position] or depth:
            yield number, depth
        else:
            yield number, 0
            depth = 1


def _nested(conversation: Conversation, origin: Origin) -> Placed:
    bones = conversation.skeleton
    depths: dict[int, int] = {ROOT: -1}
    order = list(conversation.tree.order)
    for place in order:
        depths[place] = depths[bones.parents[place]] + 1
    for place in _with_loose(conversation, order):
        number = conversation.members[place]
        yield number, depths[place] if place in depths else _depth_as_read(origin, number)


def _with_loose(conversation: Conversation, order: list[int]) -> Iterator[int]:
    """The nodes in order, and records that are no nodes behind what they stood behind."""
    behind: dict[int, list[int]] = {}
    for place, trait in enumerate(conversation.skeleton.traits):
        if not trait:
            behind.setdefault(place - 1, []).append(place)
    pending = list(reversed([ROOT, *order]))
    while pending:
        place = pending.pop()
        if place != ROOT:
            yield place
        pending.extend(reversed(behind.pop(place, [])))


def _depth_as_read(origin: Origin, number: int) -> int:
    which, index = origin.sheet_of(number)
    sheet = origin.sheets[which]
    return sheet.pieces[index].depth if isinstance(sheet, PieceSheet) else 0


def _refuse_branches(conversation: Conversation) -> None:
    bones = conversation.skeleton
    before: int = ROOT
    for position, trait in enumerate(bones.traits):
        if not trait:
            continue
        if bones.parents[position] not in (before, ROOT):
            raise WouldLose(
                f"{conversation.format} holds one line of messages, no branches",
                hint="write it to a format that has branches",
            )
        before = position
