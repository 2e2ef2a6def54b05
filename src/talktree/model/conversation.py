"""A conversation: entries in source order, and their tree. It is a value: edits return new ones.

Contents are read from the store on demand; only the skeleton is held in memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from operator import lt
from typing import TYPE_CHECKING, Protocol, overload

from talktree.errors import NotFound
from talktree.model.derived import BEST, rank_title
from talktree.model.entries import Entry, Head
from talktree.model.identity import SourceIndex
from talktree.model.inferred_links import KEPT
from talktree.model.measures import MessageMeasures
from talktree.model.message import Message
from talktree.model.outline import outline_entry
from talktree.model.replies import ReplyUsage
from talktree.model.skeleton import NO_TIME, Skeleton
from talktree.model.tree import Branch, Tree
from talktree.model.vendor_walk import make_written_links, walk_back

if TYPE_CHECKING:
    from talktree.model.counts import ConversationCounts

BATCH_SIZE = 64
"""How many entries are read together where they are not needed in source order."""


Reading = Callable[[Sequence[int]], Iterator[Entry]]
"""Yields the entries at some positions, in one pass."""


class EntryStore(Protocol):
    """The store that the entries of a source are read from."""

    def entry(self, number: int, id: str, parent: str | None) -> Entry:
        """Return an entry by number, with the ids of the skeleton."""

    def entries(
        self, numbers: Sequence[int], names: Iterator[tuple[str, str | None]]
    ) -> Iterator[Entry]:
        """Yield many entries in order, read in one pass."""

    def link(self, skeleton: Skeleton, read: Reading) -> None:
        """Add links that only the format can find."""

    def replies(self, message: Message, own: str) -> Iterator[ReplyUsage]:
        """Return the API replies of a message, given its id in the file."""

    def measures(self, message: Message) -> MessageMeasures:
        """Return the measures that the format records about a message."""


class Conversation:
    """One tree of messages and its other entries."""

    def __init__(
        self,
        *,
        id: str,
        format: str,
        store: EntryStore,
        members: Sequence[int],
        skeleton: Skeleton,
        changed: dict[int, Entry] | None = None,
        main_file: str = "",
        index: SourceIndex | None = None,
    ) -> None:
        self.id = id
        """Its key: the name under which the source holds it."""
        self.format = format
        self.store = store
        self.members = members
        """Numbers in the store, in order; negative ones exist only in `changed`."""
        self.skeleton = skeleton
        self.changed = changed or {}
        """Entries that are new or differ from the store, by number."""
        self.main_file = main_file
        """The file that new entries are added to."""
        self.index = SourceIndex() if index is None else index
        """The conversations that were read from the same source."""

    # entries

    def __len__(self) -> int:
        """Return the number of messages, in all branches and sidechains."""
        traits = self.skeleton.traits
        return len(traits) - traits.count(0)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Message]:
        """Yield all messages of all branches in source order, streaming."""
        return self.messages()

    def __contains__(self, item: object) -> bool:
        """Whether it contains a message, given by its full id or as a value."""
        name = item.id if isinstance(item, Message) else item
        found = self.skeleton.by_id.get(name) if isinstance(name, str) else None
        if found is None or not self.skeleton.traits[found]:
            return False
        return not isinstance(item, Message) or self[item.id] == item

    def __repr__(self) -> str:
        title = f" {self.title!r}" if self.title else ""
        count = f"{len(self)} message{'' if len(self) == 1 else 's'}"
        return f"<Conversation {self.id}{title} ({self.format}, {count})>"

    @property
    def record_count(self) -> int:
        """The number of records: messages, titles, snapshots, and unreadable ones."""
        return len(self.members)

    @property
    def native_id(self) -> str:
        """The id that the source gives the conversation; its key if the source gives none."""
        return self.index.ids.get(self.id, self.id)

    @cached_property
    def counts(self) -> ConversationCounts:
        """Its numbers, with broken links inferred as in every view."""
        from talktree.model.counts import count_conversation

        return count_conversation(self)

    def entry(self, position: int) -> Entry:
        """Return the entry at a position."""
        number = self.members[position]
        found = self.changed.get(number)
        if found is not None:
            return found
        return self.store.entry(number, *self.names(position))

    @property
    def entries(self) -> Iterator[Entry]:
        """Yield all entries in source order, streaming."""
        if not self.changed:
            return self.store.entries(self.members, map(self.names, range(len(self.members))))
        return (self.entry(position) for position in range(len(self.members)))

    def entries_at(self, positions: Sequence[int]) -> Iterator[Entry]:
        """Yield the entries at some positions, in the given order; if that is not source order,
        they are read in batches."""
        if not self.changed and all(map(lt, positions, positions[1:])):
            members = [self.members[position] for position in positions]
            yield from self.store.entries(members, map(self.names, positions))
            return
        for start in range(0, len(positions), BATCH_SIZE):
            asked = positions[start : start + BATCH_SIZE]
            if self.changed:
                yield from map(self.entry, asked)
                continue
            ordered = sorted(set(asked))
            members = [self.members[position] for position in ordered]
            found = dict(
                zip(ordered, self.store.entries(members, map(self.names, ordered)), strict=True)
            )
            for position in asked:
                yield found[position]

    def messages(self) -> Iterator[Message]:
        """Yield all messages of all branches in source order, streaming."""
        copies = self.skeleton.copies
        return (
            entry
            for position, entry in enumerate(self.entries)
            if isinstance(entry, Message) and position not in copies
        )

    @overload
    def __getitem__(self, id: str | int) -> Message: ...

    @overload
    def __getitem__(self, id: slice) -> list[Message]: ...

    def __getitem__(self, id: str | int | slice) -> Message | list[Message]:
        """Return a message by its id, or by its index among the messages; a slice returns
        several."""
        if isinstance(id, slice):
            found = self.entries_at(self._message_positions[id])
            return [entry for entry in found if isinstance(entry, Message)]
        entry = self.entry(
            self._message_positions[id] if isinstance(id, int) else self.find_position(id)
        )
        if not isinstance(entry, Message):
            raise NotFound(f"{id} is not a message")
        return entry

    @cached_property
    def _message_positions(self) -> Sequence[int]:
        """Return the positions of the messages, in source order."""
        skeleton = self.skeleton
        return array(
            "q",
            (at for at, trait in enumerate(skeleton.traits) if trait and at not in skeleton.copies),
        )

    def find_position(self, id: str) -> int:
        """Return the position of an id; a unique prefix of it is enough."""
        found = self.skeleton.by_id.get(id)
        if found is not None and self.skeleton.ids[found] == id:
            return found
        if found is not None:
            return self.skeleton.ids.index(id)
        near = [place for name, place in self.skeleton.by_id.items() if name.startswith(id)]
        if id and len(set(near)) == 1:
            return near[0]
        what = f"{len(set(near))} messages start with {id}" if near and id else f"no message {id}"
        raise NotFound(f"{what} in this conversation", hint="`talktree tree` lists them")

    def names(self, position: int) -> tuple[str, str | None]:
        """Return the id that the skeleton gives an entry, and the parent it names, if that was
        found."""
        skeleton = self.skeleton
        parent = skeleton.find_named_parent(position)
        linked = parent < 0 or (position in skeleton.linked and position not in skeleton.named)
        return skeleton.ids[position], None if linked else skeleton.ids[parent]

    # the tree

    @cached_property
    def tree(self) -> Tree:
        """The tree of its messages."""
        if not self.skeleton.joined:
            self.store.link(self.skeleton, self.entries_at)
            self.skeleton.joined = True
        return Tree(self.skeleton, walk=lambda: self._vendor_walk)

    @cached_property
    def _vendor_walk(self) -> list[int]:
        if not self.skeleton.habits.walk:
            return []
        return walk_back(make_written_links(self.skeleton), self.entries_at)

    def branches(self) -> list[Branch]:
        """Return every branch, the active one first."""
        return self.tree.branches()

    def path(self, leaf: str | None = None) -> list[Message]:
        """Return the messages from the start to a leaf, by default to the active one."""
        end = self.tree.active_leaf() if leaf is None else self.find_position(leaf)
        if end is None:
            return []
        found = (self.entry(position) for position in self.tree.path(end))
        return [entry for entry in found if isinstance(entry, Message)]

    def context_messages(self, leaf: str | None = None) -> list[Message]:
        """Return the context that a model gets at a leaf, by default at the active one.

        After a compaction that is its summary and what follows, after a restoration everything.
        """
        from talktree.model.compaction import list_context_messages

        return list_context_messages(self, leaf)

    @cached_property
    def title(self) -> str | None:
        """The title in the source: the best one; of equally good ones, the last."""
        others = [position for position, trait in enumerate(self.skeleton.traits) if not trait]
        found: Head | None = None
        for entry in self.entries_at(others[::-1]):
            if not isinstance(entry, Head) or not entry.title:
                continue
            if found is None or rank_title(entry) > rank_title(found):
                found = entry
            if rank_title(found) == BEST:
                break
        return found.title if found else None

    # edits

    def with_entries(self, members: Sequence[int], changed: dict[int, Entry]) -> Conversation:
        """Return the same conversation with other entries."""
        return Conversation(
            id=self.id,
            format=self.format,
            store=self.store,
            members=members,
            skeleton=_rebuild_skeleton(self, members, changed),
            changed=changed,
            main_file=self.main_file,
            index=self.index,
        )


def _rebuild_skeleton(
    old: Conversation, members: Sequence[int], changed: dict[int, Entry]
) -> Skeleton:
    skeleton = old.skeleton
    place = {number: position for position, number in enumerate(old.members)}
    groups, replies = skeleton.groups(), skeleton.replies()
    fresh = Skeleton(skeleton.habits)
    for number in members:
        at = place.get(number)
        entry = changed.get(number)
        if entry is None or (at is not None and _is_linked_alike(old, at, entry)):
            assert at is not None
            _copy_bone(skeleton, at, fresh, reply=replies[at], turn=groups[at])
            continue
        fresh.add_outline(outline_entry(entry))
        if at in skeleton.native and isinstance(entry, Message) and entry.id == skeleton.ids[at]:
            fresh.native[len(fresh) - 1] = skeleton.native[at]
    now = {number: position for position, number in enumerate(members)}
    fresh.finish()
    for copy, original in skeleton.copies.items():
        if old.members[copy] in now and old.members[original] in now:
            fresh.copies[now[old.members[copy]]] = now[old.members[original]]
    fresh.joined = skeleton.joined
    return fresh


def _is_linked_alike(old: Conversation, at: int, entry: Entry) -> bool:
    """Whether a changed entry keeps its id and place, so that known links are still valid."""
    before = old.entry(at)
    if isinstance(entry, Message) and isinstance(before, Message):
        return (entry.id, entry.parent, entry.follows) == (before.id, before.parent, before.follows)
    return not isinstance(entry, Message) and not isinstance(before, Message)


def _copy_bone(
    skeleton: Skeleton, at: int, fresh: Skeleton, *, reply: str | None, turn: str | None
) -> None:
    # Inferred links are inferred again, except those that would need the copies.
    inferred = at in skeleton.named and skeleton.linked.get(at) != KEPT
    parent = skeleton.named[at] if inferred else skeleton.parents[at]
    fresh.add(
        skeleton.traits[at],
        skeleton.ids[at] or None,
        skeleton.ids[parent] if parent >= 0 else None,
        None if skeleton.times[at] == NO_TIME else skeleton.times[at],
        skeleton.roles[at],
        skeleton.sidechain[at],
        reply,
        listing=skeleton.listings[at],
        request=turn,
    )
    if at in skeleton.linked and not inferred:
        fresh.linked[len(fresh) - 1] = skeleton.linked[at]
    if at in skeleton.native:
        fresh.native[len(fresh) - 1] = skeleton.native[at]
    if at in skeleton.spawned:
        fresh.spawned[len(fresh) - 1] = skeleton.spawned[at]


def make_member_numbers(count: int) -> Sequence[int]:
    """Return the members of a conversation that fills a whole store."""
    return array("q", range(count))
