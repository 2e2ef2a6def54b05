"""The order and the depth of a conversation's records in its file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from talktree.errors import WouldLose
from talktree.formats.engine.origin import DocumentOrigin
from talktree.formats.nested_file import PieceSheet
from talktree.model.conversation import Conversation
from talktree.model.entries import Head
from talktree.model.skeleton import ROOT

Placed = Iterator[tuple[int, int]]
"""Numbers of records with their depth."""


def order_records(conversation: Conversation, origin: DocumentOrigin) -> Placed:
    """Return the records of a conversation in file order."""
    match origin.links(conversation) or ("own" if origin.format.can.branches else "chain"):
        case "nested":
            return _order_as_nested(conversation, origin)
        case "chain":
            _refuse_branches(conversation)
            return _order_as_list(conversation, origin)
        case "own":
            return ((number, 0) for number in conversation.members)


def _order_as_list(conversation: Conversation, origin: DocumentOrigin) -> Placed:
    """Yield messages one after the other, new ones inside the record that heads them, if any."""
    depth = 0
    for position, number in enumerate(conversation.members):
        here = _original_depth(origin, number) if number >= 0 else depth
        yield number, here
        heads = not conversation.skeleton.traits[position]
        if here or (heads and isinstance(conversation.entry(position), Head)):
            depth = 1


def _order_as_nested(conversation: Conversation, origin: DocumentOrigin) -> Placed:
    """Yield each record inside its parent; records that are not nodes stay where they were."""
    members = conversation.members
    inside: dict[int, list[int]] = {}
    for place, above in enumerate(_find_containers(conversation, origin)):
        inside.setdefault(above, []).append(place)
    count = 0
    pending = [(place, 0) for place in reversed(inside.get(ROOT, []))]
    while pending:
        place, depth = pending.pop()
        count += 1
        yield members[place], depth
        pending += [(each, depth + 1) for each in reversed(inside.get(place, []))]
    if count < len(members):
        raise WouldLose(
            f"{conversation.main_file}: a message was moved into a damaged record it contains",
            hint="repair the file first",
        )


def _find_containers(conversation: Conversation, origin: DocumentOrigin) -> Sequence[int]:
    """Return, for each record, the position of the record that contains it."""
    skeleton = conversation.skeleton
    if all(skeleton.traits):
        return skeleton.parents
    above = list(skeleton.parents)
    place_of = {number: place for place, number in enumerate(conversation.members)}
    held = _find_holders(origin, conversation.main_file)
    for place, number in enumerate(conversation.members):
        holder = held.get(number, ROOT)
        while holder != ROOT and holder not in place_of:
            holder = held[holder]
        if holder == ROOT or skeleton.parents[place] != ROOT:
            continue
        # A node without a parent although it was nested: either its container is not a node, or it
        # was moved out of its container.
        if not skeleton.traits[place] or not skeleton.traits[place_of[holder]]:
            above[place] = place_of[holder]
    return above


def _find_holders(origin: DocumentOrigin, path: str) -> dict[int, int]:
    """Return, for each record of a file, the number of the record that contained it."""
    sheet = origin.by_path[path]
    held: dict[int, int] = {}
    if isinstance(sheet, PieceSheet):
        number = origin.firsts[origin.sheets.index(sheet)]
        way: list[int] = [ROOT]
        for piece in sheet.pieces:
            del way[piece.depth + 1 :]
            held[number] = way[-1]
            way.append(number)
            number += 1
    return held


def _original_depth(origin: DocumentOrigin, number: int) -> int:
    which, index = origin.sheet_of(number)
    sheet = origin.sheets[which]
    return sheet.pieces[index].depth if isinstance(sheet, PieceSheet) else 0


def _refuse_branches(conversation: Conversation) -> None:
    """Raise if messages branch.

    A new message must follow the one before it; between messages that were read, others may have
    been inserted.
    """
    skeleton = conversation.skeleton
    last = ROOT
    since_read = {ROOT}
    for position, trait in enumerate(skeleton.traits):
        if not trait:
            continue
        new = conversation.members[position] < 0
        if skeleton.parents[position] not in ({ROOT, last} if new else since_read):
            raise WouldLose(
                f"{conversation.format} holds one line of messages, no branches",
                hint="write it to a format that has branches",
            )
        last = position
        if new:
            since_read.add(position)
        else:
            since_read = {ROOT, position}
