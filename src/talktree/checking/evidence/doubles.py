"""Entries of a conversation that have the same id: copies of one another, or different ones.

Contents are read again only of those. A copy may differ from its original in the session it names,
as a resumed session's does, and in nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from msgspec.structs import replace

from talktree.formats.engine.item import native_entry
from talktree.formats.talk import Talk
from talktree.model.entries import Entry, Opaque
from talktree.model.message import Message
from talktree.model.skeleton import ROOT

NOTE = "doubles"


class Doubles:
    """What stands more than once in a conversation."""

    def __init__(self) -> None:
        self.others: dict[int, list[int]] = {}
        """Entries with an id that another entry has already, with their own copies."""
        self.copies: dict[int, int] = {}
        """Copies, with the entry they repeat."""
        self.cut_off: set[int] = set()
        """Copies that have to stay, since what names them would mean another entry then."""
        self.children: dict[int, list[int]] = {}
        """What hangs on the entries with such ids."""
        self.nameless: set[int] = set()
        """Records with such ids that nobody understands, so that no other id can be put there."""


def doubles_of(talk: Talk) -> Doubles:
    """The doubled ids of a conversation, looked at once."""
    found: Doubles | None = talk.notes.get(NOTE)
    if found is None:
        found = talk.notes[NOTE] = _doubles(talk)
    return found


def _doubles(talk: Talk) -> Doubles:
    found = Doubles()
    bones = talk.bones
    names = {native for native in bones.native.values() if native}
    if not names:
        return found
    last: dict[str, int] = {}
    """The occurrence of an id before, and what it repeats or is."""
    first_with: dict[tuple[str, bytes], int] = {}
    wanted = [at for at, name in enumerate(bones.ids) if bones.own_id(at) in names and name]
    for position, (content, known) in zip(wanted, _digests(talk, wanted), strict=True):
        name = bones.own_id(position)
        if not known:
            found.nameless.add(position)
        original = first_with.setdefault((name, content), position)
        if original != position:
            found.copies[position] = original
            if original in found.others:
                found.others[original].append(position)
            if last[name] != original:
                found.cut_off.add(position)
        elif name in last:
            found.others[position] = []
        last[name] = original
    _take_children(talk, found)
    return found


def _take_children(talk: Talk, found: Doubles) -> None:
    nested = talk.origin.links(talk.conversation) == "nested"
    for position in range(len(talk.bones)):
        above = talk.bones.named_parent(position)
        if above != ROOT and (above in found.others or above in found.copies):
            found.children.setdefault(above, []).append(position)
            if nested:
                # What stands inside a record would go with it.
                found.cut_off.add(above)


def _digests(talk: Talk, positions: list[int]) -> Iterator[tuple[bytes, bool]]:
    """The checksum of each entry, and whether it is one that is understood."""
    conversation = talk.conversation
    numbers = [conversation.members[at] for at in positions]
    names = (conversation.names(at) for at in positions)
    for number, record in zip(numbers, talk.origin.records(numbers, names), strict=True):
        entry = talk.format.get(record)
        yield digest(native_entry(conversation, entry), number), not isinstance(entry, Opaque)


def digest(entry: Entry, number: int) -> bytes:
    """A checksum that copies of an entry share; one too deep to be looked at shares none."""
    bare = replace(entry, id="", session=None) if isinstance(entry, Message) else entry
    try:
        # The text of a value tells all there is, and is only compared with that of its like.
        text = repr(bare)
    except RecursionError:
        text = f"{number}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
