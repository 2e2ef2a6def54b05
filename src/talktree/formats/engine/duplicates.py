"""Records of a conversation with the same id: copies of one another, or different messages.

Only their contents are read again. An exact copy may differ from its original in the session it
names, as a resumed session's does, and in nothing else. A rewritten copy is the same message with
another parent, time or place; the format defines which members of a record those are. The tree, the
findings of reading and the rules of `check` all use this definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b

from msgspec.structs import astuple, replace

from talktree.formats.engine.origin import DocumentOrigin
from talktree.formats.engine.write_item import resolve_aliases
from talktree.formats.format import Record
from talktree.model.conversation import Conversation
from talktree.model.entries import Entry, Opaque
from talktree.model.message import Message
from talktree.model.skeleton import ROOT
from talktree.text.json.value import Json


class DuplicateCounter:
    """The duplicate records of a conversation."""

    def __init__(self) -> None:
        self.others: dict[int, list[int]] = {}
        """Entries whose id another entry already has, with their own copies."""
        self.copies: dict[int, int] = {}
        """Copies, with the entry that they repeat."""
        self.rewritten: set[int] = set()
        """Copies that differ in where and when they were written."""
        self.cut_off: set[int] = set()
        """Copies that must stay, since links to them would otherwise mean another entry."""
        self.children: dict[int, list[int]] = {}
        """The children of the entries with such ids."""
        self.nameless: set[int] = set()
        """Opaque records with such ids, which cannot get another id."""


def compute_identity_key(record: Record, identity_of: Callable[[Json], Json]) -> bytes:
    """Return a checksum that a record shares with all its copies."""
    try:
        identity = identity_of(record.value) if record.usable else None
        text = None if identity is None else repr(identity).encode("utf-8", "surrogatepass")
    except RecursionError:
        text = None
    return blake2b(record.raw.strip() if text is None else text, digest_size=16).digest()


def find_doubles(conversation: Conversation, origin: DocumentOrigin) -> DuplicateCounter:
    """Return the duplicate ids of a conversation."""
    found = DuplicateCounter()
    skeleton = conversation.skeleton
    names = {native for native in skeleton.native.values() if native}
    if not names:
        return found
    last: dict[str, int] = {}
    """For each id its previous occurrence, and the entry that this repeats or is."""
    first_with: dict[tuple[str, bytes], int] = {}
    contents: dict[int, bytes] = {}
    wanted = [at for at, name in enumerate(skeleton.ids) if skeleton.own_id(at) in names and name]
    digests = _compute_digests(conversation, origin, wanted)
    for position, (content, known) in zip(wanted, digests, strict=True):
        name = skeleton.own_id(position)
        if not known:
            found.nameless.add(position)
        contents[position] = content
        original = skeleton.copies.get(position)
        if original is None:
            original = first_with.setdefault((name, content), position)
        elif content != contents[original]:
            found.rewritten.add(position)
        if original != position:
            _take_copy(found, position, original)
            if last[name] != original or position in skeleton.moved_copies:
                found.cut_off.add(position)
        elif name in last:
            found.others[position] = []
        last[name] = original
    _take_children(conversation, origin, found)
    return found


def _take_copy(found: DuplicateCounter, position: int, original: int) -> None:
    found.copies[position] = original
    if original in found.others:
        found.others[original].append(position)


def _take_children(
    conversation: Conversation, origin: DocumentOrigin, found: DuplicateCounter
) -> None:
    nested = origin.links(conversation) == "nested"
    for position in range(len(conversation.skeleton)):
        above = conversation.skeleton.find_named_parent(position)
        if above != ROOT and (above in found.others or above in found.copies):
            found.children.setdefault(above, []).append(position)
            if nested:
                # Records nested in a record would be removed with it.
                found.cut_off.add(above)


def _compute_digests(
    conversation: Conversation, origin: DocumentOrigin, positions: Sequence[int]
) -> Iterator[tuple[bytes, bool]]:
    """Yield the checksum of each entry, and whether the entry is understood."""
    numbers = [conversation.members[at] for at in positions]
    names = (conversation.names(at) for at in positions)
    for number, record in zip(numbers, origin.records(numbers, names), strict=True):
        entry = origin.format.get(record)
        yield (
            compute_digest(resolve_aliases(conversation, entry), number),
            not isinstance(entry, Opaque),
        )


def compute_digest(entry: Entry, number: int) -> bytes:
    """Return a checksum that copies of an entry share; entries nested too deep get their own."""
    bare = replace(entry, id="", session=None) if isinstance(entry, Message) else entry
    try:
        # Every field counts, and the `repr` of a message shows only some.
        text = repr(astuple(bare))
    except RecursionError:
        text = f"{number}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
