"""In which order, and how deep, the records of a conversation stand in its file."""

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
    """The records of a conversation in file order."""
    match origin.links(conversation) or ("own" if origin.format.can.branches else "chain"):
        case "nested":
            return _order_as_nested(conversation, origin)
        case "chain":
            _refuse_branches(conversation)
            return _order_as_list(conversation, origin)
        case "own":
            return ((number, 0) for number in conversation.members)


def _order_as_list(conversation: Conversation, origin: DocumentOrigin) -> Placed:
    """Messages one after the other, new ones inside the record that heads them if there is one."""
    depth = 0
    for position, number in enumerate(conversation.members):
        here = _original_depth(origin, number) if number >= 0 else depth
        yield number, here
        heads = not conversation.skeleton.traits[position]
        if here or (heads and isinstance(conversation.entry(position), Head)):
            depth = 1


def _order_as_nested(conversation: Conversation, origin: DocumentOrigin) -> Placed:
    """Each record inside the one it hangs on; what is no node stays where it was."""
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
    """For each record the place of the one it stands in."""
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
        # A node that stands alone although it was nested: it was in something that is no node,
        # or else it was taken out of the node it was in.
        if not skeleton.traits[place] or not skeleton.traits[place_of[holder]]:
            above[place] = place_of[holder]
    return above


def _find_holders(origin: DocumentOrigin, path: str) -> dict[int, int]:
    """The number of the record each record of a file was read in."""
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
    """A new message follows the one before it; what was read may have some put in before it."""
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
